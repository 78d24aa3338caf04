// The explicit problem of some rows: a feature for every partition that a test makes of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../bits.hpp"
#include "codes.hpp"

namespace puretree {

struct BinarisedRows {
    std::vector<Word> words;  // a row of bits for each row
    std::vector<Test> tests;  // of each feature: one of those that make the same partition

    std::size_t n_features() const { return tests.size(); }
};

// If `may_be_root` is not empty, it says for each column whether the root may test it: of the tests that make the same
// partition, one that the root may have is kept if there is one. There must be at least one row.
BinarisedRows binarise(const Codes& codes, std::span<const std::uint32_t> rows,
                       std::span<const std::uint8_t> may_be_root = {});

}  // namespace puretree
