#include "search.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "../greedy.hpp"
#include "proof/proof_log.hpp"

namespace puretree {
namespace {

// Trees are reported from this tick on: where the proof takes a millisecond, the caller took two to check trees that
// were soon replaced.
constexpr std::size_t kTicksBeforeReports = 2000;

// A pure tree of some examples.
GrownTree grow_on(const Examples& all, SetView members, const std::function<void()>& tick) {
    const auto subset = all.copy(members);
    return grow_greedily(subset.rows(), subset.labels, static_cast<int>(all.n_classes()), [&] {
        tick();
        return true;
    });
}

}  // namespace

Search::Search(std::vector<Word> example_words, std::size_t n_features, std::vector<std::int32_t> labels,
               std::size_t n_classes, Constraints constraints, std::size_t max_bytes)
    : words_(std::move(example_words)), labels_(std::move(labels)),
      examples_({words_.data(), labels_.size(), n_features}, labels_, n_classes), constraints_(std::move(constraints)),
      max_bytes_(max_bytes) {}

bool Search::run(Value cutoff, const SearchCallbacks& callbacks, std::function<void()> tick) {
    upper_ = std::min(upper_, cutoff);
    tick_ = [this, tick = std::move(tick)] {
        ++n_ticks_;
        tick();
    };
    try {
        return search_to_proof(cutoff, callbacks);
    } catch (...) {
        report_pending(callbacks);
        throw;
    }
}

bool Search::search_to_proof(Value cutoff, const SearchCallbacks& callbacks) {
    prepare();
    for (;;) {
        tick_();
        const Refinement::Round round = refinement_->next_round(lower_);
        if (round.bound.lower >= kInfeasible) return false;
        raise_lower(round.bound.lower, callbacks);
        if (round.bound.is_exact) {
            callbacks.on_tree(complete(*round.tree));
            pending_tree_.reset();
            return true;
        }
        if (round.tree && least_completed_value(*round.tree) <= upper_) add_tree(complete(*round.tree), callbacks);
        const bool is_large_sample = 2 * refinement_->sample_size() > examples_.size();
        if (!all_conflicts_bound_ && is_large_sample) bound_by_all_conflicts(callbacks);
        if (n_ticks_ >= kTicksBeforeReports) report_pending(callbacks);
        if (lower_ >= std::min(cutoff, upper_)) {
            report_pending(callbacks);
            return true;
        }
    }
}

void Search::prepare() {
    if (refinement_) return;
    refinement_ = std::make_unique<Refinement>(examples_, constraints_, max_bytes_, [this] { tick_(); });
}

void Search::raise_lower(Value lower, const SearchCallbacks& callbacks) {
    if (lower <= lower_) return;
    lower_ = lower;
    callbacks.on_lower(lower);
}

// The clique bound from the conflicts of all examples: too slow for the start of a search. But where the sample keeps
// growing, it may have to contain all examples before its conflicts give this bound, which can end the search. 300
// alternating labels in one column were unsolved after 15 s without it.
void Search::bound_by_all_conflicts(const SearchCallbacks& callbacks) {
    Sample all(examples_);
    for (std::uint32_t example = 0; example < examples_.size(); ++example) all.add(example);
    Conflicts conflicts(all);
    conflicts.extend(tick_);
    const std::size_t n_leaves = conflicts.least_leaves(examples_.full_set(), examples_.size());
    all_conflicts_bound_ = constraints_.min_cost() * static_cast<Value>(n_leaves - 1);
    raise_lower(*all_conflicts_bound_, callbacks);
}

void Search::add_tree(const GrownTree& tree, const SearchCallbacks& callbacks) {
    const Value value = value_of(tree);
    // One of the same value is reported, too: the caller may know how to improve it.
    if (value > upper_ || (value == upper_ && n_ticks_ < kTicksBeforeReports)) return;
    pending_tree_ = tree;
    if (accepts_any_pure_tree()) upper_ = value;
    // A tree that may violate the constraints must not replace a pending one that satisfies them.
    if (!accepts_any_pure_tree() || n_ticks_ >= kTicksBeforeReports) report_pending(callbacks);
}

void Search::report_pending(const SearchCallbacks& callbacks) {
    if (!pending_tree_) return;
    const GrownTree tree = *std::exchange(pending_tree_, std::nullopt);
    callbacks.on_tree(tree);
}

// Whether every pure tree with an allowed root satisfies the constraints.
bool Search::accepts_any_pure_tree() const { return constraints_.max_depth == kAnyDepth && constraints_.is_monotone(); }

// The tree of the sample with its impure leaves replaced by greedy trees: pure on all examples, and smaller than the
// trees of heuristics.
GrownTree Search::complete(const SampleTree& tree) const {
    struct QueuedNode {
        const GrownTree* subtree;  // nullptr: a node of the sample's tree
        std::size_t node;
    };
    std::deque<GrownTree> subtrees;
    GrownTree out;
    for (std::deque<QueuedNode> queue{{nullptr, 0}}; !queue.empty(); queue.pop_front()) {
        auto [subtree, node] = queue.front();
        if (subtree == nullptr && !tree.nodes[node].members.empty()) {
            subtrees.push_back(grow_on(examples_, tree.nodes[node].members, tick_));
            subtree = &subtrees.back();
            node = 0;
        }
        if (subtree != nullptr) {
            if (subtree->left[node] < 0) {
                out.add_leaf(subtree->label[node]);
                continue;
            }
            const auto left = static_cast<std::size_t>(subtree->left[node]);
            out.add_inner(static_cast<std::size_t>(subtree->feature[node]));
            queue.push_back({subtree, left});
            queue.push_back({subtree, left + 1});
        } else if (tree.nodes[node].is_leaf()) {
            out.add_leaf(tree.nodes[node].label);
        } else {
            out.add_inner(tree.nodes[node].feature);
            queue.push_back({nullptr, tree.nodes[node].no});
            queue.push_back({nullptr, tree.nodes[node].yes});
        }
    }
    return out;
}

// Every impure leaf needs at least one more test.
Value Search::least_completed_value(const SampleTree& tree) const {
    const auto n_impure = std::ranges::count_if(tree.nodes, [](const auto& node) { return !node.members.empty(); });
    return tree.value + n_impure * constraints_.min_cost();
}

Value Search::value_of(const GrownTree& tree) const {
    Value value = 0;
    for (const std::int32_t feature : tree.feature) {
        if (feature >= 0) value += constraints_.cost(static_cast<std::uint32_t>(feature));
    }
    return value;
}

Forest Search::find_forest(std::size_t size, std::size_t extra, std::size_t max_bytes, std::function<void()> tick) {
    tick_ = std::move(tick);
    prepare();
    // Memory for the memo pays as much as memory for the forest.
    refinement_->limit_memo(refinement_->n_memo_bytes() + max_bytes / 2);
    return build_forest(examples_, constraints_, *refinement_, size, extra, max_bytes / 2, tick_);
}

std::string Search::write_proof(Value bound, std::size_t max_bytes, std::function<void()> tick) {
    if (bound > lower_) throw std::logic_error("the bound to be proved exceeds the lower bound of the search");
    tick_ = std::move(tick);
    prepare();
    if (all_conflicts_bound_ && *all_conflicts_bound_ >= bound) {
        return prove_by_conflicts(examples_, bound, max_bytes, tick_);
    }
    return prove_by_search(refinement_->sample(), constraints_, refinement_->solver(), bound, max_bytes, tick_);
}

}  // namespace puretree
