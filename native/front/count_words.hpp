// Counts the common bits of a set and each of many columns: what most of the time of a search is spent on. Processors that
// count the bits of eight words at once do so, although the module must not require them.
#pragma once

#include "problem.hpp"

namespace puretree::front {

// Columns of bits: a row for each word, a column for each number.
struct Columns {
    const Word* words;
    std::size_t stride;
};

// Sets counts[j], for j from `begin` to `end`, to the number of bits that the words from `first` to `last`, at least one, of
// `members` and of column j have in common.
void count_words(Columns columns, const Word* members, std::size_t first, std::size_t last, std::size_t begin, std::size_t end,
                 Cost* counts);

}  // namespace puretree::front
