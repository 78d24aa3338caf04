// The whole search: raises the lower bound from the sample upwards, reports pure trees on the way, and ends with a
// proof. The Search object keeps its memo for the forest of all minimum trees.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../grown_tree.hpp"
#include "constraints.hpp"
#include "examples.hpp"
#include "forest.hpp"
#include "refinement.hpp"

namespace puretree {

struct SearchCallbacks {
    std::function<void(Value)> on_lower;            // a higher lower bound
    std::function<void(const GrownTree&)> on_tree;  // a pure tree, which may violate max_depth or min_samples_leaf
};

class Search {
public:
    Search(std::vector<Word> example_words, std::size_t n_features, std::vector<std::int32_t> labels,
           std::size_t n_classes, Constraints constraints, std::size_t max_bytes);

    // Runs until a best tree is reported, or until no tree is better than `cutoff`; returns true then. Returns false if
    // there is no tree at all. `tick` is called often and may throw: run again to continue.
    bool run(Value cutoff, const SearchCallbacks& callbacks, std::function<void()> tick);

    // All trees of `size` to `size + extra` tests; `size` is the minimum.
    Forest find_forest(std::size_t size, std::size_t extra, std::size_t max_bytes, std::function<void()> tick);

    // The log of a proof that no tree has fewer tests than `bound`, which a run has established. Only for node counts
    // and constraints on root and depth. Throws ProofTooLarge.
    std::string write_proof(Value bound, std::size_t max_bytes, std::function<void()> tick);

    Search(const Search&) = delete;  // examples_ points into it
    Search& operator=(const Search&) = delete;

private:
    void prepare();
    bool search_to_proof(Value cutoff, const SearchCallbacks& callbacks);
    void raise_lower(Value lower, const SearchCallbacks& callbacks);
    void bound_by_all_conflicts(const SearchCallbacks& callbacks);
    GrownTree complete(const SampleTree& tree) const;
    void add_tree(const GrownTree& tree, const SearchCallbacks& callbacks);
    void report_pending(const SearchCallbacks& callbacks);
    bool accepts_any_pure_tree() const;
    Value least_completed_value(const SampleTree& tree) const;
    Value value_of(const GrownTree& tree) const;

    std::vector<Word> words_;
    std::vector<std::int32_t> labels_;
    Examples examples_;
    Constraints constraints_;
    std::function<void()> tick_;
    std::unique_ptr<Refinement> refinement_;  // created by the first run, because that takes time
    std::size_t max_bytes_;
    Value lower_ = 0;
    std::optional<Value> all_conflicts_bound_;  // see bound_by_all_conflicts
    Value upper_ = kInfeasible;                 // of the completed trees, or of a better one known to the caller
    std::optional<GrownTree> pending_tree_;     // a tree to be reported
    std::size_t n_ticks_ = 0;
};

}  // namespace puretree
