// The least cost of a tree at a price for each test. Unlike with sizes, no tests are divided among the sides of a split:
// each side minimises its own total, so one search answers what sizes answer in many. And it bounds the whole front: the
// total less the price of k tests is a lower bound of the cost of every tree with k tests.
//
// A set is asked whether its total is below a cutoff, in branch and bound. Asking for ever higher cutoffs, which is what
// keeps the search for sizes small, costs time here (spect at a price of 2: 0.5 instead of 0.1 s), and so does asking for
// a little more than needed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "../grown_tree.hpp"
#include "close_pairs.hpp"
#include "curves.hpp"
#include "frame.hpp"
#include "problem.hpp"

namespace puretree::front {

// A total is `unit` times the cost, and `test` for each test.
struct Price {
    Cost test, unit;

    bool operator==(const Price&) const = default;
};

inline constexpr Cost kMostTotal = kNoTree / 4;  // sums of four totals are not too large

class PriceSolver {
public:
    // The total of a single leaf may be kMostTotal.
    PriceSolver(const Problem& problem, const ClosePairs& close_pairs, Price price, std::size_t max_bytes);
    PriceSolver(const PriceSolver&) = delete;
    PriceSolver& operator=(const PriceSolver&) = delete;

    // Finds the least total of a tree of all atoms that is below `cutoff`, or that there is none. The functions are called
    // when a bound improves. `tick` may throw; call again to continue.
    void solve_root(Cost cutoff, const std::function<void()>& on_lower, const std::function<void()>& on_upper,
                    const std::function<void()>& tick);

    Cost lower() const { return lower(*root_); }
    Cost upper() const { return upper(*root_); }

    // A lower bound of the cost of a tree of a set with `k` tests, for a lower bound of its total.
    Cost cost_at(Cost total, std::size_t k) const {
        const std::int64_t rest = total - static_cast<std::int64_t>(k) * price_.test;
        return rest <= 0 ? 0 : static_cast<Cost>((rest - 1) / price_.unit + 1);
    }

    // A lower bound of the total of a set; 0 if it was not searched.
    Cost known_lower(SetView set, std::uint64_t hash, Depth depth) const {
        const Entry* const entry = curves_.find(set, hash, depth);
        return entry ? lower(*entry) : 0;
    }

    // The tree of the upper bound; may be called by `on_upper`.
    GrownTree tree(const std::function<void()>& tick);

    Price price() const { return price_; }
    std::size_t n_visited() const { return n_visited_; }
    const Curves& curves() const { return curves_; }
    void limit(std::size_t max_bytes) { curves_.limit(max_bytes); }

private:
    // Bounds of the totals of both sides of a split, and of a tree that begins with it.
    struct Sides {
        Cost lower[2], upper[2];
        Cost bound;
    };

    // What the search of a set needs while its sides are searched.
    struct Level {
        explicit Level(const Problem& problem)
            : frame(problem), sets{std::vector<Word>(problem.n_words()), std::vector<Word>(problem.n_words())} {}

        Frame frame;
        std::vector<Sides> sides;         // of each split
        std::vector<std::uint32_t> near;  // splits that a tree below the cutoff may begin with
        Ranges ranges;
        ClosePairs::Parts close_pairs;    // of the set
        std::vector<Word> sets[2];
    };

    static constexpr std::size_t kAnySize = 1;  // where the curves keep totals; at 0 is that of a leaf

    Cost lower(const Entry& entry) const { return curves_.lower(entry, kAnySize); }
    Cost upper(const Entry& entry) const { return curves_.upper(entry, kAnySize); }
    void raise(Entry& entry, Cost total);
    void reduce(Entry& entry, Cost total, std::uint32_t feature);
    bool is_answered(const Entry& entry, Cost cutoff) const {
        return lower(entry) >= cutoff || lower(entry) == upper(entry);
    }
    Cost scaled(Cost cost) const { return cost >= kNoTree / price_.unit ? kNoTree : cost * price_.unit; }

    void solve(Entry& entry, Cost cutoff, std::size_t level, const Frame* parent = nullptr);
    void store(Entry& entry, const Frame::TwoTests& two);
    void search(Entry& entry, Cost cutoff, std::size_t level);
    Cost search_near(Entry& entry, Cost cutoff, Cost rest, std::size_t level);
    Cost search_ranges(Entry& entry, Cost cutoff, Cost rest, std::size_t level);
    void search_split(Entry& entry, std::size_t split, Cost cutoff, std::size_t level);
    void bound_sides(const Entry& entry, const Frame::Split& split, Sides& sides) const;
    void bound_similar(const Entry& entry, std::size_t split, std::size_t other, Level& level) const;
    void bound_nested(std::size_t split, std::size_t other, Level& level) const;
    void add_pairs(Entry& entry, std::size_t split, Level& level);
    void split_set(const Entry& entry, std::uint32_t feature, Level& level) const;
    void add_known(const Entry& entry, Sides& sides, int side) const;

    Level& level_at(std::size_t level);
    Entry& entry_of(SetView set, Depth depth);

    const Problem& problem_;
    const ClosePairs& close_pairs_;
    Price price_;
    Curves curves_;
    Entry* root_;
    std::deque<Level> levels_;
    std::size_t n_visited_ = 0;
    const std::function<void()>* tick_ = nullptr;
    const std::function<void()>* on_upper_ = nullptr;
};

}  // namespace puretree::front
