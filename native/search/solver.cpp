#include "solver.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace puretree {
namespace {

// The bound of a subset holds for the set, and sets over earlier samples are subsets of current ones. With a single
// look-up per set, the search visited up to two and a half times as many sets; with all of them at every bound it was
// slower again.
constexpr std::size_t kPrefixesPerBound = 4;
constexpr std::size_t kPrefixesBeforeSearch = 100;

NestedFeatures features_for(const Sample& sample, const Constraints& constraints) {
    if (constraints.counts_nodes() && constraints.is_monotone()) return find_chains(sample.all());
    NestedFeatures nested = without_chains(sample.n_features());
    // Of equal splits the first is kept: it must be the cheapest.
    std::ranges::stable_sort(nested.order, {}, [&](std::uint32_t feature) { return constraints.cost(feature); });
    return nested;
}

void raise_bound(Side& side, Bound bound) {
    if (bound.lower > side.lower || (bound.lower == side.lower && bound.is_exact)) {
        side.lower = bound.lower;
        side.is_exact = bound.is_exact;
    }
}

}  // namespace

Solver::Solver(const Sample& sample, const Constraints& constraints, std::size_t max_bytes, std::function<void()> tick)
    : sample_(sample), constraints_(constraints), is_plain_(constraints.counts_nodes() && constraints.is_monotone()),
      min_cost_(constraints.min_cost()), tick_(std::move(tick)), nested_(features_for(sample, constraints)),
      conflicts_(sample), few_tests_(sample, conflicts_), splitter_(sample, few_tests_, constraints), memo_(max_bytes) {}

void Solver::extend() {
    if (sample_size_ > 0) prefixes_.push_back(sample_size_);
    sample_size_ = sample_.size();
    splitter_.extend();
    conflicts_.extend(tick_);  // last: it may be interrupted, and is completed by the next call
}

Bound Solver::bound(SetView set, Depth depth, Value target) {
    Side side = splitter_.initial_bound(set, sample_.n_classes_in(set));
    tighten_until(side, set, depth, target);
    return {side.lower, side.is_exact};
}

Bound Solver::solve(SetView set, Depth depth, Value budget) {
    const Bound known = bound(set, depth, budget + 1);
    if (known.is_exact || known.lower > budget) return known;
    return deepen(set, depth, known.lower, budget, nested_.order, 0).bound();
}

Bound Solver::solve_root(SetView set, Value budget) {
    if (!constraints_.root_features || is_leaf(set)) return solve(set, constraints_.max_depth, budget);
    SetResult result{bound(set, constraints_.max_depth, budget + 1).lower};  // holds for any root
    std::vector<std::uint32_t> roots;
    const auto may_be_root = [&](std::uint32_t feature) { return constraints_.may_be_root(feature); };
    std::ranges::copy_if(nested_.order, std::back_inserter(roots), may_be_root);
    Splits& splits = splits_at(0);
    splitter_.find_splits(set, roots, splits);
    splits.features = nested_.order;
    while (result.lower <= budget && !result.feature) {
        result = search_within(splits, set, constraints_.max_depth, result.lower, 0);
    }
    best_root_ = result.feature;
    return result.bound();
}

std::uint32_t Solver::best_feature(SetView set, Depth depth) {
    if (is_plain_) {
        if (const auto feature = few_tests_.find_one_test(set)) return *feature;
        if (sample_.n_classes_in(set) == 1) {
            if (const auto feature = few_tests_.find_separating_feature(set)) return *feature;
        }
    }
    const auto* entry = memo_.find({set, kAnyDepth});
    // No test costs less than 1, so a tree of this value is not too deep.
    if (entry != nullptr && entry->is_exact() && (depth == kAnyDepth || entry->lower <= depth)) return *entry->feature();
    entry = memo_.find({set, depth});
    if (entry != nullptr && entry->is_exact()) return *entry->feature();
    const Value lower = bound(set, depth).lower;
    return deepen(set, depth, lower, kInfeasible - 1, nested_.order, 0).feature.value();
}

// Applies the next bounding technique to a side, cheap ones first. Bounds above `target` are not needed.
void Solver::tighten(Side& side, SetView set, Depth depth, Value target) {
    switch (side.n_techniques++) {
        case kFewTests:
            if (!is_plain_) break;
            if (side.lower == 1) {
                side.is_exact = few_tests_.find_one_test(set).has_value();
                side.lower += !side.is_exact;
            }
            break;
        case kMemo:
            raise_bound(side, memo_bound(set, depth));
            break;
        case kPrefixes:
            if (constraints_.is_monotone()) raise_bound(side, {prefix_bound(set, depth, kPrefixesPerBound), false});
            break;
        case kClique:
            if (is_plain_ && target <= 3) break;  // kTwoTests decides
            raise_bound(side, {clique_bound(set, target, side.lower + 1), false});
            break;
        case kTwoTests:
            if (!is_plain_ || depth < 2) break;
            if (side.lower == 2) {
                side.is_exact = few_tests_.two_tests_suffice(set);
                side.lower += !side.is_exact;
            }
            break;
    }
    const bool is_too_deep = constraints_.counts_nodes() && depth != kAnyDepth && side.lower > most_tests(depth);
    if (is_too_deep) side = {kInfeasible, false, kAllTechniques};
}

// Bounds below `useful` may be too low.
Value Solver::clique_bound(SetView set, Value target, Value useful) {
    const auto n_leaves = [&](Value value) { return static_cast<std::size_t>(value / min_cost_ + 1); };
    return min_cost_ * static_cast<Value>(conflicts_.least_leaves(set, n_leaves(target) + 1, n_leaves(useful)) - 1);
}

void Solver::tighten_until(Side& side, SetView set, Depth depth, Value target) {
    while (!side.is_exact && side.lower < target && side.n_techniques < kAllTechniques) tighten(side, set, depth, target);
}

Bound Solver::memo_bound(SetView set, Depth depth) const {
    Bound known;
    if (const auto* entry = memo_.find({set, kAnyDepth})) {
        // A tree of n tests is at most n tests deep.
        const bool fits = depth == kAnyDepth || (constraints_.counts_nodes() && entry->lower <= depth);
        known = {entry->lower, entry->is_exact() && fits};
    }
    if (depth == kAnyDepth || known.is_exact) return known;
    if (const auto* entry = memo_.find({set, depth}); entry && entry->lower >= known.lower) {
        known = {entry->lower, entry->is_exact()};
    }
    return known;
}

Value Solver::prefix_bound(SetView set, Depth depth, std::size_t max_lookups) {
    Value best = 0;
    prefix_.assign(set.begin(), set.end());
    for (std::size_t i = prefixes_.size(); i-- > 0 && max_lookups > 0;) {
        const std::size_t n = prefixes_[i], word = n / kWordBits;
        const Word keep = (Word{1} << (n % kWordBits)) - 1;
        Word cut = prefix_[word] & ~keep;
        prefix_[word] &= keep;
        for (std::size_t w = word + 1; w < prefix_.size(); ++w) cut |= std::exchange(prefix_[w], 0);
        if (cut == 0) continue;  // the set is unchanged
        --max_lookups;
        best = std::max(best, memo_bound(prefix_, depth).lower);
    }
    return best;
}

Splits& Solver::splits_at(std::size_t level) {
    while (splits_.size() <= level) splits_.emplace_back();
    return splits_[level];
}

// Raises the bound of a set step by step, up to its value or above the budget.
Solver::SetResult Solver::deepen(SetView set, Depth depth, Value lower, Value budget,
                                 std::span<const std::uint32_t> features, std::size_t level) {
    tick_();
    const std::size_t n_sets_before = n_sets_++;
    // Trees within the budget are at most as deep as they have tests: the depth is no restriction then, and one entry
    // of the memo serves all depths.
    if (constraints_.counts_nodes() && depth >= budget) depth = kAnyDepth;
    if (is_plain_ && lower == 3 && depth >= 3) {
        const auto feature = few_tests_.find_three_tests(set, features);
        lower += !feature.has_value();
        memo_.store({set, kAnyDepth}, lower, feature, 1);
        if (feature) return {lower, *feature};
        if (lower > budget) return {lower};
    }
    Splits& splits = splits_at(level);
    splitter_.find_splits(set, features, splits);
    SetResult result{lower};
    while (result.lower <= budget) {
        result = search_within(splits, set, depth, result.lower, level);
        const auto effort = static_cast<std::uint32_t>(std::bit_width(n_sets_ - n_sets_before));
        memo_.store({set, depth}, result.lower, result.feature, effort);
        if (result.feature) break;
    }
    return result;
}

// Searches for a tree within a budget that is a lower bound; if there is none, returns a bound above the budget.
Solver::SetResult Solver::search_within(Splits& splits, SetView set, Depth depth, Value budget, std::size_t level) {
    if (depth == 0) return {kInfeasible};
    if (const Value lower = refute_by_bounds(splits, set, depth, budget); lower > budget) return {lower};
    const bool side_refutes = constraints_.is_monotone() && depth == kAnyDepth;
    Value next = kInfeasible;
    for (const std::uint32_t i : splits.order) {
        Split& current = splits.all[i];
        bool has_sides = false;
        while (total(current) <= budget) {
            if (current.no.is_exact && current.yes.is_exact) return {budget, current.feature};
            if (!has_sides) split(set, sample_.column(current.feature), splits.no, splits.yes);
            has_sides = true;
            // Raises the side with the lower bound by one step: both rise in turn until one is exact; the other then
            // gets the rest of the budget.
            const bool raise_no = current.yes.is_exact || (!current.no.is_exact && current.no.lower <= current.yes.lower);
            Side &side = raise_no ? current.no : current.yes, &other = raise_no ? current.yes : current.no;
            const Value rest = other.is_exact ? budget - constraints_.cost(current.feature) - other.lower : side.lower;
            const SetView members = raise_no ? splits.no : splits.yes;
            const Bound raised = solve_side(splits, members, depth_below(depth), side.lower, rest, level);
            side = {raised.lower, raised.is_exact, kAllTechniques};
            propagate_along_chain(splits, i);
            if (side_refutes && side.lower > budget) return {side.lower};
        }
        next = std::min(next, total(current));
    }
    return {next};
}

// The exact value of a side if it is within the budget, otherwise a bound above the budget.
Bound Solver::solve_side(Splits& splits, SetView set, Depth depth, Value lower, Value budget, std::size_t level) {
    Bound known = memo_bound(set, depth);
    if (known.lower < lower) known = {lower, false};
    if (known.is_exact || known.lower > budget) return known;
    if (constraints_.is_monotone()) {
        known.lower = std::max(known.lower, prefix_bound(set, depth, kPrefixesBeforeSearch));
        if (known.lower > budget) return known;
    }
    return deepen(set, depth, known.lower, budget, splits.features, level + 1).bound();
}

// Applies bounding techniques to the sides of every split until it is refuted or all techniques are used. A side whose
// bound alone exceeds the budget refutes the set, unless the side has less depth than the set: returns its bound then.
Value Solver::refute_by_bounds(Splits& splits, SetView set, Depth depth, Value budget) {
    const bool side_refutes = constraints_.is_monotone() && depth == kAnyDepth;
    for (const std::uint32_t i : splits.order) {
        Split& current = splits.all[i];
        Side &no = current.no, &yes = current.yes;
        if (total(current) > budget || (no.n_techniques == kAllTechniques && yes.n_techniques == kAllTechniques)) continue;
        split(set, sample_.column(current.feature), splits.no, splits.yes);
        const Value spare = budget - constraints_.cost(current.feature);
        for (std::uint8_t technique = 0; technique < kAllTechniques && total(current) <= budget; ++technique) {
            if (!no.is_exact && no.n_techniques == technique) {
                tighten(no, splits.no, depth_below(depth), spare - yes.lower + 1);
            }
            if (!yes.is_exact && yes.n_techniques == technique && total(current) <= budget) {
                tighten(yes, splits.yes, depth_below(depth), spare - no.lower + 1);
            }
        }
        propagate_along_chain(splits, i);
        if (side_refutes && std::max(no.lower, yes.lower) > budget) return std::max(no.lower, yes.lower);
    }
    return budget;
}

// Copies the bounds of a split along its chain: low sides grow towards the end of the chain, high sides towards its
// start.
void Solver::propagate_along_chain(Splits& splits, std::size_t split) const {
    auto low = [&](Split& at) -> Side& { return nested_.low_is_no[at.feature] ? at.no : at.yes; };
    auto high = [&](Split& at) -> Side& { return nested_.low_is_no[at.feature] ? at.yes : at.no; };
    auto& all = splits.all;
    const std::uint32_t chain = nested_.chain_of[all[split].feature];
    for (std::size_t i = split + 1; i < all.size() && nested_.chain_of[all[i].feature] == chain; ++i) {
        if (low(all[i]).lower >= low(all[split]).lower) break;
        low(all[i]).lower = low(all[split]).lower;
    }
    for (std::size_t i = split; i-- > 0 && nested_.chain_of[all[i].feature] == chain;) {
        if (high(all[i]).lower >= high(all[split]).lower) break;
        high(all[i]).lower = high(all[split]).lower;
    }
}

}  // namespace puretree
