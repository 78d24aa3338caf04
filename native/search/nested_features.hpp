// Chains of nested features, such as the thresholds of a column: the low side of one feature is a subset of the low
// side of the next. A subset never needs more tests, so the bounds of one split hold for others along the chain.
#pragma once

#include <cstdint>
#include <vector>

#include "examples.hpp"

namespace puretree {

struct NestedFeatures {
    std::vector<std::uint32_t> order;     // all features, those of a chain adjacent, from low to high
    std::vector<std::uint32_t> chain_of;  // of each feature
    std::vector<std::uint8_t> low_is_no;  // of each feature: the low side is the no side
};

NestedFeatures find_chains(const Examples& examples);

// Makes every feature a chain of its own.
NestedFeatures without_chains(std::size_t n_features);

}  // namespace puretree
