// AND/OR graphs of trees.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <new>
#include <optional>
#include <tuple>

#include "../best_trees.hpp"
#include "../class_shares.hpp"
#include "arrays.hpp"
#include "module.hpp"
#include "waiting.hpp"

namespace puretree::bindings {
namespace {

void require_graph(const AndOrGraph& graph, std::size_t n_questions, std::size_t n_classes) {
    const std::size_t n_nodes = graph.label.size(), n_edges = graph.question.size();
    require(graph.edge_start.size() == n_nodes + 1 && graph.edge_start.front() == 0 &&
                graph.edge_start.back() == static_cast<std::int64_t>(n_edges) &&
                std::ranges::is_sorted(graph.edge_start),
            "edge_start must ascend from 0 to the number of edges");
    require(graph.no.size() == n_edges && graph.yes.size() == n_edges, "an edge needs a question and two sides");
    const auto is_below = [](std::int32_t i, std::size_t end) { return i >= 0 && static_cast<std::size_t>(i) < end; };
    for (std::size_t node = 0; node < n_nodes; ++node) {
        const bool is_leaf = graph.edge_start[node] == graph.edge_start[node + 1];
        require(is_leaf ? is_below(graph.label[node], n_classes) : graph.label[node] < 0,
                "a leaf has a class, any other node has edges");
        for (auto e = static_cast<std::size_t>(graph.edge_start[node]);
             e < static_cast<std::size_t>(graph.edge_start[node + 1]); ++e) {
            require(is_below(graph.question[e], n_questions), "an edge asks a question that is not there");
            require(is_below(graph.no[e], node) && is_below(graph.yes[e], node), "sides must come before their node");
        }
    }
    require(!graph.roots.empty(), "a graph needs a root");
    for (std::int32_t root : graph.roots) require(is_below(root, n_nodes), "a root is not a node");
}

auto best_trees(Vector<std::int32_t> label, Vector<std::int64_t> edge_start, Vector<std::int32_t> question,
                Vector<std::int32_t> no, Vector<std::int32_t> yes, Vector<std::int32_t> roots, Words answer_words,
                std::size_t n_bits, Matrix<double> scores, std::int64_t most_loss, std::size_t most_bytes, double seconds) {
    const AndOrGraph graph{view(label), view(edge_start), view(question), view(no), view(yes), view(roots)};
    const auto answers = view(answer_words, n_bits);
    const std::size_t n_classes = scores.shape(1);
    require(scores.shape(0) == n_bits, "every row needs its scores");
    require(most_loss >= 0, "trees cannot be better than the best");
    require_graph(graph, answers.n_rows, n_classes);
    std::optional<BestTrees> best;
    try {
        nb::gil_scoped_release nogil;
        const auto tick = ticking(seconds);
        best = find_best_trees(graph, answers, {scores.data(), scores.size()}, n_classes, most_loss, most_bytes, tick);
    } catch (const TimeIsOver&) {
    } catch (const BestTreesTooLarge&) {
        throw std::bad_alloc();
    }
    const auto told = [](BestTrees& found) {
        return std::make_tuple(found.score, hand_over(std::move(found.node)), hand_over(std::move(found.edge_start)),
                               hand_over(std::move(found.edge)), hand_over(std::move(found.no)),
                               hand_over(std::move(found.yes)), hand_over(std::move(found.roots)),
                               hand_over(std::move(found.losses)));
    };
    return best ? std::optional(told(*best)) : std::nullopt;
}

std::optional<NewMatrix<double>> class_shares(Vector<std::int32_t> label, Vector<std::int64_t> edge_start,
                                              Vector<std::int32_t> question, Vector<std::int32_t> no,
                                              Vector<std::int32_t> yes, Vector<std::int32_t> roots, Words answer_words,
                                              std::size_t n_bits, Vector<double> edge_weight, Vector<double> root_weight,
                                              std::size_t n_classes, std::size_t cells_at_once, double seconds) {
    const AndOrGraph graph{view(label), view(edge_start), view(question), view(no), view(yes), view(roots)};
    const auto answers = view(answer_words, n_bits);
    require_graph(graph, answers.n_rows, n_classes);
    require(edge_weight.shape(0) == graph.question.size() && root_weight.shape(0) == graph.roots.size(),
            "every edge and every root needs its weight");
    try {
        std::vector<double> shares;
        {
            nb::gil_scoped_release nogil;
            ClassShares all(graph, answers, view(edge_weight), view(root_weight), n_classes, cells_at_once);
            shares = all.find(ticking(seconds));
        }
        return hand_over<NewMatrix<double>>(std::move(shares), {n_bits, n_classes});
    } catch (const TimeIsOver&) {
        return std::nullopt;
    }
}

}  // namespace

void bind_graphs(nb::module_& m) {
    m.def("best_trees", &best_trees, "label"_a, "edge_start"_a, "question"_a, "no"_a, "yes"_a, "roots"_a, "words"_a,
          "n_bits"_a, "scores"_a, "most_loss"_a, "most_bytes"_a, "seconds"_a,
          "The trees of an AND/OR graph that score best on rows, or at most so much less: the best score, and their "
          "graph as (node, edge_start, edge, no, yes, roots), nodes and edges by their old numbers, and what the trees "
          "of each root lose. None if the seconds were too few; MemoryError if the bytes were.");
    m.def("class_shares", &class_shares, "label"_a, "edge_start"_a, "question"_a, "no"_a, "yes"_a, "roots"_a, "words"_a,
          "n_bits"_a, "edge_weight"_a, "root_weight"_a, "n_classes"_a, "cells_at_once"_a, "seconds"_a,
          "The share of the trees of an AND/OR graph that say each class of each row: a row of shares for each. None if "
          "the seconds were too few.");
}

}  // namespace puretree::bindings
