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
// `has_time` is asked once a node and may throw to give up. From where it says no, the first feature that separates two
// classes is as good as the best: a pure tree comes out all the same, and soon.
GrownTree grow_greedily(const BitRows<const Word>& examples, std::span<const std::int32_t> labels, int n_classes,
                        const std::function<bool()>& has_time);

}  // namespace puretree
