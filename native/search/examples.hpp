// All examples of the problem, by example and by feature.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../bits.hpp"
#include "../transpose.hpp"

namespace puretree {

class Examples {
public:
    Examples(const BitRows<const Word>& rows, std::span<const std::int32_t> labels, std::size_t n_classes)
        : rows_(rows), labels_(labels), n_words_(words_for(rows.n_rows)), columns_(rows.n_bits * n_words_),
          class_members_(n_classes * n_words_), full_set_(n_words_, ~Word{0}) {
        transpose(rows, {columns_.data(), rows.n_bits, rows.n_rows});
        full_set_.back() = tail_mask(rows.n_rows);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            class_members_[static_cast<std::size_t>(labels[i]) * n_words_ + i / kWordBits] |= Word{1} << (i % kWordBits);
        }
    }

    std::size_t size() const { return labels_.size(); }
    std::size_t n_words() const { return n_words_; }  // of a set of examples
    std::size_t n_features() const { return rows_.n_bits; }
    std::size_t n_classes() const { return class_members_.size() / n_words_; }
    const BitRows<const Word>& rows() const { return rows_; }
    std::int32_t label(std::size_t example) const { return labels_[example]; }

    // Sets of examples: all, those where a feature is true, those of a class.
    SetView full_set() const { return full_set_; }
    SetView column(std::size_t feature) const { return {columns_.data() + feature * n_words_, n_words_}; }
    SetView class_members(std::size_t c) const { return {class_members_.data() + c * n_words_, n_words_}; }

    // A copy of some of the examples, one row each.
    struct Subset {
        std::vector<Word> words;
        std::vector<std::int32_t> labels;
        std::size_t n_features;

        BitRows<const Word> rows() const { return {words.data(), labels.size(), n_features}; }
    };
    Subset copy(SetView set) const {
        Subset subset{{}, {}, n_features()};
        for_each(set, [&](std::size_t example) {
            const auto row = rows_.row(example);
            subset.words.insert(subset.words.end(), row.begin(), row.end());
            subset.labels.push_back(labels_[example]);
        });
        return subset;
    }

private:
    BitRows<const Word> rows_;
    std::span<const std::int32_t> labels_;
    std::size_t n_words_;
    std::vector<Word> columns_;
    std::vector<Word> class_members_;
    std::vector<Word> full_set_;
};

}  // namespace puretree
