#include "transpose.hpp"

#include <algorithm>
#include <array>

namespace puretree {
namespace {

using Block = std::array<Word, kWordBits>;

// Recursively swaps the off-diagonal quarters in place (Warren, Hacker's Delight, 7-3, for low bit first).
void transpose_block(Block& block) {
    Word mask = 0x00000000FFFFFFFFull;
    for (std::size_t half = 32; half != 0; half >>= 1, mask ^= mask << half) {
        for (std::size_t i = 0; i < kWordBits; i = ((i | half) + 1) & ~half) {
            const Word swap = ((block[i] >> half) ^ block[i | half]) & mask;
            block[i] ^= swap << half;
            block[i | half] ^= swap;
        }
    }
}

}  // namespace

void transpose(const BitRows<const Word>& from, const BitRows<Word>& to) {
    const std::size_t from_words = from.n_words();
    const std::size_t to_words = to.n_words();
    for (std::size_t block_row = 0; block_row < to_words; ++block_row) {
        const std::size_t row = block_row * kWordBits;
        const std::size_t n_rows = std::min(kWordBits, from.n_rows - row);
        for (std::size_t block_column = 0; block_column < from_words; ++block_column) {
            const std::size_t column = block_column * kWordBits;
            const std::size_t n_columns = std::min(kWordBits, from.n_bits - column);
            Block block{};
            for (std::size_t i = 0; i < n_rows; ++i) block[i] = from.data[(row + i) * from_words + block_column];
            transpose_block(block);
            for (std::size_t j = 0; j < n_columns; ++j) to.data[(column + j) * to_words + block_row] = block[j];
        }
    }
}

}  // namespace puretree
