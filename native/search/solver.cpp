#include "solver.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace puretree {
namespace {

// A subset's bound holds for the set, and sets over earlier samples are subsets of today's. With one look-up only, the
// search looked at up to two and a half times as many sets; with all of them at every look it took longer again.
constexpr std::size_t kPrefixesAtALook = 4;
constexpr std::size_t kPrefixesBeforeSearch = 100;

NestedFeatures features_for(const Sample& sample, const Wishes& wishes) {
    if (wishes.counts_nodes() && wishes.is_monotone()) return find_chains(sample.all());
    NestedFeatures nested = without_chains(sample.n_features());
    // Of equal splits the first is kept: it must be the cheapest.
    std::ranges::stable_sort(nested.order, {}, [&](std::uint32_t feature) { return wishes.weight(feature); });
    return nested;
}

void learn(Side& side, Bound bound) {
    if (bound.lower > side.lower || (bound.lower == side.lower && bound.is_exact)) {
        side.lower = bound.lower;
        side.is_exact = bound.is_exact;
    }
}

}  // namespace

Solver::Solver(const Sample& sample, const Wishes& wishes, std::size_t max_bytes, std::function<void()> tick)
    : sample_(sample), wishes_(wishes), is_plain_(wishes.counts_nodes() && wishes.is_monotone()),
      least_weight_(wishes.least_weight()), tick_(std::move(tick)), nested_(features_for(sample, wishes)),
      conflicts_(sample), few_tests_(sample, conflicts_), splitter_(sample, few_tests_, wishes), memo_(max_bytes) {}

void Solver::extend() {
    if (n_seen_ > 0) prefixes_.push_back(n_seen_);
    n_seen_ = sample_.size();
    splitter_.extend();
    conflicts_.extend(tick_);  // last: it may be interrupted, and goes on the next time
}

Bound Solver::bound(const Word* set, Depth depth, Value enough) {
    Side side = splitter_.glance(set, sample_.n_classes_in(set));
    look_until(side, set, depth, enough);
    return {side.lower, side.is_exact};
}

Bound Solver::solve(const Word* set, Depth depth, Value budget) {
    const Bound known = bound(set, depth, budget + 1);
    if (known.is_exact || known.lower > budget) return known;
    const Found found = deepen(set, depth, known.lower, budget, nested_.order, 0);
    return {found.lower, found.feature != Memo::kNoFeature};
}

Bound Solver::solve_root(const Word* set, Value budget) {
    if (wishes_.is_root.empty() || is_leaf(set)) return solve(set, wishes_.max_depth, budget);
    Found found{bound(set, wishes_.max_depth, budget + 1).lower};  // with any root
    std::vector<std::uint32_t> roots;
    std::ranges::copy_if(nested_.order, std::back_inserter(roots), [&](std::uint32_t f) { return wishes_.is_root[f]; });
    Splits& splits = splits_at(0);
    splitter_.find_splits(set, roots, splits);
    splits.features = nested_.order;
    while (found.lower <= budget && found.feature == Memo::kNoFeature) {
        found = attempt(splits, set, wishes_.max_depth, found.lower, 0);
    }
    best_root_ = found.feature;
    return {found.lower, found.feature != Memo::kNoFeature};
}

std::uint32_t Solver::best_feature(const Word* set, Depth depth) {
    if (is_plain_) {
        if (const auto feature = few_tests_.one(set)) return *feature;
        if (sample_.n_classes_in(set) == 1) {
            if (const auto feature = few_tests_.telling(set)) return *feature;
        }
    }
    const auto* entry = memo_.find({set, sample_.n_words(), kAnyDepth});
    // No test weighs less than 1, so a tree of this value is not too deep.
    if (entry != nullptr && entry->is_exact() && (depth == kAnyDepth || entry->lower <= depth)) return entry->feature;
    entry = memo_.find({set, sample_.n_words(), depth});
    if (entry != nullptr && entry->is_exact()) return entry->feature;
    const Value lower = bound(set, depth).lower;
    return deepen(set, depth, lower, kImpossible - 1, nested_.order, 0).feature;
}

// Raises a side's bound by one more way to look at it, the cheap ones first; `target` would be enough.
void Solver::look(Side& side, const Word* set, Depth depth, Value target) {
    switch (side.n_looks++) {
        case kFewTests:
            if (!is_plain_) break;
            if (side.lower == 1) {
                side.is_exact = few_tests_.one(set).has_value();
                side.lower += !side.is_exact;
            }
            break;
        case kMemo:
            learn(side, recall(set, depth));
            break;
        case kPrefixes:
            if (wishes_.is_monotone()) learn(side, {prefix_bound(set, depth, kPrefixesAtALook), false});
            break;
        case kClique:
            if (is_plain_ && target <= 3) break;  // the next look decides
            learn(side, {clique_bound(set, target), false});
            break;
        case kTwoTests:
            if (!is_plain_ || depth < 2) break;
            if (side.lower == 2) {
                side.is_exact = few_tests_.two(set);
                side.lower += !side.is_exact;
            }
            break;
    }
    if (wishes_.counts_nodes() && depth != kAnyDepth && side.lower > most_tests(depth)) side = {kImpossible, false, kAllLooks};
}

Value Solver::clique_bound(const Word* set, Value target) {
    const auto enough = static_cast<std::size_t>(target / least_weight_ + 2);
    return least_weight_ * static_cast<Value>(conflicts_.least_leaves(set, enough) - 1);
}

void Solver::look_until(Side& side, const Word* set, Depth depth, Value target) {
    while (!side.is_exact && side.lower < target && side.n_looks < kAllLooks) look(side, set, depth, target);
}

Bound Solver::recall(const Word* set, Depth depth) const {
    Bound known;
    if (const auto* entry = memo_.find({set, sample_.n_words(), kAnyDepth})) {
        // A tree of n tests is at most n tests deep.
        const bool fits = depth == kAnyDepth || (wishes_.counts_nodes() && entry->lower <= depth);
        known = {entry->lower, entry->is_exact() && fits};
    }
    if (depth == kAnyDepth || known.is_exact) return known;
    if (const auto* entry = memo_.find({set, sample_.n_words(), depth}); entry && entry->lower >= known.lower) {
        known = {entry->lower, entry->is_exact()};
    }
    return known;
}

Value Solver::prefix_bound(const Word* set, Depth depth, std::size_t most) {
    Value best = 0;
    prefix_.assign(set, set + sample_.n_words());
    for (std::size_t i = prefixes_.size(); i-- > 0 && most > 0;) {
        const std::size_t n = prefixes_[i], word = n / kWordBits;
        const Word keep = (Word{1} << (n % kWordBits)) - 1;
        Word cut = prefix_[word] & ~keep;
        prefix_[word] &= keep;
        for (std::size_t w = word + 1; w < prefix_.size(); ++w) cut |= std::exchange(prefix_[w], 0);
        if (cut == 0) continue;  // the same set as before
        --most;
        best = std::max(best, recall(prefix_.data(), depth).lower);
    }
    return best;
}

Splits& Solver::splits_at(std::size_t level) {
    while (splits_.size() <= level) splits_.emplace_back();
    return splits_[level];
}

// Raises the bound of a set step by step, up to its value or above the budget.
Solver::Found Solver::deepen(const Word* set, Depth depth, Value lower, Value budget,
                             std::span<const std::uint32_t> features, std::size_t level) {
    tick_();
    const std::size_t before = n_sets_++;
    // Trees within the budget are not deeper than they have tests: then the depth does not matter, and the memo serves
    // every depth.
    if (wishes_.counts_nodes() && depth >= budget) depth = kAnyDepth;
    if (is_plain_ && lower == 3 && depth >= 3) {
        const auto feature = few_tests_.three(set, features);
        lower += !feature.has_value();
        memo_.store({set, sample_.n_words(), kAnyDepth}, lower, feature.value_or(Memo::kNoFeature), 1);
        if (feature) return {lower, *feature};
        if (lower > budget) return {lower};
    }
    Splits& splits = splits_at(level);
    splitter_.find_splits(set, features, splits);
    Found found{lower};
    while (found.lower <= budget) {
        found = attempt(splits, set, depth, found.lower, level);
        const auto effort = static_cast<std::uint32_t>(std::bit_width(n_sets_ - before));
        memo_.store({set, sample_.n_words(), depth}, found.lower, found.feature, effort);
        if (found.feature != Memo::kNoFeature) break;
    }
    return found;
}

// Looks for a tree within the budget, which no tree undercuts; without one, returns a bound above it.
Solver::Found Solver::attempt(Splits& splits, const Word* set, Depth depth, Value budget, std::size_t level) {
    if (depth == 0) return {kImpossible};
    if (const Value refuted = refute_by_looks(splits, set, depth, budget); refuted > budget) return {refuted};
    const bool side_refutes = wishes_.is_monotone() && depth == kAnyDepth;
    Value next = kImpossible;
    for (const std::uint32_t i : splits.order) {
        Split& at = splits.all[i];
        bool has_sides = false;
        while (total(at) <= budget) {
            if (at.no.is_exact && at.yes.is_exact) return {budget, at.feature};
            if (!has_sides) split(set, sample_.column(at.feature), splits.no.data(), splits.yes.data(), sample_.n_words());
            has_sides = true;
            // The side that is further from what it may need, one step: both rise in turn until one is settled, and
            // then the other gets all that is left.
            const bool raise_no = at.yes.is_exact || (!at.no.is_exact && at.no.lower <= at.yes.lower);
            Side &side = raise_no ? at.no : at.yes, &other = raise_no ? at.yes : at.no;
            const Value rest = other.is_exact ? budget - wishes_.weight(at.feature) - other.lower : side.lower;
            const Word* child = raise_no ? splits.no.data() : splits.yes.data();
            const Bound raised = raise(splits, child, below(depth), side.lower, rest, level);
            side = {raised.lower, raised.is_exact, kAllLooks};
            spread(splits, i);
            if (side_refutes && side.lower > budget) return {side.lower};
        }
        next = std::min(next, total(at));
    }
    return {next};
}

// The value of a child up to the budget, or a bound above it.
Bound Solver::raise(Splits& splits, const Word* set, Depth depth, Value lower, Value budget, std::size_t level) {
    Bound known = recall(set, depth);
    if (known.lower < lower) known = {lower, false};
    if (known.is_exact || known.lower > budget) return known;
    if (wishes_.is_monotone()) {
        known.lower = std::max(known.lower, prefix_bound(set, depth, kPrefixesBeforeSearch));
        if (known.lower > budget) return known;
    }
    const Found found = deepen(set, depth, known.lower, budget, splits.features, level + 1);
    return {found.lower, found.feature != Memo::kNoFeature};
}

// Looks at the sides of every split until it is refuted or there is nothing left to look at. A side that alone needs
// more than the budget refutes the set, unless it may only be less deep than the set: returns its bound then.
Value Solver::refute_by_looks(Splits& splits, const Word* set, Depth depth, Value budget) {
    const bool side_refutes = wishes_.is_monotone() && depth == kAnyDepth;
    for (const std::uint32_t i : splits.order) {
        Split& at = splits.all[i];
        if (total(at) > budget || (at.no.n_looks == kAllLooks && at.yes.n_looks == kAllLooks)) continue;
        split(set, sample_.column(at.feature), splits.no.data(), splits.yes.data(), sample_.n_words());
        const Value spare = budget - wishes_.weight(at.feature);
        for (std::uint8_t n_looks = 0; n_looks < kAllLooks && total(at) <= budget; ++n_looks) {
            if (!at.no.is_exact && at.no.n_looks == n_looks) {
                look(at.no, splits.no.data(), below(depth), spare - at.yes.lower + 1);
            }
            if (!at.yes.is_exact && at.yes.n_looks == n_looks && total(at) <= budget) {
                look(at.yes, splits.yes.data(), below(depth), spare - at.no.lower + 1);
            }
        }
        spread(splits, i);
        if (side_refutes && std::max(at.no.lower, at.yes.lower) > budget) return std::max(at.no.lower, at.yes.lower);
    }
    return budget;
}

// Hands a split's bounds on along its chain: low sides only grow upwards, high sides downwards.
void Solver::spread(Splits& splits, std::size_t split) const {
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
