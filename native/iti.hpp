// Incremental tree induction (ITI): grows a pure tree one row at a time. Every node has the best test for its rows so
// far; a test that becomes the best is pulled up from below instead of growing the subtree again (Utgoff, Incremental
// Induction of Decision Trees, 1989; Utgoff, Berkman and Clouse, Decision Tree Induction Based on Efficient Tree
// Restructuring, 1997). Gives a second upper bound after the greedy tree; the order of the rows breaks ties, so
// different orders give different trees.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "bits.hpp"
#include "grown_tree.hpp"

namespace puretree {

// `rows` are indices of examples in the order of arrival; an example counts as often as it occurs.
// Preconditions: no two examples of different label agree in all features; every example occurs; there are fewer than
// 2^32 rows.
// Postcondition: the test of every inner node has the highest information gain on the rows that reach it.
// `has_time` is called at least once per row and per revised node; if it returns false, there is no tree.
std::optional<GrownTree> induce_incrementally(const BitRows<const Word>& examples, std::span<const std::int32_t> labels,
                                              int n_classes, std::span<const std::int64_t> rows,
                                              const std::function<bool()>& has_time);

}  // namespace puretree
