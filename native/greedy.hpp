// Grows a pure tree greedily: splits by the feature of highest information gain until every leaf has one class
// (Quinlan, Induction of Decision Trees, 1986). Runs first, because every exact method needs an upper bound.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "bits.hpp"
#include "grown_tree.hpp"

namespace puretree {

// Precondition: no two examples of different label agree in all features.
// Ties are broken in favour of the first feature, so the tree depends on the input alone.
// `has_time` is called once per node and may throw. Once it returns false, nodes are split by the first feature that
// separates two classes instead of the best one, so a pure tree is finished soon.
GrownTree grow_greedily(const BitRows<const Word>& examples, std::span<const std::int32_t> labels, int n_classes,
                        const std::function<bool()>& has_time);

}  // namespace puretree
