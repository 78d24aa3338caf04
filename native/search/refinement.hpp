// Exact values for sets of all examples, from a sample of them, by counterexample-guided refinement: solve the sample,
// run its tree on all examples, add misclassified ones to the sample, repeat. The value of a sample is a lower bound
// for all examples; a tree of that value that classifies all examples correctly is a best one. A few dozen examples are
// sufficient for most tables, so sets are one or two words.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "constraints.hpp"
#include "sample.hpp"
#include "solver.hpp"

namespace puretree {

// A tree that is pure on the sample, root first; children come after their parent.
struct SampleTree {
    struct Node {
        std::uint32_t feature = 0;
        std::uint32_t no = 0, yes = 0;  // 0: a leaf
        std::int32_t label = -1;        // of a leaf
        std::vector<Word> members;      // of an impure leaf: all examples that reach it

        bool is_leaf() const { return no == 0; }
    };
    std::vector<Node> nodes;
    Value value = 0;
};

class Refinement {
public:
    Refinement(const Examples& all, const Constraints& constraints, std::size_t max_bytes, std::function<void()> tick);

    // The value of a set of all examples if it is within the budget, otherwise a bound above it. The set is a subcube.
    Bound solve(SetView set, Depth depth, Value budget);

    // One round for all examples: raises the bound, and returns a best tree of the sample once the sample's value is
    // known. Examples that the tree misclassifies join the sample.
    struct Round {
        Bound bound;  // exact if the tree is pure on all examples
        std::optional<SampleTree> tree;  // none while the sample's value is above the budget
    };
    Round next_round(Value budget);

    // A bound without search; stops at `target`.
    Value lower_bound(SetView set, Depth depth, Value target);

    const Sample& sample() const { return sample_; }
    Solver& solver() { return solver_; }
    std::size_t sample_size() const { return sample_.size(); }
    std::size_t n_memo_bytes() const { return solver_.n_memo_bytes(); }
    void limit_memo(std::size_t max_bytes) { solver_.limit_memo(max_bytes); }

private:
    bool refine(SetView set, SampleTree& tree, Depth depth, bool is_root);
    std::uint32_t add_node(SampleTree& tree, SetView set, SetView all_members, Depth depth, bool is_root);
    std::uint32_t best_equivalent(std::uint32_t feature, SetView set, SetView all_members) const;
    double impurity(std::uint32_t feature, SetView all_members) const;
    std::uint32_t choose_counterexample(SetView misclassified, SetView leaf) const;
    std::vector<std::uint32_t> examples_split_by_roots() const;
    void restrict_to_sample(SetView set);
    void add_to_sample(const std::vector<std::uint32_t>& examples);

    const Examples& all_;
    const Constraints& constraints_;
    std::function<void()> tick_;
    Sample sample_;
    Solver solver_;
    std::vector<double> n_log_n_;
    std::vector<Word> sample_set_;                // set by restrict_to_sample
    std::vector<std::uint32_t> counterexamples_;  // of the last tree, one for each impure leaf
};

}  // namespace puretree
