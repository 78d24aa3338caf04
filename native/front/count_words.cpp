#include "count_words.hpp"

#include <bit>

// Clang, and processors other than x86-64, have one version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PURETREE_WIDE [[gnu::target("avx512f,avx512vl,avx512vpopcntdq,prefer-vector-width=512")]]
#endif

namespace puretree::front {
namespace {

inline Cost popcount(Word word) { return static_cast<Cost>(std::popcount(word)); }

// The first one to four words set the counts, the others are added four at a time.
[[gnu::always_inline]] inline void count(Columns columns, const Word* members, std::size_t w, std::size_t last, std::size_t begin,
                                         std::size_t end, Cost* __restrict counts) {
    const std::size_t n_first = (last - w - 1) % 4 + 1;
    const Word* rows[4];
    Word own[4];
    for (std::size_t i = 0; i < 4; ++i) {
        rows[i] = columns.words + (w + (i < n_first ? i : 0)) * columns.stride;
        own[i] = i < n_first ? members[w + i] : 0;
    }
    const Word *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3];
    const Word a0 = own[0], a1 = own[1], a2 = own[2], a3 = own[3];
    switch (n_first) {
        case 1:
            for (std::size_t j = begin; j < end; ++j) counts[j] = popcount(a0 & r0[j]);
            break;
        case 2:
            for (std::size_t j = begin; j < end; ++j) counts[j] = popcount(a0 & r0[j]) + popcount(a1 & r1[j]);
            break;
        case 3:
            for (std::size_t j = begin; j < end; ++j) {
                counts[j] = popcount(a0 & r0[j]) + popcount(a1 & r1[j]) + popcount(a2 & r2[j]);
            }
            break;
        default:
            for (std::size_t j = begin; j < end; ++j) {
                counts[j] = popcount(a0 & r0[j]) + popcount(a1 & r1[j]) + popcount(a2 & r2[j]) + popcount(a3 & r3[j]);
            }
    }
    for (w += n_first; w < last; w += 4) {
        r0 = columns.words + w * columns.stride;
        r1 = r0 + columns.stride, r2 = r1 + columns.stride, r3 = r2 + columns.stride;
        const Word b0 = members[w], b1 = members[w + 1], b2 = members[w + 2], b3 = members[w + 3];
        for (std::size_t j = begin; j < end; ++j) {
            counts[j] += popcount(b0 & r0[j]) + popcount(b1 & r1[j]) + popcount(b2 & r2[j]) + popcount(b3 & r3[j]);
        }
    }
}

#ifdef PURETREE_WIDE
PURETREE_WIDE void count_wide(Columns columns, const Word* members, std::size_t first, std::size_t last, std::size_t begin,
                              std::size_t end, Cost* counts) {
    count(columns, members, first, last, begin, end, counts);
}

const bool has_wide = __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl");
#endif

}  // namespace

void count_words(Columns columns, const Word* members, std::size_t first, std::size_t last, std::size_t begin, std::size_t end,
                 Cost* counts) {
#ifdef PURETREE_WIDE
    if (has_wide) return count_wide(columns, members, first, last, begin, end, counts);
#endif
    count(columns, members, first, last, begin, end, counts);
}

}  // namespace puretree::front
