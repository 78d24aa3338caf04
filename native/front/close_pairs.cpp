#include "close_pairs.hpp"

#include <algorithm>
#include <random>
#include <tuple>
#include <unordered_map>

namespace puretree::front {
namespace {

// Larger tables do without: about a second, and 16 MB.
constexpr std::size_t kMaxLookups = std::size_t{1} << 24;
constexpr std::size_t kMaxWords = std::size_t{1} << 21;

// Whether two rows differ in one feature alone.
bool differ_only_in(std::size_t feature, SetView row, SetView other) {
    std::size_t n_different = 0;
    for (std::size_t w = 0; w < row.size(); ++w) n_different += static_cast<std::size_t>(std::popcount(row[w] ^ other[w]));
    return n_different == 1 && contains(row, feature) != contains(other, feature);
}

// Calls visit(atom, other, feature) for each two atoms that only this feature separates. Rows are found by the sum of a
// random key for each of their features, and compared: sums may be equal by chance.
template <class Visit>
void for_each_close_pair(const Problem& problem, Visit visit) {
    std::mt19937_64 random;
    std::vector<std::uint64_t> keys(problem.n_features());
    std::ranges::generate(keys, std::ref(random));
    const auto key_of = [&](std::size_t atom) {
        std::uint64_t key = 0;
        for_each(problem.row(atom), [&](std::size_t feature) { key += keys[feature]; });
        return key;
    };
    std::unordered_multimap<std::uint64_t, std::uint32_t> atoms;
    for_each(problem.full_set(), [&](std::size_t atom) { atoms.emplace(key_of(atom), static_cast<std::uint32_t>(atom)); });
    for_each(problem.full_set(), [&](std::size_t atom) {
        const SetView row = problem.row(atom);
        const std::uint64_t key = key_of(atom);
        for (std::size_t feature = 0; feature < keys.size(); ++feature) {
            if (contains(row, feature)) continue;
            const auto [begin, end] = atoms.equal_range(key + keys[feature]);
            for (auto found = begin; found != end; ++found) {
                if (!differ_only_in(feature, row, problem.row(found->second))) continue;
                visit(static_cast<std::uint32_t>(atom), found->second, static_cast<std::uint32_t>(feature));
            }
        }
    });
}

}  // namespace

ClosePairs::ClosePairs(const Problem& problem) {
    const std::size_t n_features = problem.n_features();
    if (count(problem.full_set()) * n_features > kMaxLookups) return;
    std::vector<const Kind*> kind_of(problem.n_words());
    for (const Kind& kind : problem.kinds()) std::fill(kind_of.begin() + kind.begin, kind_of.begin() + kind.end, &kind);
    const auto weight_of = [&](std::size_t atom, std::size_t other) {  // what both cost in the same leaf
        const Kind &one = *kind_of[atom / kWordBits], &two = *kind_of[other / kWordBits];
        Cost least = kNoTree;
        for (std::size_t c = 0; c < problem.n_classes(); ++c) least = std::min(least, one.cost[c] + two.cost[c]);
        return least;
    };
    struct Candidate {
        std::uint32_t feature;
        Cost weight;
        std::uint32_t atom, other;
    };
    std::vector<Candidate> candidates;
    std::vector<std::size_t> n_of_feature(n_features);
    for_each_close_pair(problem, [&](std::uint32_t atom, std::uint32_t other, std::uint32_t feature) {
        const Cost weight = weight_of(atom, other);
        if (weight == 0) return;
        candidates.push_back({feature, weight, atom, other});
        ++n_of_feature[feature];
    });
    // An atom goes to the feature with the fewest pairs: the bound is what is left without the features with most.
    std::ranges::sort(candidates, {}, [&](const Candidate& pair) {
        return std::tuple(n_of_feature[pair.feature], pair.feature, -pair.weight, pair.atom, pair.other);
    });
    std::vector<std::uint8_t> is_used(problem.n_words() * kWordBits);
    for (const Candidate& pair : candidates) {
        if (is_used[pair.atom] || is_used[pair.other]) continue;
        is_used[pair.atom] = is_used[pair.other] = 1;
        const bool fits = !all_.empty() && feature_.back() == pair.feature && weight_.back() == pair.weight;
        if (!fits || pairs_.size() % kWordBits == 0) {
            pairs_.resize(kWordBits * all_.size());
            all_.push_back({static_cast<std::uint32_t>(all_.size()), 0});
            feature_.push_back(pair.feature);
            weight_.push_back(pair.weight);
        }
        all_.back().pairs |= Word{1} << (pairs_.size() % kWordBits);
        pairs_.push_back({pair.atom, pair.other});
    }
    if (2 * n_features * all_.size() > kMaxWords) all_.clear();
    sides_.resize(2 * n_features * all_.size());
    for (std::size_t feature = 0; feature < n_features && !all_.empty(); ++feature) {
        const SetView column = problem.column(feature);
        const std::span<Word> sides = std::span(sides_).subspan(2 * feature * all_.size(), 2 * all_.size());
        for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
            if (!((all_[pair / kWordBits].pairs >> (pair % kWordBits)) & 1)) continue;
            const bool is_yes = contains(column, pairs_[pair].atom);
            if (is_yes == contains(column, pairs_[pair].other)) insert(sides.subspan(is_yes ? all_.size() : 0, all_.size()), pair);
        }
    }
}

void ClosePairs::restrict(SetView set, const Parts& pairs, Parts& own) const {
    own.clear();
    for (const Part& part : pairs) {
        Word kept = 0;
        for (Word rest = part.pairs; rest; rest &= rest - 1) {
            const Pair& pair = pairs_[part.word * kWordBits + static_cast<std::size_t>(std::countr_zero(rest))];
            if (contains(set, pair.atom) && contains(set, pair.other)) kept |= rest & -rest;
        }
        if (kept) own.push_back({part.word, kept});
    }
}

void ClosePairs::raise(const Parts& pairs, std::size_t feature, int side, std::span<Cost> lower) {
    highest_.assign(lower.size(), 0);
    Cost total = 0;
    for_each_feature(pairs, feature, side, [&](Cost cost) {
        total += cost;
        for (Cost& other : highest_) {
            if (cost > other) std::swap(cost, other);
        }
    });
    for (std::size_t k = 0; k < lower.size() && total > 0; ++k) {
        lower[k] = std::max(lower[k], total);
        total -= highest_[k];
    }
}

std::int64_t ClosePairs::total(const Parts& pairs, std::size_t feature, int side, Cost test, Cost unit) const {
    std::int64_t total = 0;
    for_each_feature(pairs, feature, side, [&](Cost cost) { total += std::min<std::int64_t>(test, std::int64_t{cost} * unit); });
    return total;
}

}  // namespace puretree::front
