// The inner search: how many tests does a set of the sample need? Exact, by iterative deepening over an AND/OR space.
//
//   best(set) = 0 for a leaf, else min over features of weight + best(no side) + best(yes side)
//
// Two facts carry it: best is monotone (a subset never needs more), and it depends on the set alone (see memo.hpp).
//
// A set's value is that of the sample with its conflicts: 0 if it is of one class without conflicts, otherwise the
// minimum above, and at least 2 for a set of one class. It bounds what everything in the set's subcube needs, whatever
// the sample was taken from: see docs/decisions/0007-search.md.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "conflicts.hpp"
#include "few_tests.hpp"
#include "memo.hpp"
#include "nested_features.hpp"
#include "sample.hpp"
#include "splits.hpp"
#include "value.hpp"
#include "wishes.hpp"

namespace puretree {

class Solver {
public:
    // `tick` is called often; it may throw, and the solver stays sound.
    Solver(const Sample& sample, const Wishes& wishes, std::size_t max_bytes, std::function<void()> tick);

    // Reads the examples that joined the sample.
    void extend();

    // Without search; a bound of `enough` would be enough.
    Bound bound(const Word* set, Depth depth, Value enough = kImpossible);

    // An exact value up to the budget, or a bound above it.
    Bound solve(const Word* set, Depth depth, Value budget);

    // Likewise for a tree whose root keeps to the wishes.
    Bound solve_root(const Word* set, Value budget);

    // What a best tree of a set asks first. The set is no leaf, and its value is exact.
    std::uint32_t best_feature(const Word* set, Depth depth);
    std::uint32_t best_root() const { return best_root_; }

    std::size_t n_memo_bytes() const { return memo_.n_bytes(); }
    void limit_memo(std::size_t max_bytes) { memo_.limit(max_bytes); }

    bool is_leaf(const Word* set) const { return few_tests_.is_leaf(set); }
    const Conflicts& conflicts() const { return conflicts_; }

private:
    enum Look : std::uint8_t { kFewTests, kMemo, kPrefixes, kClique, kTwoTests, kAllLooks };

    struct Found {
        Value lower;
        std::uint32_t feature = Memo::kNoFeature;
    };

    void look(Side& side, const Word* set, Depth depth, Value target);
    void look_until(Side& side, const Word* set, Depth depth, Value target);
    Value clique_bound(const Word* set, Value target);
    Bound recall(const Word* set, Depth depth) const;
    Value prefix_bound(const Word* set, Depth depth, std::size_t most);
    Found deepen(const Word* set, Depth depth, Value lower, Value budget, std::span<const std::uint32_t> features,
                 std::size_t level);
    Found attempt(Splits& splits, const Word* set, Depth depth, Value budget, std::size_t level);
    Value refute_by_looks(Splits& splits, const Word* set, Depth depth, Value budget);
    Bound raise(Splits& splits, const Word* set, Depth depth, Value lower, Value budget, std::size_t level);
    void spread(Splits& splits, std::size_t split) const;
    Value total(const Split& split) const { return wishes_.weight(split.feature) + split.no.lower + split.yes.lower; }
    Splits& splits_at(std::size_t level);

    const Sample& sample_;
    const Wishes& wishes_;
    const bool is_plain_;  // nodes are counted and leaves may be small: what few_tests.hpp and chains are for
    const Value least_weight_;
    std::function<void()> tick_;
    NestedFeatures nested_;
    Conflicts conflicts_;
    FewTests few_tests_;
    Splitter splitter_;
    Memo memo_;
    std::vector<std::size_t> prefixes_;  // the sizes that the sample had before
    std::size_t n_seen_ = 0;             // of the sample
    std::size_t n_sets_ = 0;             // looked at so far
    std::deque<Splits> splits_;          // by level: references stay valid
    std::vector<Word> prefix_;           // scratch of prefix_bound
    std::uint32_t best_root_ = Memo::kNoFeature;
};

}  // namespace puretree
