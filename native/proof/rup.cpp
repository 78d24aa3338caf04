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
    buckets_.assign(kFewestBuckets, kNone);
    watches_.resize(2 * n_vars + 2);
    values_.resize(2 * n_vars + 2);
    reasons_.resize(n_vars + 1, kNone);
    root_numbers_.resize(n_vars + 1);
    is_marked_.resize(n_vars + 1);
}

void RupChecker::take(Literals clause) {
    taken_.clear();
    for (const std::int32_t literal : clause) {
        taken_.push_back(2 * static_cast<Lit>(std::abs(literal)) + (literal < 0));
    }
    std::ranges::sort(taken_);
    taken_.erase(std::ranges::unique(taken_).begin(), taken_.end());
    is_tautology_ = std::ranges::adjacent_find(taken_, [](Lit a, Lit b) { return (a ^ b) == 1; }) != taken_.end();
}

std::uint32_t RupChecker::hash() const {
    std::uint64_t sum = 0x9e3779b97f4a7c15;
    for (const Lit literal : taken_) {
        sum = (sum ^ literal) * 0xbf58476d1ce4e5b9;
        sum ^= sum >> 29;
    }
    return static_cast<std::uint32_t>(sum >> 32);
}

void RupChecker::add_original(Literals clause, Number number) {
    take(clause);
    store(number);
}

bool RupChecker::add_lemma(Literals clause, std::size_t place) {
    take(clause);
    if (!is_tautology_ && !follows()) return false;
    store(derivation_ != nullptr && !is_tautology_ ? derivation_->add_lemma(place, found_) : 0);
    return true;
}

void RupChecker::store(Number number) {
    const std::size_t at = arena_.size();
    const std::size_t more = derivation_ != nullptr ? derivation_->n_bytes() : 0;
    const std::size_t n_bytes = (at + taken_.size()) * sizeof(Ref) + n_clauses_ * 3 * sizeof(Watch) + more;
    if (n_bytes > max_bytes_ || at + kHeadWords + taken_.size() >= kDeleted) throw std::bad_alloc();
    if (++n_clauses_ > buckets_.size()) grow_buckets();
    const std::uint32_t key = hash();
    Ref& bucket = buckets_[key & (buckets_.size() - 1)];
    arena_.insert(arena_.end(), {bucket, key, number, static_cast<Ref>(taken_.size())});
    arena_.insert(arena_.end(), taken_.begin(), taken_.end());
    bucket = static_cast<Ref>(at);
    if (!is_tautology_ && !is_refuted_) attach(bucket);
}

void RupChecker::grow_buckets() {
    std::vector<Ref> grown(4 * buckets_.size(), kNone);
    for (Ref clause : buckets_) {
        while (clause != kNone) {
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
    take(clause);
    const std::uint32_t key = hash();
    for (Ref* link = &buckets_[key & (buckets_.size() - 1)]; *link != kNone; link = &arena_[*link + kNext]) {
        const Ref found = *link;
        if (arena_[found + kHash] != key || arena_[found + kSize] != taken_.size()) continue;
        std::vector<Lit> literals(literals_of(found).begin(), literals_of(found).end());  // watches change their order
        std::ranges::sort(literals);
        if (literals != taken_) continue;
        arena_[found + kSize] |= kDeleted;  // whoever watches it forgets it when it is met
        *link = arena_[found + kNext];
        return;
    }
}

// Watches two literals that are not false; at the root, where values stay, so that a clause which is true is not needed.
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
        settle_root();
    } else {
        is_refuted_ = true;
        if (derivation_ != nullptr) {
            explain_root(clause, 0);
            derivation_->add_empty(found_);
        }
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

// Returns a clause that has become false, or kNone.
RupChecker::Ref RupChecker::propagate() {
    while (head_ < trail_.size()) {
        const Lit false_literal = trail_[head_++] ^ 1;
        std::vector<Watch>& list = watches_[false_literal];
        Ref conflict = kNone;
        std::size_t n_kept = 0, i = 0;
        n_visits_ += list.size() + 1;
        while (i < list.size() && conflict == kNone) {
            const Watch watch = list[i++];
            if (values_[watch.other] > 0 || visit(watch, false_literal, list, n_kept, conflict)) list[n_kept++] = watch;
        }
        while (i < list.size()) list[n_kept++] = list[i++];
        list.resize(n_kept);
        if (n_visits_ > kVisitsPerTick) {
            n_visits_ = 0;
            tick_();
        }
        if (conflict != kNone) return conflict;
    }
    return kNone;
}

// Looks at a clause of which one watched literal has become false; says whether it goes on being watched as it was.
bool RupChecker::visit(Watch watch, Lit false_literal, std::vector<Watch>& keep, std::size_t& n_kept, Ref& conflict) {
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

// Whether the clause at hand follows: its negation is assumed, and a clause must become false.
bool RupChecker::follows() {
    found_.clear();
    const std::size_t n_root = trail_.size();
    for (const Lit literal : taken_) {
        if (values_[literal] > 0) {  // at the root: the literal alone follows
            undo(n_root);
            found_.assign(1, root_numbers_[literal / 2]);
            return true;
        }
    }
    for (const Lit literal : taken_) {
        if (values_[literal] == 0) assign(literal ^ 1, kNone);
    }
    const Ref conflict = propagate();
    if (conflict != kNone && derivation_ != nullptr) explain(conflict, n_root);
    undo(n_root);
    return conflict != kNone;
}

void RupChecker::mark(Ref clause) {
    for (const Lit literal : literals_of(clause)) {
        const std::uint32_t var = literal / 2;
        if (is_marked_[var]) continue;
        is_marked_[var] = 1;
        marked_.push_back(var);
        if (root_numbers_[var] != 0) found_.push_back(root_numbers_[var]);
    }
}

// Gathers the clauses that made another false, in the order in which they did so, units of the root first.
void RupChecker::explain(Ref conflict, std::size_t n_root) {
    marked_.clear();
    for (const Lit literal : taken_) {  // these are false by assumption, and need no reason at the root
        is_marked_[literal / 2] = root_numbers_[literal / 2] != 0;
        if (is_marked_[literal / 2]) marked_.push_back(literal / 2);
    }
    chain_.assign(1, arena_[conflict + kNumber]);
    mark(conflict);
    for (std::size_t i = trail_.size(); i-- > n_root;) {
        const std::uint32_t var = trail_[i] / 2;
        if (!is_marked_[var] || reasons_[var] == kNone) continue;
        chain_.push_back(arena_[reasons_[var] + kNumber]);
        mark(reasons_[var]);
    }
    found_.insert(found_.end(), chain_.rbegin(), chain_.rend());
    for (const std::uint32_t var : marked_) is_marked_[var] = 0;
}

// Propagates at the root for good.
void RupChecker::settle_root() {
    const Ref conflict = propagate();
    is_refuted_ = conflict != kNone;
    if (derivation_ == nullptr) return;
    number_roots();
    if (!is_refuted_) return;
    explain_root(conflict, 0);
    derivation_->add_empty(found_);
}

// Makes a clause of each literal that is true at the root, so that no later clause has to derive it again.
void RupChecker::number_roots() {
    for (; n_numbered_ < trail_.size(); ++n_numbered_) {
        const Lit literal = trail_[n_numbered_];
        const Ref reason = reasons_[literal / 2];
        if (literals_of(reason).size() == 1) {
            root_numbers_[literal / 2] = arena_[reason + kNumber];
            continue;
        }
        explain_root(reason, literal);
        const auto var = static_cast<std::int32_t>(literal / 2);
        root_numbers_[literal / 2] = derivation_->add_unit(literal & 1 ? -var : var, found_);
    }
}

// Gathers the reasons why a clause has no literal left at the root, or none but the one derived.
void RupChecker::explain_root(Ref clause, Lit derived) {
    found_.clear();
    for (const Lit literal : literals_of(clause)) {
        if (literal != derived) found_.push_back(root_numbers_[literal / 2]);
    }
    found_.push_back(arena_[clause + kNumber]);
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
        throw ProofError{true, error.at, error.expected};
    }
}

RupResult check_steps(RupChecker& checker, DratReader& steps) {
    RupResult result{RupResult::End::kNoEmptyClause, 0, 0, 0};
    while (steps.next()) {  // to the end: what stands behind the empty clause must still be a proof's text
        if (checker.is_refuted()) continue;
        if (steps.deletes()) {
            checker.remove(steps.literals());
        } else if (!checker.add_lemma(steps.literals(), steps.place())) {
            return {RupResult::End::kNotImplied, steps.place(), result.n_lemmas, 0};
        } else {
            ++result.n_lemmas;
        }
    }
    if (checker.is_refuted()) result.end = RupResult::End::kRefuted;
    return result;
}

}  // namespace

RupResult check_rup(std::string_view text, std::string_view proof, std::size_t max_bytes,
                    const std::function<void(std::string_view)>& out, const std::function<void()>& tick) {
    DimacsText formula = read_formula(text);
    Derivation derivation(formula.hard.ends.size());
    RupChecker checker(static_cast<std::size_t>(formula.n_vars), max_bytes, out ? &derivation : nullptr, tick);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < formula.hard.ends.size(); ++i) {
        const auto end = static_cast<std::size_t>(formula.hard.ends[i]);
        checker.add_original({formula.hard.literals.data() + begin, end - begin},
                             static_cast<RupChecker::Number>(i + 1));
        begin = end;
    }
    const std::int64_t n_vars = formula.n_vars;
    formula = {};
    try {
        DratReader steps(proof, n_vars);
        RupResult result = check_steps(checker, steps);
        if (out && result.end == RupResult::End::kRefuted) result.n_written = derivation.write(proof, n_vars, out, tick);
        return result;
    } catch (const DimacsError& error) {
        throw ProofError{false, error.at, error.expected};
    }
}

}  // namespace puretree
