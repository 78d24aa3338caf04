// Bindings of AND/OR graphs of trees.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <new>
#include <optional>
#include <tuple>

#include "../best_trees.hpp"
#include "../class_fractions.hpp"
#include "arrays.hpp"
#include "module.hpp"
#include "deadline.hpp"

namespace puretree::bindings {
namespace {

void require_graph(const AndOrGraph& graph, std::size_t n_tests, std::size_t n_classes) {
    const std::size_t n_nodes = graph.label.size(), n_edges = graph.test.size();
    require(graph.edge_start.size() == n_nodes + 1 && graph.edge_start.front() == 0 &&
                graph.edge_start.back() == static_cast<std::int64_t>(n_edges) &&
                std::ranges::is_sorted(graph.edge_start),
            "edge_start must ascend from 0 to the number of edges");
    require(graph.no.size() == n_edges && graph.yes.size() == n_edges, "every edge needs a test and two sides");
    const auto is_below = [](std::int32_t i, std::size_t end) { return i >= 0 && static_cast<std::size_t>(i) < end; };
    for (std::size_t node = 0; node < n_nodes; ++node) {
        const bool is_leaf = graph.edge_start[node] == graph.edge_start[node + 1];
        require(is_leaf ? is_below(graph.label[node], n_classes) : graph.label[node] < 0,
                "every node needs either edges or a label below n_classes");
        for (auto e = static_cast<std::size_t>(graph.edge_start[node]);
             e < static_cast<std::size_t>(graph.edge_start[node + 1]); ++e) {
            require(is_below(graph.test[e], n_tests), "the test of an edge has no row of answers");
            require(is_below(graph.no[e], node) && is_below(graph.yes[e], node),
                    "both sides of an edge must come before its node");
        }
    }
    require(!graph.roots.empty(), "the graph has no root");
    for (std::int32_t root : graph.roots) require(is_below(root, n_nodes), "a root is not a node");
}

auto best_trees(Vector<std::int32_t> label, Vector<std::int64_t> edge_start, Vector<std::int32_t> test,
                Vector<std::int32_t> no, Vector<std::int32_t> yes, Vector<std::int32_t> roots, Words answer_words,
                std::size_t n_bits, Matrix<double> scores, std::int64_t max_loss, std::size_t max_bytes, double seconds) {
    const AndOrGraph graph{view(label), view(edge_start), view(test), view(no), view(yes), view(roots)};
    const auto answers = view(answer_words, n_bits);
    const std::size_t n_classes = scores.shape(1);
    require(scores.shape(0) == n_bits, "scores must have one row per bit");
    require(max_loss >= 0, "max_loss must not be negative");
    require_graph(graph, answers.n_rows, n_classes);
    std::optional<BestTrees> best;
    try {
        nb::gil_scoped_release nogil;
        const auto tick = make_tick(seconds);
        best = find_best_trees(graph, answers, {scores.data(), scores.size()}, n_classes, max_loss, max_bytes, tick);
    } catch (const TimeLimitReached&) {
    } catch (const BestTreesTooLarge&) {
        throw std::bad_alloc();
    }
    const auto to_arrays = [](BestTrees& trees) {
        return std::make_tuple(trees.score, to_numpy(std::move(trees.node)), to_numpy(std::move(trees.edge_start)),
                               to_numpy(std::move(trees.edge)), to_numpy(std::move(trees.no)),
                               to_numpy(std::move(trees.yes)), to_numpy(std::move(trees.roots)),
                               to_numpy(std::move(trees.losses)));
    };
    return best ? std::optional(to_arrays(*best)) : std::nullopt;
}

std::optional<NewMatrix<double>> class_fractions(Vector<std::int32_t> label, Vector<std::int64_t> edge_start,
                                              Vector<std::int32_t> test, Vector<std::int32_t> no,
                                              Vector<std::int32_t> yes, Vector<std::int32_t> roots, Words answer_words,
                                              std::size_t n_bits, Matrix<double> leaf_values,
                                              Vector<double> edge_weight, Vector<double> root_weight,
                                              std::size_t cells_per_pass, double seconds) {
    const AndOrGraph graph{view(label), view(edge_start), view(test), view(no), view(yes), view(roots)};
    const auto answers = view(answer_words, n_bits);
    const std::size_t n_classes = leaf_values.shape(1);
    require_graph(graph, answers.n_rows, leaf_values.shape(0));
    require(n_classes > 0, "leaf_values must have a column for each class");
    require(edge_weight.shape(0) == graph.test.size() && root_weight.shape(0) == graph.roots.size(),
            "edge_weight and root_weight must have one weight per edge and per root");
    try {
        std::vector<double> fractions;
        {
            nb::gil_scoped_release nogil;
            const std::span<const double> values(leaf_values.data(), leaf_values.size());
            ClassFractions all(graph, answers, values, view(edge_weight), view(root_weight), n_classes, cells_per_pass);
            fractions = all.find(make_tick(seconds));
        }
        return to_numpy<NewMatrix<double>>(std::move(fractions), {n_bits, n_classes});
    } catch (const TimeLimitReached&) {
        return std::nullopt;
    }
}

}  // namespace

void bind_graphs(nb::module_& m) {
    m.def("best_trees", &best_trees, "label"_a, "edge_start"_a, "test"_a, "no"_a, "yes"_a, "roots"_a, "words"_a,
          "n_bits"_a, "scores"_a, "max_loss"_a, "max_bytes"_a, "seconds"_a,
          "Find the trees of an AND/OR graph that score best on rows, or at most max_loss less: the best score, their "
          "graph as (node, edge_start, edge, no, yes, roots) with original numbers of nodes and edges, and the loss of "
          "the trees of each root. Returns None at the time limit; raises MemoryError at the memory limit.");
    m.def("class_fractions", &class_fractions, "label"_a, "edge_start"_a, "test"_a, "no"_a, "yes"_a, "roots"_a, "words"_a,
          "n_bits"_a, "leaf_values"_a, "edge_weight"_a, "root_weight"_a, "cells_per_pass"_a, "seconds"_a,
          "Compute the mean, over the trees of an AND/OR graph, of the values of the leaf that each row reaches: those of "
          "its label, one for each class. Returns None at the time limit.");
}

}  // namespace puretree::bindings
