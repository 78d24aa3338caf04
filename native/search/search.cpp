#include "search.hpp"

#include <algorithm>
#include <deque>

#include "../greedy.hpp"

namespace puretree {
namespace {

// A pure tree of some examples.
GrownTree grow_on(const Examples& all, const std::vector<Word>& members, std::span<const std::int32_t> labels) {
    std::vector<Word> words;
    std::vector<std::int32_t> member_labels;
    for_each(members.data(), members.size(), [&](std::size_t example) {
        const auto row = all.rows().row(example);
        words.insert(words.end(), row.begin(), row.end());
        member_labels.push_back(labels[example]);
    });
    const BitRows<const Word> rows{words.data(), member_labels.size(), all.n_features()};
    return grow_greedily(rows, member_labels, static_cast<int>(all.n_classes()), [] { return true; });
}

}  // namespace

Search::Search(std::vector<Word> example_words, std::size_t n_features, std::vector<std::int32_t> labels,
               std::size_t n_classes, Wishes wishes, std::size_t max_bytes)
    : words_(std::move(example_words)), labels_(std::move(labels)),
      examples_({words_.data(), labels_.size(), n_features}, labels_, n_classes), wishes_(std::move(wishes)),
      max_bytes_(max_bytes) {}

bool Search::run(Value enough, const News& news, std::function<void()> tick) {
    best_ = std::min(best_, enough);
    tick_ = std::move(tick);
    if (!refinement_) {
        refinement_ = std::make_unique<Refinement>(examples_, wishes_, max_bytes_, [this] { tick_(); });
    }
    for (;;) {
        tick_();
        const Refinement::Round round = refinement_->next_round(lower_);
        if (round.bound.lower > lower_) {
            lower_ = round.bound.lower;
            if (lower_ >= kImpossible) return false;
            news.lower(lower_);
        }
        if (!round.tree.nodes.empty()) {
            const GrownTree tree = completed(round.tree);
            const Value value = value_of(tree);
            if (value < best_ || round.bound.is_exact) news.tree(tree);
            best_ = std::min(best_, value);
        }
        if (round.bound.is_exact || lower_ >= enough) return true;
    }
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
            grown_out.push_back(grow_on(examples_, tree.nodes[node].members, labels_));
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

Value Search::value_of(const GrownTree& tree) const {
    Value value = 0;
    for (const std::int32_t feature : tree.feature) {
        if (feature >= 0) value += wishes_.weight(static_cast<std::uint32_t>(feature));
    }
    return value;
}

Forest Search::find_forest(std::size_t size, std::size_t extra, std::size_t max_bytes, std::function<void()> tick) {
    tick_ = std::move(tick);
    if (!refinement_) {
        refinement_ = std::make_unique<Refinement>(examples_, wishes_, max_bytes_, [this] { tick_(); });
    }
    return build_forest(examples_, wishes_, *refinement_, size, extra, max_bytes, tick_);
}

}  // namespace puretree
