// Chains of nested features, such as the thresholds of a column: the examples on the low side of one are among those on
// the low side of the next. A set never needs more than a larger one, so a bound for one split holds along the chain.
#pragma once

#include <cstdint>
#include <vector>

#include "examples.hpp"

namespace puretree {

struct NestedFeatures {
    std::vector<std::uint32_t> order;     // all features, those of a chain side by side, from low to high
    std::vector<std::uint32_t> chain_of;  // each feature
    std::vector<std::uint8_t> low_is_no;  // of each feature: the low side answers no
};

NestedFeatures find_chains(const Examples& examples);

// Every feature a chain of its own.
NestedFeatures without_chains(std::size_t n_features);

}  // namespace puretree
