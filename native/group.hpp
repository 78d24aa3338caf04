// Groups equal rows of a bit matrix. Merging equal examples and equal (or complementary) features keeps the problem
// small; both are this operation, on the matrix or on its transpose.
#pragma once

#include <cstdint>
#include <vector>

#include "bits.hpp"

namespace puretree {

struct Grouping {
    std::vector<std::int64_t> group;    // of each row; groups are numbered by their first row
    std::vector<std::int64_t> first;    // the first row of each group
    std::vector<std::uint8_t> flipped;  // the row is the complement of its group's first row
};

// With `fold_complements`, a row and its complement are in the same group.
Grouping group_rows(const BitRows<const Word>& rows, bool fold_complements);

}  // namespace puretree
