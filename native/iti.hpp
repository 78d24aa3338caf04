// Incremental tree induction (ITI): grows a pure tree one example at a time. Every node has the best test for its
// examples so far; a test that becomes the best is pulled up from below instead of growing the subtree again (Utgoff,
// Incremental Induction of Decision Trees, 1989; Utgoff, Berkman and Clouse, Decision Tree Induction Based on Efficient
// Tree Restructuring, 1997). Gives a second upper bound after the greedy tree; the order of the examples breaks ties,
// so different orders give different trees.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "bits.hpp"
#include "grown_tree.hpp"

namespace puretree {

// Preconditions: no two examples of different label agree in all features; `order` is a permutation of the examples.
// Postcondition: the test of every inner node has the highest information gain on the examples that reach it.
// `has_time` is called at least once per example and per revised node; if it returns false, there is no tree.
std::optional<GrownTree> induce_incrementally(const BitRows<const Word>& examples, std::span<const std::int32_t> labels,
                                              int n_classes, std::span<const std::int64_t> order,
                                              const std::function<bool()>& has_time);

}  // namespace puretree
