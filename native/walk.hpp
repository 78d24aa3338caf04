// Which leaf does each example end in? Nodes are numbered breadth first, so siblings are neighbours and a step is
// `left + answer`: no branch to mispredict. A leaf steps to itself, so several examples can walk side by side and
// hide each other's memory latency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits.hpp"
#include "region.hpp"

namespace puretree {

// A node asks test[node] and goes to left[node] on no, left[node] + 1 on yes; at a leaf both are negative.
struct Walk {
    std::span<const std::int32_t> test;
    std::span<const std::int32_t> left;
};

// A raw column of float or double: any stride, so a table held by rows is read where it lies.
template <class T>
struct Column {
    const T* values;
    std::ptrdiff_t stride;
};

// Test t asks for bit t of the example.
void leaves_of_bits(const Walk& tree, const BitRows<const Word>& examples, std::span<std::int32_t> out);

// Test t asks question t of the columns.
template <class T>
void leaves_of_columns(const Walk& tree, const Questions& questions, const std::vector<Column<T>>& columns,
                       std::span<std::int32_t> out);

}  // namespace puretree
