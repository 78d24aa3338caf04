// Proves bounds of sets, line by line, with the search as its guide: it says how a bound can be shared between the sides of
// a split, and what it forgot it finds again. Whatever it knows of a set follows from splits and from what is seen at
// sight, so a proof is always found; cliques, and lemmas about subsets, make it short.
//
// Where trees may not be deep, a set that needs more tests than fit has no tree at all: proving one test too many is
// enough then. And where the depth leaves room for all tests but the last of a bound, it is a bound for any depth.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "../sample.hpp"
#include "../solver.hpp"
#include "../wishes.hpp"
#include "lemmas.hpp"
#include "sight.hpp"
#include "used_conflicts.hpp"

namespace puretree {

class Prover {
public:
    Prover(const Sample& sample, const Wishes& wishes, Solver& solver, std::size_t max_bytes,
           const std::function<void()>& tick)
        : sample_(sample), wishes_(wishes), solver_(solver), tick_(tick), conflicts_(sample, solver.conflicts()),
          sight_(sample, conflicts_), lemmas_(sample.n_words(), max_bytes) {}

    // Proves a bound of the whole sample, the root as wished.
    void prove_all(Value bound);

    const UsedConflicts& conflicts() const { return conflicts_; }
    const Lemmas& lemmas() const { return lemmas_; }

private:
    using Number = Lemmas::Number;

    // A way to split a set.
    struct Way {
        std::uint32_t feature;
        Set no, yes;
        std::size_t size;  // of the larger side
    };

    // One side of a way: what a reader knows of it, what the log says of a set within, and what the search knows.
    struct Side {
        const Set* set;
        bool is_yes;
        Depth depth;
        Value known;
        Lemmas::Known within;
        Bound bound;
        Value target = 0;  // to be proved

        Value free() const { return std::max(known, in_depth(within.value, depth)); }
    };

    // What a bound is worth if trees may be only so deep.
    static Value in_depth(Value value, Depth depth) { return value > most_tests(depth) ? kImpossible : value; }

    Value known(const Set& set, Depth depth) {
        return in_depth(std::max(sight_.at_sight(set.data()), lemmas_.of(set, depth).value), depth);
    }

    // The lemma of the set, or of a subset; none is known yet.
    Number prove(const Set& set, Depth depth, Value value);
    std::optional<Number> prove_by_clique(const Set& set, Value value);
    Number prove_by_splits(const Set& set, Depth depth, Value value);
    void prove_root(const Set& set, Value value);

    std::vector<Way> ways_of(const Set& set) const;
    std::optional<Number> settle(const Way& way, Depth depth, Value value, std::vector<Lemmas::Held>& held);
    Side look_at(const Set& set, bool is_yes, Depth depth, Value enough);
    bool needs_as_much(const Side& side, Depth depth, Value value);
    void raise(Side& no, Side& yes, Value total);
    static void choose_targets(Side& no, Side& yes, Value total);
    void hold(std::uint32_t feature, const Side& side, std::vector<Lemmas::Held>& held);
    void learn(const Set& set, const std::vector<Lemmas::Held>& held);

    const Sample& sample_;
    const Wishes& wishes_;
    Solver& solver_;
    const std::function<void()>& tick_;
    UsedConflicts conflicts_;
    Sight sight_;
    Lemmas lemmas_;
};

}  // namespace puretree
