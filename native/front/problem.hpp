// The problem of the size-error front: examples with a cost for each class that a leaf may predict. A leaf predicts the
// class of least total cost, so the cost of a set is additive before the minimum over the classes is taken: weights of
// samples, weights of classes and cost matrices are all the same to the search.
//
// Costs are counted by bits. Every example becomes one or several *atoms*, equal copies of its features, and the atoms
// that cost the same lie in whole words: a *kind*. The total cost of a set for a class is the number of its atoms of each
// kind, times the cost of the kind for the class. What every tree pays, the least cost of each example, is subtracted.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "../bits.hpp"
#include "../search/nested_features.hpp"
#include "../search/value.hpp"

namespace puretree::front {

using Cost = std::int32_t;
inline constexpr Cost kNoTree = (Cost{1} << 30) - 1;  // the cost of a set without an admissible tree; twice this fits

struct Options {
    std::vector<std::uint8_t> root_features;  // whether the root may test each feature; empty: it may test any
    Depth max_depth = kAnyDepth;
    std::int64_t min_samples_leaf = 1;  // rows
    bool keeps_all = false;  // also examples that cost the same whatever a leaf predicts: a set is then a set of examples
};

// Consecutive words of atoms. `cost` has a number for each class, and the number of rows if rows are counted.
struct Kind {
    std::size_t begin, end;  // words
    std::vector<Cost> cost;
    Cost weight;  // the highest cost for a class
};

class Problem {
public:
    // `costs` has n_classes numbers for each example; the sum over the examples of the largest must be below kNoTree.
    Problem(const BitRows<const Word>& examples, std::span<const std::int32_t> costs, std::size_t n_classes,
            std::span<const std::int64_t> n_rows, Options options);

    std::size_t n_features() const { return n_features_; }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_channels() const { return n_classes_ + (counts_rows() ? 1 : 0); }  // numbers of a kind's cost
    std::size_t n_words() const { return n_words_; }  // of a set of atoms
    bool counts_rows() const { return options_.keeps_all; }
    const Options& options() const { return options_; }
    const std::vector<Kind>& kinds() const { return kinds_; }
    Cost least_cost() const { return least_cost_; }  // what every tree pays

    SetView full_set() const { return full_set_; }
    SetView column(std::size_t feature) const { return {columns_.data() + feature * n_words_, n_words_}; }

    // Chains of nested features, such as the thresholds of a column, by all examples.
    const NestedFeatures& chains() const { return chains_; }

    // The atoms in the order of a long chain, such as that of the rows by a column: for each atom, the place in
    // `chains().order` of the first feature of the chain that has it on its low side; the end of the chain if none has.
    struct SortedChain {
        std::uint32_t begin, end;  // places
        std::vector<std::uint32_t> first_low;
    };
    const SortedChain* sorted_chain(std::size_t feature) const {  // of a feature; null if the chain is short
        const std::uint32_t index = sorted_chain_of_[feature];
        return index == kNotSorted ? nullptr : &sorted_chains_[index];
    }
    bool has_sorted_chains() const { return !sorted_chains_.empty(); }
    std::uint32_t place(std::size_t feature) const { return place_[feature]; }  // in `chains().order`

    // The features of short chains are numbered, and an atom has a row of them.
    std::uint32_t number(std::size_t feature) const { return number_[feature]; }
    std::size_t n_numbered() const { return n_numbered_; }
    std::size_t n_numbered_words() const { return words_for(n_numbered_); }
    SetView numbered_row(std::size_t atom) const { return {numbered_rows_.data() + atom * n_numbered_words(), n_numbered_words()}; }

    // One atom of each example, and the atoms of the examples whose cheapest class is `c`, the first if several are.
    SetView examples() const { return examples_; }
    SetView class_members(std::size_t c) const { return {class_members_.data() + c * n_words_, n_words_}; }
    std::size_t n_examples() const { return n_examples_; }

    // Whether a set of atoms is a set of examples: no example is without an atom.
    bool has_all_examples() const { return count(examples_) == n_examples_; }

    // The features of an atom.
    SetView row(std::size_t atom) const { return {rows_.data() + atom * n_row_words_, n_row_words_}; }
    std::size_t n_row_words() const { return n_row_words_; }

    bool may_be_root(std::size_t feature) const {
        return options_.root_features.empty() || options_.root_features[feature];
    }

    Cost min_rows() const { return min_rows_; }  // of a leaf

    // Whether a tree of a set is a tree of each subset. With a minimum of rows in a leaf it need not be.
    bool is_monotone() const { return options_.min_samples_leaf <= 1; }

    // The cost of a leaf with these totals: the least of the classes, or kNoTree if it has too few rows.
    Cost leaf_cost(const Cost* totals) const {
        if (counts_rows() && totals[n_classes_] < min_rows_) return kNoTree;
        Cost least = totals[0];
        for (std::size_t c = 1; c < n_classes_; ++c) least = totals[c] < least ? totals[c] : least;
        return least;
    }

    // The class that a leaf with these totals predicts: the first of the cheapest.
    std::int32_t leaf_label(const Cost* totals) const {
        std::size_t best = 0;
        for (std::size_t c = 1; c < n_classes_; ++c) best = totals[c] < totals[best] ? c : best;
        return static_cast<std::int32_t>(best);
    }

    // Adds the totals of a set to `totals`, of size n_channels().
    void add_totals(SetView set, Cost* totals) const {
        for (const Kind& kind : kinds_) {
            Cost n = 0;
            for (std::size_t w = kind.begin; w < kind.end; ++w) n += static_cast<Cost>(std::popcount(set[w]));
            for (std::size_t c = 0; c < kind.cost.size(); ++c) totals[c] += n * kind.cost[c];
        }
    }

    // The most that the examples of a set can cost, each labelled on its own.
    Cost weight(SetView set) const {
        Cost weight = 0;
        for (const Kind& kind : kinds_) {
            weight += kind.weight * static_cast<Cost>(count(set.subspan(kind.begin, kind.end - kind.begin)));
        }
        return weight;
    }

private:
    void sort_chains();

    std::size_t n_features_, n_classes_, n_examples_, n_row_words_, n_words_ = 0;
    Options options_;
    Cost least_cost_ = 0;
    Cost min_rows_ = 1;
    std::vector<Kind> kinds_;
    std::vector<Word> rows_;     // by atom
    std::vector<Word> columns_;  // by feature
    std::vector<Word> full_set_;
    NestedFeatures chains_;
    static constexpr std::uint32_t kNotSorted = ~std::uint32_t{0};
    std::vector<std::uint32_t> place_, number_, sorted_chain_of_;  // by feature
    std::vector<SortedChain> sorted_chains_;
    std::size_t n_numbered_ = 0;
    std::vector<Word> numbered_rows_;  // by atom
    std::vector<Word> examples_;
    std::vector<Word> class_members_;  // by class
};

}  // namespace puretree::front
