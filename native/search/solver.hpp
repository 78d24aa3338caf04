// The inner search: how many tests does a set of the sample need? Exact, by iterative deepening over an AND/OR space.
//
//   value(set) = 0 for a leaf, else min over features of cost + value(no side) + value(yes side)
//
// It relies on two facts: the value is monotone (a subset never needs more), and it depends on the set alone
// (memo.hpp).
//
// The value of a set is that of the sample with its conflicts: 0 if it has one class and no conflicts, otherwise the
// minimum above, and at least 2 for a set of one class. It is a lower bound for all examples in the subcube of the set,
// whichever of them were sampled: see docs/decisions/0007-search.md.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "conflicts.hpp"
#include "constraints.hpp"
#include "few_tests.hpp"
#include "memo.hpp"
#include "nested_features.hpp"
#include "sample.hpp"
#include "splits.hpp"
#include "value.hpp"

namespace puretree {

class Solver {
public:
    // `tick` is called often and may throw; the solver stays usable.
    Solver(const Sample& sample, const Constraints& constraints, std::size_t max_bytes, std::function<void()> tick);

    // Updates all tables after the sample has grown.
    void extend();

    // A bound without search; stops at `target`.
    Bound bound(SetView set, Depth depth, Value target = kInfeasible);

    // The exact value if it is within the budget, otherwise a bound above the budget.
    Bound solve(SetView set, Depth depth, Value budget);

    // The same for a tree whose root satisfies the constraints.
    Bound solve_root(SetView set, Value budget);

    // The first test of a best tree of a set, which is no leaf and has an exact value.
    std::uint32_t best_feature(SetView set, Depth depth);

    // The first test of a best tree, after solve_root has found the exact value under constraints on the root.
    std::uint32_t best_root() const { return *best_root_; }

    std::size_t n_memo_bytes() const { return memo_.n_bytes(); }
    void limit_memo(std::size_t max_bytes) { memo_.limit(max_bytes); }

    bool is_leaf(SetView set) const { return few_tests_.is_leaf(set); }
    const Conflicts& conflicts() const { return conflicts_; }

private:
    // Ways to raise a bound without recursion, in the order in which they are applied.
    enum Technique : std::uint8_t { kFewTests, kMemo, kPrefixes, kClique, kTwoTests, kAllTechniques };

    // A bound, and the first test of a best tree if the bound is exact.
    struct SetResult {
        Value lower;
        std::optional<std::uint32_t> feature = std::nullopt;

        Bound bound() const { return {lower, feature.has_value()}; }
    };

    void tighten(Side& side, SetView set, Depth depth, Value target);
    void tighten_until(Side& side, SetView set, Depth depth, Value target);
    Value clique_bound(SetView set, Value target, Value useful);
    Bound memo_bound(SetView set, Depth depth) const;
    Value prefix_bound(SetView set, Depth depth, std::size_t max_lookups);
    SetResult deepen(SetView set, Depth depth, Value lower, Value budget, std::span<const std::uint32_t> features,
                     std::size_t level);
    SetResult search_within(Splits& splits, SetView set, Depth depth, Value budget, std::size_t level);
    Value refute_by_bounds(Splits& splits, SetView set, Depth depth, Value budget);
    Bound solve_side(Splits& splits, SetView set, Depth depth, Value lower, Value budget, std::size_t level);
    void propagate_along_chain(Splits& splits, std::size_t split) const;
    Value total(const Split& split) const { return constraints_.cost(split.feature) + split.no.lower + split.yes.lower; }
    Splits& splits_at(std::size_t level);

    const Sample& sample_;
    const Constraints& constraints_;
    const bool is_plain_;  // nodes are counted and leaves may be small: few_tests.hpp and chains apply
    const Value min_cost_;
    std::function<void()> tick_;
    NestedFeatures nested_;
    Conflicts conflicts_;
    FewTests few_tests_;
    Splitter splitter_;
    Memo memo_;
    std::vector<std::size_t> prefixes_;  // earlier sizes of the sample
    std::size_t sample_size_ = 0;        // at the last call of extend
    std::size_t n_sets_ = 0;             // visited so far
    std::deque<Splits> splits_;          // by level; a deque keeps references valid
    std::vector<Word> prefix_;           // scratch of prefix_bound
    std::optional<std::uint32_t> best_root_;
};

}  // namespace puretree
