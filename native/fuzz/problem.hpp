// Random problems without contradictory examples, and checks of trees.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "../bits.hpp"
#include "../grown_tree.hpp"
#include "bytes.hpp"
#include "target.hpp"

namespace puretree::fuzz {

inline std::vector<Word> draw_bits(Bytes& bytes, std::size_t n_rows, std::size_t n_bits) {
    std::vector<Word> words(n_rows * words_for(n_bits));
    const bool is_sparse = bytes.one_in(4);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = is_sparse ? bytes.word() & bytes.word() & bytes.word() : bytes.word();
        if ((i + 1) % words_for(n_bits) == 0) words[i] &= tail_mask(n_bits);
    }
    return words;
}

struct Problem {
    std::size_t n_features;
    std::size_t n_classes;
    std::vector<Word> words;
    std::vector<std::int32_t> labels;

    BitRows<const Word> rows() const { return {words.data(), labels.size(), n_features}; }
};

// Labels depend on a few features, so that small trees exist, with some noise. Examples are distinct, as the search
// requires.
inline Problem draw_problem(Bytes& bytes, std::size_t most_examples, std::size_t most_features) {
    Problem problem;
    problem.n_features = bytes.size(0, most_features);
    problem.n_classes = bytes.one_in(8) ? bytes.size(1, 70) : 1 + bytes.below(4);
    const std::size_t n_rows = bytes.size(1, most_examples), n_words = words_for(problem.n_features);
    const std::vector<Word> rows = draw_bits(bytes, n_rows, problem.n_features);
    const std::size_t one = bytes.byte(), other = bytes.byte(), noise = 2 + bytes.byte();
    std::set<std::vector<Word>> distinct;
    for (std::size_t i = 0; i < n_rows; ++i) {
        const std::vector<Word> row(rows.data() + i * n_words, rows.data() + (i + 1) * n_words);
        if (!distinct.insert(row).second) continue;
        const BitRows<const Word> example{row.data(), 1, problem.n_features};
        const auto answer = [&](std::size_t feature) {
            return problem.n_features > 0 && example.bit(0, feature % problem.n_features);
        };
        const std::size_t label = bytes.one_in(noise) ? bytes.byte() : 2u * answer(one) + (answer(one) != answer(other));
        problem.words.insert(problem.words.end(), row.begin(), row.end());
        problem.labels.push_back(static_cast<std::int32_t>(label % problem.n_classes));
    }
    return problem;
}

// The leaf that an example reaches.
inline std::size_t leaf_of(const GrownTree& tree, const BitRows<const Word>& rows, std::size_t example) {
    std::size_t node = 0;
    while (tree.left[node] >= 0) {
        node = static_cast<std::size_t>(tree.left[node]) + rows.bit(example, static_cast<std::size_t>(tree.feature[node]));
    }
    return node;
}

inline void expect_sound(const GrownTree& tree, const Problem& problem) {
    const std::size_t n_nodes = tree.left.size();
    expect(n_nodes % 2 == 1 && tree.feature.size() == n_nodes && tree.label.size() == n_nodes,
           "the arrays of a tree have an odd and equal size");
    std::int32_t next = 1;
    for (std::size_t node = 0; node < n_nodes; ++node) {
        const bool is_leaf = tree.left[node] < 0;
        expect(is_leaf == (tree.feature[node] < 0) && is_leaf == (tree.label[node] >= 0),
               "a node has either a test or a label");
        if (is_leaf) continue;
        expect(tree.left[node] == next, "nodes are numbered breadth first");
        expect(static_cast<std::size_t>(tree.feature[node]) < problem.n_features, "the feature of a test exists");
        next += 2;
    }
    expect(static_cast<std::size_t>(next) == n_nodes, "every node has a parent");
    for (std::size_t i = 0; i < problem.labels.size(); ++i) {
        expect(tree.label[leaf_of(tree, problem.rows(), i)] == problem.labels[i], "a tree is pure");
    }
}

inline std::size_t n_tests(const GrownTree& tree) { return tree.left.size() / 2; }

}  // namespace puretree::fuzz
