#include "group.hpp"

#include <cstddef>
#include <unordered_map>

namespace puretree {
namespace {

// Compares rows as if their first bit were 0, so that a row equals its complement.
class FoldedRows {
public:
    FoldedRows(const BitRows<const Word>& rows, bool fold) : rows_(rows), fold_(fold) {}

    bool is_folded(std::size_t i) const { return fold_ && rows_.n_bits > 0 && rows_.bit(i, 0); }

    Word word(std::size_t i, std::size_t w) const {
        const Word word = rows_.row(i)[w];
        if (!is_folded(i)) return word;
        return w + 1 == rows_.n_words() ? ~word & tail_mask(rows_.n_bits) : ~word;
    }

    std::size_t hash(std::size_t i) const {
        Word h = 0x9E3779B97F4A7C15ull;
        for (std::size_t w = 0; w < rows_.n_words(); ++w) {
            h = (h ^ word(i, w)) * 0xFF51AFD7ED558CCDull;
            h ^= h >> 32;
        }
        return static_cast<std::size_t>(h);
    }

    bool equal(std::size_t i, std::size_t j) const {
        for (std::size_t w = 0; w < rows_.n_words(); ++w) {
            if (word(i, w) != word(j, w)) return false;
        }
        return true;
    }

private:
    const BitRows<const Word>& rows_;
    bool fold_;
};

}  // namespace

Grouping group_rows(const BitRows<const Word>& rows, bool fold_complements) {
    const FoldedRows folded(rows, fold_complements);
    const auto hash = [&](std::size_t i) { return folded.hash(i); };
    const auto equal = [&](std::size_t i, std::size_t j) { return folded.equal(i, j); };
    std::unordered_map<std::size_t, std::int64_t, decltype(hash), decltype(equal)> group_of(rows.n_rows, hash, equal);

    Grouping result;
    result.group.reserve(rows.n_rows);
    result.flipped.reserve(rows.n_rows);
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        const auto next = static_cast<std::int64_t>(result.first.size());
        const auto [entry, is_new] = group_of.try_emplace(i, next);
        if (is_new) result.first.push_back(static_cast<std::int64_t>(i));
        result.group.push_back(entry->second);
        const auto first = static_cast<std::size_t>(result.first[static_cast<std::size_t>(entry->second)]);
        result.flipped.push_back(folded.is_folded(i) != folded.is_folded(first));
    }
    return result;
}

}  // namespace puretree
