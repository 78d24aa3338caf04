// Examples with labels on their way in, grown trees on their way out.
#pragma once

#include <nanobind/stl/tuple.h>

#include <span>
#include <tuple>
#include <utility>

#include "../grown_tree.hpp"
#include "arrays.hpp"

namespace puretree::bindings {

inline void require_labels(std::span<const std::int32_t> labels, std::size_t n_examples, int n_classes) {
    require(labels.size() == n_examples && n_examples > 0, "every example needs a label");
    for (std::int32_t label : labels) require(label >= 0 && label < n_classes, "a label is not a class");
}

inline auto hand_over(GrownTree&& tree) {
    return std::make_tuple(hand_over(std::move(tree.feature)), hand_over(std::move(tree.left)),
                           hand_over(std::move(tree.label)));
}

}  // namespace puretree::bindings
