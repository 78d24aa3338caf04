// A set of trees as an AND/OR graph: a node is an OR over its edges, an edge is an AND of its no side and its yes side.
#pragma once

#include <cstdint>
#include <span>

namespace puretree {

// The edges of node i are edge_start[i] to edge_start[i + 1]; both sides of an edge have smaller numbers than its node.
// A node with label >= 0 is a leaf.
struct AndOrGraph {
    std::span<const std::int32_t> label;
    std::span<const std::int64_t> edge_start;
    std::span<const std::int32_t> test;  // of each edge: a row of the matrix of answers
    std::span<const std::int32_t> no;
    std::span<const std::int32_t> yes;
    std::span<const std::int32_t> roots;
};

}  // namespace puretree
