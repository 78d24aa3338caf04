#include "rup.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "drat.hpp"

namespace puretree {

namespace {

constexpr std::size_t kVisitsPerTick = std::size_t{1} << 16;
constexpr std::size_t kFewestBuckets = std::size_t{1} << 10;

}  // namespace

RupChecker::RupChecker(std::size_t n_vars, std::size_t max_bytes, Derivation* derivation, std::function<void()> tick)
    : max_bytes_(max_bytes), derivation_(derivation), tick_(std::move(tick)) {
    constexpr std::size_t kPerVariable = 2 * sizeof(std::vector<Watch>) + 16;
    if (n_vars > max_bytes / kPerVariable) throw std::bad_alloc();
    buckets_.assign(kFewestBuckets, kNoClause);
    watches_.resize(2 * n_vars + 2);
    values_.resize(2 * n_vars + 2);
    reasons_.resize(n_vars + 1, kNoClause);
    root_units_.resize(n_vars + 1);
    is_marked_.resize(n_vars + 1);
}

void RupChecker::load(Literals clause) {
    clause_.clear();
    for (const std::int32_t literal : clause) {
        clause_.push_back(2 * static_cast<Lit>(std::abs(literal)) + (literal < 0));
    }
    std::ranges::sort(clause_);
    clause_.erase(std::ranges::unique(clause_).begin(), clause_.end());
    is_tautology_ = std::ranges::adjacent_find(clause_, [](Lit a, Lit b) { return (a ^ b) == 1; }) != clause_.end();
}

std::uint32_t RupChecker::hash() const {
    std::uint64_t sum = 0x9e3779b97f4a7c15;
    for (const Lit literal : clause_) {
        sum = (sum ^ literal) * 0xbf58476d1ce4e5b9;
        sum ^= sum >> 29;
    }
    return static_cast<std::uint32_t>(sum >> 32);
}

void RupChecker::add_original(Literals clause, Number number) {
    load(clause);
    store(number);
}

bool RupChecker::add_lemma(Literals clause, std::size_t offset) {
    load(clause);
    if (!is_tautology_ && !follows()) return false;
    store(derivation_ != nullptr && !is_tautology_ ? derivation_->add_lemma(offset, hints_) : 0);
    return true;
}

void RupChecker::store(Number number) {
    const std::size_t at = arena_.size();
    const std::size_t more = derivation_ != nullptr ? derivation_->n_bytes() : 0;
    const std::size_t n_bytes = (at + clause_.size()) * sizeof(Ref) + n_clauses_ * 3 * sizeof(Watch) + more;
    if (n_bytes > max_bytes_ || at + kHeadWords + clause_.size() >= kDeleted) throw std::bad_alloc();
    if (++n_clauses_ > buckets_.size()) grow_buckets();
    const std::uint32_t key = hash();
    Ref& bucket = buckets_[key & (buckets_.size() - 1)];
    arena_.insert(arena_.end(), {bucket, key, number, static_cast<Ref>(clause_.size())});
    arena_.insert(arena_.end(), clause_.begin(), clause_.end());
    bucket = static_cast<Ref>(at);
    if (!is_tautology_ && !is_refuted_) attach(bucket);
}

void RupChecker::grow_buckets() {
    std::vector<Ref> grown(4 * buckets_.size(), kNoClause);
    for (Ref clause : buckets_) {
        while (clause != kNoClause) {
            Ref& bucket = grown[arena_[clause + kHash] & (grown.size() - 1)];
            const Ref next = arena_[clause + kNext];
            arena_[clause + kNext] = bucket;
            bucket = clause;
            clause = next;
        }
    }
    buckets_ = std::move(grown);
}

void RupChecker::remove(Literals clause) {
    load(clause);
    const std::uint32_t key = hash();
    for (Ref* link = &buckets_[key & (buckets_.size() - 1)]; *link != kNoClause; link = &arena_[*link + kNext]) {
        const Ref candidate = *link;
        if (arena_[candidate + kHash] != key || arena_[candidate + kSize] != clause_.size()) continue;
        const std::span<Lit> stored = literals_of(candidate);
        std::vector<Lit> literals(stored.begin(), stored.end());  // a copy, because watches depend on the order
        std::ranges::sort(literals);
        if (literals != clause_) continue;
        arena_[candidate + kSize] |= kDeleted;  // its watches are removed when they are visited
        *link = arena_[candidate + kNext];
        return;
    }
}

// Watches two literals that are not false. Called at the root, where values are permanent: true clauses are not needed.
void RupChecker::attach(Ref clause) {
    const std::span<Lit> literals = literals_of(clause);
    std::size_t n_free = 0;
    for (Lit& literal : literals) {
        if (values_[literal] > 0) return;
        if (values_[literal] == 0 && n_free < 2) std::swap(literals[n_free++], literal);
    }
    if (n_free == 2) {
        watches_[literals[0]].push_back({clause, literals[1]});
        watches_[literals[1]].push_back({clause, literals[0]});
    } else if (n_free == 1) {
        assign(literals[0], clause);
        propagate_root();
    } else {
        is_refuted_ = true;
        if (derivation_ != nullptr) derive_empty(clause);
    }
}

void RupChecker::assign(Lit literal, Ref reason) {
    values_[literal] = 1;
    values_[literal ^ 1] = -1;
    reasons_[literal / 2] = reason;
    trail_.push_back(literal);
}

void RupChecker::undo(std::size_t n_kept) {
    for (std::size_t i = n_kept; i < trail_.size(); ++i) values_[trail_[i]] = values_[trail_[i] ^ 1] = 0;
    trail_.resize(n_kept);
    head_ = n_kept;
}

// Returns a clause that has become false, if there is one.
std::optional<RupChecker::Ref> RupChecker::propagate() {
    while (head_ < trail_.size()) {
        const Lit false_literal = trail_[head_++] ^ 1;
        std::vector<Watch>& list = watches_[false_literal];
        std::optional<Ref> conflict;
        std::size_t n_kept = 0, i = 0;
        n_visits_ += list.size() + 1;
        while (i < list.size() && !conflict) {
            const Watch watch = list[i++];
            if (values_[watch.blocker] > 0 || visit(watch, false_literal, list, n_kept, conflict)) list[n_kept++] = watch;
        }
        while (i < list.size()) list[n_kept++] = list[i++];
        list.resize(n_kept);
        if (n_visits_ > kVisitsPerTick) {
            n_visits_ = 0;
            tick_();
        }
        if (conflict) return conflict;
    }
    return std::nullopt;
}

// Visits a clause of which a watched literal has become false; returns whether the watch stays as it is.
bool RupChecker::visit(Watch watch, Lit false_literal, std::vector<Watch>& keep, std::size_t& n_kept,
                       std::optional<Ref>& conflict) {
    if (arena_[watch.clause + kSize] & kDeleted) return false;
    const std::span<Lit> literals = literals_of(watch.clause);
    if (literals[0] == false_literal) std::swap(literals[0], literals[1]);
    const Lit other = literals[0];
    if (values_[other] > 0) {
        keep[n_kept++] = {watch.clause, other};
        return false;
    }
    for (std::size_t i = 2; i < literals.size(); ++i) {
        if (values_[literals[i]] < 0) continue;
        std::swap(literals[1], literals[i]);
        watches_[literals[1]].push_back({watch.clause, other});
        return false;
    }
    if (values_[other] < 0) {
        conflict = watch.clause;
    } else {
        assign(other, watch.clause);
    }
    return true;
}

// Whether the current clause follows: propagating its negation must falsify a clause.
bool RupChecker::follows() {
    hints_.clear();
    const std::size_t n_root = trail_.size();
    for (const Lit literal : clause_) {
        if (values_[literal] > 0) {  // at the root: its unit clause implies the clause
            undo(n_root);
            hints_.assign(1, root_units_[literal / 2]);
            return true;
        }
    }
    for (const Lit literal : clause_) {
        if (values_[literal] == 0) assign(literal ^ 1, kNoClause);
    }
    const std::optional<Ref> conflict = propagate();
    if (conflict && derivation_ != nullptr) collect_hints(*conflict, n_root);
    undo(n_root);
    return conflict.has_value();
}

void RupChecker::mark(Ref clause) {
    for (const Lit literal : literals_of(clause)) {
        const std::uint32_t var = literal / 2;
        if (is_marked_[var]) continue;
        is_marked_[var] = 1;
        marked_vars_.push_back(var);
        if (root_units_[var] != 0) hints_.push_back(root_units_[var]);
    }
}

// Collects the clauses that led to a conflict, in the order of propagation, unit clauses of the root first.
void RupChecker::collect_hints(Ref conflict, std::size_t n_root) {
    marked_vars_.clear();
    for (const Lit literal : clause_) {  // false by assumption, so no unit clause of the root is needed
        is_marked_[literal / 2] = root_units_[literal / 2] != 0;
        if (is_marked_[literal / 2]) marked_vars_.push_back(literal / 2);
    }
    chain_.assign(1, arena_[conflict + kNumber]);
    mark(conflict);
    for (std::size_t i = trail_.size(); i-- > n_root;) {
        const std::uint32_t var = trail_[i] / 2;
        if (!is_marked_[var] || reasons_[var] == kNoClause) continue;
        chain_.push_back(arena_[reasons_[var] + kNumber]);
        mark(reasons_[var]);
    }
    hints_.insert(hints_.end(), chain_.rbegin(), chain_.rend());
    for (const std::uint32_t var : marked_vars_) is_marked_[var] = 0;
}

// Propagates at the root, permanently.
void RupChecker::propagate_root() {
    const std::optional<Ref> conflict = propagate();
    is_refuted_ = conflict.has_value();
    if (derivation_ == nullptr) return;
    derive_root_units();
    if (conflict) derive_empty(*conflict);
}

void RupChecker::derive_empty(Ref conflict) {
    collect_root_hints(conflict, std::nullopt);
    derivation_->add_empty(hints_);
}

// Derives a unit clause for each literal that is true at the root, so that later clauses can use it as a hint.
void RupChecker::derive_root_units() {
    for (; n_units_ < trail_.size(); ++n_units_) {
        const Lit literal = trail_[n_units_];
        const Ref reason = reasons_[literal / 2];
        if (literals_of(reason).size() == 1) {
            root_units_[literal / 2] = arena_[reason + kNumber];
            continue;
        }
        collect_root_hints(reason, literal);
        const auto var = static_cast<std::int32_t>(literal / 2);
        root_units_[literal / 2] = derivation_->add_unit(literal & 1 ? -var : var, hints_);
    }
}

// Collects the hints that falsify a clause at the root, except for the derived literal.
void RupChecker::collect_root_hints(Ref clause, std::optional<Lit> derived) {
    hints_.clear();
    for (const Lit literal : literals_of(clause)) {
        if (literal != derived) hints_.push_back(root_units_[literal / 2]);
    }
    hints_.push_back(arena_[clause + kNumber]);
}

namespace {

DimacsText read_formula(std::string_view text) {
    try {
        DimacsText formula = parse_dimacs(text);
        if (!formula.is_cnf) throw DimacsError{0, "a line 'p cnf VARIABLES CLAUSES' before all clauses"};
        if (formula.n_read != text.size()) throw DimacsError{formula.n_read, "a clause"};
        if (formula.n_clauses != static_cast<std::int64_t>(formula.hard.ends.size())) {
            throw DimacsError{text.size(), "as many clauses as the p line says"};
        }
        return formula;
    } catch (const DimacsError& error) {
        throw ProofError{true, error.offset, error.expected};
    }
}

RupResult check_steps(RupChecker& checker, DratReader& steps) {
    RupResult result{RupResult::Verdict::kNoEmptyClause, std::nullopt, 0, 0};
    while (steps.next()) {  // to the end: the syntax is checked beyond the empty clause, too
        if (checker.is_refuted()) continue;
        if (steps.deletes()) {
            checker.remove(steps.literals());
        } else if (!checker.add_lemma(steps.literals(), steps.offset())) {
            return {RupResult::Verdict::kNotImplied, steps.offset(), result.n_lemmas, 0};
        } else {
            ++result.n_lemmas;
        }
    }
    if (checker.is_refuted()) result.verdict = RupResult::Verdict::kRefuted;
    return result;
}

}  // namespace

RupResult check_rup(std::string_view text, std::string_view proof, std::size_t max_bytes,
                    const std::function<void(std::string_view)>& out, const std::function<void()>& tick) {
    DimacsText formula = read_formula(text);
    const std::int64_t n_vars = formula.n_vars.value();
    Derivation derivation(formula.hard.ends.size());
    RupChecker checker(static_cast<std::size_t>(n_vars), max_bytes, out ? &derivation : nullptr, tick);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < formula.hard.ends.size(); ++i) {
        const auto end = static_cast<std::size_t>(formula.hard.ends[i]);
        checker.add_original({formula.hard.literals.data() + begin, end - begin},
                             static_cast<RupChecker::Number>(i + 1));
        begin = end;
    }
    formula = {};  // frees its memory
    try {
        DratReader steps(proof, n_vars);
        RupResult result = check_steps(checker, steps);
        if (out && result.verdict == RupResult::Verdict::kRefuted) {
            result.n_written = derivation.write(proof, n_vars, out, tick);
        }
        return result;
    } catch (const DimacsError& error) {
        throw ProofError{false, error.offset, error.expected};
    }
}

}  // namespace puretree
