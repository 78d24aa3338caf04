// Does each clause of a proof follow from those before it by unit propagation (RUP), down to the empty clause? Solvers
// prove that no model exists by the clauses they learned, and all these follow so; steps that do not (RAT) are refused.
//
// It goes forward, as the solver went, with two watched literals a clause. Literals that are true at the root stay so:
// a proof may delete the clause that made one true, and solvers do, but count on the literal all the same (as does
// drat-trim, which ignores such deletions).
//
// Heule, Hunt and Wetzler, Trimming while checking clausal proofs, 2013.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "derivation.hpp"

namespace puretree {

class RupChecker {
public:
    using Number = Derivation::Number;
    using Literals = std::span<const std::int32_t>;

    // Without a derivation no reasons are gathered. More than `max_bytes` throw std::bad_alloc; `tick` is called often,
    // and may throw.
    RupChecker(std::size_t n_vars, std::size_t max_bytes, Derivation* derivation, std::function<void()> tick);

    void add_original(Literals clause, Number number);

    // Adds a clause that stands at this place of the proof; false if it does not follow.
    bool add_lemma(Literals clause, std::size_t place);

    // Deletes one copy of a clause; if there is none, nothing happens: with more clauses no less follows.
    void remove(Literals clause);

    bool is_refuted() const { return is_refuted_; }

private:
    using Lit = std::uint32_t;  // 2 * variable, + 1 if negative
    using Ref = std::uint32_t;  // the place of a clause in the arena: its head, then its literals
    struct Watch {
        Ref clause;
        Lit other;  // if it is true, there is no need to look at the clause
    };
    enum Head : Ref { kNext, kHash, kNumber, kSize, kHeadWords };  // the next clause in the same bucket
    static constexpr Ref kNone = 0xffffffff;
    static constexpr Ref kDeleted = 0x80000000;  // in kSize

    void take(Literals clause);
    std::uint32_t hash() const;
    void store(Number number);
    void attach(Ref clause);
    void grow_buckets();
    bool follows();
    Ref propagate();
    bool visit(Watch watch, Lit false_literal, std::vector<Watch>& keep, std::size_t& n_kept, Ref& conflict);
    void assign(Lit literal, Ref reason);
    void undo(std::size_t n_kept);
    void settle_root();
    void number_roots();
    void explain(Ref conflict, std::size_t n_root);
    void mark(Ref clause);
    void explain_root(Ref clause, Lit derived);

    std::span<Lit> literals_of(Ref clause) {
        return {arena_.data() + clause + kHeadWords, arena_[clause + kSize] & ~kDeleted};
    }

    std::size_t max_bytes_;
    Derivation* derivation_;
    std::function<void()> tick_;
    std::vector<Ref> arena_;
    std::vector<Ref> buckets_;
    std::size_t n_clauses_ = 0;
    std::size_t n_visits_ = 0;
    std::vector<std::vector<Watch>> watches_;  // by literal
    std::vector<std::int8_t> values_;          // by literal: 1 true, -1 false
    std::vector<Ref> reasons_;                 // by variable
    std::vector<Number> root_numbers_;         // by variable: the clause of this one literal
    std::vector<std::uint8_t> is_marked_;      // by variable
    std::vector<Lit> trail_;
    std::size_t head_ = 0;        // literals of the trail before it are propagated
    std::size_t n_numbered_ = 0;  // literals of the trail that have a clause of their own
    bool is_refuted_ = false;
    std::vector<Lit> taken_;  // the clause at hand: sorted, each literal once
    bool is_tautology_ = false;
    std::vector<Number> found_;  // reasons
    std::vector<Number> chain_;
    std::vector<std::uint32_t> marked_;
};

// What became of a proof.
struct RupResult {
    enum class End { kRefuted, kNotImplied, kNoEmptyClause };
    End end;
    std::size_t place;      // in the proof: of the step that does not follow
    std::size_t n_lemmas;   // that were checked
    std::size_t n_written;  // that the LRAT proof has
};

// Checks that a proof refutes a formula, both as text, and writes an LRAT proof if `out` is given. Throws ProofError
// where one of them is no such text.
struct ProofError {
    bool is_in_formula;
    std::size_t at;
    const char* expected;
};
RupResult check_rup(std::string_view formula, std::string_view proof, std::size_t max_bytes,
                    const std::function<void(std::string_view)>& out, const std::function<void()>& tick);

}  // namespace puretree
