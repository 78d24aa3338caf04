// The whole search: bounds from the sample upwards, pure trees on the way, and a proof at the end. Keeps what it learned
// for the forest of all minimum trees.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../grown_tree.hpp"
#include "examples.hpp"
#include "forest.hpp"
#include "improvement.hpp"
#include "refinement.hpp"
#include "wishes.hpp"

namespace puretree {

struct News {
    std::function<void(Value)> lower;            // no tree is better
    std::function<void(const GrownTree&)> tree;  // a pure tree, which may be too deep or have too small leaves
};

class Search {
public:
    Search(std::vector<Word> example_words, std::size_t n_features, std::vector<std::int32_t> labels,
           std::size_t n_classes, Wishes wishes, std::size_t max_bytes);

    // Works until a best tree is found, or until no tree is better than `enough`; true if so. False if there is no
    // tree at all. `tick` is called often and may throw: run again to go on.
    bool run(Value enough, const News& news, std::function<void()> tick);

    // All trees of `size` to `size + extra` tests; `size` is the least possible.
    Forest find_forest(std::size_t size, std::size_t extra, std::size_t max_bytes, std::function<void()> tick);

    // The log of a proof that no tree has fewer tests than `bound`, which a run has shown; nodes are counted, and no
    // wish but the root's counts. Throws ProofTooLarge.
    std::string write_proof(Value bound, std::size_t max_bytes, std::function<void()> tick);

    Search(const Search&) = delete;  // examples_ points into it
    Search& operator=(const Search&) = delete;

private:
    void begin();
    bool prove(Value enough, const News& news);
    void raise_lower(Value lower, const News& news);
    void bound_by_all_conflicts(const News& news);
    GrownTree completed(const SampleTree& tree) const;
    void offer(const GrownTree& tree, const News& news);
    void hand_over(const News& news);
    bool any_tree_will_do() const;
    void improve(const News& news);
    Value least_completed(const SampleTree& tree) const;
    Value value_of(const GrownTree& tree) const;

    std::vector<Word> words_;
    std::vector<std::int32_t> labels_;
    Examples examples_;
    Wishes wishes_;
    std::function<void()> tick_;
    std::unique_ptr<Refinement> refinement_;  // made by the first run: even that takes time
    std::size_t max_bytes_;
    Value lower_ = 0;
    std::optional<Value> bound_by_all_;  // see bound_by_all_conflicts
    GrownTree best_tree_;       // of those that were found, in the way of `completed`
    Value best_ = kImpossible;  // its value, or that of a better tree known to the caller
    std::optional<GrownTree> waiting_;  // to be handed over
    Improvement improvement_;
    std::size_t n_ticks_ = 0;
    std::size_t n_ticks_improving_ = 0;
};

}  // namespace puretree
