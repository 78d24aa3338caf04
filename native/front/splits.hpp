// The splits of a set that a tree within budgets may begin with, and bounds of their sides.
//
// With all thresholds of numeric columns a set has hundreds of splits, of which few belong to a tree that is counted.
// Most are excluded by counts alone, before their sides are made. Thresholds of one column have nested sides: of two
// nested sets the larger one costs at least as much, and at most the weight of what it has more, so a split whose sides
// were solved bounds its neighbours.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "problem.hpp"

namespace puretree::front {

using Budgets = std::vector<Cost>;  // for each number of tests

inline constexpr Cost kNotNeeded = -1;

class Splits {
public:
    struct Split {
        std::vector<std::int32_t> features;  // neighbours of a chain that split the set alike
        std::size_t n_low;   // atoms
        std::uint8_t low;    // the side that grows along the chain
        bool has_one_label;  // two leaves would predict the same class
        Cost leaf[2];        // the cost of the no side and of the yes side as leaves
        Cost weight[2];      // the most that the examples of each side can cost
    };

    // Finds the splits. `budgets` has the most that a tree with exactly so many tests may cost, from 0 on, and `lower` a
    // lower curve of the set.
    Splits(const Problem& problem, SetView set, bool is_root, const Budgets& budgets, const Budgets& lower);

    const Split& operator[](std::size_t split) const { return splits_[split]; }

    // Ranges of splits with nested sides.
    const std::vector<std::pair<std::size_t, std::size_t>>& ranges() const { return ranges_; }

    std::size_t n_bytes() const { return splits_.size() * (sizeof(Split) + 32) + curves_.size() * sizeof(Cost); }

    // Bounds of a side with at most so many tests.
    Cost* lower(std::size_t split, int side) { return curves_.data() + (4 * split + 2 * static_cast<std::size_t>(side)) * n_; }
    Cost* upper(std::size_t split, int side) { return lower(split, side) + n_; }

    // Raises the lower curves of both sides by that of the set; returns whether a tree within the budgets may begin with
    // the split.
    bool bound(std::size_t split) { return bound(splits_[split], lower(split, 0)); }

    // Bounds the splits of a range by one of them.
    void spread(std::size_t split, std::size_t begin, std::size_t end);

private:
    void add(std::uint32_t feature, SetView set, std::size_t first);
    bool bound(const Split& split, Cost* curves) const;

    const Problem& problem_;
    const Budgets& budgets_;
    const Budgets& lower_;
    bool is_root_;
    std::size_t n_;  // tests of a side are fewer
    std::vector<Cost> totals_, sides_[2];
    Cost weight_;
    std::size_t n_atoms_;
    std::vector<Split> splits_;
    std::vector<std::pair<std::size_t, std::size_t>> ranges_;
    std::vector<Cost> curves_;
};

}  // namespace puretree::front
