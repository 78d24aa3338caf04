// Bindings of heuristics that grow trees: upper bounds.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>

#include "../greedy.hpp"
#include "../iti.hpp"
#include "arrays.hpp"
#include "deadline.hpp"
#include "module.hpp"

namespace puretree::bindings {
namespace {

void require_every_example(std::span<const std::int64_t> rows, std::size_t n_examples) {
    std::vector<bool> occurs(n_examples);
    for (const std::int64_t row : rows) {
        const auto example = static_cast<std::size_t>(row);  // a negative number becomes too large
        require(example < n_examples, "rows must be indices of examples");
        occurs[example] = true;
    }
    require(std::ranges::find(occurs, false) == occurs.end(), "rows must contain every example");
    require(rows.size() <= UINT32_MAX, "too many rows");
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
              Vector<std::int64_t> rows, double seconds) {
    const auto examples = view(example_words, n_bits);
    require_labels(view(labels), examples.n_rows, n_classes);
    require_every_example(view(rows), examples.n_rows);
    std::optional<GrownTree> tree;
    {
        nb::gil_scoped_release nogil;
        tree = induce_incrementally(examples, view(labels), n_classes, view(rows), Deadline(seconds));
    }
    return tree ? std::optional(to_numpy(std::move(*tree))) : std::nullopt;
}

}  // namespace

void bind_growing(nb::module_& m) {
    m.def("greedy_tree", &greedy_tree, "words"_a, "n_bits"_a, "labels"_a, "n_classes"_a, "seconds"_a,
          "Grow a pure tree by information gain: feature, left child and label of each node. After the time limit, "
          "nodes are split by any feature that separates two classes.");
    m.def("iti_tree", &iti_tree, "words"_a, "n_bits"_a, "labels"_a, "n_classes"_a, "rows"_a, "seconds"_a,
          "Grow a pure tree incrementally from rows, given as indices of examples, in the form of greedy_tree. Returns "
          "None at the time limit.");
}

}  // namespace puretree::bindings
