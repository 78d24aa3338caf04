// Greedy growth of a pure tree over codes. The rows are sorted once for each column, and the sorted lists are divided
// among the nodes: a level of the tree takes a pass over the lists, whatever the number of thresholds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "codes.hpp"

namespace puretree {

struct GrowOptions {
    bool uses_gini = false;         // instead of the entropy
    double column_fraction = 1;     // of the columns, drawn at random for every node
    std::uint64_t seed = 0;         // of the draw
};

// After `has_time` returns false, only one column is considered at each node: the tree is larger, and there soon. Throws
// std::invalid_argument if two rows are equal and have different labels.
CodeTree grow_code_tree(const Codes& codes, std::span<const std::int32_t> labels, std::size_t n_classes,
                        const GrowOptions& options, const std::function<bool()>& has_time);

}  // namespace puretree
