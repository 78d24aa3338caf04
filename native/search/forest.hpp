// The AND/OR graph of all minimum trees. A node is a set of examples with a number of tests (and a depth): an OR over
// the tests that some tree of that size begins with, each an AND of its two sides.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "constraints.hpp"
#include "examples.hpp"
#include "refinement.hpp"

namespace puretree {

// Leaves come first, one for each class; both sides of an edge come before its node.
struct Forest {
    std::vector<std::int32_t> label;       // of a leaf, -1 of other nodes
    std::vector<std::int32_t> size;        // the number of tests of each tree under the node
    std::vector<std::int64_t> edge_start;  // of each node, and the end
    std::vector<std::int32_t> feature, no, yes;
    std::vector<std::int32_t> roots;       // one for each size
};

// Thrown if the forest exceeds the memory limit.
struct ForestTooLarge {};

// All trees of `size` to `size + extra` tests that satisfy the constraints, which must not set feature costs.
Forest build_forest(const Examples& all, const Constraints& constraints, Refinement& refinement, std::size_t size,
                    std::size_t extra, std::size_t max_bytes, const std::function<void()>& tick);

}  // namespace puretree
