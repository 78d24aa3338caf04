// Turning bit matrices and grouping their rows, against the bits one by one.
#include "../group.hpp"
#include "../transpose.hpp"
#include "problem.hpp"

namespace puretree::fuzz {
namespace {

void turn(Bytes& bytes) {
    const std::size_t n_rows = bytes.size(0, 140), n_bits = bytes.size(0, 140);
    const std::vector<Word> words = draw_bits(bytes, n_rows, n_bits);
    const BitRows<const Word> from{words.data(), n_rows, n_bits};
    std::vector<Word> turned(n_bits * words_for(n_rows), ~Word{0}), back(words.size(), ~Word{0});
    transpose(from, {turned.data(), n_bits, n_rows});
    const BitRows<const Word> to{turned.data(), n_bits, n_rows};
    for (std::size_t i = 0; i < n_rows; ++i) {
        for (std::size_t j = 0; j < n_bits; ++j) expect(from.bit(i, j) == to.bit(j, i), "a bit keeps its place");
    }
    transpose(to, {back.data(), n_rows, n_bits});
    expect(back == words, "turned twice is as before");
}

void group(Bytes& bytes) {
    const std::size_t n_rows = bytes.size(0, 70), n_bits = bytes.size(0, bytes.flag() ? 4 : 140);
    const std::vector<Word> words = draw_bits(bytes, n_rows, n_bits);
    const BitRows<const Word> rows{words.data(), n_rows, n_bits};
    const bool folds = bytes.flag();
    const Grouping found = group_rows(rows, folds);
    expect(found.group.size() == n_rows && found.flipped.size() == n_rows, "every row has a group");
    const auto is_same = [&](std::size_t i, std::size_t j, bool flipped) {
        for (std::size_t bit = 0; bit < n_bits; ++bit) {
            if (rows.bit(i, bit) != (rows.bit(j, bit) != flipped)) return false;
        }
        return true;
    };
    for (std::size_t i = 0; i < n_rows; ++i) {
        const auto first = static_cast<std::size_t>(found.first[static_cast<std::size_t>(found.group[i])]);
        expect(first <= i && is_same(i, first, found.flipped[i]), "a row is like the first of its group");
        expect(folds || !found.flipped[i], "nothing is flipped unasked");
        for (std::size_t j = 0; j < i; ++j) {
            const bool is_alike = is_same(i, j, false) || (folds && n_bits > 0 && is_same(i, j, true));
            expect(is_alike == (found.group[i] == found.group[j]), "rows share a group exactly if they are alike");
        }
    }
}

const Target turning("transpose", turn), grouping("group", group);

}  // namespace
}  // namespace puretree::fuzz
