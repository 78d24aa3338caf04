// Examples by features <-> features by examples. Binarisers write a feature at a time, merging and walking trees want
// an example at a time; turning 64 x 64 blocks costs six passes of shifts instead of 4096 bit moves.
#pragma once

#include "bits.hpp"

namespace puretree {

// `to` has from.n_bits rows of from.n_rows bits.
void transpose(const BitRows<const Word>& from, const BitRows<Word>& to);

}  // namespace puretree
