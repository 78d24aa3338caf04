// The splits of a chain by ranges: the middle one is searched, and bounds the others of its range.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace puretree::front {

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

// Visits the middle of each range that is left when the splits that are not near are cut off at its ends, the last range
// first, until `visit(split, begin, end)` returns false. `is_near` is called once or more for a split, and its answer may
// change to false.
template <class IsNear, class Visit>
void visit_ranges(Ranges& ranges, IsNear is_near, Visit visit) {
    while (!ranges.empty()) {
        auto [begin, end] = ranges.back();
        ranges.pop_back();
        while (begin < end && !is_near(begin)) ++begin;
        while (begin < end && !is_near(end - 1)) --end;
        if (begin == end) continue;
        const std::size_t middle = begin + (end - begin) / 2;
        if (!visit(middle, begin, end)) return;
        if (middle + 1 < end) ranges.push_back({middle + 1, end});
        if (begin < middle) ranges.push_back({begin, middle});
    }
}

// How the sides of two splits of a chain correspond: of nested sides, `grown` is the one of the other split that contains
// that of the first, and `shrunk` the one that it contains.
struct Nesting {
    int grown, shrunk;              // sides of the first split
    int other_grown, other_shrunk;  // the sides of the other split
};

inline Nesting nesting(std::size_t split, int low, std::size_t other, int other_low) {
    const int grown = other > split ? low : 1 - low;
    const auto of_other = [&](int side) { return low == other_low ? side : 1 - side; };
    return {grown, 1 - grown, of_other(grown), of_other(1 - grown)};
}

}  // namespace puretree::front
