// Of all trees of an AND/OR graph, which score best on given rows, and which lose little against the best? A tree under
// a state (see row_states.hpp) loses what its first test loses against the state's best, and what its two sides lose
// against theirs. So the trees that lose exactly so much under a state are, for each test, all pairs of sides whose
// losses make up the rest: a node of the answer is a state with a loss, and every tree is in exactly one place.
//
// The answer is again a graph. Counting, listing and drawing the trees is then the business of those who do it for all.
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

// In the form of AndOrGraph; `node` and `edge` tell what of the original each node and edge stands for. The edges of a
// node are in the order of the original; of the same one, those whose no side loses less come first.
struct BestTrees {
    double score;  // of the best
    std::vector<std::int32_t> node;
    std::vector<std::int64_t> edge_start;
    std::vector<std::int64_t> edge;
    std::vector<std::int32_t> no;
    std::vector<std::int32_t> yes;
    std::vector<std::int32_t> roots;  // those that lose less come first, then in the order of the original
    std::vector<std::int64_t> losses;  // of the roots
};

// `answers` has a row of bits per question, `scores` n_classes numbers for each row; trees may score `most_loss` less
// than the best. With a loss above 0, all scores must be whole numbers, their sums too small to be rounded.
// `still_wanted` is asked often and may throw to give up. Throws BestTreesTooLarge if it would take more bytes.
BestTrees find_best_trees(const AndOrGraph& graph, const BitRows<const Word>& answers, std::span<const double> scores,
                          std::size_t n_classes, std::int64_t most_loss, std::size_t most_bytes,
                          const std::function<void()>& still_wanted);

}  // namespace puretree
