// Bindings of bit matrices, predicates on tables, and walks of rows down a tree.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "../group.hpp"
#include "../region.hpp"
#include "../transpose.hpp"
#include "../walk.hpp"
#include "arrays.hpp"
#include "module.hpp"

namespace puretree::bindings {
namespace {

Predicates make_predicates(std::vector<std::int32_t> column, std::vector<std::int64_t> edge_start,
                         std::vector<double> edges, std::vector<std::uint8_t> starts_inside,
                         std::vector<std::uint8_t> holds_missing) {
    const std::size_t n = column.size();
    require(edge_start.size() == n + 1 && starts_inside.size() == n && holds_missing.size() == n,
            "every predicate needs a column, edges and two flags");
    require(edge_start.front() == 0 && edge_start.back() == static_cast<std::int64_t>(edges.size()) &&
                std::ranges::is_sorted(edge_start),
            "edge_start must ascend from 0 to the number of edges");
    require(std::ranges::none_of(edges, [](double edge) { return edge != edge; }), "an edge is not a number");
    return {std::move(column), std::move(edge_start), std::move(edges), std::move(starts_inside),
            std::move(holds_missing)};
}

void require_columns(const Predicates& predicates, std::size_t n_columns) {
    for (std::int32_t c : predicates.column) {
        require(c >= 0 && static_cast<std::size_t>(c) < n_columns, "the column of a predicate does not exist");
    }
}

// Checks that children come after their parent, so that every walk ends.
void require_walkable(const TreeView& tree, std::size_t n_tests) {
    require(!tree.left.empty() && tree.test.size() == tree.left.size(),
            "a tree needs at least one node, and as many tests as nodes");
    for (std::size_t node = 0; node < tree.left.size(); ++node) {
        if (tree.left[node] < 0) continue;
        const auto left = static_cast<std::size_t>(tree.left[node]);
        require(left > node && left + 1 < tree.left.size(), "a node's children must come after it");
        require(tree.test[node] >= 0 && static_cast<std::size_t>(tree.test[node]) < n_tests,
                "the test of a node is not there");
    }
}

template <class T>
std::vector<Column<T>> view_columns(const std::vector<Strided<T>>& arrays, std::size_t n_rows) {
    std::vector<Column<T>> columns;
    for (const Strided<T>& array : arrays) {
        require(array.shape(0) == n_rows, "every column must have n_rows values");
        columns.push_back({array.data(), array.stride(0)});
    }
    return columns;
}

NewWords answers(const Predicates& predicates, const std::vector<Vector<double>>& columns, std::size_t n_rows) {
    const std::size_t n_words = words_for(n_rows);
    require_columns(predicates, columns.size());
    std::vector<std::span<const double>> values;
    for (const auto& column : columns) {
        require(column.shape(0) == n_rows, "every column must have n_rows values");
        values.push_back(view(column));
    }
    std::vector<Word> out(predicates.size() * n_words);
    {
        nb::gil_scoped_release nogil;
        fill_answers(predicates, values, {out.data(), predicates.size(), n_rows});
    }
    return to_numpy<NewWords>(std::move(out), {predicates.size(), n_words});
}

NewWords transpose_words(Words words, std::size_t n_bits) {
    const auto from = view(words, n_bits);
    std::vector<Word> out(n_bits * words_for(from.n_rows));
    {
        nb::gil_scoped_release nogil;
        transpose(from, {out.data(), n_bits, from.n_rows});
    }
    return to_numpy<NewWords>(std::move(out), {n_bits, words_for(from.n_rows)});
}

auto group(Words words, std::size_t n_bits, bool fold_complements) {
    const auto rows = view(words, n_bits);
    Grouping grouping;
    {
        nb::gil_scoped_release nogil;
        grouping = group_rows(rows, fold_complements);
    }
    return std::make_tuple(to_numpy(std::move(grouping.group)), to_numpy(std::move(grouping.first)),
                           to_numpy(std::move(grouping.flipped)));
}

NewVector<std::int32_t> leaves_of_examples(Vector<std::int32_t> test, Vector<std::int32_t> left, Words words,
                                           std::size_t n_bits) {
    const TreeView tree{view(test), view(left)};
    const auto examples = view(words, n_bits);
    require_walkable(tree, n_bits);
    std::vector<std::int32_t> out(examples.n_rows);
    {
        nb::gil_scoped_release nogil;
        leaves_of_bits(tree, examples, out);
    }
    return to_numpy(std::move(out));
}

template <class T>
NewVector<std::int32_t> leaves_of_rows(Vector<std::int32_t> test, Vector<std::int32_t> left, const Predicates& predicates,
                                       const std::vector<Strided<T>>& arrays, std::size_t n_rows) {
    const TreeView tree{view(test), view(left)};
    const auto columns = view_columns(arrays, n_rows);
    require_columns(predicates, columns.size());
    require_walkable(tree, predicates.size());
    std::vector<std::int32_t> out(n_rows);
    {
        nb::gil_scoped_release nogil;
        leaves_of_columns(tree, predicates, columns, out);
    }
    return to_numpy(std::move(out));
}

}  // namespace

void bind_tables(nb::module_& m) {
    nb::class_<Predicates>(m, "Predicates", "Predicates on columns of numbers.")
        .def(nb::new_(&make_predicates), "column"_a, "edge_start"_a, "edges"_a, "starts_inside"_a, "holds_missing"_a)
        .def("__len__", &Predicates::size);
    m.def("answers", &answers, "predicates"_a, "columns"_a, "n_rows"_a,
          "Evaluate every predicate on every row: one row of bits per predicate.");
    m.def("transpose", &transpose_words, "words"_a, "n_bits"_a, "Transpose a bit matrix.");
    m.def("group", &group, "words"_a, "n_bits"_a, "fold_complements"_a,
          "Group equal rows: group of each row, first row of each group, whether a row is the complement of that one.");
    m.def("leaves_of_examples", &leaves_of_examples, "test"_a, "left"_a, "words"_a, "n_bits"_a,
          "Find the leaf of each packed example.");
    // Two overloads: a table in single precision is read without a copy; mixed columns are converted to double.
    m.def("leaves_of_rows", &leaves_of_rows<double>, "test"_a, "left"_a, "predicates"_a, "columns"_a, "n_rows"_a,
          "Find the leaf of each row of a raw table.");
    m.def("leaves_of_rows", &leaves_of_rows<float>, "test"_a, "left"_a, "predicates"_a, "columns"_a, "n_rows"_a);
}

}  // namespace puretree::bindings
