#include "decimation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace puretree {
namespace {

constexpr std::uint8_t kFree = 2;

bool is_free(const std::vector<std::uint8_t>& values, Lit lit) { return values[var_of(lit)] == kFree; }

}  // namespace

Decimation::Decimation(const Clauses& clauses, const std::function<void()>& tick) : clauses_(clauses) {
    root_.values.assign(clauses.n_vars() + 1, kFree);
    root_.is_true.assign(clauses.size(), 0);
    root_.n_free.resize(clauses.size());
    for (Clause clause = 0; clause < clauses.size(); ++clause) {
        root_.n_free[clause] = static_cast<std::uint32_t>(clauses[clause].size());
        if (root_.n_free[clause] == 1) (clauses.is_hard(clause) ? root_.hard_units : root_.soft_units).push_back(clause);
    }
    propagate(root_, tick);
    is_unsatisfiable_ = clauses.has_empty_hard_clause() || root_.n_falsified > 0;
    is_fixed_.resize(root_.values.size());
    for (Var var = 1; var < root_.values.size(); ++var) is_fixed_[var] = root_.values[var] != kFree;
}

std::vector<std::uint8_t> Decimation::assign(std::span<const Lit> initial, std::span<const std::uint8_t> preferred,
                                             Random& random, const std::function<void()>& tick) const {
    State state = root_;
    for (const Lit lit : initial) {
        if (is_free(state.values, lit)) set(state, lit);
        propagate(state, tick);
    }
    while (set_by_soft_unit(state, random)) propagate(state, tick);
    std::vector<Var> order(clauses_.n_vars());
    std::iota(order.begin(), order.end(), Var{1});
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::swap(order[i], order[i + random.below(order.size() - i)]);
        const Var var = order[i];
        if (state.values[var] != kFree) continue;
        const bool value = preferred.empty() ? random.flip() : preferred[var];
        set(state, 2 * var + !value);
        propagate(state, tick);
        while (set_by_soft_unit(state, random)) propagate(state, tick);
    }
    state.values[0] = 0;
    return std::move(state.values);
}

void Decimation::set(State& state, Lit lit) const {
    state.values[var_of(lit)] = !(lit & 1);
    for (const Clause clause : clauses_.occurrences(lit)) state.is_true[clause] = 1;
    for (const Clause clause : clauses_.occurrences(negated(lit))) {
        if (state.is_true[clause]) continue;
        const std::uint32_t n_free = --state.n_free[clause];
        if (n_free == 1) (clauses_.is_hard(clause) ? state.hard_units : state.soft_units).push_back(clause);
        if (n_free == 0) state.n_falsified += clauses_.is_hard(clause);
    }
}

void Decimation::propagate(State& state, const std::function<void()>& tick) const {
    while (!state.hard_units.empty()) {
        const Clause clause = state.hard_units.back();
        state.hard_units.pop_back();
        if (state.is_true[clause] || state.n_free[clause] == 0) continue;
        set(state, free_literal(state, clause));
        tick();
    }
}

// Satisfies one soft unit clause, if there is any.
bool Decimation::set_by_soft_unit(State& state, Random& random) const {
    auto& units = state.soft_units;
    while (!units.empty()) {
        std::swap(units.back(), units[random.below(units.size())]);
        const Clause clause = units.back();
        units.pop_back();
        if (state.is_true[clause] || state.n_free[clause] == 0) continue;
        set(state, free_literal(state, clause));
        return true;
    }
    return false;
}

Lit Decimation::free_literal(const State& state, Clause clause) const {
    const auto literals = clauses_[clause];
    return *std::ranges::find_if(literals, [&](Lit lit) { return is_free(state.values, lit); });  // there is one
}

}  // namespace puretree
