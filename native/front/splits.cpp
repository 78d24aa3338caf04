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
    std::size_t begin = 0, chain = 0;
    const auto end_range = [&] {
        if (splits_.size() > begin) ranges_.push_back({begin, splits_.size()});
        begin = splits_.size();
    };
    for (const std::uint32_t feature : chains.order) {
        if (chains.chain_of[feature] != chain) end_range();
        chain = chains.chain_of[feature];
        if (is_root && !problem.may_be_root(feature)) continue;
        add(feature, set);
        if (splits_.size() > begin + 1) {  // nested sides of equal size are equal
            Split &last = splits_.back(), &before = splits_[splits_.size() - 2];
            if (last.n_low != before.n_low) continue;
            before.features.push_back(last.features.front());
            splits_.pop_back();
        }
    }
    end_range();
    add_curves();
}

// Adds a feature if it splits the set.
void Splits::add(std::uint32_t feature, SetView set) {
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
    for (std::size_t c = 0; c < totals_.size(); ++c) sides_[0][c] = totals_[c] - sides_[1][c];
    const Cost no_leaf = problem_.leaf_cost(sides_[0].data()), yes_leaf = problem_.leaf_cost(sides_[1].data());
    if (no_leaf >= kNoTree || yes_leaf >= kNoTree) return;
    const std::uint8_t low = problem_.chains().low_is_no[feature] ? 0 : 1;
    const bool has_one_label = problem_.leaf_label(sides_[0].data()) == problem_.leaf_label(sides_[1].data());
    splits_.push_back({{static_cast<std::int32_t>(feature)}, low == 1 ? n_yes : n_atoms_ - n_yes, low, has_one_label,
                       {no_leaf, yes_leaf}, {weight_ - weight, weight}});
}

void Splits::add_curves() {
    curves_.resize(splits_.size() * 4 * n_);
    for (std::size_t s = 0; s < splits_.size(); ++s) {
        for (const int side : {0, 1}) {
            std::fill_n(lower(s, side), n_, 0);
            std::fill_n(upper(s, side), n_, splits_[s].leaf[side]);
            lower(s, side)[0] = splits_[s].leaf[side];
        }
    }
}

// Trees of both sides make a tree of the set, and so does a tree of one side, which costs at most the weight of the other
// side more.
bool Splits::bound(std::size_t split) {
    const Split& here = splits_[split];
    for (const int side : {0, 1}) {
        Cost* const own = lower(split, side);
        const Cost* const other = upper(split, 1 - side);
        const Cost weight = is_root_ ? kNoTree : here.weight[1 - side];  // the root may be restricted
        Cost bound = 0;
        for (std::size_t i = n_; i-- > 0;) {
            bound = std::max({bound, own[i], lower_[i] - weight});
            for (std::size_t j = 0; i + j + 1 <= n_; ++j) bound = std::max(bound, lower_[i + j + 1] - other[j]);
            own[i] = bound;
        }
    }
    const Cost* const no = lower(split, 0);
    const Cost* const yes = lower(split, 1);
    for (std::size_t tests = here.has_one_label ? 2 : 1; tests <= n_; ++tests) {
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
