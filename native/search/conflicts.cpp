#include "conflicts.hpp"

#include <algorithm>
#include <cmath>

namespace puretree {
namespace {

// The graph is quadratic in the sample, and finding a conflict is linear in the problem: examples beyond these limits
// are left out, which only weakens the bound.
constexpr std::size_t kMaxPositions = 1024, kMinPositions = 64;
constexpr double kMaxComparisons = 1e10;  // of words

}  // namespace

Conflicts::Conflicts(const Sample& sample) : sample_(sample) {
    const double n_words = static_cast<double>(sample.all().rows().n_words() * sample.all().size()) + 1;
    const double affordable = std::sqrt(2 * kMaxComparisons / n_words);
    max_positions_ = std::max(kMinPositions, static_cast<std::size_t>(std::min<double>(affordable, kMaxPositions)));
}

void Conflicts::extend(const std::function<void()>& tick) {
    const std::size_t n_old_words = n_words_, target = std::min(sample_.size(), max_positions_);
    n_words_ = words_for(target);
    std::vector<Word> wider(target * n_words_);
    for (std::size_t i = 0; i < n_positions_; ++i) {
        std::copy_n(conflict_sets_.data() + i * n_old_words, n_old_words, wider.data() + i * n_words_);
    }
    conflict_sets_.swap(wider);
    for (std::size_t j = n_positions_; j < target; n_positions_ = ++j) {
        for (std::size_t i = 0; i < j; ++i) {
            if (sample_.label(i) != sample_.label(j)) continue;
            tick();
            if (!witness(sample_.row(i), sample_.row(j), sample_.label(i))) continue;
            conflict_sets_[i * n_words_ + j / kWordBits] |= Word{1} << (j % kWordBits);
            conflict_sets_[j * n_words_ + i / kWordBits] |= Word{1} << (i % kWordBits);
        }
    }
}

std::optional<std::uint32_t> Conflicts::witness(SetView one, SetView other, std::int32_t label) const {
    const Examples& all = sample_.all();
    const std::size_t n_words = all.rows().n_words();
    const Word* row = all.rows().data;
    for (std::size_t i = 0; i < all.size(); ++i, row += n_words) {
        if (all.label(i) == label) continue;
        std::size_t w = 0;
        while (w < n_words && !((one[w] ^ row[w]) & ~(one[w] ^ other[w]))) ++w;
        if (w == n_words) return static_cast<std::uint32_t>(i);
    }
    return std::nullopt;
}

bool Conflicts::has_conflict(SetView set) const {
    const SetView covered = set.first(n_words_);
    return !for_each_while(
        covered, [&](std::size_t i) { return i >= n_positions_ || !intersects(conflicts_of(i), covered); });
}

bool Conflicts::separate_all(SetView set, MutableSetView features) const {
    std::ranges::fill(features, ~Word{0});
    features.back() = tail_mask(sample_.n_features());
    return for_each_while(set.first(n_words_), [&](std::size_t i) {
        if (i >= n_positions_) return true;
        const SetView row = sample_.row(i);
        return for_each_while(conflicts_of(i).first(i / kWordBits + 1), [&](std::size_t j) {
            if (j > i || !contains(set, j)) return true;
            const SetView other = sample_.row(j);
            Word left = 0;
            for (std::size_t w = 0; w < features.size(); ++w) left |= features[w] &= row[w] ^ other[w];
            return left != 0;
        });
    });
}

std::size_t Conflicts::least_leaves(SetView set, std::size_t target, std::size_t useful) {
    std::size_t leaves = 0, n_classes = 0, n_left = count(set);
    for (std::size_t c = 0; c < sample_.n_classes(); ++c) {
        const SetView members = sample_.class_members(c);
        n_left -= count_common(set, members);
        const std::size_t more = 1 + n_left;  // the witness, and the members of later classes
        const std::size_t n = greedy_clique(set, members, target > leaves ? target - leaves : 1,
                                            useful > leaves + more ? useful - leaves - more : 0);
        leaves += n;
        n_classes += n > 0;
    }
    return leaves + (n_classes == 1 && leaves > 1);  // the witness of a conflict is of another class
}

std::size_t Conflicts::greedy_clique(SetView set, SetView class_members, std::size_t target, std::size_t useful) {
    if (!intersects(set, class_members)) return 0;
    candidates_.resize(n_words_);
    for (std::size_t w = 0; w < n_words_; ++w) candidates_[w] = set[w] & class_members[w];
    candidates_.back() &= tail_mask(conflict_sets_.size() / n_words_);  // conflicts of later positions are unknown
    // Half of all time is spent here. Most samples are a few words wide; a width known at compile time saves a third.
    const std::size_t size = n_words_ == 1   ? clique_of_candidates<1>(target, useful)
                             : n_words_ == 2 ? clique_of_candidates<2>(target, useful)
                             : n_words_ == 3 ? clique_of_candidates<3>(target, useful)
                             : n_words_ == 4 ? clique_of_candidates<4>(target, useful)
                                             : clique_of_candidates<0>(target, useful);
    return std::max<std::size_t>(size, 1);
}

// Always adds the candidate that conflicts with the most remaining candidates. In the order of the sample, cliques were
// smaller and the search visited two to six times as many sets.
template <std::size_t width>
std::size_t Conflicts::clique_of_candidates(std::size_t target, std::size_t useful) {
    const std::size_t n_words = width == 0 ? n_words_ : width;
    const MutableSetView candidates{candidates_.data(), n_words};
    std::size_t size = 0;
    while (size < target) {
        std::size_t most = 0, best = 0;
        for_each(candidates, [&](std::size_t i) {
            const std::size_t degree = 1 + count_common(candidates, {conflict_sets_.data() + i * n_words, n_words});
            if (degree > most) {
                most = degree;
                best = i;
            }
        });
        if (most == 0) break;
        if (size + 1 + most < useful) break;
        ++size;
        if (most == 1) break;  // it conflicts with no other candidate
        for (std::size_t w = 0; w < n_words; ++w) candidates[w] &= conflict_sets_[best * n_words + w];
    }
    return size;
}

std::size_t Conflicts::n_conflicts_of(std::uint32_t example) const {
    const std::int32_t label = sample_.all().label(example);
    const SetView row = sample_.all().rows().row(example);
    std::size_t n = 0;
    for (std::size_t i = 0; i < n_positions_; ++i) {
        n += sample_.label(i) == label && witness(sample_.row(i), row, label).has_value();
    }
    return n;
}

}  // namespace puretree
