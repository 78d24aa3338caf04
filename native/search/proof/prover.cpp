#include "prover.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_set>

#include "clique.hpp"

namespace puretree {
namespace {

// The estimated growth of a proof with every additional test.
constexpr double kGrowth = 4;

}  // namespace

void Prover::prove_all(Value bound) {
    const Set all = first_positions(sample_.size(), sample_.n_words());
    if (known(all, constraints_.max_depth) >= bound) return;
    if (constraints_.root_features) {
        prove_root(all, bound);
    } else {
        prove(all, constraints_.max_depth, bound);
    }
}

Prover::Number Prover::prove(const Set& set, Depth depth, Value value) {
    tick_();
    value = std::min(value, most_tests(depth) + 1);
    if (value - 1 <= depth) depth = kAnyDepth;  // a tree of fewer tests is not deeper
    if (const auto clique = prove_by_clique(set, value)) return *clique;
    return prove_by_splits(set, depth, value);
}

std::optional<Prover::Number> Prover::prove_by_clique(const Set& set, Value value) {
    const Clique clique = find_clique(sample_, solver_.conflicts(), set, value);
    if (tests_of(clique, sample_) < value) return std::nullopt;
    conflicts_.use_all(clique);
    Set members(set.size());
    for (const std::size_t position : clique) insert(members, position);
    return lemmas_.add_clique(members, value);
}

Prover::Number Prover::prove_by_splits(const Set& set, Depth depth, Value value) {
    std::vector<Lemmas::Citation> citations;
    for (const Partition& partition : partitions_of(set)) {
        if (const auto stronger = prove_partition(partition, depth, value, citations)) return *stronger;
    }
    const Number lemma = lemmas_.add_split(set, depth, value, citations);
    learn(set, citations);
    return lemma;
}

void Prover::prove_root(const Set& set, Value value) {
    std::vector<Lemmas::Citation> citations;
    Partition partition{0, set, set, 0};
    for (; partition.feature < sample_.n_features(); ++partition.feature) {
        if (!constraints_.may_be_root(partition.feature)) continue;
        split(set, sample_.column(partition.feature), partition.no, partition.yes);
        if (prove_partition(partition, constraints_.max_depth, value, citations)) return;  // holds for any root
    }
    lemmas_.add_root(value, citations);
}

// Each partition once, balanced ones first: their sides are smallest, and sides of others may contain them.
std::vector<Prover::Partition> Prover::partitions_of(const Set& set) const {
    std::vector<Partition> partitions;
    std::unordered_set<Set, HashSet> sides;
    Partition partition{0, set, set, 0};
    const std::size_t size = count(set);
    for (; partition.feature < sample_.n_features(); ++partition.feature) {
        if (!split(set, sample_.column(partition.feature), partition.no, partition.yes)) continue;
        if (!sides.insert(partition.yes).second || !sides.insert(partition.no).second) continue;
        const std::size_t n_yes = count(partition.yes);
        partition.size = std::max(n_yes, size - n_yes);
        partitions.push_back(partition);
    }
    std::ranges::stable_sort(partitions, {}, &Partition::size);
    return partitions;
}

// Proves that the sides of a partition and its test need `value` together; or returns a lemma about a side, or a subset
// of it, that needs as much alone.
std::optional<Prover::Number> Prover::prove_partition(const Partition& partition, Depth depth, Value value,
                                                      std::vector<Lemmas::Citation>& citations) {
    const Depth left = depth_below(depth);
    if (known(partition.no, left) + known(partition.yes, left) >= value - 1) return std::nullopt;
    Side no = make_side(partition.no, false, left, value), yes = make_side(partition.yes, true, left, value);
    raise(no, yes, value - 1);
    for (const Side* side : {&no, &yes}) {
        if (side->subset.value >= value && side->subset.depth >= depth) return side->subset.lemma;
    }
    for (const Side* side : {&no, &yes}) {
        if (needs_as_much(*side, depth, value)) return prove(*side->set, depth, value);
    }
    choose_targets(no, yes, value - 1);
    for (const Side* side : {&no, &yes}) cite(partition.feature, *side, citations);
    return std::nullopt;
}

Prover::Side Prover::make_side(const Set& set, bool is_yes, Depth depth, Value target) {
    Side side{&set, is_yes, depth, known(set, depth), {}, {0, true}};
    if (is_empty(set)) return side;
    side.subset = lemmas_.subset_bound(set, depth, side.known + 1, std::min(target, most_tests(depth) + 1));
    side.bound = {side.proved(), false};
    if (side.proved() >= target) return side;
    if (const Bound bound = solver_.bound(set, depth, target); bound.lower >= side.proved()) side.bound = bound;
    return side;
}

// Whether a side alone needs `value` tests, even with the depth of the whole set.
bool Prover::needs_as_much(const Side& side, Depth depth, Value value) {
    if (side.bound.lower < value) return false;
    return side.depth == depth || solver_.bound(*side.set, depth, value).lower >= value;
}

// Raises the bounds of two sides by search until they reach the total.
void Prover::raise(Side& no, Side& yes, Value total) {
    while (no.bound.lower + yes.bound.lower < total) {
        if (no.bound.is_exact && yes.bound.is_exact) {
            throw std::logic_error("the lower bound of the search exceeds a tree; please report this bug");
        }
        const bool raise_no = yes.bound.is_exact || (!no.bound.is_exact && no.bound.lower <= yes.bound.lower);
        Side &side = raise_no ? no : yes, &other = raise_no ? yes : no;
        const Value budget = other.bound.is_exact ? total - 1 - other.bound.lower : side.bound.lower;
        side.bound = solver_.solve(*side.set, budget <= side.depth ? kAnyDepth : side.depth, budget);
    }
}

// Divides the total between two sides so that the estimated proof is shortest.
void Prover::choose_targets(Side& no, Side& yes, Value total) {
    const auto estimate = [](const Side& side, Value target) {
        target = std::min(target, most_tests(side.depth) + 1);
        if (target <= side.known) return 0.0;
        if (target <= side.proved()) return 1.0;
        const auto size = static_cast<double>(count(*side.set));
        return size * std::pow(kGrowth, static_cast<double>(target - side.proved()));
    };
    std::optional<double> best;
    for (Value target = std::max<Value>(0, total - yes.bound.lower); target <= std::min(total, no.bound.lower); ++target) {
        const double sum = estimate(no, target) + estimate(yes, total - target);
        if (best && sum >= *best) continue;
        best = sum;
        no.target = target;
        yes.target = total - target;
    }
}

void Prover::cite(std::uint32_t feature, const Side& side, std::vector<Lemmas::Citation>& citations) {
    if (side.target <= side.known) return;
    const bool is_proved = side.proved() >= side.target;
    const Number lemma = is_proved ? side.subset.lemma : prove(*side.set, side.depth, side.target);
    if (known(*side.set, side.depth) < side.target) citations.push_back({feature, side.is_yes, lemma});
}

// Records what the checker learns from a line, after the line is written.
void Prover::learn(const Set& set, const std::vector<Lemmas::Citation>& citations) {
    Set no(set), yes(set);
    for (const Lemmas::Citation& one : citations) {
        split(set, sample_.column(one.feature), no, yes);
        lemmas_.learn(one.is_yes ? yes : no, one.lemma);
    }
}

}  // namespace puretree
