#include "binarised.hpp"

#include <algorithm>

#include "../group.hpp"
#include "../transpose.hpp"

namespace puretree {
namespace {

struct Entry {
    std::int32_t code;
    std::uint32_t position;
};

class Binariser {
public:
    Binariser(const Codes& codes, std::span<const std::uint32_t> rows)
        : codes_(codes), rows_(rows), n_words_(words_for(rows.size())), entries_(rows.size()), feature_(n_words_) {}

    void add_column(std::uint32_t c) {
        const auto column = codes_.column(c);
        for (std::uint32_t i = 0; i < rows_.size(); ++i) entries_[i] = {column[rows_[i]], i};
        std::ranges::sort(entries_, {}, &Entry::code);
        if (entries_.front().code == entries_.back().code) return;
        std::ranges::fill(feature_, Word{0});
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            insert(feature_, entries_[i].position);
            const bool is_last = i + 1 == entries_.size();
            if (!is_last && entries_[i].code == entries_[i + 1].code) continue;
            if (is_last && codes_.is_ordered[c]) break;  // all rows
            add_feature({c, entries_[i].code});
            if (!codes_.is_ordered[c]) std::ranges::fill(feature_, Word{0});
        }
    }

    // Of equal and complementary features only the first is kept.
    BinarisedRows finish() const {
        const auto groups = group_rows({columns_.data(), tests_.size(), rows_.size()}, true);
        BinarisedRows result;
        std::vector<Word> kept;
        for (const std::int64_t first : groups.first) {
            result.tests.push_back(tests_[static_cast<std::size_t>(first)]);
            const auto begin = columns_.begin() + first * static_cast<std::int64_t>(n_words_);
            kept.insert(kept.end(), begin, begin + static_cast<std::int64_t>(n_words_));
        }
        result.words.resize(rows_.size() * words_for(result.tests.size()));
        transpose({kept.data(), result.tests.size(), rows_.size()},
                  {result.words.data(), rows_.size(), result.tests.size()});
        return result;
    }

private:
    void add_feature(const Test& test) {
        tests_.push_back(test);
        columns_.insert(columns_.end(), feature_.begin(), feature_.end());
    }

    const Codes& codes_;
    std::span<const std::uint32_t> rows_;
    std::size_t n_words_;
    std::vector<Entry> entries_;
    std::vector<Word> feature_;
    std::vector<Word> columns_;  // a row of bits for each feature
    std::vector<Test> tests_;
};

}  // namespace

BinarisedRows binarise(const Codes& codes, std::span<const std::uint32_t> rows,
                       std::span<const std::uint8_t> may_be_root) {
    Binariser binariser(codes, rows);
    // Of equal features the first is kept: columns that the root may test come first.
    for (const bool is_root : {true, false}) {
        for (std::uint32_t c = 0; c < codes.n_columns; ++c) {
            if ((may_be_root.empty() || may_be_root[c] != 0) == is_root) binariser.add_column(c);
        }
    }
    return binariser.finish();
}

}  // namespace puretree
