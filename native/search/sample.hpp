// The examples that the inner search works on: few of many, in the order in which they were added. A set of them is a
// row of bits in that order, so a set stays the same when the sample grows.
#pragma once

#include <cstdint>
#include <vector>

#include "examples.hpp"

namespace puretree {

class Sample {
public:
    explicit Sample(const Examples& all) : all_(all), columns_(all.n_features()), class_members_(all.n_classes()) {}

    void add(std::uint32_t example) {
        const std::size_t position = examples_.size();
        examples_.push_back(example);
        const auto row = all_.rows().row(example);
        rows_.insert(rows_.end(), row.begin(), row.end());
        if (position % kWordBits == 0) {
            for (auto& column : columns_) column.push_back(0);
            for (auto& members : class_members_) members.push_back(0);
        }
        const Word bit = Word{1} << (position % kWordBits);
        class_members_[static_cast<std::size_t>(label(position))].back() |= bit;
        for_each(row, [&](std::size_t feature) { columns_[feature].back() |= bit; });
    }

    const Examples& all() const { return all_; }
    std::size_t size() const { return examples_.size(); }
    std::size_t n_words() const { return words_for(examples_.size()); }
    std::size_t n_features() const { return columns_.size(); }
    std::size_t n_feature_words() const { return all_.rows().n_words(); }
    std::size_t n_classes() const { return class_members_.size(); }

    // By position in the sample: the example, its class, the set of its true features.
    std::uint32_t example(std::size_t position) const { return examples_[position]; }
    std::int32_t label(std::size_t position) const { return all_.label(examples_[position]); }
    SetView row(std::size_t position) const { return {rows_.data() + position * n_feature_words(), n_feature_words()}; }

    // Sets of positions: those where a feature is true, those of a class.
    SetView column(std::size_t feature) const { return columns_[feature]; }
    SetView class_members(std::size_t c) const { return class_members_[c]; }

    std::size_t n_classes_in(SetView set) const {
        std::size_t n = 0;
        for (const auto& members : class_members_) n += intersects(members, set);
        return n;
    }

private:
    const Examples& all_;
    std::vector<std::uint32_t> examples_;
    std::vector<Word> rows_;
    std::vector<std::vector<Word>> columns_;
    std::vector<std::vector<Word>> class_members_;
};

}  // namespace puretree
