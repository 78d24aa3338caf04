// A pure tree from examples that come one at a time: every node keeps the best test for what it has seen, and a test
// that has become the best is pulled up from below instead of growing the subtree anew (Utgoff, Incremental Induction
// of Decision Trees, 1989; Utgoff, Berkman and Clouse, Decision Tree Induction Based on Efficient Tree Restructuring,
// 1997). Runs beside the greedy tree for a second upper bound; where tests tie, the order of the examples decides, so
// several orders give several trees.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "bits.hpp"
#include "grown_tree.hpp"

namespace puretree {

// Preconditions: no two examples of different label agree in all features; `order` names every example once.
// Postcondition: the test of every inner node has the highest information gain on the examples that reach it.
// `may_go_on` is called at least once an example and once a node revised; where it says no, there is no tree.
std::optional<GrownTree> induce_incrementally(const BitRows<const Word>& examples, std::span<const std::int32_t> labels,
                                              int n_classes, std::span<const std::int64_t> order,
                                              const std::function<bool()>& may_go_on);

}  // namespace puretree
