// Bindings of heuristics that grow trees: upper bounds.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>

#include "../greedy.hpp"
#include "../iti.hpp"
#include "arrays.hpp"
#include "deadline.hpp"
#include "module.hpp"

namespace puretree::bindings {
namespace {

void require_permutation(std::span<const std::int64_t> order, std::size_t n_examples) {
    std::vector<bool> is_listed(n_examples);
    require(order.size() == n_examples, "order must contain every example once");
    for (std::int64_t i : order) {
        const auto example = static_cast<std::size_t>(i);  // a negative number becomes too large
        require(example < n_examples && !is_listed[example], "order must contain every example once");
        is_listed[example] = true;
    }
}

auto greedy_tree(Words example_words, std::size_t n_bits, Vector<std::int32_t> labels, int n_classes, double seconds) {
    const auto examples = view(example_words, n_bits);
    require_labels(view(labels), examples.n_rows, n_classes);
    GrownTree tree;
    {
        nb::gil_scoped_release nogil;
        tree = grow_greedily(examples, view(labels), n_classes, Deadline(seconds));
    }
    return to_numpy(std::move(tree));
}

auto iti_tree(Words example_words, std::size_t n_bits, Vector<std::int32_t> labels, int n_classes,
              Vector<std::int64_t> order, double seconds) {
    const auto examples = view(example_words, n_bits);
    require_labels(view(labels), examples.n_rows, n_classes);
    require_permutation(view(order), examples.n_rows);
    std::optional<GrownTree> tree;
    {
        nb::gil_scoped_release nogil;
        tree = induce_incrementally(examples, view(labels), n_classes, view(order), Deadline(seconds));
    }
    return tree ? std::optional(to_numpy(std::move(*tree))) : std::nullopt;
}

}  // namespace

void bind_growing(nb::module_& m) {
    m.def("greedy_tree", &greedy_tree, "words"_a, "n_bits"_a, "labels"_a, "n_classes"_a, "seconds"_a,
          "Grow a pure tree by information gain: feature, left child and label of each node. After the time limit, "
          "nodes are split by any feature that separates two classes.");
    m.def("iti_tree", &iti_tree, "words"_a, "n_bits"_a, "labels"_a, "n_classes"_a, "order"_a, "seconds"_a,
          "Grow a pure tree incrementally, example by example, in the form of greedy_tree. Returns None at the time "
          "limit.");
}

}  // namespace puretree::bindings
