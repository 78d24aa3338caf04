#include "prices.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace puretree::front {

PriceSolver::PriceSolver(const Problem& problem, const ClosePairs& close_pairs, Price price, std::size_t max_bytes)
    : problem_(problem), close_pairs_(close_pairs), price_(price), curves_(problem.n_words(), max_bytes) {
    root_ = &entry_of(problem.full_set(), problem.options().max_depth);
    ++root_->n_pins;
    price_.test = std::min(price_.test, upper(*root_) + 1);  // with a higher price a leaf is the best tree, too
}

void PriceSolver::solve_root(Cost cutoff, const std::function<void()>& on_lower, const std::function<void()>& on_upper,
                             const std::function<void()>& tick) {
    tick_ = &tick;
    on_upper_ = &on_upper;
    while (!is_answered(*root_, cutoff)) {
        // The second of several cutoffs reaches the answer, and the first one gives a lower bound in a part of the time.
        const Cost gap = std::min(cutoff, upper()) - lower();
        solve(*root_, lower() + std::max(gap - gap / 4, 1), 0);
        on_lower();
    }
}

void PriceSolver::raise(Entry& entry, Cost total) {
    if (total > lower(entry)) curves_.raise_lower(entry, kAnySize, total);
}

void PriceSolver::reduce(Entry& entry, Cost total, std::uint32_t feature) {
    if (total >= upper(entry)) return;
    curves_.reduce_upper(entry, kAnySize, total, static_cast<std::int32_t>(feature));
    if (&entry == root_) (*on_upper_)();
}

PriceSolver::Level& PriceSolver::level_at(std::size_t level) {
    while (levels_.size() <= level) levels_.emplace_back(problem_);
    return levels_[level];
}

Entry& PriceSolver::entry_of(SetView set, Depth depth) {
    const std::uint64_t hash = Curves::hash_of(set, depth);
    if (Entry* const entry = curves_.find(set, hash, depth)) return *entry;
    std::vector<Cost> totals(problem_.n_channels());
    problem_.add_totals(set, totals.data());
    return curves_.add(set, hash, depth, scaled(problem_.leaf_cost(totals.data())));
}

void PriceSolver::split_set(const Entry& entry, std::uint32_t feature, Level& level) const {
    split(curves_.set_of(entry), problem_.column(feature), level.sets[0], level.sets[1]);
}

// Finds the least total if it is below the cutoff, else a lower bound that is not.
void PriceSolver::solve(Entry& entry, Cost cutoff, std::size_t level, const Frame* parent) {
    const Cost leaf = curves_.upper(entry, 0);
    raise(entry, entry.depth == 0 ? leaf : std::min(leaf, price_.test));
    if (is_answered(entry, cutoff)) return;
    (*tick_)();
    const Pin pin(entry);
    const std::size_t n_before = n_visited_++;
    Level& here = level_at(level);
    Frame& frame = here.frame;
    frame.open(curves_.set_of(entry), &entry == root_, parent);
    const auto& known_pairs = parent ? levels_[level - 1].close_pairs : close_pairs_.all();
    close_pairs_.restrict(curves_.set_of(entry), known_pairs, here.close_pairs);
    if (frame.one_test() < frame.leaf()) reduce(entry, price_.test + scaled(frame.one_test()), frame.one_test_feature());
    const bool has_one_test = frame.splits().empty() || entry.depth == 1;
    raise(entry, has_one_test ? upper(entry) : std::min(upper(entry), 2 * price_.test));
    if (!is_answered(entry, cutoff)) {
        const Cost best = std::min(cutoff, upper(entry));
        if (best <= 3 * price_.test && &entry != root_) {
            store(entry, frame.two_tests(cost_at(best, 2)));
        } else {
            search(entry, cutoff, level);
        }
    }
    entry.effort += static_cast<std::uint32_t>(n_visited_ - n_before);
}

void PriceSolver::store(Entry& entry, const Frame::TwoTests& two) {
    const Cost one = price_.test + scaled(two.one);
    reduce(entry, one, two.one_feature);
    reduce(entry, 2 * price_.test + scaled(two.upper), two.feature);
    raise(entry, std::min({upper(entry), one, 2 * price_.test + scaled(two.lower), 3 * price_.test}));
}

void PriceSolver::search(Entry& entry, Cost cutoff, std::size_t level_number) {
    Level& level = levels_[level_number];
    const auto& splits = level.frame.splits();
    level.sides.resize(splits.size());
    level.near.clear();
    Cost rest = kNoTree;  // the least bound of the splits that are not searched
    for (std::uint32_t s = 0; s < splits.size(); ++s) {
        Sides& sides = level.sides[s];
        sides.bound = kNoTree;
        if (!splits[s].is_first) continue;
        for (const int side : {0, 1}) {
            sides.upper[side] = scaled(splits[s].leaf[side]);
            const std::int64_t of_pairs = close_pairs_.total(level.close_pairs, splits[s].feature, side, price_.test, price_.unit);
            const Cost least = static_cast<Cost>(std::clamp<std::int64_t>(of_pairs, price_.test, kNoTree));
            sides.lower[side] = std::min(sides.upper[side], least);
        }
        bound_sides(entry, splits[s], sides);
        if (sides.bound < std::min(cutoff, upper(entry))) {
            level.near.push_back(s);
        } else {
            rest = std::min(rest, sides.bound);
        }
    }
    const bool has_ranges = level.frame.has_long_chains();
    rest = has_ranges ? search_ranges(entry, cutoff, rest, level_number) : search_near(entry, cutoff, rest, level_number);
    if (!is_answered(entry, cutoff)) raise(entry, std::min(rest, upper(entry)));
}

// Bounds the sides by each other: their trees make a tree of the set, and a tree of one side is one of the set, which
// costs at most the weight of the other side more.
void PriceSolver::bound_sides(const Entry& entry, const Frame::Split& split, Sides& sides) const {
    for (const int side : {0, 1}) {
        Cost& own = sides.lower[side];
        own = std::max(own, lower(entry) - price_.test - sides.upper[!side]);
        if (&entry != root_) own = std::max(own, lower(entry) - scaled(split.weight[!side]));
    }
    sides.bound = std::min(kNoTree, price_.test + sides.lower[0] + sides.lower[1]);
}

// Adds what the pairs with a split say: the best trees of its sides with one test.
void PriceSolver::add_pairs(Entry& entry, std::size_t split, Level& level) {
    Sides& sides = level.sides[split];
    for (const int side : {0, 1}) {
        const Cost one = price_.test + scaled(level.frame.one_test(split, side));
        if (entry.depth > 1) sides.upper[side] = std::min(sides.upper[side], one);
        sides.lower[side] = std::max(sides.lower[side], std::min(sides.upper[side], 2 * price_.test));
    }
    reduce(entry, price_.test + sides.upper[0] + sides.upper[1], level.frame.splits()[split].feature);
}

void PriceSolver::add_known(const Entry& entry, Sides& sides, int side) const {
    sides.lower[side] = std::max(sides.lower[side], lower(entry));
    sides.upper[side] = std::min(sides.upper[side], upper(entry));
}

// Searches the near splits one by one; returns the least bound of all splits that are not better than the best tree.
Cost PriceSolver::search_near(Entry& entry, Cost cutoff, Cost rest, std::size_t level_number) {
    Level& level = levels_[level_number];
    const auto& splits = level.frame.splits();
    const Depth depth = depth_below(entry.depth);
    const auto best = [&] { return std::min(cutoff, upper(entry)); };
    level.frame.count_pairs(level.near);
    std::size_t n_kept = 0;
    for (const std::uint32_t s : level.near) {
        Sides& sides = level.sides[s];
        add_pairs(entry, s, level);
        bound_sides(entry, splits[s], sides);
        if (sides.bound < best()) {
            split_set(entry, splits[s].feature, level);
            for (const int side : {0, 1}) {
                const SetView set = level.sets[side];
                if (const Entry* known = curves_.find(set, Curves::hash_of(set, depth), depth)) add_known(*known, sides, side);
                if (entry.depth == kAnyDepth && problem_.is_monotone()) raise(entry, sides.lower[side]);
            }
            reduce(entry, price_.test + sides.upper[0] + sides.upper[1], splits[s].feature);
            bound_sides(entry, splits[s], sides);
        }
        if (sides.bound < best()) {
            level.near[n_kept++] = s;
        } else {
            rest = std::min(rest, sides.bound);
        }
    }
    level.near.resize(n_kept);
    std::ranges::sort(level.near, {}, [&](std::uint32_t s) {
        const Sides& sides = level.sides[s];
        return std::tuple(sides.upper[0] + sides.upper[1], sides.bound, s);
    });
    for (std::size_t i = 0; i < level.near.size() && !is_answered(entry, cutoff); ++i) {
        const std::uint32_t s = level.near[i];
        if (level.sides[s].bound < best()) {
            search_split(entry, s, cutoff, level_number);
            for (std::size_t j = i + 1; j < level.near.size() && problem_.is_monotone(); ++j) {
                if (level.sides[level.near[j]].bound < best()) bound_similar(entry, s, level.near[j], level);
            }
        }
        rest = std::min(rest, level.sides[s].bound);
    }
    return rest;
}

// Searches splits with nested sides by ranges: each split that is searched bounds the others of its chain.
Cost PriceSolver::search_ranges(Entry& entry, Cost cutoff, Cost rest, std::size_t level_number) {
    Level& level = levels_[level_number];
    const auto& splits = level.frame.splits();
    const auto is_near = [&](std::size_t s) {
        if (level.sides[s].bound < std::min(cutoff, upper(entry))) return true;
        rest = std::min(rest, level.sides[s].bound);
        return false;
    };
    level.frame.collect_chains(level.ranges);
    visit_ranges(level.ranges, is_near, [&](std::size_t s, std::size_t begin, std::size_t end) {
        level.frame.count_pairs({static_cast<std::uint32_t>(s)});
        add_pairs(entry, s, level);
        bound_sides(entry, splits[s], level.sides[s]);
        if (level.sides[s].bound < std::min(cutoff, upper(entry))) search_split(entry, s, cutoff, level_number);
        rest = std::min(rest, level.sides[s].bound);
        if (is_answered(entry, cutoff)) return false;
        for (std::size_t other = begin; other < end; ++other) {
            if (other == s || level.sides[other].bound >= std::min(cutoff, upper(entry))) continue;
            bound_nested(s, other, level);
            bound_sides(entry, splits[other], level.sides[other]);
        }
        return true;
    });
    return rest;
}

// A tree of one set is one of any other set, and costs at most the weight of what that has more.
void PriceSolver::bound_similar(const Entry& entry, std::size_t split, std::size_t other, Level& level) const {
    const auto& splits = level.frame.splits();
    const SetView set = curves_.set_of(entry);
    const SetView column = problem_.column(splits[split].feature), other_column = problem_.column(splits[other].feature);
    const std::span<Word> rest(level.sets[0]);
    for (const int side : {0, 1}) {
        for (const int other_side : {0, 1}) {
            const Cost lower = level.sides[split].lower[side];
            Cost& other_lower = level.sides[other].lower[other_side];
            if (lower <= other_lower) continue;
            const Word flip = side ? 0 : ~Word{0}, other_flip = other_side ? ~Word{0} : 0;
            for (std::size_t w = 0; w < set.size(); ++w) rest[w] = set[w] & (column[w] ^ flip) & (other_column[w] ^ other_flip);
            other_lower = std::max(other_lower, lower - scaled(problem_.weight(rest)));
        }
    }
    bound_sides(entry, splits[other], level.sides[other]);
}

// The same for two splits of a chain, whose sides are nested; and the larger side costs at least as much.
void PriceSolver::bound_nested(std::size_t split, std::size_t other, Level& level) const {
    const Frame::Split& one = level.frame.splits()[split];
    const Frame::Split& two = level.frame.splits()[other];
    const Nesting at = nesting(split, one.low, other, two.low);
    const Sides& from = level.sides[split];
    Sides& to = level.sides[other];
    const Cost moved = scaled(one.weight[at.shrunk] - two.weight[at.other_shrunk]);
    to.lower[at.other_shrunk] = std::max(to.lower[at.other_shrunk], from.lower[at.shrunk] - moved);
    if (!problem_.is_monotone()) return;
    to.lower[at.other_grown] = std::max(to.lower[at.other_grown], from.lower[at.grown]);
    to.upper[at.other_shrunk] = std::min(to.upper[at.other_shrunk], from.upper[at.shrunk]);
}

// Solves one side, and the other one for what the first leaves of the cutoff.
void PriceSolver::search_split(Entry& entry, std::size_t s, Cost cutoff, std::size_t level_number) {
    Level& level = levels_[level_number];
    const Frame::Split split = level.frame.splits()[s];
    Sides& sides = level.sides[s];
    const Depth depth = depth_below(entry.depth);
    split_set(entry, split.feature, level);
    const int first = count(level.sets[0]) <= count(level.sets[1]) ? 0 : 1;
    Entry& no = entry_of(level.sets[0], depth);
    const Pin pin_no(no);
    Entry& yes = entry_of(level.sets[1], depth);
    const Pin pin_yes(yes);
    Entry* const entries[2] = {&no, &yes};
    for (const int side : {0, 1}) add_known(*entries[side], sides, side);
    bound_sides(entry, split, sides);
    for (const int side : {0, 1}) raise(*entries[side], sides.lower[side]);
    for (const int side : {first, 1 - first}) {
        const Cost best = std::min(cutoff, upper(entry));
        if (sides.bound >= best) return;
        Entry& own = *entries[side];
        const Cost left = best - price_.test - sides.lower[!side];
        const Cost few = std::min(left, upper(own));
        if (!is_answered(own, left) && few <= 3 * price_.test && depth > 1) {
            (*tick_)();
            ++n_visited_;
            store(own, level.frame.two_tests(s, side, cost_at(few, 2)));
        } else {
            solve(own, left, level_number + 1, &level.frame);
        }
        add_known(own, sides, side);
        sides.bound = price_.test + sides.lower[0] + sides.lower[1];
    }
    reduce(entry, price_.test + sides.upper[0] + sides.upper[1], split.feature);
}

GrownTree PriceSolver::tree(const std::function<void()>& tick) {
    struct Node {
        std::vector<Word> set;
        Depth depth;
        Cost total;  // of its tree, at most
    };
    tick_ = &tick;
    constexpr std::size_t kLevel = 1;  // at the root, deeper levels are not in use
    GrownTree tree;
    const SetView all = problem_.full_set();
    std::deque<Node> queue{{{all.begin(), all.end()}, problem_.options().max_depth, upper(*root_)}};
    std::vector<Cost> totals(problem_.n_channels());
    Cost total = 0;
    const auto reach = [&](Entry& entry, Cost total) {  // what led to an upper bound may have been dropped
        if (upper(entry) > total) solve(entry, total + 1, kLevel);
    };
    for (; !queue.empty(); queue.pop_front()) {
        const Node node = queue.front();
        Entry& entry = tree.feature.empty() ? *root_ : entry_of(node.set, node.depth);
        const Pin pin(entry);
        reach(entry, node.total);
        if (upper(entry) == curves_.upper(entry, 0)) {
            std::ranges::fill(totals, 0);
            problem_.add_totals(node.set, totals.data());
            tree.add_leaf(problem_.leaf_label(totals.data()));
            total += upper(entry);
            continue;
        }
        total += price_.test;
        const auto feature = static_cast<std::size_t>(curves_.feature(entry, kAnySize));
        tree.add_inner(feature);
        std::vector<Word> sets[2]{std::vector<Word>(node.set.size()), std::vector<Word>(node.set.size())};
        split(node.set, problem_.column(feature), sets[0], sets[1]);
        const Depth depth = depth_below(node.depth);
        Entry& no = entry_of(sets[0], depth);
        const Pin pin_no(no);
        Entry& yes = entry_of(sets[1], depth);
        const Pin pin_yes(yes);
        const Cost of_sides = upper(entry) - price_.test;
        if (upper(no) + upper(yes) > of_sides) {
            solve(no, of_sides - lower(yes) + 1, kLevel);  // exactly: only then the other side is known to fit
            reach(yes, of_sides - upper(no));
        }
        queue.push_back({std::move(sets[0]), depth, upper(no)});
        queue.push_back({std::move(sets[1]), depth, upper(yes)});
    }
    // The sides may have better trees meanwhile than when the upper bound was set.
    if (total < upper()) curves_.reduce_upper(*root_, kAnySize, total, tree.feature.front());
    return tree;
}

}  // namespace puretree::front
