// Rows of bits, 64 to a word, least significant bit first. Every kernel speaks this one layout.
//
// Bits past the end of a row are zero, always: kernels may count and compare whole words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace puretree {

using Word = std::uint64_t;
inline constexpr std::size_t kWordBits = 64;

constexpr std::size_t words_for(std::size_t n_bits) { return (n_bits + kWordBits - 1) / kWordBits; }

// The ones that belong to the last word of a row of n_bits (> 0).
constexpr Word tail_mask(std::size_t n_bits) {
    const std::size_t rest = n_bits % kWordBits;
    return rest == 0 ? ~Word{0} : (Word{1} << rest) - 1;
}

// A matrix of bits somebody else owns.
template <class W>
struct BitRows {
    W* data;
    std::size_t n_rows;
    std::size_t n_bits;

    std::size_t n_words() const { return words_for(n_bits); }
    std::span<W> row(std::size_t i) const { return {data + i * n_words(), n_words()}; }
    bool bit(std::size_t i, std::size_t j) const {
        return (data[i * n_words() + j / kWordBits] >> (j % kWordBits)) & 1;
    }
};

}  // namespace puretree
