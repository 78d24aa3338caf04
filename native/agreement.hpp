// Most rows are not worth an argument: whatever tree is taken under a node, it says the same class of them. One pass
// over the graph finds these rows for every node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "and_or_graph.hpp"
#include "bits.hpp"

namespace puretree {

// What all trees under a node agree on: of which rows they say the same class, and which.
class Agreement {
public:
    Agreement(const AndOrGraph& graph, const BitRows<const Word>& answers, std::size_t n_classes,
              const std::function<void()>& still_wanted)
        : n_classes_(n_classes), n_words_(answers.n_words()), said_(graph.label.size() * n_classes * n_words_),
          open_(graph.label.size() * n_words_) {
        for (std::size_t node = 0; node < graph.label.size(); ++node) {
            still_wanted();
            const std::int32_t label = graph.label[node];
            if (label >= 0) std::ranges::fill(said(node, static_cast<std::size_t>(label)), ~Word{0});
            for (auto edge = graph.edge_start[node]; edge < graph.edge_start[node + 1]; ++edge) {
                collect(graph, answers, node, static_cast<std::size_t>(edge));
            }
            find_open(node);
        }
    }

    static std::size_t bytes(const AndOrGraph& graph, std::size_t n_rows, std::size_t n_classes) {
        return graph.label.size() * (n_classes + 1) * words_for(n_rows) * sizeof(Word);
    }

    // Rows of which some tree under the node says the class.
    std::span<const Word> said(std::size_t node, std::size_t label) const {
        return {said_.data() + (node * n_classes_ + label) * n_words_, n_words_};
    }

    // Rows of which different trees under the node say different classes.
    std::span<const Word> open(std::size_t node) const { return {open_.data() + node * n_words_, n_words_}; }

private:
    std::span<Word> said(std::size_t node, std::size_t label) {
        return {said_.data() + (node * n_classes_ + label) * n_words_, n_words_};
    }

    void collect(const AndOrGraph& graph, const BitRows<const Word>& answers, std::size_t node, std::size_t edge) {
        const auto answer = answers.row(static_cast<std::size_t>(graph.question[edge]));
        for (std::size_t label = 0; label < n_classes_; ++label) {
            const auto here = said(node, label);
            const auto no = said(static_cast<std::size_t>(graph.no[edge]), label);
            const auto yes = said(static_cast<std::size_t>(graph.yes[edge]), label);
            for (std::size_t w = 0; w < n_words_; ++w) here[w] |= (no[w] & ~answer[w]) | (yes[w] & answer[w]);
        }
    }

    void find_open(std::size_t node) {
        for (std::size_t w = 0; w < n_words_; ++w) {
            Word once = 0, twice = 0;
            for (std::size_t label = 0; label < n_classes_; ++label) {
                const Word rows = said(node, label)[w];
                twice |= once & rows;
                once |= rows;
            }
            open_[node * n_words_ + w] = twice;
        }
    }

    std::size_t n_classes_, n_words_;
    std::vector<Word> said_, open_;
};

}  // namespace puretree
