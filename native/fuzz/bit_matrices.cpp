// Transposing bit matrices and grouping their rows, compared with bit-by-bit versions.
#include "../group.hpp"
#include "../transpose.hpp"
#include "problem.hpp"

namespace puretree::fuzz {
namespace {

void transpose_twice(Bytes& bytes) {
    const std::size_t n_rows = bytes.size(0, 140), n_bits = bytes.size(0, 140);
    const std::vector<Word> words = draw_bits(bytes, n_rows, n_bits);
    const BitRows<const Word> from{words.data(), n_rows, n_bits};
    std::vector<Word> transposed(n_bits * words_for(n_rows), ~Word{0}), back(words.size(), ~Word{0});
    transpose(from, {transposed.data(), n_bits, n_rows});
    const BitRows<const Word> to{transposed.data(), n_bits, n_rows};
    for (std::size_t i = 0; i < n_rows; ++i) {
        for (std::size_t j = 0; j < n_bits; ++j) expect(from.bit(i, j) == to.bit(j, i), "bit (i, j) becomes bit (j, i)");
    }
    transpose(to, {back.data(), n_rows, n_bits});
    expect(back == words, "transposing twice restores the matrix");
}

void group(Bytes& bytes) {
    const std::size_t n_rows = bytes.size(0, 70), n_bits = bytes.size(0, bytes.flag() ? 4 : 140);
    const std::vector<Word> words = draw_bits(bytes, n_rows, n_bits);
    const BitRows<const Word> rows{words.data(), n_rows, n_bits};
    const bool folds = bytes.flag();
    const Grouping grouping = group_rows(rows, folds);
    expect(grouping.group.size() == n_rows && grouping.flipped.size() == n_rows, "every row has a group");
    const auto is_same = [&](std::size_t i, std::size_t j, bool flipped) {
        for (std::size_t bit = 0; bit < n_bits; ++bit) {
            if (rows.bit(i, bit) != (rows.bit(j, bit) != flipped)) return false;
        }
        return true;
    };
    for (std::size_t i = 0; i < n_rows; ++i) {
        const auto first = static_cast<std::size_t>(grouping.first[static_cast<std::size_t>(grouping.group[i])]);
        expect(first <= i && is_same(i, first, grouping.flipped[i]), "a row equals the first one of its group");
        expect(folds || !grouping.flipped[i], "no row is flipped without fold_complements");
        for (std::size_t j = 0; j < i; ++j) {
            const bool is_equal = is_same(i, j, false) || (folds && n_bits > 0 && is_same(i, j, true));
            expect(is_equal == (grouping.group[i] == grouping.group[j]), "rows share a group exactly if they are equal");
        }
    }
}

const Target transposing("transpose", transpose_twice), grouping("group", group);

}  // namespace
}  // namespace puretree::fuzz
