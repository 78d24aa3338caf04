// The objective of the search: the sum of the costs of a tree's tests, each 1 when nodes are counted.
#pragma once

#include <cstdint>
#include <limits>

namespace puretree {

using Value = std::int64_t;
inline constexpr Value kInfeasible = std::numeric_limits<Value>::max() / 4;  // without a tree; the sum of three fits

// The number of tests that a path may have.
using Depth = std::uint16_t;
inline constexpr Depth kAnyDepth = 0xffff;

// The depth that remains below a test.
inline Depth depth_below(Depth depth) { return depth == kAnyDepth ? kAnyDepth : static_cast<Depth>(depth - 1); }

// The number of tests of a complete tree of this depth.
inline Value most_tests(Depth depth) { return depth < 62 ? (Value{1} << depth) - 1 : kInfeasible; }

// A lower bound of the value of a set of examples.
struct Bound {
    Value lower = 0;
    bool is_exact = false;
};

// Thrown by a tick at the time limit. All bounds derived before it remain valid.
struct TimeLimitReached {};

}  // namespace puretree
