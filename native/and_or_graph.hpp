// All trees at once: a node is an OR over its edges, an edge an AND of a tree for no and one for yes.
#pragma once

#include <cstdint>
#include <span>

namespace puretree {

// Edges of node i are edge_start[i] to edge_start[i + 1]; both sides of an edge have smaller numbers than its node; a
// node with label >= 0 is a leaf.
struct AndOrGraph {
    std::span<const std::int32_t> label;
    std::span<const std::int64_t> edge_start;
    std::span<const std::int32_t> question;  // of each edge: a row of the answers
    std::span<const std::int32_t> no;
    std::span<const std::int32_t> yes;
    std::span<const std::int32_t> roots;
};

}  // namespace puretree
