#include "splits.hpp"

#include <algorithm>
#include <numeric>

#include "../entropy.hpp"

namespace puretree {

void Splitter::extend() { n_log_n_ = n_log_n_table(sample_.size()); }

Side Splitter::glance(const Word* set, std::size_t n_classes) const {
    if (n_classes > 1) return {static_cast<Value>(n_classes - 1) * least_weight_, false, 0};
    if (!few_tests_.is_leaf(set)) return {2 * least_weight_, false, 0};
    return {0, true, 0};
}

void Splitter::find_splits(const Word* set, std::span<const std::uint32_t> features, Splits& splits) {
    const std::size_t n_words = sample_.n_words(), n_classes = sample_.n_classes();
    splits.features.clear();
    splits.all.clear();
    splits.no.resize(n_words);
    splits.yes.resize(n_words);
    class_sizes_.resize(n_classes);
    for (std::size_t c = 0; c < n_classes; ++c) class_sizes_[c] = count_common(set, sample_.of_class(c), n_words);
    const std::size_t size = std::accumulate(class_sizes_.begin(), class_sizes_.end(), std::size_t{0});
    seen_.assign(std::bit_ceil(2 * features.size() + 1), 0);
    kept_sides_.resize((features.size() + 1) * n_words);
    std::size_t first_word = 0;
    while (set[first_word] == 0) ++first_word;
    const Word first = set[first_word] & (~set[first_word] + 1);

    for (const std::uint32_t feature : features) {
        if (!split(set, sample_.column(feature), splits.no.data(), splits.yes.data(), n_words)) continue;
        const bool first_is_yes = (splits.yes[first_word] & first) != 0;
        Word* side = kept_sides_.data() + splits.features.size() * n_words;
        std::copy_n(first_is_yes ? splits.no.data() : splits.yes.data(), n_words, side);
        if (!is_new(side, splits.features.size())) continue;
        splits.features.push_back(feature);
        if (wishes_.min_leaf > 1 && !(is_large_enough(splits.no.data()) && is_large_enough(splits.yes.data()))) {
            continue;
        }
        double of_classes = 0;
        std::size_t n_yes = 0, yes_classes = 0, no_classes = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            if (class_sizes_[c] == 0) continue;
            const std::size_t yes = count_common(splits.yes.data(), sample_.of_class(c), n_words);
            n_yes += yes;
            yes_classes += yes > 0;
            no_classes += yes < class_sizes_[c];
            of_classes += n_log_n_[yes] + n_log_n_[class_sizes_[c] - yes];
        }
        const auto impurity = static_cast<float>(n_log_n_[n_yes] + n_log_n_[size - n_yes] - of_classes);
        splits.all.push_back(
            {feature, impurity, glance(splits.no.data(), no_classes), glance(splits.yes.data(), yes_classes)});
    }
    if (wishes_.is_monotone()) drop_dominated(set, splits);
    splits.order.resize(splits.all.size());
    std::iota(splits.order.begin(), splits.order.end(), 0u);
    std::ranges::sort(splits.order, [&](std::uint32_t a, std::uint32_t b) {
        return splits.all[a].impurity != splits.all[b].impurity ? splits.all[a].impurity < splits.all[b].impurity : a < b;
    });
}

// Whether no split kept so far is the same; the sides are compared, not only their hashes: the search is a proof.
bool Splitter::is_new(const Word* side, std::size_t n_kept) {
    const std::size_t n_words = sample_.n_words(), mask = seen_.size() - 1;
    std::size_t i = hash_set(side, n_words, 0) & mask;
    for (; seen_[i] != 0; i = (i + 1) & mask) {
        if (std::equal(side, side + n_words, kept_sides_.data() + (seen_[i] - 1) * n_words)) return false;
    }
    seen_[i] = static_cast<std::uint32_t>(n_kept + 1);
    return true;
}

bool Splitter::is_large_enough(const Word* set) const {
    std::int64_t n_rows = 0;
    for_each(set, sample_.n_words(), [&](std::size_t place) { n_rows += wishes_.n_rows[sample_.example(place)]; });
    return n_rows >= wishes_.min_leaf;
}

// Of splits that cut a leaf off, only those with a largest leaf at no higher weight: the rest is no harder for them.
void Splitter::drop_dominated(const Word* set, Splits& splits) {
    struct Cut {
        std::size_t split;
        std::size_t size;
        const Word* leaf;
    };
    const std::size_t n_words = sample_.n_words();
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i < splits.all.size(); ++i) {
        if (splits.all[i].no.is_leaf() || splits.all[i].yes.is_leaf()) cuts.push_back({i, 0, nullptr});
    }
    if (cuts.size() < 2) return;
    leaf_sides_.resize(cuts.size() * n_words);
    for (std::size_t k = 0; k < cuts.size(); ++k) {
        const Split& cut = splits.all[cuts[k].split];
        const Word* column = sample_.column(cut.feature);
        Word* leaf = leaf_sides_.data() + k * n_words;
        for (std::size_t w = 0; w < n_words; ++w) leaf[w] = set[w] & (cut.yes.is_leaf() ? column[w] : ~column[w]);
        cuts[k].leaf = leaf;
        cuts[k].size = count(leaf, n_words);
    }
    std::ranges::stable_sort(cuts, [](const Cut& a, const Cut& b) { return a.size > b.size; });
    std::vector<std::uint8_t> is_dropped(splits.all.size());
    for (std::size_t k = 1; k < cuts.size(); ++k) {
        const Value weight = wishes_.weight(splits.all[cuts[k].split].feature);
        for (std::size_t j = 0; j < k && !is_dropped[cuts[k].split]; ++j) {
            is_dropped[cuts[k].split] = !is_dropped[cuts[j].split] &&
                                        wishes_.weight(splits.all[cuts[j].split].feature) <= weight &&
                                        is_subset(cuts[k].leaf, cuts[j].leaf, n_words);
        }
    }
    std::size_t n_kept = 0;
    for (std::size_t i = 0; i < splits.all.size(); ++i) {
        if (!is_dropped[i]) splits.all[n_kept++] = splits.all[i];
    }
    splits.all.resize(n_kept);
}

}  // namespace puretree
