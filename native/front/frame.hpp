// A set opened for its search: its atoms are copied together, so that a set of few atoms takes few words, and the
// features that split it are counted, alone and in pairs. One pass over the pairs of features gives the best trees of
// one and two tests, the best complete tree of three, and for both sides of every feature the best tree of one test:
// no set is visited to learn only that.
//
// Pairs are counted by bits, 64 atoms at a time. With a long chain, such as the thresholds of a column, they are counted by
// one sweep over the atoms in the order of the column where that takes less.
//
// Features that split the set alike are one split. The splits are columns of arrays, so that the costs of all pairs with
// one split are computed by vector instructions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem.hpp"
#include "ranges.hpp"

namespace puretree::front {

class Frame {
public:
    // The sides of a feature. Index 0 is the side without the feature, 1 the side with it.
    struct Split {
        std::uint32_t feature;
        Cost leaf[2];    // cost of each side as a leaf
        Cost weight[2];  // the most that the examples of each side can cost
        bool is_first;   // whether a tree of the set may begin with it
        std::uint32_t chain_end;  // splits up to here have nested sides: the low side grows from one to the next
        std::uint8_t low;         // the low side
    };

    explicit Frame(const Problem& problem);

    // Copies a set, and counts the features that split it: some of the splits of `parent`, if the set is a part of it.
    // With `is_root`, a tree may begin with some of them only.
    void open(SetView set, bool is_root, const Frame* parent);

    // Computes the best trees with at most one test of both sides of some splits, in ascending order.
    void count_pairs(const std::vector<std::uint32_t>& splits);

    const std::vector<Split>& splits() const { return splits_; }

    // The cost of a side with at most one test, if its pairs were counted, else that of a leaf.
    Cost one_test(std::size_t split, int side) const { return one_test_[side][split]; }
    bool is_counted(std::size_t split) const { return is_counted_[split]; }

    // Whether chains are long enough for a search by ranges to count fewer pairs.
    bool has_long_chains() const;

    // A range for each chain of splits; the last is the one whose best split costs least as two leaves.
    void collect_chains(Ranges& ranges) const;

    // A tree with at most two tests, and a bound of all of them.
    struct TwoTests {
        Cost one, lower, upper;  // the best cost with one test; bounds of the best cost with two
        std::uint32_t one_feature, feature;
    };

    // The best tree with at most two tests of a side of a split if it costs less than `cutoff`; else `lower` does not.
    TwoTests two_tests(std::size_t split, int side, Cost cutoff);

    // The same for the set itself.
    TwoTests two_tests(Cost cutoff);

    Cost leaf() const { return leaf_; }
    Cost one_test() const { return best_one_test_; }  // the best tree with at most one test
    std::uint32_t one_test_feature() const { return one_test_feature_; }

private:
    // A part of the copy, and its totals on the yes sides of the splits.
    struct Part {
        std::vector<Word> members;
        std::vector<Cost> totals;
        Cost weight;
        std::vector<Cost> yes_totals;  // a row for each channel, a column for each split
        std::vector<Cost> yes_weights;
    };

    // Consecutive splits that are counted in the same way: by bits, or, if they are a long chain, by a sweep where that
    // takes less. `first` is then, for each atom of the copy, the first of these splits that has it on its low side.
    struct Run {
        std::size_t begin, end;
        bool is_sorted;
        std::vector<std::uint32_t> first;
    };

    void copy_together(SetView set);
    void add_splits(const std::vector<std::uint32_t>& features, bool is_first);
    void add_sorted(std::span<const std::uint32_t> features, bool is_first);
    void add_run(std::size_t begin, bool is_sorted);
    bool add_split(std::uint32_t feature, const Word* column, bool is_first);
    void count_by_sweep(const Kind& kind, const std::vector<Word>& members, std::size_t n_members, const Run& run);
    bool has_sides_of_last(std::uint32_t feature, const Cost* yes, const Cost* no) const;
    bool is_repeated(const Word* column);
    TwoTests two_tests(const Part& part, Cost cutoff);
    void count_common(const std::vector<Word>& members, std::size_t begin, std::vector<Cost>& totals, std::vector<Cost>* weights);
    template <bool is_symmetric>
    void combine(const Part& part, std::size_t split, std::size_t begin);
    template <bool is_symmetric>
    void combine_two_classes(const Part& part, std::size_t split, std::size_t begin);
    void intersect(const std::vector<Word>& members, std::size_t split);

    const Problem& problem_;
    std::size_t n_words_ = 0;        // of the copy
    std::size_t stride_;             // of the arrays with a column for each split
    std::vector<Kind> kinds_;        // with the words of the copy
    std::vector<Word> by_feature_;   // the copy, a row for each numbered feature
    std::vector<Word> by_word_;      // the copy, a row for each word and a column for each split
    std::vector<Word> rows_;         // of the atoms, before they are transposed
    std::vector<std::uint32_t> atoms_;  // of the copy, if the problem has sorted chains
    std::vector<std::uint32_t> bucket_of_place_, bucket_of_atom_, bucket_ends_, sorted_atoms_;  // of a sorted chain
    std::vector<std::uint32_t> kind_of_word_;
    std::vector<Word> low_, column_;
    std::vector<Cost> n_members_, n_low_, n_yes_;  // atoms of each kind
    std::vector<Run> runs_;             // of all splits; the first `n_runs_` are in use
    std::size_t n_runs_ = 0;
    std::vector<Cost> sweep_counts_;
    std::vector<Cost> side_totals_;
    Part set_, side_;
    std::vector<Word> members_;      // of a part of a part
    std::vector<Cost> counts_, common_, sums_;  // of the pairs with one split
    std::vector<Cost> one_test_[2], part_one_test_[2];
    std::vector<Cost>* best_[2] = {};  // where to put the best trees with one test
    std::vector<std::uint8_t> is_counted_;
    std::vector<Cost> least_one_test_[2];  // lower bounds, of a part
    Ranges ranges_;
    std::vector<std::uint32_t> features_;  // that may split the set
    std::vector<Split> splits_;
    std::vector<std::uint32_t> slots_;  // of a hash table of the splits
    std::vector<std::uint64_t> hashes_;
    Cost leaf_ = 0, best_one_test_ = 0;
    std::uint32_t one_test_feature_ = 0;
};

}  // namespace puretree::front
