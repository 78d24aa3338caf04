// The examples the inner search looks at: few of many, in the order they were taken in. A set of them is a row of bits
// by that order, so it stays the same set however many examples join later.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "examples.hpp"

namespace puretree {

class Sample {
public:
    explicit Sample(const Examples& all) : all_(all), columns_(all.n_features()), of_class_(all.n_classes()) {}

    void take(std::uint32_t example) {
        const std::size_t place = taken_.size();
        taken_.push_back(example);
        const auto row = all_.rows().row(example);
        rows_.insert(rows_.end(), row.begin(), row.end());
        if (place % kWordBits == 0) {
            for (auto& column : columns_) column.push_back(0);
            for (auto& members : of_class_) members.push_back(0);
        }
        const Word bit = Word{1} << (place % kWordBits);
        of_class_[static_cast<std::size_t>(label(place))].back() |= bit;
        for_each(row.data(), row.size(), [&](std::size_t feature) { columns_[feature].back() |= bit; });
    }

    const Examples& all() const { return all_; }
    std::size_t size() const { return taken_.size(); }
    std::size_t n_words() const { return words_for(taken_.size()); }
    std::size_t n_features() const { return columns_.size(); }
    std::size_t n_feature_words() const { return all_.rows().n_words(); }
    std::size_t n_classes() const { return of_class_.size(); }

    // By place in the sample: the example there, its class, its features.
    std::uint32_t example(std::size_t place) const { return taken_[place]; }
    std::int32_t label(std::size_t place) const { return all_.label(taken_[place]); }
    const Word* row(std::size_t place) const { return rows_.data() + place * n_feature_words(); }

    // Sets of places: the answer yes to a feature, the members of a class.
    const Word* column(std::size_t feature) const { return columns_[feature].data(); }
    const Word* of_class(std::size_t c) const { return of_class_[c].data(); }

    std::size_t n_classes_in(const Word* set) const {
        std::size_t n = 0;
        for (const auto& members : of_class_) n += meets(set, members.data(), members.size());
        return n;
    }

private:
    const Examples& all_;
    std::vector<std::uint32_t> taken_;
    std::vector<Word> rows_;
    std::vector<std::vector<Word>> columns_;
    std::vector<std::vector<Word>> of_class_;
};

}  // namespace puretree
