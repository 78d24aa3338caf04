// Exact answers for sets of all examples, from a sample of them: solve the sample, run its tree on everything, take in
// what it gets wrong, repeat. A sample's value is a bound for everything it was taken from; a tree that meets the bound
// and is right on everything is a best one. A few dozen examples are enough for most tables, so sets are a word or two.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sample.hpp"
#include "solver.hpp"
#include "wishes.hpp"

namespace puretree {

// A tree of the sample's examples, root first; children come after their parent.
struct SampleTree {
    struct Node {
        std::uint32_t feature = 0;
        std::uint32_t no = 0, yes = 0;  // 0: a leaf
        std::int32_t label = -1;        // of a leaf
        std::vector<Word> members;      // of a leaf that is not pure: all examples that end there

        bool is_leaf() const { return no == 0; }
    };
    std::vector<Node> nodes;
    Value value = 0;
};

class Refinement {
public:
    Refinement(const Examples& all, const Wishes& wishes, std::size_t max_bytes, std::function<void()> tick);

    // The value of a set of all examples up to the budget, or a bound above it. The set is a subcube.
    Bound solve(const Word* set, Depth depth, Value budget);

    // One round for everything, with the root as wished: raises the bound, and answers with a best tree of the sample
    // once the sample's value is known. What the tree gets wrong joins the sample.
    struct Round {
        Bound bound;      // exact: the tree is right on everything
        SampleTree tree;  // empty while the sample's value is above the budget
    };
    Round next_round(Value budget);

    // A bound without search; `enough` would be enough.
    Value lower_bound(const Word* set, Depth depth, Value enough);

    const Sample& sample() const { return sample_; }
    Solver& solver() { return solver_; }
    std::size_t sample_size() const { return sample_.size(); }
    std::size_t n_memo_bytes() const { return solver_.n_memo_bytes(); }
    void limit_memo(std::size_t max_bytes) { solver_.limit_memo(max_bytes); }

private:
    bool refine(const Word* set, SampleTree& tree, Depth depth, bool is_root);
    std::uint32_t add_node(SampleTree& tree, const std::vector<Word>& set, const std::vector<Word>& everything,
                           Depth depth, bool is_root);
    std::uint32_t best_alike(std::uint32_t feature, const Word* set, const Word* everything) const;
    double impurity(std::uint32_t feature, const Word* everything) const;
    std::uint32_t most_telling(const Word* wrong, const Word* leaf) const;
    std::vector<std::uint32_t> telling_roots_apart() const;
    void restrict_to_sample(const Word* set);
    void take(const std::vector<std::uint32_t>& examples);

    const Examples& all_;
    const Wishes& wishes_;
    std::function<void()> tick_;
    Sample sample_;
    Solver solver_;
    std::vector<double> n_log_n_;
    std::vector<Word> restricted_;
    std::vector<std::uint32_t> wrong_;  // found by the walk of a tree, one for each impure leaf
};

}  // namespace puretree
