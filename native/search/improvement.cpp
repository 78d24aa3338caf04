#include "improvement.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

#include "refinement.hpp"

namespace puretree {
namespace {

constexpr std::size_t kSmallestPart = 2, kLargestPart = 40;  // tests
constexpr std::size_t kTicksOfAPart = 4000;                  // at most, so that one hard part does not take all

constexpr std::size_t kBytesOfASet = 96;                     // in a hash table, besides its members

struct PartTakesTooLong {};

// A best tree of the examples, if it is better than `enough`; otherwise nothing.
SampleTree best_below(const Examples& examples, const Wishes& wishes, Value enough, std::size_t max_bytes,
                      const std::function<void()>& tick) {
    Refinement refinement(examples, wishes, max_bytes, tick);
    for (Value lower = 0; lower < enough;) {
        Refinement::Round round = refinement.next_round(lower);
        lower = std::max(lower, round.bound.lower);
        if (round.bound.is_exact && lower < enough) return std::move(round.tree);
    }
    return {};
}

// The tree with the part at a node replaced.
GrownTree spliced(const GrownTree& tree, std::size_t at, const SampleTree& part) {
    struct Waiting {
        bool is_of_part;
        std::size_t node;
    };
    GrownTree out;
    for (std::deque<Waiting> waiting{{at == 0, 0}}; !waiting.empty(); waiting.pop_front()) {
        const auto [is_of_part, node] = waiting.front();
        if (is_of_part) {
            const SampleTree::Node& from = part.nodes[node];
            if (from.is_leaf()) {
                out.add_leaf(from.label);
            } else {
                out.add_inner(from.feature);
                waiting.push_back({true, from.no});
                waiting.push_back({true, from.yes});
            }
        } else if (tree.left[node] < 0) {
            out.add_leaf(tree.label[node]);
        } else {
            out.add_inner(static_cast<std::size_t>(tree.feature[node]));
            for (const auto child : {static_cast<std::size_t>(tree.left[node]), static_cast<std::size_t>(tree.left[node]) + 1}) {
                waiting.push_back({child == at, child == at ? 0 : child});
            }
        }
    }
    return out;
}

std::size_t n_bytes_of(const std::vector<std::uint32_t>& members) {
    return kBytesOfASet + members.size() * sizeof(std::uint32_t);
}

}  // namespace

std::size_t Improvement::HashMembers::operator()(const Members& members) const {
    std::uint64_t hash = members.size();
    for (const std::uint32_t member : members) {
        const Word word = member;
        hash = hash_set(&word, 1, hash);
    }
    return hash;
}

void Improvement::improve(GrownTree tree, std::size_t n_ticks, const std::function<void()>& tick,
                          const std::function<void(const GrownTree&)>& on_better) {
    std::size_t n_used = 0, n_tried_bytes = 0;
    Sets tried;
    for (bool has_tried = true; has_tried && n_used < n_ticks && n_tried_bytes <= max_bytes_ / 2;) {
        has_tried = false;
        const std::vector<Part> parts = parts_of(tree);
        std::vector<std::size_t> order(parts.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return parts[i].n_tests; });
        for (const std::size_t i : order) {
            const bool is_root_wished = i == 0 && !wishes_.is_root.empty();
            if (parts[i].n_tests < kSmallestPart || parts[i].n_tests > kLargestPart || is_root_wished) continue;
            if (settled_.contains(parts[i].examples) || !tried.insert(parts[i].examples).second) continue;
            has_tried = true;
            n_tried_bytes += n_bytes_of(parts[i].examples);
            std::size_t n_of_part = 0;
            const auto count_ticks = [&] {
                tick();
                ++n_used;
                if (++n_of_part > std::min(kTicksOfAPart, n_ticks)) throw PartTakesTooLong{};
            };
            try {
                if (improve_part(tree, parts, i, count_ticks)) {
                    on_better(tree);
                    break;  // the parts above it are other parts now
                }
                settle(parts[i].examples);
            } catch (const PartTakesTooLong&) {
            }
            if (n_used >= n_ticks) break;
        }
    }
}

// Remembers a set; all others are forgotten first if they are too many, which costs time and nothing else.
void Improvement::settle(const Members& members) {
    n_settled_bytes_ += n_bytes_of(members);
    if (n_settled_bytes_ > max_bytes_ / 2) {
        settled_.clear();
        n_settled_bytes_ = n_bytes_of(members);
    }
    settled_.insert(members);
}

bool Improvement::improve_part(GrownTree& tree, const std::vector<Part>& parts, std::size_t at,
                               const std::function<void()>& tick) {
    Value value = 0;
    std::vector<std::size_t> below{at};
    for (std::size_t i = 0; i < below.size(); ++i) {
        const Part& part = parts[below[i]];
        if (part.left < 0) continue;
        value += wishes_.weight(static_cast<std::uint32_t>(part.feature));
        below.push_back(static_cast<std::size_t>(part.left));
        below.push_back(static_cast<std::size_t>(part.left) + 1);
    }
    Wishes wishes;
    wishes.weights = wishes_.weights;
    std::vector<Word> members(all_.n_words());
    for (const std::uint32_t example : parts[at].examples) members[example / kWordBits] |= Word{1} << (example % kWordBits);
    const auto gathered = all_.gather(members.data());
    const Examples examples(gathered.rows(), gathered.labels, all_.n_classes());
    const SampleTree better = best_below(examples, wishes, value, max_bytes_, tick);
    if (better.nodes.empty()) return false;
    tree = spliced(tree, at, better);
    return true;
}

std::vector<Improvement::Part> Improvement::parts_of(const GrownTree& tree) const {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < tree.feature.size(); ++i) parts.push_back({tree.feature[i], tree.left[i], tree.label[i], {}, 0});
    parts[0].examples.resize(all_.size());
    std::iota(parts[0].examples.begin(), parts[0].examples.end(), 0u);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].left < 0) continue;
        auto& no = parts[static_cast<std::size_t>(parts[i].left)].examples;
        auto& yes = parts[static_cast<std::size_t>(parts[i].left) + 1].examples;
        for (const std::uint32_t example : parts[i].examples) {
            (all_.rows().bit(example, static_cast<std::size_t>(parts[i].feature)) ? yes : no).push_back(example);
        }
    }
    for (std::size_t i = parts.size(); i-- > 0;) {
        if (parts[i].left < 0) continue;
        const auto left = static_cast<std::size_t>(parts[i].left);
        parts[i].n_tests = 1 + parts[left].n_tests + parts[left + 1].n_tests;
    }
    return parts;
}

}  // namespace puretree
