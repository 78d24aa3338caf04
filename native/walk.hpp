// Finds the leaf that each example reaches. Nodes are numbered breadth first, so siblings are adjacent and a step is
// `left + answer`, without a branch to mispredict. A leaf steps to itself, so several examples can walk in parallel and
// hide each other's memory latency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits.hpp"
#include "region.hpp"

namespace puretree {

// A node evaluates test[node]; its children are left[node] for no and left[node] + 1 for yes. Both are -1 at a leaf.
struct TreeView {
    std::span<const std::int32_t> test;
    std::span<const std::int32_t> left;
};

// A raw column of float or double, with any stride: a table stored by rows is read without a copy.
template <class T>
struct Column {
    const T* values;
    std::ptrdiff_t stride;
};

// Test t is bit t of the example.
void leaves_of_bits(const TreeView& tree, const BitRows<const Word>& examples, std::span<std::int32_t> out);

// Test t is predicate t on the columns.
template <class T>
void leaves_of_columns(const TreeView& tree, const Predicates& predicates, const std::vector<Column<T>>& columns,
                       std::span<std::int32_t> out);

}  // namespace puretree
