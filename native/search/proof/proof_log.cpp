#include "proof_log.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <unordered_set>

#include "clique.hpp"
#include "sight.hpp"
#include "used_conflicts.hpp"

namespace puretree {
namespace {

using Number = Lemmas::Number;

Set prefix_of(std::size_t n_places, std::size_t n_words) {
    Set set(n_words);
    for (std::size_t place = 0; place < n_places; ++place) set[place / kWordBits] |= Word{1} << (place % kWordBits);
    return set;
}

std::string assemble(const Sample& sample, std::size_t n_places, Value bound, const UsedConflicts& conflicts,
                     const Lemmas& lemmas) {
    std::string text = "puretree bound 1\np " + std::to_string(sample.all().size()) + ' ' +
                       std::to_string(sample.n_features()) + "\nb " + std::to_string(bound) + "\ne";
    for (std::size_t place = 0; place < n_places; ++place) text += ' ' + std::to_string(sample.example(place));
    text += '\n';
    conflicts.write(text);
    return text + lemmas.text() + "end\n";
}

class Prover {
public:
    Prover(const Sample& sample, const Wishes& wishes, Solver& solver, std::size_t max_bytes,
           const std::function<void()>& tick)
        : sample_(sample), wishes_(wishes), solver_(solver), tick_(tick), conflicts_(sample, solver.conflicts()),
          sight_(sample, conflicts_), lemmas_(sample.n_words(), max_bytes) {}

    std::string prove(Value bound) {
        const std::size_t n_places = places_for(bound);
        const Set everything = prefix_of(n_places, sample_.n_words());
        if (known(everything) < bound) wishes_.is_root.empty() ? void(prove(everything, bound)) : prove_root(everything, bound);
        return assemble(sample_, n_places, bound, conflicts_, lemmas_);
    }

private:
    // A way to split a set.
    struct Way {
        std::uint32_t feature;
        Set no, yes;
        std::size_t size;  // of the larger side
    };

    // One side of a way: what the log says of it, what it says of a set within, and what the search knows.
    struct SideToProve {
        const Set* set;
        bool is_yes;
        Value known;
        Lemmas::Known within;
        Bound bound;
        Value target = 0;

        Value free() const { return std::max(known, within.value); }
    };

    Value known(const Set& set) { return std::max(sight_.at_sight(set.data()), lemmas_.of(set).value); }

    // As few of the sample, in the order they were taken in, as have the bound.
    std::size_t places_for(Value bound) {
        std::vector<std::size_t> sizes = solver_.prefixes();
        const auto is_too_few = [&](std::size_t n_places) {
            const Set set = prefix_of(n_places, sample_.n_words());
            return solver_.solve_root(set.data(), bound - 1).lower < bound;
        };
        const auto first = std::ranges::partition_point(sizes, is_too_few);
        return first == sizes.end() ? sample_.size() : *first;
    }

    // The lemma of the set, or of a subset; none is known yet.
    Number prove(const Set& set, Value value) {
        tick_();
        if (const auto clique = prove_by_clique(set, value)) return *clique;
        return prove_by_splits(set, value);
    }

    std::optional<Number> prove_by_clique(const Set& set, Value value) {
        const Clique clique = find_clique(sample_, solver_.conflicts(), set.data(), value);
        if (tests_of(clique, sample_) < value) return std::nullopt;
        conflicts_.use_all(clique);
        Set members(set.size());
        for (const std::size_t place : clique) members[place / kWordBits] |= Word{1} << (place % kWordBits);
        return lemmas_.add_clique(members, value);
    }

    Number prove_by_splits(const Set& set, Value value) {
        std::vector<Lemmas::Held> held;
        std::vector<Way> ways = ways_of(set);
        for (const Way& way : ways) {
            if (const auto stronger = settle(way, value, held)) return *stronger;
        }
        const Number lemma = lemmas_.add_split(set, value, held);
        learn(set, held);
        return lemma;
    }

    void prove_root(const Set& set, Value value) {
        std::vector<Lemmas::Held> held;
        Way way{0, set, set, 0};
        for (std::uint32_t feature = 0; feature < sample_.n_features(); ++feature) {
            if (!wishes_.is_root[feature]) continue;
            way.feature = feature;
            split(set.data(), sample_.column(feature), way.no.data(), way.yes.data(), set.size());
            if (settle(way, value, held)) return;  // with any root
        }
        lemmas_.add_root(value, held);
    }

    // Each way once, balanced ones first: their sides are smallest, and sides of others may hold them.
    std::vector<Way> ways_of(const Set& set) const {
        std::vector<Way> ways;
        std::unordered_set<Set, HashSet> seen;
        Way way{0, set, set, 0};
        const std::size_t size = count(set.data(), set.size());
        for (way.feature = 0; way.feature < sample_.n_features(); ++way.feature) {
            if (!split(set.data(), sample_.column(way.feature), way.no.data(), way.yes.data(), set.size())) continue;
            if (!seen.insert(way.yes).second || !seen.insert(way.no).second) continue;
            const std::size_t n_yes = count(way.yes.data(), set.size());
            way.size = std::max(n_yes, size - n_yes);
            ways.push_back(way);
        }
        std::ranges::stable_sort(ways, {}, &Way::size);
        return ways;
    }

    // Sees to it that both sides of a way, with its test, are known to need as much as the set; or proves that a side
    // alone does, and returns the lemma.
    std::optional<Number> settle(const Way& way, Value value, std::vector<Lemmas::Held>& held) {
        SideToProve no{&way.no, false, known(way.no), {}, {}}, yes{&way.yes, true, known(way.yes), {}, {}};
        if (no.known + yes.known >= value - 1) return std::nullopt;
        for (SideToProve* side : {&no, &yes}) {
            if (is_empty(side->set->data(), side->set->size())) {
                side->bound = {0, true};
                continue;
            }
            side->within = lemmas_.within(*side->set, side->known + 1, value);
            if (side->within.value >= value) return side->within.lemma;
            if (side->free() < value) side->bound = solver_.bound(side->set->data(), kAnyDepth, value);
            if (side->bound.lower < side->free()) side->bound = {side->free(), false};
        }
        raise(no, yes, value);
        for (SideToProve* side : {&no, &yes}) {
            if (side->bound.lower >= value) return prove(*side->set, value);
        }
        choose_targets(no, yes, value - 1);
        for (SideToProve* side : {&no, &yes}) hold(way.feature, *side, held);
        return std::nullopt;
    }

    void hold(std::uint32_t feature, const SideToProve& side, std::vector<Lemmas::Held>& held) {
        if (side.target <= side.known) return;
        const auto lemma = side.within.value >= side.target ? side.within.lemma : prove(*side.set, side.target);
        if (known(*side.set) < side.target) held.push_back({feature, side.is_yes, lemma});
    }

    // Lets the search raise the bounds of two sides until they are enough: what the memo forgot is found again.
    void raise(SideToProve& no, SideToProve& yes, Value value) {
        while (no.bound.lower + yes.bound.lower < value - 1) {
            if (no.bound.is_exact && yes.bound.is_exact) throw std::logic_error("the search claimed too much: this is a bug");
            const bool raise_no = yes.bound.is_exact || (!no.bound.is_exact && no.bound.lower <= yes.bound.lower);
            SideToProve &side = raise_no ? no : yes, &other = raise_no ? yes : no;
            const Value budget = other.bound.is_exact ? value - 2 - other.bound.lower : side.bound.lower;
            side.bound = solver_.solve(side.set->data(), kAnyDepth, budget);
        }
    }

    // Of all ways to share what is to be proved between two sides, the one that looks cheapest.
    static void choose_targets(SideToProve& no, SideToProve& yes, Value total) {
        const auto cost = [](const SideToProve& side, Value target) {
            if (target <= side.known) return 0.0;
            if (target <= side.free()) return 1.0;
            const auto size = static_cast<double>(count(side.set->data(), side.set->size()));
            return size * std::pow(4.0, static_cast<double>(target - side.free()));
        };
        double best = -1;
        for (Value target = std::max<Value>(0, total - yes.bound.lower); target <= std::min(total, no.bound.lower); ++target) {
            const double sum = cost(no, target) + cost(yes, total - target);
            if (best >= 0 && sum >= best) continue;
            best = sum;
            no.target = target;
            yes.target = total - target;
        }
    }

    void learn(const Set& set, const std::vector<Lemmas::Held>& held) {
        Set no(set.size()), yes(set.size());
        for (const Lemmas::Held& one : held) {
            split(set.data(), sample_.column(one.feature), no.data(), yes.data(), set.size());
            lemmas_.learn(one.is_yes ? yes : no, one.lemma);
        }
    }

    const Sample& sample_;
    const Wishes& wishes_;
    Solver& solver_;
    const std::function<void()>& tick_;
    UsedConflicts conflicts_;
    Sight sight_;
    Lemmas lemmas_;
};

}  // namespace

std::string prove_by_search(const Sample& sample, const Wishes& wishes, Solver& solver, Value bound,
                            std::size_t max_bytes, const std::function<void()>& tick) {
    return Prover(sample, wishes, solver, max_bytes, tick).prove(bound);
}

std::string prove_by_conflicts(const Examples& examples, Value bound, std::size_t max_bytes,
                               const std::function<void()>& tick) {
    Sample all(examples);
    for (std::uint32_t example = 0; example < examples.size(); ++example) all.take(example);
    Conflicts conflicts_of_all(all);
    conflicts_of_all.extend(tick);
    const Clique clique = find_clique(all, conflicts_of_all, examples.everything(), bound);
    Sample sample(examples);
    for (const std::size_t place : clique) sample.take(static_cast<std::uint32_t>(place));
    Conflicts conflicts(sample);
    conflicts.extend(tick);
    UsedConflicts used(sample, conflicts);
    Clique members(clique.size());
    for (std::size_t i = 0; i < members.size(); ++i) members[i] = i;
    used.use_all(members);
    Lemmas lemmas(sample.n_words(), max_bytes);
    lemmas.add_clique(prefix_of(sample.size(), sample.n_words()), bound);
    return assemble(sample, sample.size(), bound, used, lemmas);
}

}  // namespace puretree
