#include "conflicts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace puretree {
namespace {

// The graph is quadratic in the sample, and finding a conflict is linear in the problem: examples beyond these are left
// out, which weakens the bound and nothing else.
constexpr std::size_t kMostPlaces = 1024, kFewestPlaces = 64;
constexpr double kMostComparisons = 1e10;  // of words

}  // namespace

Conflicts::Conflicts(const Sample& sample) : sample_(sample) {
    const double n_words = static_cast<double>(sample.all().rows().n_words() * sample.all().size()) + 1;
    const double affordable = std::sqrt(2 * kMostComparisons / n_words);
    most_places_ = std::max(kFewestPlaces, static_cast<std::size_t>(std::min<double>(affordable, kMostPlaces)));
}

void Conflicts::extend(const std::function<void()>& tick) {
    const std::size_t n_words_before = n_words_, wanted = std::min(sample_.size(), most_places_);
    n_words_ = words_for(wanted);
    std::vector<Word> wider(wanted * n_words_);
    for (std::size_t i = 0; i < n_places_; ++i) {
        std::copy_n(conflicting_.data() + i * n_words_before, n_words_before, wider.data() + i * n_words_);
    }
    conflicting_.swap(wider);
    for (std::size_t j = n_places_; j < wanted; n_places_ = ++j) {
        for (std::size_t i = 0; i < j; ++i) {
            if (sample_.label(i) != sample_.label(j)) continue;
            tick();
            if (!between(sample_.row(i), sample_.row(j), sample_.label(i))) continue;
            conflicting_[i * n_words_ + j / kWordBits] |= Word{1} << (j % kWordBits);
            conflicting_[j * n_words_ + i / kWordBits] |= Word{1} << (i % kWordBits);
        }
    }
}

std::optional<std::uint32_t> Conflicts::between(const Word* one, const Word* other, std::int32_t label) const {
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

bool Conflicts::any_in(const Word* set) const {
    return !for_each_while(set, n_words_, [&](std::size_t i) { return i >= n_places_ || !meets(with(i), set, n_words_); });
}

bool Conflicts::telling(const Word* set, Word* features) const {
    const std::size_t n_feature_words = sample_.n_feature_words();
    std::fill_n(features, n_feature_words, ~Word{0});
    features[n_feature_words - 1] = tail_mask(sample_.n_features());
    return for_each_while(set, n_words_, [&](std::size_t i) {
        if (i >= n_places_) return true;
        return for_each_while(with(i), i / kWordBits + 1, [&](std::size_t j) {
            if (j > i || !((set[j / kWordBits] >> (j % kWordBits)) & 1)) return true;
            Word left = 0;
            for (std::size_t w = 0; w < n_feature_words; ++w) {
                left |= features[w] &= sample_.row(i)[w] ^ sample_.row(j)[w];
            }
            return left != 0;
        });
    });
}

std::size_t Conflicts::least_leaves(const Word* set, std::size_t enough) {
    std::size_t leaves = 0, n_classes = 0;
    for (std::size_t c = 0; c < sample_.n_classes(); ++c) {
        const std::size_t of_class = greedy_clique(set, sample_.of_class(c), enough > leaves ? enough - leaves : 1);
        leaves += of_class;
        n_classes += of_class > 0;
    }
    return leaves + (n_classes == 1 && leaves > 1);  // the example between them is of another class
}

std::size_t Conflicts::greedy_clique(const Word* set, const Word* of_class, std::size_t enough) {
    if (!meets(set, of_class, sample_.n_words())) return 0;
    open_.resize(n_words_);
    for (std::size_t w = 0; w < n_words_; ++w) open_[w] = set[w] & of_class[w];
    open_.back() &= tail_mask(conflicting_.size() / n_words_);  // later places have no conflicts here
    // Half of all time is spent here: most samples are a few words wide, and a width known when compiled saves a third.
    const std::size_t size = n_words_ == 1   ? clique_in_open<1>(enough)
                             : n_words_ == 2 ? clique_in_open<2>(enough)
                             : n_words_ == 3 ? clique_in_open<3>(enough)
                             : n_words_ == 4 ? clique_in_open<4>(enough)
                                             : clique_in_open<0>(enough);
    return std::max<std::size_t>(size, 1);
}

// Next always the example that conflicts with most of those left. In the order of the sample instead, cliques were
// smaller and the search looked at two to six times as many sets.
template <std::size_t width>
std::size_t Conflicts::clique_in_open(std::size_t enough) {
    const std::size_t n_words = width == 0 ? n_words_ : width;
    Word* open = open_.data();
    std::size_t size = 0;
    while (size < enough) {
        std::size_t most = 0, best = 0;
        for_each(open, n_words, [&](std::size_t i) {
            const std::size_t degree = 1 + count_common(open, conflicting_.data() + i * n_words, n_words);
            if (degree > most) {
                most = degree;
                best = i;
            }
        });
        if (most == 0) break;
        ++size;
        if (most == 1) break;  // it conflicts with none of those left
        for (std::size_t w = 0; w < n_words; ++w) open[w] &= conflicting_[best * n_words + w];
    }
    return size;
}

std::size_t Conflicts::n_conflicts_of(std::uint32_t example) const {
    const std::int32_t label = sample_.all().label(example);
    const Word* row = sample_.all().rows().row(example).data();
    std::size_t n = 0;
    for (std::size_t i = 0; i < n_places_; ++i) {
        n += sample_.label(i) == label && between(sample_.row(i), row, label).has_value();
    }
    return n;
}

}  // namespace puretree
