#include "local_search.hpp"

#include <algorithm>
#include <utility>

namespace puretree {
namespace {

constexpr Weight kUnit = 1000;                    // the base weight of a hard clause, and of an average soft one
constexpr Weight kMaxSoftFactor = 500;            // the maximum weight of a soft clause, in base weights
constexpr std::size_t kSample = 30;               // improving variables that are compared
constexpr std::size_t kSmoothEvery = 10'000;      // local optima, on average
constexpr std::int64_t kStepsPerStart = 1'000'000;  // without a better model, before a restart
constexpr std::int64_t kStepsPerTick = 100;

}  // namespace

LocalSearch::Stop LocalSearch::run(const Limits& limits, std::span<const std::int32_t> initial, const OnModel& on_model,
                                   const std::function<void()>& tick) {
    if (!decimation_) prepare(tick);
    if (decimation_->is_unsatisfiable()) return Stop::kUnsatisfiable;
    random_ = Random(limits.seed);
    step_ = improved_at_ = reported_at_ = 0;
    is_unreported_ = false;
    best_.clear();
    std::vector<Lit> literals(initial.size());
    std::ranges::transform(initial, literals.begin(), literal);
    try {
        restart(decimation_->assign(literals, {}, random_, tick));
        for (bool is_near_best = true;; is_near_best = !is_near_best) {
            for (const std::int64_t start = step_; step_ - std::max(start, improved_at_) < kStepsPerStart; tick()) {
                if (const auto stop = take_steps(limits, on_model)) {
                    report_best(on_model);
                    return *stop;
                }
            }
            restart(decimation_->assign({}, is_near_best ? best_ : Values{}, random_, tick));
        }
    } catch (...) {
        report_best(on_model);  // the model is not lost at the time limit or after an interrupt
        throw;
    }
}

// Computes everything that is independent of the assignment.
void LocalSearch::prepare(const std::function<void()>& tick) {
    clauses_.find_occurrences();
    decimation_.emplace(clauses_, tick);
    fixed_cost_ = clauses_.empty_cost();
    base_weights_.assign(clauses_.size(), kUnit);
    const double average = static_cast<double>(clauses_.soft_weight()) / static_cast<double>(clauses_.n_soft());
    for (Clause clause = 0; clause < clauses_.size(); ++clause) {
        if (clauses_.is_hard(clause)) continue;
        if (decimation_->is_false(clause)) fixed_cost_ += clauses_.weight(clause);
        const double weight = static_cast<double>(clauses_.weight(clause)) / average * static_cast<double>(kUnit);
        base_weights_[clause] = std::max(Weight{1}, static_cast<Weight>(weight));
    }
}

// Resets all weights and starts from an assignment.
void LocalSearch::restart(Values&& values) {
    values_ = std::move(values);
    weights_ = base_weights_;
    scores_.assign(values_.size(), 0);
    last_flip_.assign(values_.size(), step_);
    n_true_.assign(clauses_.size(), 0);
    true_vars_.assign(clauses_.size(), 0);
    improving_.reset(values_.size());
    for (IndexedSet* set : {&false_hard_, &false_soft_, &increased_clauses_}) set->reset(clauses_.size());
    cost_ = clauses_.empty_cost();
    since_best_.assign(values_.size(), 0);  // full: any variable may differ from the best model
    for (Clause clause = 0; clause < clauses_.size(); ++clause) {
        for (const Lit lit : clauses_[clause]) {
            if (values_[var_of(lit)] == (lit & 1)) continue;
            ++n_true_[clause];
            true_vars_[clause] ^= var_of(lit);
        }
        if (n_true_[clause] == 1) scores_[true_vars_[clause]] -= weights_[clause];
        if (n_true_[clause] > 0) continue;
        for (const Lit lit : clauses_[clause]) scores_[var_of(lit)] += weights_[clause];
        if (!clauses_.is_hard(clause)) cost_ += clauses_.weight(clause);
        if (!decimation_->is_false(clause)) (clauses_.is_hard(clause) ? false_hard_ : false_soft_).insert(clause);
    }
    for (Var var = 1; var < values_.size(); ++var) update_improving(var);
    update_best();
}

// Takes some steps; returns why the search stops, if it does.
std::optional<LocalSearch::Stop> LocalSearch::take_steps(const Limits& limits, const OnModel& on_model) {
    // The receiver checks a model by reading every literal: models are reported only after a similar amount of work.
    const auto pause = static_cast<std::int64_t>(clauses_.n_literals() / 16);
    for (std::int64_t n = 0; n < kStepsPerTick; ++n) {
        if (!best_.empty() && best_cost_ <= std::max(limits.target_cost, fixed_cost_)) return Stop::kTargetReached;
        if (step_ - improved_at_ >= limits.max_steps) return Stop::kStepLimit;
        if (improving_.empty()) {
            if (step_ - reported_at_ >= pause) report_best(on_model);
            update_weights();
        }
        ++step_;
        flip(choose());
        update_best();
    }
    return std::nullopt;
}

Var LocalSearch::choose() {
    if (!improving_.empty()) return best_of_a_sample();
    const IndexedSet& falsified = false_hard_.empty() ? false_soft_ : false_hard_;
    return best_of(falsified[random_.below(falsified.size())]);
}

// Best from multiple selections (Cai, Balance between Complexity and Quality, IJCAI 2015): nearly as good as the best
// of possibly thousands.
Var LocalSearch::best_of_a_sample() {
    const bool is_small = improving_.size() <= kSample;
    Var best = improving_[is_small ? 0 : random_.below(improving_.size())];
    for (std::size_t i = 1; i < std::min(kSample, improving_.size()); ++i) {
        const Var var = improving_[is_small ? i : random_.below(improving_.size())];
        if (is_better(var, best)) best = var;
    }
    return best;
}

Var LocalSearch::best_of(Clause clause) const {
    Var best = 0;
    for (const Lit lit : clauses_[clause]) {
        const Var var = var_of(lit);
        if (!decimation_->is_fixed(var) && (best == 0 || is_better(var, best))) best = var;
    }
    return best;
}

bool LocalSearch::is_better(Var a, Var b) const {
    return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : last_flip_[a] < last_flip_[b];
}

void LocalSearch::flip(Var var) {
    values_[var] ^= 1;
    last_flip_[var] = step_;
    const Lit now_true = 2 * var + !values_[var];
    const Weight score = scores_[var];
    for (const Clause clause : clauses_.occurrences(now_true)) {
        const std::uint32_t n_before = n_true_[clause]++;
        if (n_before == 0) {
            add_scores_except(var, clause, -weights_[clause]);
            (clauses_.is_hard(clause) ? false_hard_ : false_soft_).erase(clause);
            if (!clauses_.is_hard(clause)) cost_ -= clauses_.weight(clause);
        } else if (n_before == 1) {
            add_score(true_vars_[clause], weights_[clause]);
        }
        true_vars_[clause] ^= var;
    }
    for (const Clause clause : clauses_.occurrences(negated(now_true))) {
        const std::uint32_t n_after = --n_true_[clause];
        true_vars_[clause] ^= var;
        if (n_after == 0) {
            add_scores_except(var, clause, weights_[clause]);
            (clauses_.is_hard(clause) ? false_hard_ : false_soft_).insert(clause);
            if (!clauses_.is_hard(clause)) cost_ += clauses_.weight(clause);
        } else if (n_after == 1) {
            add_score(true_vars_[clause], -weights_[clause]);
        }
    }
    scores_[var] = -score;
    update_improving(var);
    if (since_best_.size() < values_.size()) since_best_.push_back(var);
}

void LocalSearch::add_score(Var var, Weight weight) {
    scores_[var] += weight;
    update_improving(var);
}

void LocalSearch::add_scores_except(Var var, Clause clause, Weight weight) {
    for (const Lit lit : clauses_[clause]) {
        if (var_of(lit) != var) add_score(var_of(lit), weight);
    }
}

void LocalSearch::update_improving(Var var) {
    if (scores_[var] > 0 && !decimation_->is_fixed(var)) {
        improving_.insert(var);
    } else {
        improving_.erase(var);
    }
}

// Increases the weights of false clauses at a local optimum. Those of soft clauses only if the hard ones are satisfied;
// otherwise they would keep the search from models.
void LocalSearch::update_weights() {
    for (const Clause clause : false_hard_) {
        increase_weight(clause);
        increased_clauses_.insert(clause);
    }
    if (false_hard_.empty()) {
        for (const Clause clause : false_soft_) {
            if (weights_[clause] < kMaxSoftFactor * base_weights_[clause]) increase_weight(clause);
        }
    }
    if (random_.below(kSmoothEvery) == 0) smooth_weights();
}

void LocalSearch::increase_weight(Clause clause) {
    weights_[clause] += base_weights_[clause];
    for (const Lit lit : clauses_[clause]) add_score(var_of(lit), base_weights_[clause]);
}

// Decreases the weights of satisfied hard clauses that were increased before.
void LocalSearch::smooth_weights() {
    for (std::size_t i = increased_clauses_.size(); i-- > 0;) {
        const Clause clause = increased_clauses_[i];
        if (n_true_[clause] == 0) continue;
        weights_[clause] -= kUnit;
        if (n_true_[clause] == 1) add_score(true_vars_[clause], kUnit);
        if (weights_[clause] == kUnit) increased_clauses_.erase(clause);  // the last one moves to its index
    }
}

void LocalSearch::update_best() {
    if (!false_hard_.empty() || (!best_.empty() && cost_ >= best_cost_)) return;
    if (best_.empty() || since_best_.size() >= values_.size()) {
        best_ = values_;
    } else {
        for (const Var var : since_best_) best_[var] ^= 1;
    }
    since_best_.clear();
    best_cost_ = cost_;
    improved_at_ = step_;
    is_unreported_ = true;
}

void LocalSearch::report_best(const OnModel& on_model) {
    if (!std::exchange(is_unreported_, false)) return;
    reported_at_ = step_;
    on_model(best_);
}

}  // namespace puretree
