// A pure tree at once: split by the feature of highest information gain until every leaf holds one class
// (Quinlan, Induction of Decision Trees, 1986). Runs first of all, because every exact method wants an upper bound.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "bits.hpp"
#include "grown_tree.hpp"

namespace puretree {

// Precondition: no two examples of different label agree in all features.
// Ties go to the feature given first, so the tree depends on the input alone.
// `at_node` is called once a node and may throw to give up.
GrownTree grow_greedily(const BitRows<const Word>& examples, std::span<const std::int32_t> labels, int n_classes,
                        const std::function<void()>& at_node);

}  // namespace puretree
