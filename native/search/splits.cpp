#include "splits.hpp"

#include <algorithm>
#include <numeric>

#include "../entropy.hpp"

namespace puretree {

void Splitter::extend() { n_log_n_ = n_log_n_table(sample_.size()); }

Side Splitter::initial_bound(SetView set, std::size_t n_classes) const {
    if (n_classes > 1) return {static_cast<Value>(n_classes - 1) * min_cost_, false, 0};
    if (!few_tests_.is_leaf(set)) return {2 * min_cost_, false, 0};
    return {0, true, 0};
}

void Splitter::find_splits(SetView set, std::span<const std::uint32_t> features, Splits& splits) {
    const std::size_t n_words = set.size(), n_classes = sample_.n_classes();
    splits.features.clear();
    splits.all.clear();
    splits.no.resize(n_words);
    splits.yes.resize(n_words);
    class_sizes_.resize(n_classes);
    for (std::size_t c = 0; c < n_classes; ++c) class_sizes_[c] = count_common(set, sample_.class_members(c));
    const std::size_t size = std::accumulate(class_sizes_.begin(), class_sizes_.end(), std::size_t{0});
    table_.assign(std::bit_ceil(2 * features.size() + 1), 0);
    kept_sides_.resize((features.size() + 1) * n_words);
    const std::size_t first = first_member(set);

    for (const std::uint32_t feature : features) {
        if (!split(set, sample_.column(feature), splits.no, splits.yes)) continue;
        const MutableSetView side{kept_sides_.data() + splits.features.size() * n_words, n_words};
        std::ranges::copy(contains(splits.yes, first) ? splits.no : splits.yes, side.begin());
        if (!is_new(side, splits.features.size())) continue;
        splits.features.push_back(feature);
        if (constraints_.min_samples_leaf > 1 && !(is_large_enough(splits.no) && is_large_enough(splits.yes))) continue;
        double class_sum = 0;
        std::size_t n_yes = 0, yes_classes = 0, no_classes = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            if (class_sizes_[c] == 0) continue;
            const std::size_t yes = count_common(splits.yes, sample_.class_members(c));
            n_yes += yes;
            yes_classes += yes > 0;
            no_classes += yes < class_sizes_[c];
            class_sum += n_log_n_[yes] + n_log_n_[class_sizes_[c] - yes];
        }
        const auto impurity = static_cast<float>(n_log_n_[n_yes] + n_log_n_[size - n_yes] - class_sum);
        splits.all.push_back(
            {feature, impurity, initial_bound(splits.no, no_classes), initial_bound(splits.yes, yes_classes)});
    }
    if (constraints_.is_monotone()) drop_dominated(set, splits);
    splits.order.resize(splits.all.size());
    std::iota(splits.order.begin(), splits.order.end(), 0u);
    std::ranges::sort(splits.order, [&](std::uint32_t a, std::uint32_t b) {
        return splits.all[a].impurity != splits.all[b].impurity ? splits.all[a].impurity < splits.all[b].impurity : a < b;
    });
}

// Whether no split kept so far has the same sides. They are compared, not only hashed: the search is a proof.
bool Splitter::is_new(SetView side, std::size_t n_kept) {
    const std::size_t mask = table_.size() - 1;
    std::size_t i = hash_set(side, 0) & mask;
    for (; table_[i] != 0; i = (i + 1) & mask) {
        if (std::equal(side.begin(), side.end(), kept_sides_.data() + (table_[i] - 1) * side.size())) return false;
    }
    table_[i] = static_cast<std::uint32_t>(n_kept + 1);
    return true;
}

bool Splitter::is_large_enough(SetView set) const {
    std::int64_t n_rows = 0;
    for_each(set, [&](std::size_t position) { n_rows += constraints_.n_rows[sample_.example(position)]; });
    return n_rows >= constraints_.min_samples_leaf;
}

// Drops splits that cut off a leaf contained in the leaf of another split of at most the same cost: the remaining side
// of that split is a subset, which needs no more tests.
void Splitter::drop_dominated(SetView set, Splits& splits) {
    struct Cut {
        std::size_t split;
        std::size_t size;
        SetView leaf;
    };
    const std::size_t n_words = set.size();
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i < splits.all.size(); ++i) {
        if (splits.all[i].no.is_leaf() || splits.all[i].yes.is_leaf()) cuts.push_back({i, 0, {}});
    }
    if (cuts.size() < 2) return;
    leaf_sides_.resize(cuts.size() * n_words);
    for (std::size_t k = 0; k < cuts.size(); ++k) {
        const Split& cut = splits.all[cuts[k].split];
        const SetView column = sample_.column(cut.feature);
        const MutableSetView leaf{leaf_sides_.data() + k * n_words, n_words};
        for (std::size_t w = 0; w < n_words; ++w) leaf[w] = set[w] & (cut.yes.is_leaf() ? column[w] : ~column[w]);
        cuts[k].leaf = leaf;
        cuts[k].size = count(leaf);
    }
    std::ranges::stable_sort(cuts, [](const Cut& a, const Cut& b) { return a.size > b.size; });
    std::vector<std::uint8_t> is_dropped(splits.all.size());
    for (std::size_t k = 1; k < cuts.size(); ++k) {
        const Value cost = constraints_.cost(splits.all[cuts[k].split].feature);
        for (std::size_t j = 0; j < k && !is_dropped[cuts[k].split]; ++j) {
            is_dropped[cuts[k].split] = !is_dropped[cuts[j].split] &&
                                        constraints_.cost(splits.all[cuts[j].split].feature) <= cost &&
                                        is_subset(cuts[k].leaf, cuts[j].leaf);
        }
    }
    std::size_t n_kept = 0;
    for (std::size_t i = 0; i < splits.all.size(); ++i) {
        if (!is_dropped[i]) splits.all[n_kept++] = splits.all[i];
    }
    splits.all.resize(n_kept);
}

}  // namespace puretree
