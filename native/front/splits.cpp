#include "splits.hpp"

#include <algorithm>
#include <bit>

namespace puretree::front {

Splits::Splits(const Problem& problem, SetView set, bool is_root, const Budgets& budgets, const Budgets& lower)
    : problem_(problem), budgets_(budgets), lower_(lower), is_root_(is_root), n_(budgets.size() - 1), totals_(problem.n_channels()),
      sides_{std::vector<Cost>(problem.n_channels()), std::vector<Cost>(problem.n_channels())}, weight_(problem.weight(set)),
      n_atoms_(count(set)) {
    problem.add_totals(set, totals_.data());
    const NestedFeatures& chains = problem.chains();
    for (std::size_t begin = 0, end = 0; begin < chains.order.size(); begin = end) {
        const std::size_t first = splits_.size();
        for (; end < chains.order.size() && chains.chain_of[chains.order[end]] == chains.chain_of[chains.order[begin]]; ++end) {
            if (!is_root || problem.may_be_root(chains.order[end])) add(chains.order[end], set, first);
        }
        if (splits_.size() > first) ranges_.push_back({first, splits_.size()});
    }
}

// Adds a feature if a tree may begin with it. Splits from `first` on are of the same chain.
void Splits::add(std::uint32_t feature, SetView set, std::size_t first) {
    const SetView column = problem_.column(feature);
    std::ranges::fill(sides_[1], 0);
    Cost weight = 0;
    std::size_t n_yes = 0;  // atoms
    for (const Kind& kind : problem_.kinds()) {
        Cost n = 0;
        for (std::size_t w = kind.begin; w < kind.end; ++w) n += static_cast<Cost>(std::popcount(set[w] & column[w]));
        for (std::size_t c = 0; c < kind.cost.size(); ++c) sides_[1][c] += n * kind.cost[c];
        weight += n * kind.weight;
        n_yes += static_cast<std::size_t>(n);
    }
    if (n_yes == 0 || n_yes == n_atoms_) return;
    const std::uint8_t low = problem_.chains().low_is_no[feature] ? 0 : 1;
    const std::size_t n_low = low == 1 ? n_yes : n_atoms_ - n_yes;
    if (splits_.size() > first && splits_.back().n_low == n_low) {  // nested sides of equal size are equal
        splits_.back().features.push_back(static_cast<std::int32_t>(feature));
        return;
    }
    for (std::size_t c = 0; c < totals_.size(); ++c) sides_[0][c] = totals_[c] - sides_[1][c];
    Split split{{}, n_low, low, false, {}, {weight_ - weight, weight}};
    for (const int side : {0, 1}) split.leaf[side] = problem_.leaf_cost(sides_[side].data());
    if (split.leaf[0] >= kNoTree || split.leaf[1] >= kNoTree) return;
    split.has_one_label = problem_.leaf_label(sides_[0].data()) == problem_.leaf_label(sides_[1].data());
    curves_.resize((splits_.size() + 1) * 4 * n_);
    Cost* const curves = curves_.data() + splits_.size() * 4 * n_;
    for (const int side : {0, 1}) {
        Cost* const lower = curves + 2 * side * static_cast<std::ptrdiff_t>(n_);
        std::fill_n(lower, n_, 0);
        std::fill_n(lower + n_, n_, split.leaf[side]);
        lower[0] = split.leaf[side];
    }
    if (!bound(split, curves)) return;
    split.features.push_back(static_cast<std::int32_t>(feature));
    splits_.push_back(std::move(split));
}

// Trees of both sides make a tree of the set, and so does a tree of one side, which costs at most the weight of the other
// side more.
bool Splits::bound(const Split& split, Cost* curves) const {
    for (const int side : {0, 1}) {
        Cost* const own = curves + (side ? 2 * n_ : 0);
        const Cost* const other = curves + (side ? 0 : 2 * n_) + n_;
        const Cost weight = is_root_ ? kNoTree : split.weight[1 - side];  // the root may be restricted
        Cost bound = 0;
        for (std::size_t i = n_; i-- > 0;) {
            bound = std::max({bound, own[i], lower_[i] - weight});
            for (std::size_t j = 0; i + j + 1 <= n_; ++j) bound = std::max(bound, lower_[i + j + 1] - other[j]);
            own[i] = bound;
        }
    }
    const Cost* const no = curves;
    const Cost* const yes = curves + 2 * n_;
    for (std::size_t tests = split.has_one_label ? 2 : 1; tests <= n_; ++tests) {
        if (budgets_[tests] < lower_[tests]) continue;
        for (std::size_t i = 0; i < tests; ++i) {
            if (no[i] + yes[tests - 1 - i] <= budgets_[tests]) return true;
        }
    }
    return false;
}

void Splits::spread(std::size_t split, std::size_t begin, std::size_t end) {
    const Split& from = splits_[split];
    const bool is_monotone = problem_.is_monotone();
    for (std::size_t other = begin; other < end; ++other) {
        if (other == split) continue;
        const Split& to = splits_[other];
        const int grown = other > split ? from.low : 1 - from.low, shrunk = 1 - grown;
        const bool is_swapped = to.low != from.low;
        const int to_grown = is_swapped ? 1 - grown : grown, to_shrunk = 1 - to_grown;
        const Cost moved = from.weight[shrunk] - to.weight[to_shrunk];
        for (std::size_t i = 1; i < n_; ++i) {
            if (is_monotone) lower(other, to_grown)[i] = std::max(lower(other, to_grown)[i], lower(split, grown)[i]);
            lower(other, to_shrunk)[i] = std::max(lower(other, to_shrunk)[i], lower(split, shrunk)[i] - moved);
            if (is_monotone) upper(other, to_shrunk)[i] = std::min(upper(other, to_shrunk)[i], upper(split, shrunk)[i]);
        }
    }
}

}  // namespace puretree::front
