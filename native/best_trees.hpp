// Of all trees of an AND/OR graph, which score best on given rows? The score of a tree is a sum over rows of
// score[row][class its leaf says], so the best tree under a node depends only on which rows come there: dynamic
// programming over pairs of a graph node and a set of rows. Rows that training never saw part ways differently on
// different paths to the same node, so the node alone is not enough. But a row of which all trees under the node say
// the same class is settled: its score is fixed, and the set can do without it. Where all rows are settled, the
// sub-problem is over.
//
// The answer is again a graph: of the edges that a best tree can take. Counting, listing and drawing the best trees is
// then the business of those who do it for all trees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "and_or_graph.hpp"
#include "bits.hpp"

namespace puretree {

// In the form of AndOrGraph; `node` and `edge` tell what of the original each node and edge stands for.
struct BestTrees {
    double score;
    std::vector<std::int32_t> node;
    std::vector<std::int64_t> edge_start;
    std::vector<std::int64_t> edge;
    std::vector<std::int32_t> no;
    std::vector<std::int32_t> yes;
    std::vector<std::int32_t> roots;
};

// `answers` has a row of bits per question, `scores` n_classes numbers for each row. `still_wanted` is asked often and
// may throw to give up. Nothing comes back if it would take more than `most_bytes`.
std::optional<BestTrees> find_best_trees(const AndOrGraph& graph, const BitRows<const Word>& answers,
                                         std::span<const double> scores, std::size_t n_classes, std::size_t most_bytes,
                                         const std::function<void()>& still_wanted);

}  // namespace puretree
