// Bindings of the kernels that work on tables of codes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "../codes/codes.hpp"
#include "../codes/grow.hpp"
#include "../codes/improvement.hpp"
#include "../codes/part.hpp"
#include "../codes/search.hpp"
#include "arrays.hpp"
#include "deadline.hpp"
#include "module.hpp"

namespace puretree::bindings {
namespace {

using CodeMatrix = Matrix<std::int32_t>;
using Flags = Vector<std::uint8_t>;
using Labels = Vector<std::int32_t>;
using NewInts = NewVector<std::int32_t>;
using CodeArrays = std::tuple<NewInts, NewInts, NewInts, NewInts>;

constexpr std::size_t kMaxRows = std::size_t{1} << 31;

Codes view_codes(const CodeMatrix& codes, const Flags& is_ordered) {
    require(codes.shape(0) > 0 && codes.shape(1) > 0, "a table of codes must have columns and rows");
    require(codes.shape(1) < kMaxRows, "a table of codes has too many rows");
    require(is_ordered.shape(0) == codes.shape(0), "is_ordered must have one flag per column");
    return {codes.data(), codes.shape(0), codes.shape(1), view(is_ordered)};
}

void require_codes(const CodeMatrix& codes) {
    const std::span<const std::int32_t> values{codes.data(), codes.size()};
    require(std::ranges::all_of(values, [](std::int32_t code) { return code >= 0; }), "codes must not be negative");
}

CodeArrays to_arrays(CodeTree&& tree) {
    return {to_numpy(std::move(tree.column)), to_numpy(std::move(tree.code)), to_numpy(std::move(tree.left)),
            to_numpy(std::move(tree.label))};
}

void require_column(std::int32_t column, std::size_t n_columns) {
    require(column >= 0 && static_cast<std::size_t>(column) < n_columns, "a test has an invalid column");
}

CodeTree read_tree(const Codes& codes, const Labels& column, const Labels& code, const Labels& left,
                   const Labels& label, std::size_t n_labels) {
    const std::size_t n = column.shape(0);
    require(n % 2 == 1 && code.shape(0) == n && left.shape(0) == n && label.shape(0) == n,
            "the arrays of a tree must have equal, odd lengths");
    CodeTree tree;
    std::int32_t next = 1;
    for (std::size_t i = 0; i < n; ++i) {
        if (left.data()[i] < 0) {
            const std::int32_t leaf_label = label.data()[i];
            require(leaf_label >= 0 && static_cast<std::size_t>(leaf_label) < n_labels, "a leaf has an invalid label");
            tree.add_leaf(leaf_label);
            continue;
        }
        require(left.data()[i] == next && static_cast<std::size_t>(next) > i,
                "the nodes of a tree must be numbered breadth first");
        next += 2;
        require_column(column.data()[i], codes.n_columns);
        tree.add_inner({static_cast<std::uint32_t>(column.data()[i]), code.data()[i]});
    }
    require(static_cast<std::size_t>(next) == n, "the nodes of a tree must be numbered breadth first");
    return tree;
}

std::optional<CodeArrays> grow(CodeMatrix codes, Flags is_ordered, Labels labels, int n_classes, bool uses_gini,
                               double seconds, bool gives_up) {
    const Codes table = view_codes(codes, is_ordered);
    require_codes(codes);
    require_labels(view(labels), table.n_rows, n_classes);
    CodeTree tree;
    try {
        nb::gil_scoped_release nogil;
        tree = grow_code_tree(table, view(labels), static_cast<std::size_t>(n_classes), {uses_gini, 1, 0},
                              [gives_up, deadline = Deadline(seconds)]() mutable {
                                  const bool has_time = deadline();
                                  if (gives_up && !has_time) throw TimeLimitReached{};
                                  return has_time;
                              });
    } catch (const TimeLimitReached&) {
        return std::nullopt;
    }
    return to_arrays(std::move(tree));
}

NewVector<std::int32_t> apply(CodeMatrix codes, Flags is_ordered, Labels column, Labels code, Labels left,
                              Flags is_flipped) {
    const Codes table = view_codes(codes, is_ordered);
    const std::size_t n_nodes = column.shape(0);
    require(n_nodes > 0 && code.shape(0) == n_nodes && left.shape(0) == n_nodes && is_flipped.shape(0) == n_nodes,
            "the arrays of a tree must have equal lengths");
    for (std::size_t i = 0; i < n_nodes; ++i) {
        if (left.data()[i] < 0) continue;
        const auto no = static_cast<std::size_t>(left.data()[i]);
        require(no > i && no + 1 < n_nodes, "a child does not follow its parent");
        require_column(column.data()[i], table.n_columns);
    }
    std::vector<std::int32_t> leaves(table.n_rows);
    {
        nb::gil_scoped_release nogil;
        for (std::size_t row = 0; row < table.n_rows; ++row) {
            std::size_t node = 0;
            while (left.data()[node] >= 0) {
                const Test test{static_cast<std::uint32_t>(column.data()[node]), code.data()[node]};
                const bool flips = is_flipped.data()[node] != 0;
                node = static_cast<std::size_t>(left.data()[node]) + (table.is_yes(test, row) != flips);
            }
            leaves[row] = static_cast<std::int32_t>(node);
        }
    }
    return to_numpy(std::move(leaves));
}

// Nodes are renumbered breadth first.
auto flip(Labels feature, Labels left, Labels label, Flags is_flipped) {
    const std::size_t n = feature.shape(0);
    require(left.shape(0) == n && label.shape(0) == n && is_flipped.shape(0) == n,
            "the arrays of a tree must have equal lengths");
    GrownTree out;
    std::vector<std::size_t> queue(n > 0 ? 1 : 0, 0);
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const std::size_t node = queue[i];
        if (left.data()[node] < 0) {
            out.add_leaf(label.data()[node]);
            continue;
        }
        const auto no = static_cast<std::size_t>(left.data()[node]);
        require(no > node && no + 1 < n, "a child does not follow its parent");
        require(queue.size() + 2 <= n, "a node has several parents");
        require(feature.data()[node] >= 0, "a test has an invalid feature");
        const bool flips = is_flipped.data()[node] != 0;
        out.add_inner(static_cast<std::size_t>(feature.data()[node]));
        queue.push_back(no + flips);
        queue.push_back(no + !flips);
    }
    return to_numpy(std::move(out));
}

// The result of a part: the best tree found or None, the work done, and whether it is proved that no tree is smaller.
using PartArrays = std::tuple<std::optional<CodeArrays>, double, bool>;

PartArrays to_arrays(PartResult&& result) {
    auto tree = result.tree ? std::optional(to_arrays(std::move(*result.tree))) : std::nullopt;
    return {std::move(tree), result.work, result.is_minimum};
}

PartArrays solve(CodeMatrix codes, Flags is_ordered, Labels labels, int n_classes, Value cutoff,
                 std::optional<std::uint16_t> max_depth, std::size_t max_ticks, std::size_t max_bytes, double seconds) {
    const Codes table = view_codes(codes, is_ordered);
    require_codes(codes);
    require_labels(view(labels), table.n_rows, n_classes);
    PartResult result;
    {
        nb::gil_scoped_release nogil;
        result = solve_part(table, view(labels), static_cast<std::size_t>(n_classes), cutoff,
                            {max_depth.value_or(kAnyDepth), max_ticks, max_bytes}, make_tick(seconds));
    }
    return to_arrays(std::move(result));
}

PartArrays regrow(CodeMatrix codes, Flags is_ordered, Labels labels, int n_classes, Value cutoff,
                  std::optional<std::uint16_t> max_depth, std::uint64_t seed, std::size_t max_ticks,
                  std::size_t max_bytes, double seconds) {
    const Codes table = view_codes(codes, is_ordered);
    require_codes(codes);
    require_labels(view(labels), table.n_rows, n_classes);
    PartResult result;
    {
        nb::gil_scoped_release nogil;
        result = regrow_part(table, view(labels), static_cast<std::size_t>(n_classes), cutoff, seed,
                             {max_depth.value_or(kAnyDepth), max_ticks, max_bytes}, make_tick(seconds));
    }
    return to_arrays(std::move(result));
}

// The search with its own references to the arrays.
struct OpenCodeSearch {
    CodeMatrix codes;
    Flags is_ordered;
    CodeSearch search;
};

auto make_search(CodeMatrix codes, Flags is_ordered, Labels labels, int n_classes, Flags may_be_root,
                 std::optional<std::uint16_t> max_depth, std::size_t max_bytes) {
    const Codes table = view_codes(codes, is_ordered);
    require_codes(codes);
    require_labels(view(labels), table.n_rows, n_classes);
    require(may_be_root.shape(0) == 0 || may_be_root.shape(0) == table.n_columns,
            "may_be_root must be empty or have one flag per column");
    const auto all_labels = view(labels);
    const auto flags = view(may_be_root);
    return new OpenCodeSearch{
        codes, is_ordered,
        CodeSearch(table, {all_labels.begin(), all_labels.end()}, static_cast<std::size_t>(n_classes),
                   {max_depth.value_or(kAnyDepth), {flags.begin(), flags.end()}}, max_bytes)};
}

using OnLower = nb::typed<nb::callable, void(Value)>;
using OnTree = nb::typed<nb::callable, void(NewInts, NewInts, NewInts, NewInts)>;

std::optional<bool> run_search(OpenCodeSearch& open, Value cutoff, OnLower on_lower, OnTree on_tree, double seconds) {
    const CodeCallbacks callbacks{[&](Value lower) {
                                      nb::gil_scoped_acquire gil;
                                      on_lower(lower);
                                  },
                                  [&](const CodeTree& tree) {
                                      nb::gil_scoped_acquire gil;
                                      const auto [column, code, left, label] = to_arrays(CodeTree(tree));
                                      on_tree(column, code, left, label);
                                  }};
    try {
        nb::gil_scoped_release nogil;
        return open.search.run(cutoff, callbacks, make_tick(seconds));
    } catch (const TimeLimitReached&) {
        return std::nullopt;
    }
}

// The improvement with its own references to the arrays, and the parts of the last batch.
struct OpenImprovement {
    CodeMatrix codes;
    Flags is_ordered;
    std::size_t n_classes;
    Improvement improvement;
    std::vector<Part> batch;
    std::vector<std::uint8_t> is_applied;  // of each part: its nodes may be gone

    const Part& part(std::size_t index) const {
        require(index < batch.size(), "the batch has no such part");
        require(!is_applied[index], "the result of the part was applied before");
        return batch[index];
    }
};

auto make_improvement(CodeMatrix codes, Flags is_ordered, Labels labels, int n_classes, Labels column, Labels code,
                      Labels left, Labels label, std::optional<std::uint16_t> max_depth, bool has_fixed_root,
                      std::uint64_t seed) {
    const Codes table = view_codes(codes, is_ordered);
    require_codes(codes);
    require_labels(view(labels), table.n_rows, n_classes);
    const auto n_labels = static_cast<std::size_t>(n_classes);
    const CodeTree tree = read_tree(table, column, code, left, label, n_labels);
    nb::gil_scoped_release nogil;
    return new OpenImprovement{codes, is_ordered, n_labels,
                               Improvement(table, view(labels), n_labels, tree, max_depth.value_or(kAnyDepth),
                                           has_fixed_root, seed),
                               {},
                               {}};
}

std::size_t next_batch(OpenImprovement& open, std::size_t max_parts) {
    require(max_parts > 0, "max_parts must be positive");
    nb::gil_scoped_release nogil;
    open.batch = open.improvement.next_batch(max_parts);
    open.is_applied.assign(open.batch.size(), 0);
    return open.batch.size();
}

auto copy_part(const OpenImprovement& open, std::size_t index) {
    const Part& part = open.part(index);
    const Move& move = open.improvement.move(part);
    CodeTable rows = open.improvement.copy_part(part);
    const std::size_t n_rows = rows.labels.size();
    const auto max_depth = part.max_depth == kAnyDepth ? std::nullopt : std::optional(part.max_depth);
    const auto seed = move.kind == Move::Kind::regrow ? std::optional(part.seed) : std::nullopt;
    return std::make_tuple(to_numpy<NewMatrix<std::int32_t>>(std::move(rows.data), {rows.n_columns, n_rows}),
                           to_numpy(std::move(rows.labels)), open.improvement.n_labels(part), part.cutoff, max_depth,
                           seed, move.max_ticks);
}

using InputTree = std::tuple<Labels, Labels, Labels, Labels>;

std::size_t apply_part(OpenImprovement& open, std::size_t index, std::optional<InputTree> tree, double work,
                       bool is_minimum) {
    const Part& part = open.part(index);
    require(std::isfinite(work) && work >= 0, "the work of a part must be finite and not negative");
    PartResult result{work, is_minimum, std::nullopt};
    if (tree) {
        const auto& [column, code, left, label] = *tree;
        const Codes table = view_codes(open.codes, open.is_ordered);
        result.tree = read_tree(table, column, code, left, label, open.improvement.n_labels(part));
    }
    const std::size_t n_saved = open.improvement.apply(part, result);
    open.is_applied[index] = 1;
    return n_saved;
}

}  // namespace

void bind_codes(nb::module_& m) {
    m.def("grow_code_tree", &grow, "codes"_a, "is_ordered"_a, "labels"_a, "n_classes"_a, "uses_gini"_a, "seconds"_a,
          "gives_up"_a,
          "Grow a pure tree over codes greedily: column, code, left child and label of each node. At the time limit, "
          "return None if it gives up, else a larger tree soon afterwards.");
    m.def("apply_code_tree", &apply, "codes"_a, "is_ordered"_a, "column"_a, "code"_a, "left"_a, "is_flipped"_a,
          "Return the leaf of each row; the children of flipped nodes are exchanged.");
    m.def("flip_tests", &flip, "feature"_a, "left"_a, "label"_a, "is_flipped"_a,
          "Exchange the children of flipped nodes, and number the nodes breadth first: feature, left child and label.");
    m.def("solve_part", &solve, "codes"_a, "is_ordered"_a, "labels"_a, "n_classes"_a, "cutoff"_a, "max_depth"_a.none(),
          "max_ticks"_a, "max_bytes"_a, "seconds"_a,
          "Search exactly for a tree with fewer tests than the cutoff: the best tree found or None, the work done, and "
          "whether it is proved that no tree is smaller.");
    m.def("regrow_part", &regrow, "codes"_a, "is_ordered"_a, "labels"_a, "n_classes"_a, "cutoff"_a,
          "max_depth"_a.none(), "seed"_a, "max_ticks"_a, "max_bytes"_a, "seconds"_a,
          "Grow another tree with random columns, and replace its small subtrees by minimum ones: as solve_part.");
    nb::class_<OpenCodeSearch>(m, "CodeSearch", "The exact search over a table of codes.")
        .def(nb::new_(&make_search), "codes"_a, "is_ordered"_a, "labels"_a, "n_classes"_a, "may_be_root"_a,
             "max_depth"_a.none(), "max_bytes"_a)
        .def("run", &run_search, "cutoff"_a, "on_lower"_a, "on_tree"_a, "seconds"_a, "As Search.run.")
        .def_prop_ro("sample_size", [](const OpenCodeSearch& open) { return open.search.sample_size(); });
    nb::class_<OpenImprovement>(m, "Improvement", "Local improvement of a pure tree over codes, part by part.")
        .def(nb::new_(&make_improvement), "codes"_a, "is_ordered"_a, "labels"_a, "n_classes"_a, "column"_a, "code"_a,
             "left"_a, "label"_a, "max_depth"_a.none(), "has_fixed_root"_a, "seed"_a)
        .def("next_batch", &next_batch, "max_parts"_a, "Choose parts to be tried next, and return their number.")
        .def("part", &copy_part, "index"_a,
             "A part of the batch: codes, labels, number of labels, cutoff, maximum depth, seed of a regrown tree "
             "(None for the exact search), and ticks.")
        .def("apply", &apply_part, "index"_a, "tree"_a.none(), "work"_a, "is_minimum"_a,
             "Take the result of a part of the batch, once, and return the number of tests saved. Raise ValueError if "
             "its tree is too deep or not pure on the rows of the part.")
        .def_prop_ro("n_tests", [](const OpenImprovement& open) { return open.improvement.n_tests(); })
        .def("tree", [](const OpenImprovement& open) { return to_arrays(open.improvement.tree()); },
             "The tree: column, code, left child and label of each node.");
}

}  // namespace puretree::bindings
