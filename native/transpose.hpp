// Transposes bit matrices: examples by features <-> features by examples. Binarisers write one feature at a time;
// merging examples and walking trees read one example at a time. Transposing a block of 64 x 64 bits takes six passes
// of shifts instead of 4096 moves of single bits.
#pragma once

#include "bits.hpp"

namespace puretree {

// `to` has from.n_bits rows of from.n_rows bits.
void transpose(const BitRows<const Word>& from, const BitRows<Word>& to);

}  // namespace puretree
