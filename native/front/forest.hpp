// The AND/OR graph of all trees with at most so many tests and at most a given cost. A node is a set of examples with
// an exact number of tests and an exact cost (and a depth), so that every tree occurs once and its cost adds up over the
// nodes. A tree tests only what splits its examples, a leaf predicts the first of its cheapest classes, and no test has
// two leaves of the same class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "../search/forest.hpp"
#include "problem.hpp"
#include "solver.hpp"

namespace puretree::front {

// The leaves have the label and the cost of all leaves that they stand for. Roots ascend by size, then by cost, and the
// edges of a node by feature, then by the size and the cost of the no side.
struct CostForest : puretree::Forest {
    std::vector<std::int32_t> cost;  // of every tree under the node, less the least cost of each example
};

// All trees with at most `max_tests` tests and at most `max_cost`, less the least cost of each example. The problem must
// have all examples. The solver gives the bounds; its problem may be `of_bounds`, which is the same without the examples
// that cost the same for every class, so that what the search for the front knows is used. Throws ForestTooLarge.
CostForest build_forest(const Problem& problem, Solver& solver, std::size_t max_tests, Cost max_cost,
                        std::size_t max_bytes, const std::function<void()>& tick, const Problem* of_bounds = nullptr);

}  // namespace puretree::front
