#include "few_tests.hpp"

#include <algorithm>
#include <limits>

namespace puretree {

std::optional<std::uint32_t> FewTests::find_one_test(SetView set) {
    if (sample_.n_classes_in(set) != 2 || !separate_class(set) || conflicts_.has_conflict(set)) return std::nullopt;
    return static_cast<std::uint32_t>(first_member(features_));
}

std::optional<std::uint32_t> FewTests::find_separating_feature(SetView set) {
    features_.resize(sample_.n_feature_words());
    if (!conflicts_.separate_all(set, features_)) return std::nullopt;
    return static_cast<std::uint32_t>(first_member(features_));
}

// Computes in features_ the features that separate one class from the others: the class of the first example by
// default. False if there are none, which mostly shows after a few examples.
bool FewTests::separate_class(SetView set, std::optional<std::size_t> label) {
    const std::size_t n_words = sample_.n_feature_words();
    features_.assign(n_words, ~Word{0});
    features_.back() = tail_mask(sample_.n_features());
    std::optional<SetView> first;
    bool first_is_in = true;
    return for_each_while(set, [&](std::size_t position) {
        const SetView row = sample_.row(position);
        if (!label) label = sample_.label(position);
        const bool is_in = static_cast<std::size_t>(sample_.label(position)) == *label;
        if (!first) {
            first = row;
            first_is_in = is_in;
            return true;
        }
        const Word agree = is_in == first_is_in ? ~Word{0} : Word{0};
        Word left = 0;
        for (std::size_t w = 0; w < n_words; ++w) left |= features_[w] &= row[w] ^ (*first)[w] ^ agree;
        return left != 0;
    });
}

void FewTests::collect_class_features(SetView set) {
    const std::size_t n_words = sample_.n_feature_words();
    std::size_t n = 0;
    for (std::size_t c = 0; c < sample_.n_classes(); ++c) {
        if (!intersects(set, sample_.class_members(c))) continue;
        if (n == class_features_.size()) class_features_.emplace_back();
        ClassFeatures& features = class_features_[n++];
        features.label = c;
        features.all.assign(n_words, ~Word{0});
        features.all.back() = tail_mask(sample_.n_features());
        features.any.assign(n_words, 0);
        features.members.clear();
        const SetView class_members = sample_.class_members(c);
        for (std::size_t w = 0; w < set.size(); ++w) {
            for (Word rest = set[w] & class_members[w]; rest; rest &= rest - 1) {
                const std::size_t position = w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
                features.members.push_back(static_cast<std::uint32_t>(position));
                const SetView row = sample_.row(position);
                for (std::size_t v = 0; v < n_words; ++v) {
                    features.all[v] &= row[v];
                    features.any[v] |= row[v];
                }
            }
        }
    }
}

bool FewTests::two_tests_suffice(SetView set) {
    switch (sample_.n_classes_in(set)) {
        case 1: return find_separating_feature(set).has_value();
        case 2: collect_class_features(set); return two_tests_for_two_classes(set);
        case 3: return two_tests_for_three_classes(set) && !conflicts_.has_conflict(set);
        default: return false;
    }
}

// Three leaves for three classes: one test separates a class from both others, another separates those.
bool FewTests::two_tests_for_three_classes(SetView set) {
    rest_.resize(set.size());
    for (std::size_t c = 0; c < sample_.n_classes(); ++c) {
        if (!intersects(set, sample_.class_members(c)) || !separate_class(set, c)) continue;
        for (std::size_t w = 0; w < rest_.size(); ++w) rest_[w] = set[w] & ~sample_.class_members(c)[w];
        if (separate_class(rest_)) return true;
    }
    return false;
}

// Two leaves of one class and one of the other: the pure sides of two tests cover the one class.
bool FewTests::two_tests_for_two_classes(SetView set) {
    const ClassFeatures &one = class_features_[0], &other = class_features_[1];
    return two_sides_cover(one, other, set) || two_sides_cover(other, one, set);
}

bool FewTests::two_sides_cover(const ClassFeatures& covered, const ClassFeatures& others, SetView set) {
    const std::size_t n_words = sample_.n_feature_words();
    pure_yes_.resize(n_words);
    pure_no_.resize(n_words);
    for (std::size_t w = 0; w < n_words; ++w) {
        pure_yes_[w] = ~others.any[w];
        pure_no_[w] = others.all[w];
    }
    pure_yes_.back() &= tail_mask(sample_.n_features());
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    SetView hardest;  // the example in the fewest pure sides
    for (const std::uint32_t position : covered.members) {
        const SetView row = sample_.row(position);
        std::size_t n = 0;
        for (std::size_t w = 0; w < n_words; ++w) {
            n += static_cast<std::size_t>(std::popcount(row[w] & pure_yes_[w]) + std::popcount(~row[w] & pure_no_[w]));
        }
        if (n == 0) return false;
        if (n < fewest) {
            fewest = n;
            hardest = row;
        }
    }
    for (std::size_t w = 0; w < n_words; ++w) {
        for (const bool is_yes : {false, true}) {
            for (Word sides = is_yes ? hardest[w] & pure_yes_[w] : ~hardest[w] & pure_no_[w]; sides; sides &= sides - 1) {
                const Word bit = sides & (~sides + 1);
                common_yes_ = pure_yes_;
                common_no_ = pure_no_;
                Word left = 1;
                for (std::size_t i = 0; i < covered.members.size() && left; ++i) {
                    const SetView row = sample_.row(covered.members[i]);
                    if (((row[w] & bit) != 0) == is_yes) continue;
                    left = 0;
                    for (std::size_t v = 0; v < n_words; ++v) {
                        left |= (common_yes_[v] &= row[v]) | (common_no_[v] &= ~row[v]);
                    }
                }
                const std::size_t feature = w * kWordBits + static_cast<std::size_t>(std::countr_zero(bit));
                if (left && has_conflict_free_leaves(feature, is_yes, others, set)) return true;
            }
        }
    }
    return false;
}

// Whether a pure side and one of the `common` ones are leaves without conflicts, in either order of the two tests.
bool FewTests::has_conflict_free_leaves(std::size_t feature, bool is_yes, const ClassFeatures& others, SetView set) {
    const std::size_t n_words = set.size();
    leaf_.resize(n_words);
    rest_.resize(n_words);
    for (std::size_t w = 0; w < n_words; ++w) leaf_[w] = set[w] & sample_.class_members(others.label)[w];
    if (conflicts_.has_conflict(leaf_)) return false;
    const SetView column = sample_.column(feature);
    for (const bool second_is_yes : {false, true}) {
        const auto& seconds = second_is_yes ? common_yes_ : common_no_;
        const bool none_fits = for_each_while(seconds, [&](std::size_t second_feature) {
            const SetView second_column = sample_.column(second_feature);
            for (const bool second_first : {false, true}) {
                for (std::size_t w = 0; w < n_words; ++w) {
                    const Word one = set[w] & (is_yes ? column[w] : ~column[w]);
                    const Word two = set[w] & (second_is_yes ? second_column[w] : ~second_column[w]);
                    leaf_[w] = second_first ? two : one;
                    rest_[w] = (second_first ? one : two) & ~leaf_[w];
                }
                if (!conflicts_.has_conflict(leaf_) && !conflicts_.has_conflict(rest_)) return false;
            }
            return true;
        });
        if (!none_fits) return true;
    }
    return false;
}

std::optional<std::uint32_t> FewTests::find_three_tests(SetView set, std::span<const std::uint32_t> features) {
    no_.resize(set.size());
    yes_.resize(set.size());
    for (const std::uint32_t feature : features) {
        if (!split(set, sample_.column(feature), no_, yes_)) continue;
        const bool is_sufficient = is_leaf(no_)    ? two_tests_suffice(yes_)
                                   : is_leaf(yes_) ? two_tests_suffice(no_)
                                                   : find_one_test(no_) && find_one_test(yes_);
        if (is_sufficient) return feature;
    }
    return std::nullopt;
}

}  // namespace puretree
