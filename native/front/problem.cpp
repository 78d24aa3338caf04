#include "problem.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "../transpose.hpp"

namespace puretree::front {
namespace {

constexpr std::size_t kSortedLength = 16;  // features of a chain by which atoms are sorted
constexpr std::size_t kMaxDirections = 4;  // for each class; with more, every class has kinds of its own

// The examples of each power of two of a kind's unit cost: level[b] holds the examples with bit b in their multiple.
using Levels = std::vector<std::vector<std::uint32_t>>;

void add_multiple(Levels& levels, std::uint32_t example, std::int64_t multiple) {
    for (std::size_t bit = 0; multiple >> bit; ++bit) {
        if (!((multiple >> bit) & 1)) continue;
        if (levels.size() <= bit) levels.resize(bit + 1);
        levels[bit].push_back(example);
    }
}

// Replaces an atom by two of half its cost where that saves words, since every level takes whole words.
void merge_small_levels(Levels& levels) {
    for (std::size_t bit = levels.size(); bit-- > 1;) {
        const std::size_t n = levels[bit].size(), n_below = levels[bit - 1].size();
        if (n == 0 || words_for(n) + words_for(n_below) < words_for(2 * n + n_below)) continue;
        for (const std::uint32_t example : levels[bit]) levels[bit - 1].insert(levels[bit - 1].end(), 2, example);
        levels[bit].clear();
        std::ranges::sort(levels[bit - 1]);
    }
}

// The cost of an example for each class, less the least of them.
std::vector<std::int32_t> reduced(std::span<const std::int32_t> costs) {
    const std::int32_t least = std::ranges::min(costs);
    std::vector<std::int32_t> rest(costs.begin(), costs.end());
    for (std::int32_t& cost : rest) cost -= least;
    return rest;
}

// Divides a vector by the greatest common divisor of its numbers, and returns the divisor.
std::int32_t make_primitive(std::vector<std::int32_t>& costs) {
    const std::int32_t divisor = std::accumulate(costs.begin(), costs.end(), 0, [](auto a, auto b) { return std::gcd(a, b); });
    if (divisor > 1) {
        for (std::int32_t& cost : costs) cost /= divisor;
    }
    return divisor;
}

}  // namespace

Problem::Problem(const BitRows<const Word>& examples, std::span<const std::int32_t> costs, std::size_t n_classes,
                 std::span<const std::int64_t> n_rows, Options options)
    : n_features_(examples.n_bits), n_classes_(n_classes), n_examples_(examples.n_rows), n_row_words_(examples.n_words()),
      options_(std::move(options)) {
    // The root may have to test a feature that separates nothing else, and so may a leaf need such examples.
    options_.keeps_all |= options_.min_samples_leaf > 1 || !options_.root_features.empty();
    std::map<std::vector<std::int32_t>, Levels> levels_of;  // of the kinds with each cost
    const auto costs_of = [&](std::size_t example) { return costs.subspan(example * n_classes, n_classes); };
    for (std::size_t example = 0; example < examples.n_rows; ++example) {
        std::vector<std::int32_t> rest = reduced(costs_of(example));
        least_cost_ += std::ranges::min(costs_of(example));
        const std::int32_t multiple = make_primitive(rest);
        if (multiple > 0) add_multiple(levels_of[rest], static_cast<std::uint32_t>(example), multiple);
    }
    if (levels_of.size() > kMaxDirections * n_classes) {
        levels_of.clear();
        for (std::size_t example = 0; example < examples.n_rows; ++example) {
            const std::vector<std::int32_t> rest = reduced(costs_of(example));
            for (std::size_t c = 0; c < n_classes; ++c) {
                std::vector<std::int32_t> unit(n_classes);
                unit[c] = 1;
                if (rest[c]) add_multiple(levels_of[unit], static_cast<std::uint32_t>(example), rest[c]);
            }
        }
    }
    if (counts_rows()) {
        // A tree of a single leaf is always admissible.
        const std::int64_t n_all_rows = std::accumulate(n_rows.begin(), n_rows.end(), std::int64_t{0});
        min_rows_ = static_cast<Cost>(std::min(options_.min_samples_leaf, n_all_rows));
        std::vector<std::int32_t> row(n_classes + 1);
        row[n_classes] = 1;
        for (auto& [cost, levels] : std::exchange(levels_of, {})) {
            auto with_rows = cost;
            with_rows.push_back(0);
            levels_of[with_rows] = std::move(levels);
        }
        for (std::size_t example = 0; example < examples.n_rows; ++example) {
            add_multiple(levels_of[row], static_cast<std::uint32_t>(example), n_rows[example]);
        }
    }
    std::vector<std::uint32_t> example_of_atom;
    for (auto& [cost, levels] : levels_of) {
        merge_small_levels(levels);
        for (std::size_t bit = 0; bit < levels.size(); ++bit) {
            if (levels[bit].empty()) continue;
            Kind kind{n_words_, n_words_ + words_for(levels[bit].size()), {cost.begin(), cost.end()}, 0};
            for (Cost& one : kind.cost) one *= Cost{1} << bit;
            kind.weight = *std::max_element(kind.cost.begin(), kind.cost.begin() + static_cast<std::ptrdiff_t>(n_classes));
            n_words_ = kind.end;
            full_set_.resize(n_words_);
            rows_.resize(n_words_ * kWordBits * n_row_words_);
            example_of_atom.resize(kind.begin * kWordBits);
            example_of_atom.insert(example_of_atom.end(), levels[bit].begin(), levels[bit].end());
            for (std::size_t i = 0; i < levels[bit].size(); ++i) {
                const std::size_t atom = kind.begin * kWordBits + i;
                insert(full_set_, atom);
                std::ranges::copy(examples.row(levels[bit][i]), rows_.begin() + static_cast<std::ptrdiff_t>(atom * n_row_words_));
            }
            kinds_.push_back(std::move(kind));
        }
    }
    const std::vector<std::int32_t> no_labels(examples.n_rows);
    chains_ = n_features_ ? find_chains(Examples(examples, no_labels, 1)) : without_chains(0);
    examples_.resize(n_words_);
    class_members_.resize(n_classes * n_words_);
    std::vector<std::uint8_t> has_atom(examples.n_rows);
    for_each(full_set_, [&](std::size_t atom) {
        const std::size_t example = example_of_atom[atom];
        if (!std::exchange(has_atom[example], 1)) insert(examples_, atom);
        const auto costs_of_classes = costs_of(example);
        const auto label = static_cast<std::size_t>(std::ranges::min_element(costs_of_classes) - costs_of_classes.begin());
        insert(std::span(class_members_).subspan(label * n_words_, n_words_), atom);
    });
    columns_.resize(n_features_ * n_words_);
    if (n_words_ && n_features_) {
        transpose({rows_.data(), n_words_ * kWordBits, n_features_}, {columns_.data(), n_features_, n_words_ * kWordBits});
    }
    sort_chains();
}

void Problem::sort_chains() {
    const auto& order = chains_.order;
    place_.resize(n_features_);
    number_.resize(n_features_);
    sorted_chain_of_.assign(n_features_, kNotSorted);
    std::vector<Word> is_low(n_words_);
    for (std::size_t begin = 0, end = 0; begin < n_features_; begin = end) {
        for (end = begin; end < n_features_ && chains_.chain_of[order[end]] == chains_.chain_of[order[begin]]; ++end) {
            place_[order[end]] = static_cast<std::uint32_t>(end);
        }
        if (end - begin < kSortedLength) {
            for (std::size_t at = begin; at < end; ++at) number_[order[at]] = static_cast<std::uint32_t>(n_numbered_++);
            continue;
        }
        SortedChain chain{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), {}};
        chain.first_low.assign(n_words_ * kWordBits, chain.end);
        std::ranges::fill(is_low, 0);
        for (std::size_t at = begin; at < end; ++at) {
            sorted_chain_of_[order[at]] = static_cast<std::uint32_t>(sorted_chains_.size());
            const SetView yes = column(order[at]);
            const Word flip = chains_.low_is_no[order[at]] ? ~Word{0} : 0;
            for (std::size_t w = 0; w < n_words_; ++w) {
                const Word low = (yes[w] ^ flip) & full_set_[w];
                for (Word rest = low & ~is_low[w]; rest; rest &= rest - 1) {
                    chain.first_low[w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest))] = static_cast<std::uint32_t>(at);
                }
                is_low[w] |= low;
            }
        }
        sorted_chains_.push_back(std::move(chain));
    }
    numbered_rows_.resize(n_words_ * kWordBits * n_numbered_words());
    for (std::size_t feature = 0; feature < n_features_; ++feature) {
        if (sorted_chain_of_[feature] != kNotSorted) continue;
        for_each(column(feature), [&](std::size_t atom) {
            insert(std::span(numbered_rows_).subspan(atom * n_numbered_words(), n_numbered_words()), number_[feature]);
        });
    }
}

}  // namespace puretree::front
