// What is asked of a tree beyond being pure and small.
#pragma once

#include <cstdint>
#include <vector>

#include "value.hpp"

namespace puretree {

struct Wishes {
    std::vector<Value> weights;         // of each feature's tests; empty if all are 1
    std::vector<std::uint8_t> is_root;  // of each feature: the root may test it; empty if it may test any
    Depth max_depth = kAnyDepth;
    std::int64_t min_leaf = 1;          // the rows that every leaf holds at least
    std::vector<std::int64_t> n_rows;   // that each example stands for

    bool counts_nodes() const { return weights.empty(); }
    Value weight(std::uint32_t feature) const { return weights.empty() ? 1 : weights[feature]; }
    Value least_weight() const {
        Value least = weights.empty() ? 1 : weights.front();
        for (const Value weight : weights) least = weight < least ? weight : least;
        return least;
    }

    // A set never needs more than a larger one. Not so when leaves must be large: then a set can be too small.
    bool is_monotone() const { return min_leaf <= 1; }
};

}  // namespace puretree
