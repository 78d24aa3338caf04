// Checks that each clause of a proof follows from the clauses before it by reverse unit propagation (RUP), down to the
// empty clause. Clauses learned by conflict analysis are RUP; steps that are only RAT are rejected.
//
// Checks forwards, in the order of the solver, with two watched literals per clause. Literals that are true at the root
// stay true: a proof may delete the clause that implied one, and solvers do so, but still rely on the literal
// (drat-trim, too, ignores such deletions).
//
// Heule, Hunt and Wetzler, Trimming while checking clausal proofs, 2013.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "derivation.hpp"

namespace puretree {

class RupChecker {
public:
    using Number = Derivation::Number;
    using Literals = std::span<const std::int32_t>;

    // Collects hints only with a derivation. Throws std::bad_alloc beyond `max_bytes`. `tick` is called often and may
    // throw.
    RupChecker(std::size_t n_vars, std::size_t max_bytes, Derivation* derivation, std::function<void()> tick);

    void add_original(Literals clause, Number number);

    // Adds a clause at an offset of the proof; false if it does not follow.
    bool add_lemma(Literals clause, std::size_t offset);

    // Deletes one copy of a clause; ignored if there is none, which is sound: more clauses imply more.
    void remove(Literals clause);

    bool is_refuted() const { return is_refuted_; }

private:
    using Lit = std::uint32_t;  // 2 * variable, + 1 if negative
    using Ref = std::uint32_t;  // the index of a clause in the arena: its head, then its literals
    struct Watch {
        Ref clause;
        Lit blocker;  // if it is true, the clause need not be visited
    };
    enum Head : Ref { kNext, kHash, kNumber, kSize, kHeadWords };  // kNext: the next clause in the same bucket
    static constexpr Ref kNoClause = 0xffffffff;  // the end of a bucket; the reason of an assumption
    static constexpr Ref kDeleted = 0x80000000;  // in kSize

    void load(Literals clause);
    std::uint32_t hash() const;
    void store(Number number);
    void attach(Ref clause);
    void grow_buckets();
    bool follows();
    std::optional<Ref> propagate();
    bool visit(Watch watch, Lit false_literal, std::vector<Watch>& keep, std::size_t& n_kept,
               std::optional<Ref>& conflict);
    void assign(Lit literal, Ref reason);
    void undo(std::size_t n_kept);
    void propagate_root();
    void derive_root_units();
    void derive_empty(Ref conflict);
    void collect_hints(Ref conflict, std::size_t n_root);
    void mark(Ref clause);
    void collect_root_hints(Ref clause, std::optional<Lit> derived);

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
    std::vector<Number> root_units_;           // by variable: its unit clause at the root, 0 if none
    std::vector<std::uint8_t> is_marked_;      // by variable
    std::vector<Lit> trail_;
    std::size_t head_ = 0;        // the literals of the trail before it are propagated
    std::size_t n_units_ = 0;     // the literals of the trail that have a unit clause
    bool is_refuted_ = false;
    std::vector<Lit> clause_;  // the current clause: sorted, without duplicates
    bool is_tautology_ = false;
    std::vector<Number> hints_;
    std::vector<Number> chain_;
    std::vector<std::uint32_t> marked_vars_;
};

// The verdict on a proof.
struct RupResult {
    enum class Verdict { kRefuted, kNotImplied, kNoEmptyClause };
    Verdict verdict;
    std::optional<std::size_t> failed_step;  // its offset in the proof, if a step does not follow
    std::size_t n_lemmas;                    // checked
    std::size_t n_written;                   // to the LRAT proof
};

// A syntax error in a formula or its proof.
struct ProofError {
    bool is_in_formula;
    std::size_t offset;
    const char* expected;
};

// Checks that a proof refutes a formula, both as text, and writes an LRAT proof if `out` is not empty. Throws
// ProofError.
RupResult check_rup(std::string_view formula, std::string_view proof, std::size_t max_bytes,
                    const std::function<void(std::string_view)>& out, const std::function<void()>& tick);

}  // namespace puretree
