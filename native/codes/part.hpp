// Two ways to find a smaller tree for a part of a pure tree: the exact search, within a budget; or another greedy tree,
// grown with random columns, whose small subtrees are then replaced by minimum ones. The first is better for parts of up
// to a dozen tests, the second for larger ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "codes.hpp"
#include "search.hpp"

namespace puretree {

struct PartLimits {
    Depth max_depth = kAnyDepth;
    std::size_t max_ticks = 0;
    std::size_t max_bytes = 0;
};

struct PartResult {
    double work = 0;               // about proportional to the time, but the same in every run
    bool is_minimum = false;       // whether it is proved that no tree has fewer tests than the best one, or the cutoff
    std::optional<CodeTree> tree;  // with fewer tests than the cutoff
};

// Searches exactly for a tree with fewer tests than the cutoff. `tick` may throw TimeLimitReached: then the best tree so
// far is returned.
PartResult solve_part(const Codes& codes, std::span<const std::int32_t> labels, std::size_t n_classes, Value cutoff,
                      const PartLimits& limits, const std::function<void()>& tick);

// Grows another tree, and replaces its small subtrees by minimum ones.
PartResult regrow_part(const Codes& codes, std::span<const std::int32_t> labels, std::size_t n_classes, Value cutoff,
                       std::uint64_t seed, const PartLimits& limits, const std::function<void()>& tick);

}  // namespace puretree
