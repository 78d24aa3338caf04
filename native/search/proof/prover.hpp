// Proves bounds of sets, line by line, guided by the search: the search decides how a bound is divided between the
// sides of a split, and recomputes bounds that its memo has dropped. All its bounds follow from splits and immediate
// bounds, so a proof always exists; cliques and lemmas about subsets make it short.
//
// With limited depth, a set that needs more tests than fit has no tree at all: it is sufficient to prove one test more
// than fits. And where the depth has room for all tests but the last of a bound, the bound holds for any depth.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "../constraints.hpp"
#include "../sample.hpp"
#include "../solver.hpp"
#include "immediate_bounds.hpp"
#include "lemmas.hpp"
#include "used_conflicts.hpp"

namespace puretree {

class Prover {
public:
    Prover(const Sample& sample, const Constraints& constraints, Solver& solver, std::size_t max_bytes,
           const std::function<void()>& tick)
        : sample_(sample), constraints_(constraints), solver_(solver), tick_(tick), conflicts_(sample, solver.conflicts()),
          immediate_bounds_(sample, conflicts_), lemmas_(sample.n_words(), max_bytes) {}

    // Proves a bound of the whole sample for trees that satisfy the constraints.
    void prove_all(Value bound);

    const UsedConflicts& conflicts() const { return conflicts_; }
    const Lemmas& lemmas() const { return lemmas_; }

private:
    using Number = Lemmas::Number;

    // A partition of a set by a feature.
    struct Partition {
        std::uint32_t feature;
        Set no, yes;
        std::size_t size;  // of the larger side
    };

    // One side of a partition.
    struct Side {
        const Set* set;
        bool is_yes;
        Depth depth;
        Value known;                // the bound that the checker has
        Lemmas::LemmaBound subset;  // a lemma about a subset
        Bound bound;                // of the search
        Value target = 0;           // to be proved

        Value proved() const { return std::max(known, in_depth(subset.value, depth)); }
    };

    // A bound under limited depth: infeasible if more tests are needed than fit.
    static Value in_depth(Value value, Depth depth) { return value > most_tests(depth) ? kInfeasible : value; }

    Value known(const Set& set, Depth depth) {
        return in_depth(std::max(immediate_bounds_.bound(set), lemmas_.bound_of(set, depth).value), depth);
    }

    // Proves a bound that is not known yet; returns the lemma of the set, or of a subset.
    Number prove(const Set& set, Depth depth, Value value);
    std::optional<Number> prove_by_clique(const Set& set, Value value);
    Number prove_by_splits(const Set& set, Depth depth, Value value);
    void prove_root(const Set& set, Value value);

    std::vector<Partition> partitions_of(const Set& set) const;
    std::optional<Number> prove_partition(const Partition& partition, Depth depth, Value value,
                                          std::vector<Lemmas::Citation>& citations);
    Side make_side(const Set& set, bool is_yes, Depth depth, Value target);
    bool needs_as_much(const Side& side, Depth depth, Value value);
    void raise(Side& no, Side& yes, Value total);
    static void choose_targets(Side& no, Side& yes, Value total);
    void cite(std::uint32_t feature, const Side& side, std::vector<Lemmas::Citation>& citations);
    void learn(const Set& set, const std::vector<Lemmas::Citation>& citations);

    const Sample& sample_;
    const Constraints& constraints_;
    Solver& solver_;
    const std::function<void()>& tick_;
    UsedConflicts conflicts_;
    ImmediateBounds immediate_bounds_;
    Lemmas lemmas_;
};

}  // namespace puretree
