// The trees of an AND/OR graph that score best on given rows, and those that score a little less. The loss of a tree
// under a state (see row_states.hpp) is the loss of its first test against the best one of the state, plus the losses
// of its two sides against theirs. So the trees of one loss under a state are, for each test, all pairs of sides whose
// losses add up to the rest: a node of the result is a state with a loss, and every tree occurs exactly once.
//
// The result is a graph again, so trees are counted, listed and sampled by the same code as for the whole graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "and_or_graph.hpp"
#include "bits.hpp"
#include "row_states.hpp"

namespace puretree {

// In the form of AndOrGraph; `node` and `edge` are the nodes and edges of the original graph. The edges of a node are
// in the order of the original; copies of the same edge are ordered by the loss of the no side.
struct BestTrees {
    double score;  // of the best trees
    std::vector<std::int32_t> node;
    std::vector<std::int64_t> edge_start;
    std::vector<std::int64_t> edge;
    std::vector<std::int32_t> no;
    std::vector<std::int32_t> yes;
    std::vector<std::int32_t> roots;   // by ascending loss, then in the order of the original
    std::vector<std::int64_t> losses;  // of the roots
};

// `answers` has a row of bits per test, `scores` has n_classes numbers for each row; trees may score `max_loss` less
// than the best. With max_loss > 0, all scores must be integers whose sums are not rounded. `tick` is called often and
// may throw. Throws BestTreesTooLarge at the memory limit.
BestTrees find_best_trees(const AndOrGraph& graph, const BitRows<const Word>& answers, std::span<const double> scores,
                          std::size_t n_classes, std::int64_t max_loss, std::size_t max_bytes,
                          const std::function<void()>& tick);

}  // namespace puretree
