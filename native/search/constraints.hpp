// The objective and the constraints on a tree, in addition to purity.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "value.hpp"

namespace puretree {

struct Constraints {
    std::optional<std::vector<Value>> feature_costs;         // of a test of each feature; 1 each by default
    std::optional<std::vector<std::uint8_t>> root_features;  // whether the root may test each feature; all by default
    Depth max_depth = kAnyDepth;
    std::int64_t min_samples_leaf = 1;  // rows
    std::vector<std::int64_t> n_rows;   // represented by each example

    bool counts_nodes() const { return !feature_costs; }
    Value cost(std::uint32_t feature) const { return feature_costs ? (*feature_costs)[feature] : 1; }
    Value min_cost() const {
        if (!feature_costs || feature_costs->empty()) return 1;
        Value least = feature_costs->front();
        for (const Value cost : *feature_costs) least = cost < least ? cost : least;
        return least;
    }
    bool may_be_root(std::uint32_t feature) const { return !root_features || (*root_features)[feature]; }

    // Whether a subset never has a higher value than the set. With large leaves it may: a set can be too small.
    bool is_monotone() const { return min_samples_leaf <= 1; }
};

}  // namespace puretree
