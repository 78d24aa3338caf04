// The mean, over the trees of an AND/OR graph, of what the leaf of each row says about each class: with a one for the
// class of the leaf, the fraction of the trees that predict it. Under a node it is the mean over the edges, weighted by
// the number of trees that begin with each, of the mean under the side that the row takes. One pass over the graph
// computes it for several rows, up to a word of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "and_or_graph.hpp"
#include "bits.hpp"

namespace puretree {

class ClassFractions {
public:
    // `leaf_values` has n_classes numbers for each label. `edge_weight` is the fraction of the trees under a node that
    // begin with the edge, `root_weight` that of a root.
    ClassFractions(const AndOrGraph& graph, const BitRows<const Word>& answers, std::span<const double> leaf_values,
                   std::span<const double> edge_weight, std::span<const double> root_weight, std::size_t n_classes,
                   std::size_t cells_per_pass)
        : graph_(graph), answers_(answers), leaf_values_(leaf_values), edge_weight_(edge_weight),
          root_weight_(root_weight), n_classes_(n_classes),
          rows_per_pass_(std::clamp<std::size_t>(cells_per_pass / (graph.label.size() * n_classes), 1, kWordBits)),
          fractions_(graph.label.size() * rows_per_pass_ * n_classes) {}

    // Returns n_classes numbers for each row. `tick` is called often and may throw.
    std::vector<double> find(const std::function<void()>& tick) {
        std::vector<double> out(answers_.n_bits * n_classes_);
        for (std::size_t row = 0; row < answers_.n_bits;) {
            const std::size_t end = std::min({row + rows_per_pass_, answers_.n_bits, (row / kWordBits + 1) * kWordBits});
            for (std::size_t node = 0; node < graph_.label.size(); ++node) {
                tick();
                fill(node, row, end - row);
            }
            for (std::size_t i = 0; i < graph_.roots.size(); ++i) {
                add(out.data() + row * n_classes_, fractions(graph_.roots[i]), root_weight_[i], (end - row) * n_classes_);
            }
            row = end;
        }
        return out;
    }

private:
    template <class Node>
    double* fractions(Node node) { return fractions_.data() + static_cast<std::size_t>(node) * rows_per_pass_ * n_classes_; }

    void fill(std::size_t node, std::size_t row, std::size_t n_rows) {
        double* here = fractions(node);
        if (graph_.label[node] >= 0) {
            const double* values = leaf_values_.data() + static_cast<std::size_t>(graph_.label[node]) * n_classes_;
            for (std::size_t i = 0; i < n_rows; ++i) std::copy_n(values, n_classes_, here + i * n_classes_);
            return;
        }
        std::fill_n(here, n_rows * n_classes_, 0.0);
        for (auto e = static_cast<std::size_t>(graph_.edge_start[node]);
             e < static_cast<std::size_t>(graph_.edge_start[node + 1]); ++e) {
            const Word answer = answers_.row(static_cast<std::size_t>(graph_.test[e]))[row / kWordBits];
            const double* sides[] = {fractions(graph_.no[e]), fractions(graph_.yes[e])};
            for (std::size_t i = 0; i < n_rows; ++i) {
                const double* side = sides[answer >> (row % kWordBits + i) & 1] + i * n_classes_;
                add(here + i * n_classes_, side, edge_weight_[e], n_classes_);
            }
        }
    }

    static void add(double* to, const double* from, double weight, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) to[i] += weight * from[i];
    }

    const AndOrGraph& graph_;
    const BitRows<const Word>& answers_;
    std::span<const double> leaf_values_, edge_weight_, root_weight_;
    std::size_t n_classes_, rows_per_pass_;
    std::vector<double> fractions_;  // n_classes numbers for each node and each of the current rows
};

}  // namespace puretree
