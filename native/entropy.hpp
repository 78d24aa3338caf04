// A table of n log n for all possible counts, which are needed at every split. Reading them from one table also makes
// entropies of equal counts equal to the last bit.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace puretree {

inline std::vector<double> n_log_n_table(std::size_t n_examples) {
    std::vector<double> table(n_examples + 1);
    for (std::size_t n = 1; n <= n_examples; ++n) {
        const auto x = static_cast<double>(n);
        table[n] = x * std::log2(x);
    }
    return table;
}

}  // namespace puretree
