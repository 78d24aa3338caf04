// The search of the front: the least cost of a tree for every number of tests, in ascending order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>

#include "../grown_tree.hpp"
#include "close_pairs.hpp"
#include "forest.hpp"
#include "prices.hpp"
#include "problem.hpp"
#include "solver.hpp"

namespace puretree::front {

struct Callbacks {
    std::function<void(std::size_t k, std::int64_t lower)> on_lower;  // a bound of the cost with at most k tests
    std::function<void(std::size_t k, std::int64_t cost, const GrownTree& tree)> on_tree;
};

struct PriceCallbacks {
    std::function<void(std::int64_t lower)> on_lower;  // a bound of the total
    std::function<void(std::int64_t cost, const GrownTree& tree)> on_tree;
};

class Search {
public:
    Search(Problem problem, std::size_t max_bytes)
        : problem_(std::move(problem)), close_pairs_(problem_), solver_(problem_, close_pairs_, prices_, max_bytes),
          max_bytes_(max_bytes) {}
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    // For every k from 0 on, looks for a tree with at most k tests that costs less than cutoffs[k]. Returns when every k
    // is answered: the least cost was reported, or it is not below the cutoff. `tick` may throw; call again to continue.
    void run(std::span<const std::int64_t> cutoffs, const Callbacks& callbacks, const std::function<void()>& tick);

    // Looks for the tree of least total that is below `cutoff`. Returns when it was reported, or there is none. `tick` may
    // throw; call again with the same price to continue. The totals of a price that was answered bound the costs of sets
    // in `run`, as long as the memory suffices.
    void run_price(Price price, std::int64_t cutoff, const PriceCallbacks& callbacks, const std::function<void()>& tick);

    // All trees with at most `max_tests` tests and at most `max_cost`; see forest.hpp. The problem must have all examples.
    CostForest find_forest(std::size_t max_tests, std::int64_t max_cost, std::size_t max_bytes,
                           const std::function<void()>& tick);

    // The sets that were searched, a measure of the work.
    std::size_t n_sets() const { return solver_.n_visited() + n_of_prices_ + (is_finished_ ? 0 : prices_.back().n_visited()); }

    const Problem& problem() const { return problem_; }
    Solver& solver() { return solver_; }

private:
    void divide_memory();

    Problem problem_;
    ClosePairs close_pairs_;
    std::deque<PriceSolver> prices_;  // the last one may be unfinished
    Solver solver_;
    std::size_t max_bytes_;
    Price price_{};                  // the last one
    bool is_finished_ = true;        // whether it is answered
    std::size_t n_of_prices_ = 0;    // sets of the other prices
    Cost reported_total_ = kNoTree;  // of the last tree at the last price
};

}  // namespace puretree::front
