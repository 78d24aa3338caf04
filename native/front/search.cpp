#include "search.hpp"

#include <algorithm>
#include <vector>

namespace puretree::front {

void Search::run(std::span<const std::int64_t> cutoffs, const Callbacks& callbacks, const std::function<void()>& tick) {
    divide_memory();
    const std::int64_t base = problem_.least_cost();
    std::vector<Cost> reported(cutoffs.size(), kNoTree);  // the costs of the reported trees
    std::vector<Cost> lower(cutoffs.size(), 0);
    const auto report_lower = [&] {
        for (std::size_t k = 0; k < cutoffs.size(); ++k) {
            const Cost bound = std::min(solver_.lower(k), kNoTree);
            if (bound <= lower[k]) continue;
            lower[k] = bound;
            callbacks.on_lower(k, base + bound);
        }
    };
    for (std::size_t k = 0; k < cutoffs.size(); ++k) {
        const Cost cutoff = static_cast<Cost>(std::clamp<std::int64_t>(cutoffs[k] - base, 0, kNoTree));
        const auto report_tree = [&] {
            if (solver_.upper(k) >= std::min(reported[k], cutoff)) return;
            const GrownTree tree = solver_.tree(k, tick);
            const Cost cost = solver_.upper(k);
            for (std::size_t more = k; more < cutoffs.size(); ++more) reported[more] = std::min(reported[more], cost);
            callbacks.on_tree(k, base + cost, tree);
        };
        solver_.solve_root(k, cutoff, report_tree, tick);
        report_tree();
        report_lower();
    }
}

void Search::run_price(Price price, std::int64_t cutoff, const PriceCallbacks& callbacks, const std::function<void()>& tick) {
    if (is_finished_ || price != price_) {
        if (!is_finished_) {
            n_of_prices_ += prices_.back().n_visited();
            prices_.pop_back();
        }
        prices_.emplace_back(problem_, close_pairs_, price, max_bytes_);
        price_ = price;
        reported_total_ = kNoTree;
        is_finished_ = false;
    }
    divide_memory();
    PriceSolver& solver = prices_.back();
    const std::int64_t base = problem_.least_cost() * std::int64_t{price.unit};
    const Cost below = static_cast<Cost>(std::clamp<std::int64_t>(cutoff - base, 0, kNoTree));
    const auto report_tree = [&] {
        if (solver.upper() >= std::min(reported_total_, below)) return;
        const GrownTree tree = solver.tree(tick);
        reported_total_ = solver.upper();
        callbacks.on_tree(problem_.least_cost() + solver.cost_at(reported_total_, tree.feature.size() / 2), tree);
    };
    const auto report_lower = [&] {
        for (std::size_t k = 0; k < Curves::kMaxTests; ++k) {
            const Cost cost = solver.cost_at(solver.lower(), k);
            if (cost == 0) break;
            solver_.raise_lower(k, cost);
        }
        callbacks.on_lower(base + solver.lower());
    };
    solver.solve_root(below, report_lower, report_tree, tick);
    report_tree();
    report_lower();
    n_of_prices_ += solver.n_visited();
    is_finished_ = true;
    divide_memory();
}

// Gives the unfinished price, or else the sizes, what the others do not use. The prices that are answered may use half of
// the memory; the bounds of the first ones are given up first.
void Search::divide_memory() {
    std::size_t used = 0;
    const auto n_finished = static_cast<std::ptrdiff_t>(prices_.size() - (is_finished_ ? 0 : 1));
    for (auto solver = prices_.begin(); solver != prices_.begin() + n_finished; ++solver) used += solver->curves().n_bytes();
    for (std::ptrdiff_t n = n_finished; n > 0 && used > max_bytes_ / 2; --n) {
        used -= prices_.front().curves().n_bytes();
        prices_.pop_front();
    }
    const auto rest = [&](std::size_t bytes) { return max_bytes_ - std::min(max_bytes_, used + bytes); };
    if (!is_finished_) prices_.back().limit(rest(solver_.curves().n_bytes()));
    solver_.limit(rest(is_finished_ ? 0 : prices_.back().curves().n_bytes()));
}

CostForest Search::find_forest(std::size_t max_tests, std::int64_t max_cost, std::size_t max_bytes,
                               const std::function<void()>& tick) {
    // The curve of all atoms bounds those of the sides, so it pays even where it is not needed to know which trees exist.
    for (std::size_t k = 0; k <= max_tests; ++k) solver_.solve_root(k, kNoTree, [] {}, tick);
    const auto budget = std::clamp<std::int64_t>(max_cost - problem_.least_cost(), -1, kNoTree - 1);
    return build_forest(problem_, solver_, max_tests, static_cast<Cost>(budget), max_bytes, tick);
}

}  // namespace puretree::front
