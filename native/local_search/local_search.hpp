// Weighted partial MaxSAT by local search, in the spirit of SATLike (Lei and Cai, Solving (Weighted) Partial MaxSAT by
// Dynamic Local Search for SAT, IJCAI 2018).
//
// Every clause has a weight of its own that grows while the clause stays false, and the variable whose flip gains most
// weight is flipped. So hard and soft clauses are treated alike, and the walk leaves a local optimum by what it keeps
// failing at. It pays on large formulas with many short soft clauses, where it has good models long before a complete
// solver; it proves nothing. It is weak where most variables are functions of a few others: every step that changes
// one of those breaks all that depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "clauses.hpp"
#include "decimation.hpp"
#include "indexed_set.hpp"
#include "random.hpp"

namespace puretree {

struct Pace {
    std::uint64_t seed = 0;
    std::int64_t most_steps = 0;  // without a better model: then the walk ends
    Weight enough = 0;            // a model that costs no more ends it too
};

class LocalSearch {
public:
    using Values = std::vector<std::uint8_t>;  // of each variable, by its number; place 0 is unused
    using OnModel = std::function<void(const Values&)>;

    enum class End { kImpossible, kEnough, kStale };

    explicit LocalSearch(std::size_t n_vars) : clauses_(n_vars) {}

    // Takes a clause; see Clauses::add. All clauses come before the first run.
    void add(std::span<const std::int32_t> clause, Weight weight) { clauses_.add(clause, weight); }
    std::size_t n_vars() const { return clauses_.n_vars(); }

    // Walks from the given literals (as Clauses::add has them) and what follows from them. Better models are handed
    // over at local optima, not at every step downhill. `tick` is called often and may throw.
    End run(const Pace& pace, std::span<const std::int32_t> given, const OnModel& on_model,
            const std::function<void()>& tick);

private:
    void open(const std::function<void()>& tick);
    void begin(Values&& values);
    std::optional<End> walk(const Pace& pace, const OnModel& on_model);
    Var choose();
    Var best_of_a_sample();
    Var best_of(Clause clause) const;
    bool is_better(Var a, Var b) const;
    void flip(Var var);
    void gain(Var var, Weight weight);
    void gain_but(Clause clause, Var var, Weight weight);
    void set_good(Var var);
    void reweigh();
    void raise(Clause clause);
    void smooth();
    void note_model();
    void hand_over(const OnModel& on_model);

    Clauses clauses_;
    std::optional<Decimation> decimation_;
    std::vector<Weight> tuned_;  // of each clause: what it weighs at first, and what it gains at a time
    Weight sunk_cost_ = 0;       // of the soft clauses that nothing can satisfy
    Random random_{0};

    Values values_;
    std::vector<std::uint32_t> n_true_;  // literals of each clause
    std::vector<Var> true_vars_;         // of each clause, combined by xor: if it is one, it is this
    std::vector<Weight> weights_;        // of each clause, as they are now
    std::vector<Weight> scores_;         // of each variable: what its flip gains
    std::vector<std::int64_t> flipped_;  // the step at which each variable was flipped last
    IndexedSet good_;                    // the variables whose flip gains something
    IndexedSet false_hard_, false_soft_;
    IndexedSet raised_;  // the hard clauses that weigh more than at first
    Weight cost_ = 0;    // of the soft clauses that are false
    std::int64_t step_ = 0;

    Values best_;                    // empty while there is no model
    std::vector<Var> since_best_;    // what was flipped since, if it is not too much
    Weight best_cost_ = 0;
    std::int64_t improved_at_ = 0;   // the step of the best model
    std::int64_t told_at_ = 0;       // the step of the last model handed over
    bool is_waiting_ = false;        // whether the best model is not handed over yet
};

}  // namespace puretree
