#include "prover.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_set>

#include "clique.hpp"

namespace puretree {
namespace {

// What a proof is thought to grow by with every test more.
constexpr double kGrowth = 4;

}  // namespace

void Prover::prove_all(Value bound) {
    const Set everything = first_places(sample_.size(), sample_.n_words());
    if (known(everything, wishes_.max_depth) >= bound) return;
    if (wishes_.is_root.empty()) {
        prove(everything, wishes_.max_depth, bound);
    } else {
        prove_root(everything, bound);
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
    const Clique clique = find_clique(sample_, solver_.conflicts(), set.data(), value);
    if (tests_of(clique, sample_) < value) return std::nullopt;
    conflicts_.use_all(clique);
    Set members(set.size());
    for (const std::size_t place : clique) members[place / kWordBits] |= Word{1} << (place % kWordBits);
    return lemmas_.add_clique(members, value);
}

Prover::Number Prover::prove_by_splits(const Set& set, Depth depth, Value value) {
    std::vector<Lemmas::Held> held;
    for (const Way& way : ways_of(set)) {
        if (const auto stronger = settle(way, depth, value, held)) return *stronger;
    }
    const Number lemma = lemmas_.add_split(set, depth, value, held);
    learn(set, held);
    return lemma;
}

void Prover::prove_root(const Set& set, Value value) {
    std::vector<Lemmas::Held> held;
    Way way{0, set, set, 0};
    for (; way.feature < sample_.n_features(); ++way.feature) {
        if (!wishes_.is_root[way.feature]) continue;
        split(set.data(), sample_.column(way.feature), way.no.data(), way.yes.data(), set.size());
        if (settle(way, wishes_.max_depth, value, held)) return;  // true for any root
    }
    lemmas_.add_root(value, held);
}

// Each way once, balanced ones first: their sides are smallest, and sides of others may hold them.
std::vector<Prover::Way> Prover::ways_of(const Set& set) const {
    std::vector<Way> ways;
    std::unordered_set<Set, HashSet> seen;
    Way way{0, set, set, 0};
    const std::size_t size = count(set.data(), set.size());
    for (; way.feature < sample_.n_features(); ++way.feature) {
        if (!split(set.data(), sample_.column(way.feature), way.no.data(), way.yes.data(), set.size())) continue;
        if (!seen.insert(way.yes).second || !seen.insert(way.no).second) continue;
        const std::size_t n_yes = count(way.yes.data(), set.size());
        way.size = std::max(n_yes, size - n_yes);
        ways.push_back(way);
    }
    std::ranges::stable_sort(ways, {}, &Way::size);
    return ways;
}

// Sees to it that the sides of a way and its test are known to need as much as the set is to; or returns a lemma about a
// side, or a subset of it, that needs as much alone.
std::optional<Prover::Number> Prover::settle(const Way& way, Depth depth, Value value, std::vector<Lemmas::Held>& held) {
    const Depth left = below(depth);
    if (known(way.no, left) + known(way.yes, left) >= value - 1) return std::nullopt;
    Side no = look_at(way.no, false, left, value), yes = look_at(way.yes, true, left, value);
    raise(no, yes, value - 1);
    for (const Side* side : {&no, &yes}) {
        if (side->within.value >= value && side->within.depth >= depth) return side->within.lemma;
    }
    for (const Side* side : {&no, &yes}) {
        if (needs_as_much(*side, depth, value)) return prove(*side->set, depth, value);
    }
    choose_targets(no, yes, value - 1);
    for (const Side* side : {&no, &yes}) hold(way.feature, *side, held);
    return std::nullopt;
}

Prover::Side Prover::look_at(const Set& set, bool is_yes, Depth depth, Value enough) {
    Side side{&set, is_yes, depth, known(set, depth), {}, {0, true}};
    if (is_empty(set.data(), set.size())) return side;
    side.within = lemmas_.within(set, depth, side.known + 1, std::min(enough, most_tests(depth) + 1));
    side.bound = {side.free(), false};
    if (side.free() >= enough) return side;
    if (const Bound bound = solver_.bound(set.data(), depth, enough); bound.lower >= side.free()) side.bound = bound;
    return side;
}

// Whether a side alone is known to need so much, with all of the depth that the set has.
bool Prover::needs_as_much(const Side& side, Depth depth, Value value) {
    if (side.bound.lower < value) return false;
    return side.depth == depth || solver_.bound(side.set->data(), depth, value).lower >= value;
}

// Lets the search raise the bounds of two sides until they are enough.
void Prover::raise(Side& no, Side& yes, Value total) {
    while (no.bound.lower + yes.bound.lower < total) {
        if (no.bound.is_exact && yes.bound.is_exact) throw std::logic_error("the search claimed too much: this is a bug");
        const bool raise_no = yes.bound.is_exact || (!no.bound.is_exact && no.bound.lower <= yes.bound.lower);
        Side &side = raise_no ? no : yes, &other = raise_no ? yes : no;
        const Value budget = other.bound.is_exact ? total - 1 - other.bound.lower : side.bound.lower;
        side.bound = solver_.solve(side.set->data(), budget <= side.depth ? kAnyDepth : side.depth, budget);
    }
}

// Of all ways to share what is to be proved between two sides, the one that looks cheapest.
void Prover::choose_targets(Side& no, Side& yes, Value total) {
    const auto cost = [](const Side& side, Value target) {
        target = std::min(target, most_tests(side.depth) + 1);
        if (target <= side.known) return 0.0;
        if (target <= side.free()) return 1.0;
        const auto size = static_cast<double>(count(side.set->data(), side.set->size()));
        return size * std::pow(kGrowth, static_cast<double>(target - side.free()));
    };
    std::optional<double> best;
    for (Value target = std::max<Value>(0, total - yes.bound.lower); target <= std::min(total, no.bound.lower); ++target) {
        const double sum = cost(no, target) + cost(yes, total - target);
        if (best && sum >= *best) continue;
        best = sum;
        no.target = target;
        yes.target = total - target;
    }
}

void Prover::hold(std::uint32_t feature, const Side& side, std::vector<Lemmas::Held>& held) {
    if (side.target <= side.known) return;
    const bool is_said = side.free() >= side.target;
    const Number lemma = is_said ? side.within.lemma : prove(*side.set, side.depth, side.target);
    if (known(*side.set, side.depth) < side.target) held.push_back({feature, side.is_yes, lemma});
}

// What a reader learns from a line, once it is written and not before.
void Prover::learn(const Set& set, const std::vector<Lemmas::Held>& held) {
    Set no(set), yes(set);
    for (const Lemmas::Held& one : held) {
        split(set.data(), sample_.column(one.feature), no.data(), yes.data(), set.size());
        lemmas_.learn(one.is_yes ? yes : no, one.lemma);
    }
}

}  // namespace puretree
