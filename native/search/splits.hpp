// The splits of a set that are worth trying, each partition once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints.hpp"
#include "few_tests.hpp"
#include "sample.hpp"
#include "value.hpp"

namespace puretree {

// One side of a split: its bound, and how many bounding techniques (see solver.hpp) were applied to it.
struct Side {
    Value lower = 0;
    bool is_exact = false;
    std::uint8_t n_techniques = 0;

    bool is_leaf() const { return is_exact && lower == 0; }
};

struct Split {
    std::uint32_t feature;
    float impurity;
    Side no, yes;
};

// The splits of one set: those of a chain next to each other, and `order`, by ascending impurity.
struct Splits {
    std::vector<std::uint32_t> features;  // one for each partition of the set: sufficient for its subsets
    std::vector<Split> all;
    std::vector<std::uint32_t> order;
    std::vector<Word> no, yes;  // scratch: the sides of the current split
};

class Splitter {
public:
    Splitter(const Sample& sample, const FewTests& few_tests, const Constraints& constraints)
        : sample_(sample), few_tests_(few_tests), constraints_(constraints), min_cost_(constraints.min_cost()) {}

    // Updates tables after the sample has grown.
    void extend();

    void find_splits(SetView set, std::span<const std::uint32_t> features, Splits& splits);

    // The bound of a set by its number of classes and its conflicts.
    Side initial_bound(SetView set, std::size_t n_classes) const;

private:
    bool is_new(SetView side, std::size_t n_kept);
    bool is_large_enough(SetView set) const;
    void drop_dominated(SetView set, Splits& splits);

    const Sample& sample_;
    const FewTests& few_tests_;
    const Constraints& constraints_;
    Value min_cost_;
    std::vector<double> n_log_n_;

    // Scratch, kept to avoid allocations.
    std::vector<std::uint32_t> table_;     // a hash table of the splits kept, by their number from one
    std::vector<Word> kept_sides_;         // of each split kept, the side without the first member of the set
    std::vector<std::size_t> class_sizes_;
    std::vector<Word> leaf_sides_;
};

}  // namespace puretree
