#include "few_tests.hpp"

#include <algorithm>
#include <limits>

namespace puretree {

namespace {

std::uint32_t first_of(const std::vector<Word>& features) {
    std::size_t w = 0;
    while (features[w] == 0) ++w;
    return static_cast<std::uint32_t>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(features[w])));
}

}  // namespace

std::optional<std::uint32_t> FewTests::one(const Word* set) {
    if (sample_.n_classes_in(set) != 2 || !tell_apart(set) || conflicts_.any_in(set)) return std::nullopt;
    return first_of(features_);
}

std::optional<std::uint32_t> FewTests::telling(const Word* set) {
    features_.resize(sample_.n_feature_words());
    if (!conflicts_.telling(set, features_.data())) return std::nullopt;
    return first_of(features_);
}

// Whether there are features, then in features_, in which examples agree just if both or neither are of one class: of
// the class given, or else of the first example's. A few examples leave none, as a rule.
bool FewTests::tell_apart(const Word* set, std::optional<std::size_t> of_class) {
    const std::size_t n_words = sample_.n_feature_words();
    features_.assign(n_words, ~Word{0});
    features_.back() = tail_mask(sample_.n_features());
    const Word* first = nullptr;
    bool first_is_in = true;
    return for_each_while(set, sample_.n_words(), [&](std::size_t place) {
        const Word* row = sample_.row(place);
        if (!of_class) of_class = sample_.label(place);
        const bool is_in = static_cast<std::size_t>(sample_.label(place)) == *of_class;
        if (first == nullptr) {
            first = row;
            first_is_in = is_in;
            return true;
        }
        const Word agree = is_in == first_is_in ? ~Word{0} : Word{0};
        Word left = 0;
        for (std::size_t w = 0; w < n_words; ++w) left |= features_[w] &= row[w] ^ first[w] ^ agree;
        return left != 0;
    });
}

void FewTests::read_answers(const Word* set) {
    const std::size_t n_words = sample_.n_feature_words();
    std::size_t n = 0;
    for (std::size_t c = 0; c < sample_.n_classes(); ++c) {
        if (!meets(set, sample_.of_class(c), sample_.n_words())) continue;
        if (n == answers_.size()) answers_.emplace_back();
        Answers& answers = answers_[n++];
        answers.of_class = c;
        answers.all.assign(n_words, ~Word{0});
        answers.all.back() = tail_mask(sample_.n_features());
        answers.any.assign(n_words, 0);
        answers.members.clear();
        const Word* of_class = sample_.of_class(c);
        for (std::size_t w = 0; w < sample_.n_words(); ++w) {
            for (Word rest = set[w] & of_class[w]; rest; rest &= rest - 1) {
                const std::size_t place = w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
                answers.members.push_back(static_cast<std::uint32_t>(place));
                const Word* row = sample_.row(place);
                for (std::size_t v = 0; v < n_words; ++v) {
                    answers.all[v] &= row[v];
                    answers.any[v] |= row[v];
                }
            }
        }
    }
}

bool FewTests::two(const Word* set) {
    switch (sample_.n_classes_in(set)) {
        case 1: return telling(set).has_value();
        case 2: read_answers(set); return two_for_two_classes(set);
        case 3: return two_for_three_classes(set) && !conflicts_.any_in(set);
        default: return false;
    }
}

// Three leaves for three classes: one test tells a class from both others, one tells those apart.
bool FewTests::two_for_three_classes(const Word* set) {
    rest_.resize(sample_.n_words());
    for (std::size_t c = 0; c < sample_.n_classes(); ++c) {
        if (!meets(set, sample_.of_class(c), sample_.n_words()) || !tell_apart(set, c)) continue;
        for (std::size_t w = 0; w < rest_.size(); ++w) rest_[w] = set[w] & ~sample_.of_class(c)[w];
        if (tell_apart(rest_.data())) return true;
    }
    return false;
}

// Two leaves of one class and one of the other: the pure sides of two tests cover the one class.
bool FewTests::two_for_two_classes(const Word* set) {
    return are_covered_by_two(answers_[0], answers_[1], set) || are_covered_by_two(answers_[1], answers_[0], set);
}

bool FewTests::are_covered_by_two(const Answers& covered, const Answers& others, const Word* set) {
    const std::size_t n_words = sample_.n_feature_words();
    pure_yes_.resize(n_words);
    pure_no_.resize(n_words);
    for (std::size_t w = 0; w < n_words; ++w) {
        pure_yes_[w] = ~others.any[w];
        pure_no_[w] = others.all[w];
    }
    pure_yes_.back() &= tail_mask(sample_.n_features());
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    const Word* hardest = nullptr;  // the example that the fewest pure sides hold
    for (const std::uint32_t place : covered.members) {
        const Word* row = sample_.row(place);
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
                    const Word* row = sample_.row(covered.members[i]);
                    if (((row[w] & bit) != 0) == is_yes) continue;
                    left = 0;
                    for (std::size_t v = 0; v < n_words; ++v) {
                        left |= (common_yes_[v] &= row[v]) | (common_no_[v] &= ~row[v]);
                    }
                }
                const std::size_t feature = w * kWordBits + static_cast<std::size_t>(std::countr_zero(bit));
                if (left && leaves_hold(feature, is_yes, others, set)) return true;
            }
        }
    }
    return false;
}

// Whether a pure side and one of the `common` ones make leaves without conflicts, whichever is asked first.
bool FewTests::leaves_hold(std::size_t feature, bool is_yes, const Answers& others, const Word* set) {
    const std::size_t n_words = sample_.n_words();
    leaf_.resize(n_words);
    rest_.resize(n_words);
    for (std::size_t w = 0; w < n_words; ++w) leaf_[w] = set[w] & sample_.of_class(others.of_class)[w];
    if (conflicts_.any_in(leaf_.data())) return false;
    const Word* column = sample_.column(feature);
    for (const bool second_is_yes : {false, true}) {
        const auto& seconds = second_is_yes ? common_yes_ : common_no_;
        const bool none_holds = for_each_while(seconds.data(), seconds.size(), [&](std::size_t second_feature) {
            const Word* second_column = sample_.column(second_feature);
            for (const bool second_first : {false, true}) {
                for (std::size_t w = 0; w < n_words; ++w) {
                    const Word one = set[w] & (is_yes ? column[w] : ~column[w]);
                    const Word two = set[w] & (second_is_yes ? second_column[w] : ~second_column[w]);
                    leaf_[w] = second_first ? two : one;
                    rest_[w] = (second_first ? one : two) & ~leaf_[w];
                }
                if (!conflicts_.any_in(leaf_.data()) && !conflicts_.any_in(rest_.data())) return false;
            }
            return true;
        });
        if (!none_holds) return true;
    }
    return false;
}

std::optional<std::uint32_t> FewTests::three(const Word* set, std::span<const std::uint32_t> features) {
    no_.resize(sample_.n_words());
    yes_.resize(sample_.n_words());
    for (const std::uint32_t feature : features) {
        if (!split(set, sample_.column(feature), no_.data(), yes_.data(), sample_.n_words())) continue;
        const bool are_enough = is_leaf(no_.data())    ? two(yes_.data())
                                : is_leaf(yes_.data()) ? two(no_.data())
                                                       : one(no_.data()) && one(yes_.data());
        if (are_enough) return feature;
    }
    return std::nullopt;
}

}  // namespace puretree
