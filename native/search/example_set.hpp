// Sets of examples as rows of bits: the few questions that every part of the search asks of them.
#pragma once

#include <bit>

#include "../bits.hpp"

namespace puretree {

inline bool meets(const Word* a, const Word* b, std::size_t n_words) {
    for (std::size_t w = 0; w < n_words; ++w) {
        if (a[w] & b[w]) return true;
    }
    return false;
}

inline bool is_empty(const Word* set, std::size_t n_words) {
    for (std::size_t w = 0; w < n_words; ++w) {
        if (set[w]) return false;
    }
    return true;
}

inline bool is_subset(const Word* small, const Word* large, std::size_t n_words) {
    for (std::size_t w = 0; w < n_words; ++w) {
        if (small[w] & ~large[w]) return false;
    }
    return true;
}

inline std::size_t count(const Word* set, std::size_t n_words) {
    std::size_t n = 0;
    for (std::size_t w = 0; w < n_words; ++w) n += static_cast<std::size_t>(std::popcount(set[w]));
    return n;
}

inline std::size_t count_common(const Word* a, const Word* b, std::size_t n_words) {
    std::size_t n = 0;
    for (std::size_t w = 0; w < n_words; ++w) n += static_cast<std::size_t>(std::popcount(a[w] & b[w]));
    return n;
}

// The members with a column's answer no, and those with yes; false if one side is empty.
inline bool split(const Word* set, const Word* column, Word* no, Word* yes, std::size_t n_words) {
    Word any_no = 0, any_yes = 0;
    for (std::size_t w = 0; w < n_words; ++w) {
        any_yes |= yes[w] = set[w] & column[w];
        any_no |= no[w] = set[w] & ~column[w];
    }
    return any_no && any_yes;
}

// Calls `visit(member)` for every member until it says false; false if it did.
template <class Visit>
bool for_each_while(const Word* set, std::size_t n_words, Visit visit) {
    for (std::size_t w = 0; w < n_words; ++w) {
        for (Word rest = set[w]; rest; rest &= rest - 1) {
            if (!visit(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)))) return false;
        }
    }
    return true;
}

template <class Visit>
void for_each(const Word* set, std::size_t n_words, Visit visit) {
    for_each_while(set, n_words, [&](std::size_t member) {
        visit(member);
        return true;
    });
}

inline std::uint64_t hash_set(const Word* set, std::size_t n_words, std::uint64_t seed) {
    std::uint64_t hash = seed;
    for (std::size_t w = 0; w < n_words; ++w) {
        hash = (hash ^ set[w]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    hash *= 0xbf58476d1ce4e5b9u;
    return hash ^ (hash >> 32);
}

}  // namespace puretree
