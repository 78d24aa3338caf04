// Weighted partial MaxSAT by local search, in the spirit of SATLike (Lei and Cai, Solving (Weighted) Partial MaxSAT by
// Dynamic Local Search for SAT, IJCAI 2018).
//
// Every clause has a dynamic weight that grows while the clause is false, and the variable whose flip gains most weight
// is flipped. So hard and soft clauses are treated alike, and the search leaves local optima through the clauses that
// stay false. It pays on large formulas with many short soft clauses, where it finds good models long before a complete
// solver; it proves no bounds. It is weak where most variables are functions of a few others: every flip of one of
// those falsifies the clauses of all that depend on it.
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

struct Limits {
    std::uint64_t seed = 0;
    std::int64_t max_steps = 0;  // without a better model
    Weight target_cost = 0;      // a model of at most this cost ends the search
};

class LocalSearch {
public:
    using Values = std::vector<std::uint8_t>;  // by variable; index 0 is unused
    using OnModel = std::function<void(const Values&)>;

    enum class Stop { kUnsatisfiable, kTargetReached, kStepLimit };

    explicit LocalSearch(std::size_t n_vars) : clauses_(n_vars) {}

    // Adds a clause; see Clauses::add. All clauses must be added before the first run.
    void add(std::span<const std::int32_t> clause, Weight weight) { clauses_.add(clause, weight); }
    std::size_t n_vars() const { return clauses_.n_vars(); }
    std::int64_t improved_at() const { return improved_at_; }  // the step of the best model

    // Searches from an assignment that contains the initial literals (as in Clauses::add) if possible. Reports better
    // models at local optima, not at every improving step. `tick` is called often and may throw.
    Stop run(const Limits& limits, std::span<const std::int32_t> initial, const OnModel& on_model,
             const std::function<void()>& tick);

private:
    void prepare(const std::function<void()>& tick);
    void restart(Values&& values);
    std::optional<Stop> take_steps(const Limits& limits, const OnModel& on_model);
    Var choose();
    Var best_of_a_sample();
    Var best_of(Clause clause) const;
    bool is_better(Var a, Var b) const;
    void flip(Var var);
    void add_score(Var var, Weight weight);
    void add_scores_except(Var var, Clause clause, Weight weight);
    void update_improving(Var var);
    void update_weights();
    void increase_weight(Clause clause);
    void smooth_weights();
    void update_best();
    void report_best(const OnModel& on_model);

    Clauses clauses_;
    std::optional<Decimation> decimation_;
    std::vector<Weight> base_weights_;  // of each clause: the initial weight, and the increment
    Weight fixed_cost_ = 0;             // of the soft clauses that unit propagation falsifies
    Random random_{0};

    Values values_;
    std::vector<std::uint32_t> n_true_;  // the number of true literals of each clause
    std::vector<Var> true_vars_;         // of each clause: the xor of the variables of its true literals
    std::vector<Weight> weights_;        // of each clause, currently
    std::vector<Weight> scores_;         // of each variable: the gain of a flip
    std::vector<std::int64_t> last_flip_;  // the step of the last flip of each variable
    IndexedSet improving_;               // the variables of positive score
    IndexedSet false_hard_, false_soft_;
    IndexedSet increased_clauses_;  // the hard clauses above their base weight
    Weight cost_ = 0;               // of the soft clauses that are false
    std::int64_t step_ = 0;

    Values best_;                    // empty before the first model
    std::vector<Var> since_best_;    // the variables flipped since, up to the number of variables
    Weight best_cost_ = 0;
    std::int64_t improved_at_ = 0;   // the step of the best model
    std::int64_t reported_at_ = 0;   // the step of the last report
    bool is_unreported_ = false;     // whether the best model is not reported yet
};

}  // namespace puretree
