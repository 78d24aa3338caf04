// What do all trees of an AND/OR graph say of given rows? Under a node, the share of the trees that say a class of a row
// is a mean over the edges, weighted by how many trees begin with each, of the share under the side that the row takes.
// One pass over the graph tells it for some rows at a time, up to a word of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "and_or_graph.hpp"
#include "bits.hpp"

namespace puretree {

class ClassShares {
public:
    // `edge_weight` is the share of the trees under an edge's node that begin with it, `root_weight` that of a root.
    ClassShares(const AndOrGraph& graph, const BitRows<const Word>& answers, std::span<const double> edge_weight,
                std::span<const double> root_weight, std::size_t n_classes, std::size_t cells_at_once)
        : graph_(graph), answers_(answers), edge_weight_(edge_weight), root_weight_(root_weight), n_classes_(n_classes),
          rows_at_once_(std::clamp<std::size_t>(cells_at_once / (graph.label.size() * n_classes), 1, kWordBits)),
          shares_(graph.label.size() * rows_at_once_ * n_classes) {}

    // n_classes numbers for each row. `still_wanted` is asked often and may throw to give up.
    std::vector<double> find(const std::function<void()>& still_wanted) {
        std::vector<double> out(answers_.n_bits * n_classes_);
        for (std::size_t row = 0; row < answers_.n_bits;) {
            const std::size_t end = std::min({row + rows_at_once_, answers_.n_bits, (row / kWordBits + 1) * kWordBits});
            for (std::size_t node = 0; node < graph_.label.size(); ++node) {
                still_wanted();
                fill(node, row, end - row);
            }
            for (std::size_t i = 0; i < graph_.roots.size(); ++i) {
                add(out.data() + row * n_classes_, shares(graph_.roots[i]), root_weight_[i], (end - row) * n_classes_);
            }
            row = end;
        }
        return out;
    }

private:
    template <class Node>
    double* shares(Node node) { return shares_.data() + static_cast<std::size_t>(node) * rows_at_once_ * n_classes_; }

    void fill(std::size_t node, std::size_t row, std::size_t n_rows) {
        double* here = shares(node);
        std::fill_n(here, n_rows * n_classes_, 0.0);
        if (graph_.label[node] >= 0) {
            const auto label = static_cast<std::size_t>(graph_.label[node]);
            for (std::size_t i = 0; i < n_rows; ++i) here[i * n_classes_ + label] = 1;
            return;
        }
        for (auto e = static_cast<std::size_t>(graph_.edge_start[node]);
             e < static_cast<std::size_t>(graph_.edge_start[node + 1]); ++e) {
            const Word answer = answers_.row(static_cast<std::size_t>(graph_.question[e]))[row / kWordBits];
            const double* sides[] = {shares(graph_.no[e]), shares(graph_.yes[e])};
            for (std::size_t i = 0; i < n_rows; ++i) {
                const double* taken = sides[answer >> (row % kWordBits + i) & 1] + i * n_classes_;
                add(here + i * n_classes_, taken, edge_weight_[e], n_classes_);
            }
        }
    }

    static void add(double* to, const double* from, double weight, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) to[i] += weight * from[i];
    }

    const AndOrGraph& graph_;
    const BitRows<const Word>& answers_;
    std::span<const double> edge_weight_, root_weight_;
    std::size_t n_classes_, rows_at_once_;
    std::vector<double> shares_;  // of the nodes, for each of the rows looked at: n_classes numbers
};

}  // namespace puretree
