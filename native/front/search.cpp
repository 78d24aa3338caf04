#include "search.hpp"

#include <algorithm>
#include <vector>

namespace puretree::front {

void Search::run(std::span<const std::int64_t> cutoffs, const Callbacks& callbacks, const std::function<void()>& tick) {
    solver_.limit(max_bytes_ - std::min(max_bytes_, prices_ ? prices_->curves().n_bytes() : 0));
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
    if (!prices_ || price != price_) {
        prices_.emplace(problem_, price, max_bytes_);
        price_ = price;
        reported_total_ = kNoTree;
    }
    prices_->limit(max_bytes_ - std::min(max_bytes_, solver_.curves().n_bytes()));
    const std::int64_t base = problem_.least_cost() * std::int64_t{price.unit};
    const Cost below = static_cast<Cost>(std::clamp<std::int64_t>(cutoff - base, 0, kNoTree));
    const auto report_tree = [&] {
        if (prices_->upper() >= std::min(reported_total_, below)) return;
        const GrownTree tree = prices_->tree(tick);
        reported_total_ = prices_->upper();
        const auto n_tests = static_cast<Cost>(tree.feature.size() / 2);
        callbacks.on_tree(problem_.least_cost() + (reported_total_ - n_tests * prices_->price().test) / price.unit, tree);
    };
    const auto report_lower = [&] {
        const Cost total = prices_->lower(), of_test = prices_->price().test;
        for (std::size_t k = 0; k < Curves::kMaxTests && total > static_cast<Cost>(k) * of_test; ++k) {
            solver_.raise_lower(k, (total - static_cast<Cost>(k) * of_test - 1) / price.unit + 1);
        }
        callbacks.on_lower(base + total);
    };
    prices_->solve_root(below, report_lower, report_tree, tick);
    report_tree();
    report_lower();
    prices_.reset();
}

CostForest Search::find_forest(std::size_t max_tests, std::int64_t max_cost, std::size_t max_bytes,
                               const std::function<void()>& tick) {
    // The curve of all atoms bounds those of the sides, so it pays even where it is not needed to know which trees exist.
    for (std::size_t k = 0; k <= max_tests; ++k) solver_.solve_root(k, kNoTree, [] {}, tick);
    const auto budget = std::clamp<std::int64_t>(max_cost - problem_.least_cost(), -1, kNoTree - 1);
    return build_forest(problem_, solver_, max_tests, static_cast<Cost>(budget), max_bytes, tick);
}

}  // namespace puretree::front
