// Rows of bits, 64 to a word, least significant bit first. All kernels share this layout.
//
// Bits past the end of a row are always zero, so kernels may count and compare whole words. A row of bits also
// represents a set: bit i is set if i is a member.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace puretree {

using Word = std::uint64_t;
inline constexpr std::size_t kWordBits = 64;

constexpr std::size_t words_for(std::size_t n_bits) { return (n_bits + kWordBits - 1) / kWordBits; }

// The bits in use of the last word of a row of n_bits (> 0).
constexpr Word tail_mask(std::size_t n_bits) {
    const std::size_t rest = n_bits % kWordBits;
    return rest == 0 ? ~Word{0} : (Word{1} << rest) - 1;
}

// A non-owning view of a bit matrix.
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

// Non-owning views of a set. A std::vector<Word> converts to both. Operations on two sets require equally many words.
using SetView = std::span<const Word>;
using MutableSetView = std::span<Word>;

inline bool contains(SetView set, std::size_t member) { return (set[member / kWordBits] >> (member % kWordBits)) & 1; }

inline void insert(MutableSetView set, std::size_t member) { set[member / kWordBits] |= Word{1} << (member % kWordBits); }

inline bool intersects(SetView a, SetView b) {
    for (std::size_t w = 0; w < a.size(); ++w) {
        if (a[w] & b[w]) return true;
    }
    return false;
}

inline bool is_empty(SetView set) {
    for (const Word word : set) {
        if (word) return false;
    }
    return true;
}

inline bool is_subset(SetView small, SetView large) {
    for (std::size_t w = 0; w < small.size(); ++w) {
        if (small[w] & ~large[w]) return false;
    }
    return true;
}

inline std::size_t count(SetView set) {
    std::size_t n = 0;
    for (const Word word : set) n += static_cast<std::size_t>(std::popcount(word));
    return n;
}

inline std::size_t count_common(SetView a, SetView b) {
    std::size_t n = 0;
    for (std::size_t w = 0; w < a.size(); ++w) n += static_cast<std::size_t>(std::popcount(a[w] & b[w]));
    return n;
}

// Splits a set into the members outside of `column` (no) and inside of it (yes); false if one side is empty.
inline bool split(SetView set, SetView column, MutableSetView no, MutableSetView yes) {
    Word any_no = 0, any_yes = 0;
    for (std::size_t w = 0; w < set.size(); ++w) {
        any_yes |= yes[w] = set[w] & column[w];
        any_no |= no[w] = set[w] & ~column[w];
    }
    return any_no && any_yes;
}

// Calls `visit(member)` for the members in ascending order until it returns false; false if it did.
template <class Visit>
bool for_each_while(SetView set, Visit visit) {
    for (std::size_t w = 0; w < set.size(); ++w) {
        for (Word rest = set[w]; rest; rest &= rest - 1) {
            if (!visit(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)))) return false;
        }
    }
    return true;
}

template <class Visit>
void for_each(SetView set, Visit visit) {
    for_each_while(set, [&](std::size_t member) {
        visit(member);
        return true;
    });
}

// The smallest member of a set that is not empty.
inline std::size_t first_member(SetView set) {
    std::size_t w = 0;
    while (set[w] == 0) ++w;
    return w * kWordBits + static_cast<std::size_t>(std::countr_zero(set[w]));
}

inline std::uint64_t hash_set(SetView set, std::uint64_t seed) {
    std::uint64_t hash = seed;
    for (const Word word : set) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    hash *= 0xbf58476d1ce4e5b9u;
    return hash ^ (hash >> 32);
}

}  // namespace puretree
