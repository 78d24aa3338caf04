// What the search minimises: the sum of the weights of a tree's tests, each 1 when nodes are counted.
#pragma once

#include <cstdint>
#include <limits>

namespace puretree {

using Value = std::int64_t;
inline constexpr Value kImpossible = std::numeric_limits<Value>::max() / 4;  // the sum of three is still a value

// How many tests a path may have.
using Depth = std::uint16_t;
inline constexpr Depth kAnyDepth = 0xffff;

// What is left below a test.
inline Depth below(Depth depth) { return depth == kAnyDepth ? kAnyDepth : static_cast<Depth>(depth - 1); }

// The most tests in a tree of some depth.
inline Value most_tests(Depth depth) { return depth < 62 ? (Value{1} << depth) - 1 : kImpossible; }

// What is known of the best tree of a set of examples.
struct Bound {
    Value lower = 0;
    bool is_exact = false;
};

// Thrown by a tick when the time is over; whatever was learned until then is true and stays.
struct TimeIsOver {};

}  // namespace puretree
