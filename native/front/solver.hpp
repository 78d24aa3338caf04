// Solves sets of atoms: the least cost of a tree with at most k tests, for every k, by dynamic programming over the
// first test and the division of the other tests among its sides, with bounds.
//
// Trees of the two sides of a feature make a tree of the set. Read backwards, the curve of the set bounds those of its
// sides: E_side(i) >= E_set(i + j + 1) - E_other(j). So if sizes are solved in ascending order, every side starts with a
// lower curve, which is what keeps the search small: without it, every test takes five to ten times as long as the one
// before. And a tree restricted to a part has at most as many tests: E_set(k) >= E_side(k) + E_other(k).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "../grown_tree.hpp"
#include "close_pairs.hpp"
#include "curves.hpp"
#include "frame.hpp"
#include "prices.hpp"
#include "problem.hpp"

namespace puretree::front {

class Solver {
public:
    // The totals at `prices` bound the costs of the same sets.
    Solver(const Problem& problem, ClosePairs& close_pairs, const std::deque<PriceSolver>& prices, std::size_t max_bytes);

    // The least cost of a tree of all atoms with at most `k` tests if it is below `cutoff`, else a lower bound that is
    // not. `on_upper` is called when a better tree of all atoms is found. `tick` may throw; call again to continue.
    Cost solve_root(std::size_t k, Cost cutoff, const std::function<void()>& on_upper, const std::function<void()>& tick);

    Cost lower(std::size_t k) const {  // with more tests than the depth allows, no tree is better
        return curves_.lower(*root_, static_cast<std::size_t>(std::min(most_tests(root_->depth), static_cast<Value>(k))));
    }
    Cost upper(std::size_t k) const { return curves_.upper(*root_, k); }

    // Adds a bound of the cost of all trees of all atoms with at most `k` tests.
    void raise_lower(std::size_t k, Cost cost) {
        if (cost > curves_.lower(*root_, k)) curves_.raise_lower(*root_, k, cost);
    }

    // The same for a set with a depth. `lower` is a bound that is known already.
    Cost solve_set(SetView set, std::size_t k, Cost cutoff, Depth depth, Cost lower, const std::function<void()>& tick);

    // The tree of the upper curve with at most `k` tests.
    GrownTree tree(std::size_t k, const std::function<void()>& tick);

    std::size_t n_visited() const { return n_visited_; }
    const Curves& curves() const { return curves_; }
    void limit(std::size_t max_bytes) { curves_.limit(max_bytes); }

private:
    struct Candidate {
        std::uint32_t split;
        Cost bound;  // of a tree that begins with it
        Cost guess;  // to order candidates with the same bound
    };

    // What the search of a set needs while its sides are searched.
    struct Level {
        explicit Level(const Problem& problem) : frame(problem), sides{std::vector<Word>(problem.n_words()), std::vector<Word>(problem.n_words())} {}

        Frame frame;
        std::vector<std::uint32_t> near;  // splits that two tests below the cutoff may begin with
        std::vector<Candidate> candidates;
        std::vector<Cost> curves;  // lower and upper one of the no side, then those of the yes side, of each split
        std::vector<Cost> lower;   // of the set
        std::vector<Cost> bounds;  // of trees that begin with each split
        Ranges ranges;
        ClosePairs::Parts close_pairs;  // of the set
        std::vector<Word> sides[2];
    };

    Cost solve(Entry& entry, std::size_t k, Cost cutoff, std::size_t level, const Frame* parent = nullptr);
    Cost widened(const Entry& entry, Cost cutoff) const;
    void reduce(Entry& entry, std::size_t k, Cost cost, std::uint32_t feature);
    void store(Entry& entry, const Frame::TwoTests& two);
    Cost search(Entry& entry, std::size_t k, Cost cutoff, std::size_t level);
    Cost search_ranges(Entry& entry, std::size_t k, Cost cutoff, Cost rest, std::size_t level);
    Cost search_split(Entry& entry, std::size_t k, Cost best, Candidate& candidate, std::size_t level);
    bool is_answered(const Entry& entry, std::size_t k, Cost cutoff) const {
        const Cost lower = curves_.lower(entry, k);
        return lower >= cutoff || lower == curves_.upper(entry, k);
    }

    Level& level_at(std::size_t level);
    Entry& entry_of(SetView set, Depth depth, Cost leaf);
    void split_set(const Entry& entry, std::uint32_t feature, Level& level) const;
    static Cost bound_sides(Cost* curves, std::size_t k, Depth depth, const Cost* lower, const Cost* weights,
                            std::size_t n_uppers);
    struct Division {
        std::int32_t feature;
        std::size_t n_no, n_yes;  // tests
        Cost no_cost, yes_cost;
    };
    Division divide(Entry& entry, std::size_t k, std::size_t level);

    const Problem& problem_;
    ClosePairs& close_pairs_;
    const std::deque<PriceSolver>& prices_;
    Curves curves_;
    Entry* root_;
    bool has_long_chains_ = false;
    std::deque<Level> levels_;
    std::size_t n_visited_ = 0;
    const std::function<void()>* tick_ = nullptr;
    const std::function<void()>* on_upper_ = nullptr;
};

}  // namespace puretree::front
