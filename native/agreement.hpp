// For most rows, all trees under a node predict the same class. One pass over the graph finds these rows for every
// node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "and_or_graph.hpp"
#include "bits.hpp"

namespace puretree {

// The classes that the trees under each node predict for each row.
class Agreement {
public:
    Agreement(const AndOrGraph& graph, const BitRows<const Word>& answers, std::size_t n_classes,
              const std::function<void()>& tick)
        : n_classes_(n_classes), n_words_(answers.n_words()),
          predicted_rows_(graph.label.size() * n_classes * n_words_), disputed_rows_(graph.label.size() * n_words_) {
        for (std::size_t node = 0; node < graph.label.size(); ++node) {
            tick();
            const std::int32_t label = graph.label[node];
            if (label >= 0) std::ranges::fill(predicted_rows(node, static_cast<std::size_t>(label)), ~Word{0});
            for (auto edge = graph.edge_start[node]; edge < graph.edge_start[node + 1]; ++edge) {
                collect(graph, answers, node, static_cast<std::size_t>(edge));
            }
            find_disputed(node);
        }
    }

    static std::size_t bytes(const AndOrGraph& graph, std::size_t n_rows, std::size_t n_classes) {
        return graph.label.size() * (n_classes + 1) * words_for(n_rows) * sizeof(Word);
    }

    // Rows for which some tree under the node predicts the class.
    SetView predicted_rows(std::size_t node, std::size_t label) const {
        return {predicted_rows_.data() + (node * n_classes_ + label) * n_words_, n_words_};
    }

    // Rows for which trees under the node predict different classes.
    SetView disputed_rows(std::size_t node) const { return {disputed_rows_.data() + node * n_words_, n_words_}; }

private:
    MutableSetView predicted_rows(std::size_t node, std::size_t label) {
        return {predicted_rows_.data() + (node * n_classes_ + label) * n_words_, n_words_};
    }

    void collect(const AndOrGraph& graph, const BitRows<const Word>& answers, std::size_t node, std::size_t edge) {
        const auto answer = answers.row(static_cast<std::size_t>(graph.test[edge]));
        for (std::size_t label = 0; label < n_classes_; ++label) {
            const auto here = predicted_rows(node, label);
            const auto no = predicted_rows(static_cast<std::size_t>(graph.no[edge]), label);
            const auto yes = predicted_rows(static_cast<std::size_t>(graph.yes[edge]), label);
            for (std::size_t w = 0; w < n_words_; ++w) here[w] |= (no[w] & ~answer[w]) | (yes[w] & answer[w]);
        }
    }

    void find_disputed(std::size_t node) {
        for (std::size_t w = 0; w < n_words_; ++w) {
            Word once = 0, twice = 0;
            for (std::size_t label = 0; label < n_classes_; ++label) {
                const Word rows = predicted_rows(node, label)[w];
                twice |= once & rows;
                once |= rows;
            }
            disputed_rows_[node * n_words_ + w] = twice;
        }
    }

    std::size_t n_classes_, n_words_;
    std::vector<Word> predicted_rows_, disputed_rows_;
};

}  // namespace puretree
