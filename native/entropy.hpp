// n log n for every count there can be: growers ask for it at every split, and reading it from one table also makes
// equal counts give equal entropies to the last bit.
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
