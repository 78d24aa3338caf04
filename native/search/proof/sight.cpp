#include "sight.hpp"

#include <algorithm>

namespace puretree {

Value Sight::at_sight(const Word* set) {
    const auto n_classes = static_cast<Value>(sample_.n_classes_in(set));
    if (n_classes == 2 && !has_telling_feature(set)) return 2;
    if (n_classes == 1 || n_classes == 2) return conflicts_.use_any(set) ? 2 : n_classes - 1;
    return std::max<Value>(n_classes - 1, 0);
}

// A feature in which two members agree just if they are of one class.
bool Sight::has_telling_feature(const Word* set) {
    std::ranges::fill(features_, ~Word{0});
    features_.back() = tail_mask(sample_.n_features());
    const std::size_t n_words = features_.size();
    std::size_t first = sample_.size();
    return for_each_while(set, sample_.n_words(), [&](std::size_t place) {
        if (first == sample_.size()) first = place;
        const Word agree = sample_.label(place) == sample_.label(first) ? ~Word{0} : Word{0};
        Word left = 0;
        for (std::size_t w = 0; w < n_words; ++w) {
            left |= features_[w] &= sample_.row(place)[w] ^ sample_.row(first)[w] ^ agree;
        }
        return left != 0;
    });
}

}  // namespace puretree
