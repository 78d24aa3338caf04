#include "local_search.hpp"

#include <algorithm>
#include <utility>

namespace puretree {
namespace {

constexpr Weight kUnit = 1000;                    // what a hard clause weighs at first, and an average soft one
constexpr Weight kMostSoft = 500;                 // times what it weighed at first a soft clause may weigh
constexpr std::size_t kSample = 30;               // good variables that are compared
constexpr std::size_t kSmoothEvery = 10'000;      // local optima, on average
constexpr std::int64_t kStepsOfARun = 1'000'000;  // without a better model, before the walk begins elsewhere
constexpr std::int64_t kStepsAtATime = 100;       // between looks at the clock

}  // namespace

LocalSearch::End LocalSearch::run(const Pace& pace, std::span<const std::int32_t> given, const OnModel& on_model,
                                  const std::function<void()>& tick) {
    if (!decimation_) open(tick);
    if (decimation_->is_impossible()) return End::kImpossible;
    random_ = Random(pace.seed);
    step_ = improved_at_ = told_at_ = 0;
    is_waiting_ = false;
    best_.clear();
    std::vector<Lit> literals(given.size());
    std::ranges::transform(given, literals.begin(), literal);
    try {
        begin(decimation_->assign(literals, {}, random_, tick));
        for (bool is_near_best = true;; is_near_best = !is_near_best) {
            for (const std::int64_t start = step_; step_ - std::max(start, improved_at_) < kStepsOfARun; tick()) {
                if (const auto end = walk(pace, on_model)) {
                    hand_over(on_model);
                    return *end;
                }
            }
            begin(decimation_->assign({}, is_near_best ? best_ : Values{}, random_, tick));
        }
    } catch (...) {
        hand_over(on_model);  // the time is over, or the user has had enough: nothing is lost
        throw;
    }
}

// What is known before the first step of any run.
void LocalSearch::open(const std::function<void()>& tick) {
    clauses_.find_occurrences();
    decimation_.emplace(clauses_, tick);
    sunk_cost_ = clauses_.sunk_cost();
    tuned_.assign(clauses_.size(), kUnit);
    const double average = static_cast<double>(clauses_.soft_weight()) / static_cast<double>(clauses_.n_soft());
    for (Clause clause = 0; clause < clauses_.size(); ++clause) {
        if (clauses_.is_hard(clause)) continue;
        if (decimation_->is_false(clause)) sunk_cost_ += clauses_.weight(clause);
        const double tuned = static_cast<double>(clauses_.weight(clause)) / average * static_cast<double>(kUnit);
        tuned_[clause] = std::max(Weight{1}, static_cast<Weight>(tuned));
    }
}

// Forgets all weights and starts anew from an assignment.
void LocalSearch::begin(Values&& values) {
    values_ = std::move(values);
    weights_ = tuned_;
    scores_.assign(values_.size(), 0);
    flipped_.assign(values_.size(), step_);
    n_true_.assign(clauses_.size(), 0);
    true_vars_.assign(clauses_.size(), 0);
    good_.reset(values_.size());
    for (IndexedSet* set : {&false_hard_, &false_soft_, &raised_}) set->reset(clauses_.size());
    cost_ = clauses_.sunk_cost();
    since_best_.assign(values_.size(), 0);  // all may be different
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
    for (Var var = 1; var < values_.size(); ++var) set_good(var);
    note_model();
}

// Takes some steps; says why the search is to end, if it is.
std::optional<LocalSearch::End> LocalSearch::walk(const Pace& pace, const OnModel& on_model) {
    // To check a model takes a look at every literal: not more often than the walk has looked at as many.
    const auto pause = static_cast<std::int64_t>(clauses_.n_literals() / 16);
    for (std::int64_t n = 0; n < kStepsAtATime; ++n) {
        if (!best_.empty() && best_cost_ <= std::max(pace.enough, sunk_cost_)) return End::kEnough;
        if (step_ - improved_at_ >= pace.most_steps) return End::kStale;
        if (good_.empty()) {
            if (step_ - told_at_ >= pause) hand_over(on_model);
            reweigh();
        }
        ++step_;
        flip(choose());
        note_model();
    }
    return std::nullopt;
}

Var LocalSearch::choose() {
    if (!good_.empty()) return best_of_a_sample();
    const IndexedSet& broken = false_hard_.empty() ? false_soft_ : false_hard_;
    return best_of(broken[random_.below(broken.size())]);
}

// Best from multiple selections (Cai, Balance between Complexity and Quality, IJCAI 2015): nearly as good as the best
// of all, and there may be thousands.
Var LocalSearch::best_of_a_sample() {
    const bool is_small = good_.size() <= kSample;
    Var best = good_[is_small ? 0 : random_.below(good_.size())];
    for (std::size_t i = 1; i < std::min(kSample, good_.size()); ++i) {
        const Var var = good_[is_small ? i : random_.below(good_.size())];
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
    return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : flipped_[a] < flipped_[b];
}

void LocalSearch::flip(Var var) {
    values_[var] ^= 1;
    flipped_[var] = step_;
    const Lit now_true = 2 * var + !values_[var];
    const Weight score = scores_[var];
    for (const Clause clause : clauses_.occurrences(now_true)) {
        const std::uint32_t n_before = n_true_[clause]++;
        if (n_before == 0) {
            gain_but(clause, var, -weights_[clause]);
            (clauses_.is_hard(clause) ? false_hard_ : false_soft_).erase(clause);
            if (!clauses_.is_hard(clause)) cost_ -= clauses_.weight(clause);
        } else if (n_before == 1) {
            gain(true_vars_[clause], weights_[clause]);
        }
        true_vars_[clause] ^= var;
    }
    for (const Clause clause : clauses_.occurrences(negated(now_true))) {
        const std::uint32_t n_after = --n_true_[clause];
        true_vars_[clause] ^= var;
        if (n_after == 0) {
            gain_but(clause, var, weights_[clause]);
            (clauses_.is_hard(clause) ? false_hard_ : false_soft_).insert(clause);
            if (!clauses_.is_hard(clause)) cost_ += clauses_.weight(clause);
        } else if (n_after == 1) {
            gain(true_vars_[clause], -weights_[clause]);
        }
    }
    scores_[var] = -score;
    set_good(var);
    if (since_best_.size() < values_.size()) since_best_.push_back(var);
}

void LocalSearch::gain(Var var, Weight weight) {
    scores_[var] += weight;
    set_good(var);
}

void LocalSearch::gain_but(Clause clause, Var var, Weight weight) {
    for (const Lit lit : clauses_[clause]) {
        if (var_of(lit) != var) gain(var_of(lit), weight);
    }
}

void LocalSearch::set_good(Var var) {
    if (scores_[var] > 0 && !decimation_->is_fixed(var)) {
        good_.insert(var);
    } else {
        good_.erase(var);
    }
}

// At a local optimum: what is false shall weigh more. Soft clauses only once the hard ones are satisfied, or they would
// keep the walk from models.
void LocalSearch::reweigh() {
    for (const Clause clause : false_hard_) {
        raise(clause);
        raised_.insert(clause);
    }
    if (false_hard_.empty()) {
        for (const Clause clause : false_soft_) {
            if (weights_[clause] < kMostSoft * tuned_[clause]) raise(clause);
        }
    }
    if (random_.below(kSmoothEvery) == 0) smooth();
}

void LocalSearch::raise(Clause clause) {
    weights_[clause] += tuned_[clause];
    for (const Lit lit : clauses_[clause]) gain(var_of(lit), tuned_[clause]);
}

// Lets satisfied hard clauses that were trouble once weigh less again.
void LocalSearch::smooth() {
    for (std::size_t i = raised_.size(); i-- > 0;) {
        const Clause clause = raised_[i];
        if (n_true_[clause] == 0) continue;
        weights_[clause] -= kUnit;
        if (n_true_[clause] == 1) gain(true_vars_[clause], kUnit);
        if (weights_[clause] == kUnit) raised_.erase(clause);  // the last one, already looked at, takes its place
    }
}

void LocalSearch::note_model() {
    if (!false_hard_.empty() || (!best_.empty() && cost_ >= best_cost_)) return;
    if (best_.empty() || since_best_.size() >= values_.size()) {
        best_ = values_;
    } else {
        for (const Var var : since_best_) best_[var] ^= 1;
    }
    since_best_.clear();
    best_cost_ = cost_;
    improved_at_ = step_;
    is_waiting_ = true;
}

void LocalSearch::hand_over(const OnModel& on_model) {
    if (!std::exchange(is_waiting_, false)) return;
    told_at_ = step_;
    on_model(best_);
}

}  // namespace puretree
