#include "improvement.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>

#include "refinement.hpp"

namespace puretree {
namespace {

constexpr std::size_t kMinTests = 2, kMaxTests = 40;  // of a subtree
constexpr std::size_t kMaxTicksPerSubtree = 4000;     // so that one hard subtree does not take all the time
constexpr std::size_t kBytesPerSet = 96;              // in a hash table, in addition to its members

struct SubtreeTooHard {};

// A best tree of the examples, if its value is below `upper`.
std::optional<SampleTree> best_tree_below(Value upper, const Examples& examples, const Constraints& constraints,
                                          std::size_t max_bytes, const std::function<void()>& tick) {
    Refinement refinement(examples, constraints, max_bytes, tick);
    for (Value lower = 0; lower < upper;) {
        Refinement::Round round = refinement.next_round(lower);
        lower = std::max(lower, round.bound.lower);
        if (round.bound.is_exact && lower < upper) return std::move(round.tree);
    }
    return std::nullopt;
}

// The tree with the subtree at a node replaced.
GrownTree replace_subtree(const GrownTree& tree, std::size_t at, const SampleTree& subtree) {
    struct QueuedNode {
        bool is_of_subtree;
        std::size_t node;
    };
    GrownTree out;
    for (std::deque<QueuedNode> queue{{at == 0, 0}}; !queue.empty(); queue.pop_front()) {
        const auto [is_of_subtree, node] = queue.front();
        if (is_of_subtree) {
            const SampleTree::Node& from = subtree.nodes[node];
            if (from.is_leaf()) {
                out.add_leaf(from.label);
            } else {
                out.add_inner(from.feature);
                queue.push_back({true, from.no});
                queue.push_back({true, from.yes});
            }
        } else if (tree.left[node] < 0) {
            out.add_leaf(tree.label[node]);
        } else {
            out.add_inner(static_cast<std::size_t>(tree.feature[node]));
            const auto left = static_cast<std::size_t>(tree.left[node]);
            for (const std::size_t child : {left, left + 1}) {
                queue.push_back({child == at, child == at ? 0 : child});
            }
        }
    }
    return out;
}

std::size_t n_bytes_of(const std::vector<std::uint32_t>& members) {
    return kBytesPerSet + members.size() * sizeof(std::uint32_t);
}

}  // namespace

std::size_t Improvement::HashMembers::operator()(const Members& members) const {
    std::uint64_t hash = members.size();
    for (const std::uint32_t member : members) {
        const Word word = member;
        hash = hash_set({&word, 1}, hash);
    }
    return hash;
}

void Improvement::improve(GrownTree tree, std::size_t n_ticks, const std::function<void()>& tick,
                          const std::function<void(const GrownTree&)>& on_better) {
    std::size_t n_used = 0, n_tried_bytes = 0;
    Sets tried_sets;
    for (bool has_tried = true; has_tried && n_used < n_ticks && n_tried_bytes <= max_bytes_ / 2;) {
        has_tried = false;
        const std::vector<Subtree> subtrees = subtrees_of(tree);
        std::vector<std::size_t> order(subtrees.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return subtrees[i].n_tests; });
        for (const std::size_t i : order) {
            const bool is_constrained_root = i == 0 && constraints_.root_features;
            if (subtrees[i].n_tests < kMinTests || subtrees[i].n_tests > kMaxTests || is_constrained_root) continue;
            if (optimal_sets_.contains(subtrees[i].examples) || !tried_sets.insert(subtrees[i].examples).second) continue;
            has_tried = true;
            n_tried_bytes += n_bytes_of(subtrees[i].examples);
            std::size_t n_subtree_ticks = 0;
            const auto count_ticks = [&] {
                tick();
                ++n_used;
                if (++n_subtree_ticks > std::min(kMaxTicksPerSubtree, n_ticks)) throw SubtreeTooHard{};
            };
            try {
                if (improve_subtree(tree, subtrees, i, count_ticks)) {
                    on_better(tree);
                    break;  // the subtrees above it have changed
                }
                remember_optimal(subtrees[i].examples);
            } catch (const SubtreeTooHard&) {
            }
            if (n_used >= n_ticks) break;
        }
    }
}

// Adds a set; drops all others if they take too much memory, which costs only time.
void Improvement::remember_optimal(const Members& members) {
    n_optimal_bytes_ += n_bytes_of(members);
    if (n_optimal_bytes_ > max_bytes_ / 2) {
        optimal_sets_.clear();
        n_optimal_bytes_ = n_bytes_of(members);
    }
    optimal_sets_.insert(members);
}

bool Improvement::improve_subtree(GrownTree& tree, const std::vector<Subtree>& subtrees, std::size_t node,
                                  const std::function<void()>& tick) {
    Value value = 0;
    std::vector<std::size_t> nodes{node};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Subtree& subtree = subtrees[nodes[i]];
        if (subtree.left < 0) continue;
        value += constraints_.cost(static_cast<std::uint32_t>(subtree.feature));
        nodes.push_back(static_cast<std::size_t>(subtree.left));
        nodes.push_back(static_cast<std::size_t>(subtree.left) + 1);
    }
    Constraints constraints;
    constraints.feature_costs = constraints_.feature_costs;
    std::vector<Word> members(all_.n_words());
    for (const std::uint32_t example : subtrees[node].examples) insert(members, example);
    const auto subset = all_.copy(members);
    const Examples examples(subset.rows(), subset.labels, all_.n_classes());
    const auto better = best_tree_below(value, examples, constraints, max_bytes_, tick);
    if (!better) return false;
    tree = replace_subtree(tree, node, *better);
    return true;
}

std::vector<Improvement::Subtree> Improvement::subtrees_of(const GrownTree& tree) const {
    std::vector<Subtree> subtrees;
    for (std::size_t i = 0; i < tree.feature.size(); ++i) {
        subtrees.push_back({tree.feature[i], tree.left[i], tree.label[i], {}, 0});
    }
    subtrees[0].examples.resize(all_.size());
    std::iota(subtrees[0].examples.begin(), subtrees[0].examples.end(), 0u);
    for (const Subtree& subtree : subtrees) {
        if (subtree.left < 0) continue;
        auto& no = subtrees[static_cast<std::size_t>(subtree.left)].examples;
        auto& yes = subtrees[static_cast<std::size_t>(subtree.left) + 1].examples;
        for (const std::uint32_t example : subtree.examples) {
            (all_.rows().bit(example, static_cast<std::size_t>(subtree.feature)) ? yes : no).push_back(example);
        }
    }
    for (std::size_t i = subtrees.size(); i-- > 0;) {
        if (subtrees[i].left < 0) continue;
        const auto left = static_cast<std::size_t>(subtrees[i].left);
        subtrees[i].n_tests = 1 + subtrees[left].n_tests + subtrees[left + 1].n_tests;
    }
    return subtrees;
}

}  // namespace puretree
