#include "search.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "../greedy.hpp"
#include "proof/proof_log.hpp"

namespace puretree {
namespace {

constexpr std::size_t kTicksPerImprovingTick = 4;
constexpr std::size_t kFewestTicksImproving = 1000;
constexpr std::size_t kImprovementShare = 8;  // one part of so many of the memory
// Until then trees wait to be handed over: where the proof takes a millisecond, the caller's checks of trees that are
// soon surpassed took two.
constexpr std::size_t kTicksBeforeNews = 2000;

// A pure tree of some examples.
GrownTree grow_on(const Examples& all, const std::vector<Word>& members, const std::function<void()>& tick) {
    const auto gathered = all.gather(members.data());
    return grow_greedily(gathered.rows(), gathered.labels, static_cast<int>(all.n_classes()), [&] {
        tick();
        return true;
    });
}

}  // namespace

Search::Search(std::vector<Word> example_words, std::size_t n_features, std::vector<std::int32_t> labels,
               std::size_t n_classes, Wishes wishes, std::size_t max_bytes)
    : words_(std::move(example_words)), labels_(std::move(labels)),
      examples_({words_.data(), labels_.size(), n_features}, labels_, n_classes), wishes_(std::move(wishes)),
      max_bytes_(max_bytes - max_bytes / kImprovementShare),
      improvement_(examples_, wishes_, max_bytes / kImprovementShare) {}

bool Search::run(Value enough, const News& news, std::function<void()> tick) {
    best_ = std::min(best_, enough);
    tick_ = [this, tick = std::move(tick)] {
        ++n_ticks_;
        tick();
    };
    try {
        return prove(enough, news);
    } catch (...) {
        hand_over(news);
        throw;
    }
}

bool Search::prove(Value enough, const News& news) {
    begin();
    for (;;) {
        tick_();
        const Refinement::Round round = refinement_->next_round(lower_);
        if (round.bound.lower >= kImpossible) return false;
        raise_lower(round.bound.lower, news);
        if (round.bound.is_exact) {
            news.tree(completed(round.tree));
            waiting_.reset();
            return true;
        }
        if (!round.tree.nodes.empty() && least_completed(round.tree) < best_) offer(completed(round.tree), news);
        if (!bound_by_all_ && 2 * refinement_->sample_size() > examples_.size()) bound_by_all_conflicts(news);
        if (n_ticks_ >= kTicksBeforeNews) hand_over(news);
        if (lower_ >= std::min(enough, best_)) {
            hand_over(news);
            return true;
        }
        improve(news);
    }
}

void Search::begin() {
    if (refinement_) return;
    refinement_ = std::make_unique<Refinement>(examples_, wishes_, max_bytes_, [this] { tick_(); });
}

void Search::raise_lower(Value lower, const News& news) {
    if (lower <= lower_) return;
    lower_ = lower;
    news.lower(lower);
}

// The leaves that the conflicts of everything ask for: too slow to begin with. But where the sample grows and grows, it
// may have to become everything before its conflicts say as much, and this ends the search. 300 alternating labels in one
// column were open after 15 s without it.
void Search::bound_by_all_conflicts(const News& news) {
    Sample all(examples_);
    for (std::uint32_t example = 0; example < examples_.size(); ++example) all.take(example);
    Conflicts conflicts(all);
    conflicts.extend(tick_);
    const std::size_t n_leaves = conflicts.least_leaves(examples_.everything(), examples_.size());
    bound_by_all_ = wishes_.least_weight() * static_cast<Value>(n_leaves - 1);
    raise_lower(*bound_by_all_, news);
}

void Search::offer(const GrownTree& tree, const News& news) {
    const Value value = value_of(tree);
    if (best_tree_.feature.empty() || value < value_of(best_tree_)) best_tree_ = tree;
    if (value >= best_) return;
    waiting_ = tree;
    if (any_tree_will_do()) best_ = value;
    // One that may not do must not take the place of one that does.
    if (!any_tree_will_do() || n_ticks_ >= kTicksBeforeNews) hand_over(news);
}

void Search::hand_over(const News& news) {
    if (!waiting_) return;
    const GrownTree tree = *std::exchange(waiting_, std::nullopt);
    news.tree(tree);
}

// Whether a tree that is right on everything keeps to the wishes, if its root does.
bool Search::any_tree_will_do() const { return wishes_.max_depth == kAnyDepth && wishes_.is_monotone(); }

// A share of the work goes into better trees, once it is clear that the proof takes some.
void Search::improve(const News& news) {
    const std::size_t n_due = n_ticks_ / kTicksPerImprovingTick;
    if (!any_tree_will_do() || best_tree_.feature.empty()) return;
    if (n_due < n_ticks_improving_ + kFewestTicksImproving) return;
    const std::size_t before = n_ticks_;
    improvement_.improve(best_tree_, n_due - n_ticks_improving_, tick_, [&](const GrownTree& tree) { offer(tree, news); });
    n_ticks_improving_ += n_ticks_ - before;
}

// The sample's tree with its impure leaves grown out: right on all examples, and a smaller tree than heuristics find.
GrownTree Search::completed(const SampleTree& tree) const {
    struct Waiting {
        const GrownTree* grown;  // nullptr: a node of the sample's tree
        std::size_t node;
    };
    std::deque<GrownTree> grown_out;
    GrownTree out;
    for (std::deque<Waiting> waiting{{nullptr, 0}}; !waiting.empty(); waiting.pop_front()) {
        auto [grown, node] = waiting.front();
        if (grown == nullptr && !tree.nodes[node].members.empty()) {
            grown_out.push_back(grow_on(examples_, tree.nodes[node].members, tick_));
            grown = &grown_out.back();
            node = 0;
        }
        if (grown != nullptr) {
            if (grown->left[node] < 0) {
                out.add_leaf(grown->label[node]);
                continue;
            }
            const auto left = static_cast<std::size_t>(grown->left[node]);
            out.add_inner(static_cast<std::size_t>(grown->feature[node]));
            waiting.push_back({grown, left});
            waiting.push_back({grown, left + 1});
        } else if (tree.nodes[node].is_leaf()) {
            out.add_leaf(tree.nodes[node].label);
        } else {
            out.add_inner(tree.nodes[node].feature);
            waiting.push_back({nullptr, tree.nodes[node].no});
            waiting.push_back({nullptr, tree.nodes[node].yes});
        }
    }
    return out;
}

// A test more at least for every impure leaf.
Value Search::least_completed(const SampleTree& tree) const {
    const auto n_impure = std::ranges::count_if(tree.nodes, [](const auto& node) { return !node.members.empty(); });
    return tree.value + n_impure * wishes_.least_weight();
}

Value Search::value_of(const GrownTree& tree) const {
    Value value = 0;
    for (const std::int32_t feature : tree.feature) {
        if (feature >= 0) value += wishes_.weight(static_cast<std::uint32_t>(feature));
    }
    return value;
}

Forest Search::find_forest(std::size_t size, std::size_t extra, std::size_t max_bytes, std::function<void()> tick) {
    tick_ = std::move(tick);
    begin();
    // What the memo learns pays as much as what the forest keeps.
    refinement_->limit_memo(refinement_->n_memo_bytes() + max_bytes / 2);
    return build_forest(examples_, wishes_, *refinement_, size, extra, max_bytes / 2, tick_);
}

std::string Search::write_proof(Value bound, std::size_t max_bytes, std::function<void()> tick) {
    if (bound > lower_) throw std::logic_error("a proof was asked of a bound that the search does not know");
    tick_ = std::move(tick);
    begin();
    if (bound_by_all_ && *bound_by_all_ >= bound) return prove_by_conflicts(examples_, bound, max_bytes, tick_);
    return prove_by_search(refinement_->sample(), wishes_, refinement_->solver(), bound, max_bytes, tick_);
}

}  // namespace puretree
