// A predicate on one raw column: is the value in this part of the real line?
//
// A category is represented by its index in the list of levels, a missing value by NaN. So one kind of predicate covers
// "petal width <= 0.8", "colour in {red, blue}" and every bit of a binned column, and one kernel evaluates all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits.hpp"

namespace puretree {

// A part of the real line: outside (or inside) at minus infinity, with a change at each edge. An edge belongs to the
// part right of it. Edges ascend.
struct Region {
    std::span<const double> edges;
    bool starts_inside;
    bool holds_missing;

    bool contains(double x) const {
        if (x != x) return holds_missing;
        if (edges.size() == 1) return starts_inside == (x < edges[0]);
        return starts_inside != (edges_at_or_below(x) % 2 == 1);
    }

private:
    // Up to a few cache lines of edges, comparing with all of them is faster than the branches of a binary search.
    static constexpr std::size_t kLinearEdges = 16;

    std::size_t edges_at_or_below(double x) const {
        if (edges.size() > kLinearEdges)
            return static_cast<std::size_t>(std::ranges::upper_bound(edges, x) - edges.begin());
        std::size_t n = 0;
        for (double edge : edges) n += edge <= x;
        return n;
    }
};

// Predicates in flat arrays, as passed from Python: predicate i is on column[i], and its region has the edges
// edges[edge_start[i] .. edge_start[i + 1]).
struct Predicates {
    std::vector<std::int32_t> column;
    std::vector<std::int64_t> edge_start;
    std::vector<double> edges;
    std::vector<std::uint8_t> starts_inside;
    std::vector<std::uint8_t> holds_missing;

    std::size_t size() const { return column.size(); }

    Region region(std::size_t i) const {
        const auto first = static_cast<std::size_t>(edge_start[i]);
        const auto last = static_cast<std::size_t>(edge_start[i + 1]);
        return {std::span(edges).subspan(first, last - first), starts_inside[i] != 0, holds_missing[i] != 0};
    }
};

// Writes one bit per value; `out` has words_for(values.size()) words.
void fill_membership(const Region& region, std::span<const double> values, std::span<Word> out);

// Evaluates every predicate: writes one row of bits per predicate. All columns have as many values as `out` has bits.
void fill_answers(const Predicates& predicates, std::span<const std::span<const double>> columns,
                  const BitRows<Word>& out);

}  // namespace puretree
