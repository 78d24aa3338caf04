#include "immediate_bounds.hpp"

#include <algorithm>
#include <optional>

namespace puretree {

Value ImmediateBounds::bound(SetView set) {
    const auto n_classes = static_cast<Value>(sample_.n_classes_in(set));
    if (n_classes == 2 && !has_separating_feature(set)) return 2;
    if (n_classes == 1 || n_classes == 2) return conflicts_.use_any(set) ? 2 : n_classes - 1;
    return std::max<Value>(n_classes - 1, 0);
}

// Whether two members agree in some feature exactly if they have the same class.
bool ImmediateBounds::has_separating_feature(SetView set) {
    std::ranges::fill(features_, ~Word{0});
    features_.back() = tail_mask(sample_.n_features());
    std::optional<std::size_t> first;
    return for_each_while(set, [&](std::size_t position) {
        if (!first) first = position;
        const Word agree = sample_.label(position) == sample_.label(*first) ? ~Word{0} : Word{0};
        const SetView row = sample_.row(position), first_row = sample_.row(*first);
        Word left = 0;
        for (std::size_t w = 0; w < features_.size(); ++w) left |= features_[w] &= row[w] ^ first_row[w] ^ agree;
        return left != 0;
    });
}

}  // namespace puretree
