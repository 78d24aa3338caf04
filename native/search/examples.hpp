// The whole problem, by examples and by features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../bits.hpp"
#include "../transpose.hpp"
#include "example_set.hpp"

namespace puretree {

class Examples {
public:
    Examples(const BitRows<const Word>& rows, std::span<const std::int32_t> labels, std::size_t n_classes)
        : rows_(rows), labels_(labels), n_words_(words_for(rows.n_rows)), columns_(rows.n_bits * n_words_),
          of_class_(n_classes * n_words_), everything_(n_words_, ~Word{0}) {
        transpose(rows, {columns_.data(), rows.n_bits, rows.n_rows});
        everything_.back() = tail_mask(rows.n_rows);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            of_class_[static_cast<std::size_t>(labels[i]) * n_words_ + i / kWordBits] |= Word{1} << (i % kWordBits);
        }
    }

    std::size_t size() const { return labels_.size(); }
    std::size_t n_words() const { return n_words_; }  // of a set of them
    std::size_t n_features() const { return rows_.n_bits; }
    std::size_t n_classes() const { return of_class_.size() / n_words_; }
    const BitRows<const Word>& rows() const { return rows_; }
    std::int32_t label(std::size_t example) const { return labels_[example]; }

    // Sets of examples: all, the answer yes to a feature, the members of a class.
    const Word* everything() const { return everything_.data(); }
    const Word* column(std::size_t feature) const { return columns_.data() + feature * n_words_; }
    const Word* of_class(std::size_t c) const { return of_class_.data() + c * n_words_; }

    // Some of the examples, in a row each.
    struct Gathered {
        std::vector<Word> words;
        std::vector<std::int32_t> labels;
        std::size_t n_features;

        BitRows<const Word> rows() const { return {words.data(), labels.size(), n_features}; }
    };
    Gathered gather(const Word* set) const {
        Gathered gathered{{}, {}, n_features()};
        for_each(set, n_words_, [&](std::size_t example) {
            const auto row = rows_.row(example);
            gathered.words.insert(gathered.words.end(), row.begin(), row.end());
            gathered.labels.push_back(labels_[example]);
        });
        return gathered;
    }

private:
    BitRows<const Word> rows_;
    std::span<const std::int32_t> labels_;
    std::size_t n_words_;
    std::vector<Word> columns_;
    std::vector<Word> of_class_;
    std::vector<Word> everything_;
};

}  // namespace puretree
