#include "solver.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace puretree::front {

Solver::Solver(const Problem& problem, ClosePairs& close_pairs, const std::deque<PriceSolver>& prices, std::size_t max_bytes)
    : problem_(problem), close_pairs_(close_pairs), prices_(prices), curves_(problem.n_words(), max_bytes) {
    const auto& chain_of = problem.chains().chain_of;
    has_long_chains_ = !chain_of.empty() && chain_of.size() > 3 * (std::size_t{std::ranges::max(chain_of)} + 1);
    std::vector<Cost> totals(problem.n_channels());
    problem.add_totals(problem.full_set(), totals.data());
    const SetView all = problem.full_set();
    const Depth depth = problem.options().max_depth;
    root_ = &curves_.add(all, Curves::hash_of(all, depth), depth, problem.leaf_cost(totals.data()));
    ++root_->n_pins;
}

Cost Solver::solve_root(std::size_t k, Cost cutoff, const std::function<void()>& on_upper, const std::function<void()>& tick) {
    tick_ = &tick;
    on_upper_ = &on_upper;
    return solve(*root_, k, cutoff, 0);
}

Cost Solver::solve_set(SetView set, std::size_t k, Cost cutoff, Depth depth, Cost lower,
                       const std::function<void()>& tick) {
    tick_ = &tick;
    std::vector<Cost> totals(problem_.n_channels());
    problem_.add_totals(set, totals.data());
    Entry& entry = entry_of(set, depth, problem_.leaf_cost(totals.data()));
    if (lower > curves_.lower(entry, k)) curves_.raise_lower(entry, k, lower);
    return solve(entry, k, cutoff, 0);
}

Solver::Level& Solver::level_at(std::size_t level) {
    while (levels_.size() <= level) levels_.emplace_back(problem_);
    return levels_[level];
}

// The least cost with at most k tests if it is below the cutoff, else a lower bound that is not.
Cost Solver::solve(Entry& entry, std::size_t k, Cost cutoff, std::size_t level, const Frame* parent) {
    k = std::min<std::size_t>(k, static_cast<std::size_t>(most_tests(entry.depth)));
    if (is_answered(entry, k, cutoff)) return curves_.lower(entry, k);
    (*tick_)();
    const Pin pin(entry);
    if (&entry != root_) cutoff = widened(entry, cutoff);
    const std::size_t n_before = n_visited_++;
    Level& here = level_at(level);
    Frame& frame = here.frame;
    frame.open(curves_.set_of(entry), &entry == root_, parent);
    const auto& known_pairs = parent ? levels_[level - 1].close_pairs : close_pairs_.all();
    close_pairs_.restrict(curves_.set_of(entry), known_pairs, here.close_pairs);
    if (frame.one_test() < frame.leaf()) reduce(entry, 1, frame.one_test(), frame.one_test_feature());
    curves_.raise_lower(entry, 1, frame.one_test());
    if (frame.splits().empty()) {
        curves_.raise_lower(entry, k, frame.leaf());
    } else if (k == 2 && &entry != root_) {
        store(entry, frame.two_tests(cutoff));
    } else if (!is_answered(entry, k, cutoff)) {
        search(entry, k, cutoff, level);
    }
    entry.effort += static_cast<std::uint32_t>(n_visited_ - n_before);
    return curves_.lower(entry, k);
}

// A cutoff that answers later questions about a set, too, where its neighbours in a chain or the small depth make such
// questions likely. On bits it would cost time.
Cost Solver::widened(const Entry& entry, Cost cutoff) const {
    if (entry.depth <= 2) return kNoTree;
    const Cost leaf = curves_.upper(entry, 0);
    const Cost more = entry.depth != kAnyDepth ? leaf / 5 : has_long_chains_ ? leaf / 10 : 0;
    return std::min(kNoTree, cutoff + std::min(more, kNoTree - cutoff));
}

void Solver::reduce(Entry& entry, std::size_t k, Cost cost, std::uint32_t feature) {
    if (cost < curves_.upper(entry, k)) curves_.reduce_upper(entry, k, cost, static_cast<std::int32_t>(feature));
}

void Solver::store(Entry& entry, const Frame::TwoTests& two) {
    reduce(entry, 1, two.one, two.one_feature);
    reduce(entry, 2, two.upper, two.feature);
    curves_.raise_lower(entry, 1, two.one);
    curves_.raise_lower(entry, 2, two.lower);
}

Entry& Solver::entry_of(SetView set, Depth depth, Cost leaf) {
    const std::uint64_t hash = Curves::hash_of(set, depth);
    if (Entry* const entry = curves_.find(set, hash, depth)) return *entry;
    Entry& entry = curves_.add(set, hash, depth, leaf);
    const auto most = static_cast<std::size_t>(std::min<Value>(most_tests(depth), Curves::kMaxTests - 1));
    for (const PriceSolver& prices : prices_) {
        const Cost total = prices.known_lower(set, hash, depth);
        for (std::size_t k = 1; k <= most; ++k) {
            const Cost cost = prices.cost_at(total, k);
            if (cost == 0) break;
            if (cost > curves_.lower(entry, k)) curves_.raise_lower(entry, k, cost);
        }
    }
    return entry;
}

void Solver::split_set(const Entry& entry, std::uint32_t feature, Level& level) const {
    split(curves_.set_of(entry), problem_.column(feature), level.sides[0], level.sides[1]);
}

// Raises the lower curves of both sides by that of the set, and returns the bound of the set for k tests. `curves` has
// k numbers for each: lower and upper one of one side, then those of the other. The upper curves do not decrease any
// more from `n_uppers - 1` tests on.
Cost Solver::bound_sides(Cost* curves, std::size_t k, Depth depth, const Cost* lower, const Cost* weights, std::size_t n_uppers) {
    const std::size_t most = static_cast<std::size_t>(std::min<Value>(most_tests(depth), static_cast<Value>(k - 1)));
    for (const bool side : {false, true}) {
        Cost* const own = curves + (side ? 2 * k : 0);
        const Cost* const other = curves + (side ? 0 : 2 * k) + k;
        const Cost weight = weights ? weights[!side] : kNoTree;  // of the other side: its examples can cost no more
        Cost bound = 0;
        for (std::size_t i = most + 1; i-- > 0;) {
            bound = std::max({bound, own[i], lower[i] - weight});
            const Cost* const sum = lower + i + 1;
            const std::size_t n = std::min(n_uppers, k - 1 - i);
            for (std::size_t j = 0; j < n; ++j) bound = std::max(bound, sum[j] - other[j]);
            own[i] = bound;
        }
        for (std::size_t i = most + 1; i < k; ++i) own[i] = own[most];
    }
    Cost least = kNoTree;
    const Cost* const no = curves;
    const Cost* const yes = curves + 2 * k;
    for (std::size_t i = 0; i < k; ++i) least = std::min(least, no[i] + yes[k - 1 - i]);
    return least;
}

Cost Solver::search(Entry& entry, std::size_t k, Cost cutoff, std::size_t level_number) {
    Level& level = levels_[level_number];
    Frame& frame = level.frame;
    const Depth depth = depth_below(entry.depth);
    const bool is_deep = entry.depth == kAnyDepth;
    const bool is_root = &entry == root_;
    const auto& splits = frame.splits();
    level.lower.resize(k + 1);
    const auto copy_lower = [&] {
        for (std::size_t i = 0; i <= k; ++i) level.lower[i] = curves_.lower(entry, i);
    };
    copy_lower();
    level.curves.resize(splits.size() * 4 * k);
    Cost best = std::min(cutoff, curves_.upper(entry, k));
    Cost rest = kNoTree;  // the least bound of the splits that are not searched
    const auto bound_of = [&](std::uint32_t s, std::size_t n_uppers) {
        const Cost* const weights = is_root ? nullptr : splits[s].weight;
        return bound_sides(level.curves.data() + s * 4 * k, k, depth, level.lower.data(), weights, n_uppers);
    };
    // What follows from the leaves and from close pairs, then from the pairs of the splits that remain.
    level.near.clear();
    level.bounds.resize(splits.size());
    for (std::uint32_t s = 0; s < splits.size(); ++s) {
        if (!splits[s].is_first) {
            level.bounds[s] = kNoTree;
            continue;
        }
        Cost* const curves = level.curves.data() + s * 4 * k;
        for (const int side : {0, 1}) {
            Cost* const lower = curves + side * 2 * k;
            std::fill_n(lower, k, 0);
            std::fill_n(lower + k, k, splits[s].leaf[side]);
            lower[0] = splits[s].leaf[side];
            close_pairs_.raise(level.close_pairs, splits[s].feature, side, {lower, k});
        }
        const Cost bound = level.bounds[s] = bound_of(s, 1);
        if (bound < best) {
            level.near.push_back(s);
        } else {
            rest = std::min(rest, bound);
        }
    }
    if (frame.has_long_chains()) return std::min(search_ranges(entry, k, cutoff, rest, level_number), kNoTree);
    frame.count_pairs(level.near);
    level.candidates.clear();
    Cost two = frame.one_test();
    bool are_all_counted = true;
    for (std::uint32_t s = 0; s < splits.size(); ++s) are_all_counted &= frame.is_counted(s) || !splits[s].is_first;
    for (std::uint32_t s = 0; s < splits.size(); ++s) {
        if (!splits[s].is_first || !frame.is_counted(s)) continue;
        const Cost no = frame.one_test(s, 0), yes = frame.one_test(s, 1);
        const Cost with_two = std::min(splits[s].leaf[0] + yes, no + splits[s].leaf[1]);
        two = std::min(two, with_two);
        reduce(entry, 2, with_two, splits[s].feature);
        if (entry.depth > 1) reduce(entry, 3, no + yes, splits[s].feature);
    }
    if (are_all_counted) curves_.raise_lower(entry, 2, two);
    copy_lower();
    best = std::min(best, curves_.upper(entry, k));
    for (const std::uint32_t s : level.near) {
        Cost* const curves = level.curves.data() + s * 4 * k;
        for (const int side : {0, 1}) {
            Cost* const lower = curves + side * 2 * k;
            const Cost one = frame.one_test(s, side);
            if (k > 1) lower[1] = one;
            std::fill_n(lower + k + 1, k - 1, one);
        }
        const Cost bound = bound_of(s, 2);
        if (bound < best) {
            level.candidates.push_back({s, bound, 0});
        } else {
            rest = std::min(rest, bound);
        }
    }
    // What is known about the sides.
    std::size_t n_kept = 0;
    for (Candidate candidate : level.candidates) {
        const Frame::Split& split = splits[candidate.split];
        Cost* const curves = level.curves.data() + candidate.split * 4 * k;
        split_set(entry, split.feature, level);
        Entry* known[2];
        for (const int side : {0, 1}) {
            const SetView set = level.sides[side];
            known[side] = curves_.find(set, Curves::hash_of(set, depth), depth);
            if (!known[side]) continue;
            Cost* const lower = curves + side * 2 * k;
            for (std::size_t i = 0; i < k; ++i) {
                lower[i] = std::max(lower[i], curves_.lower(*known[side], i));
                lower[k + i] = std::min(lower[k + i], curves_.upper(*known[side], i));
            }
        }
        if (known[0] || known[1]) candidate.bound = bound_of(candidate.split, k);
        if (is_deep && problem_.is_monotone()) {
            for (std::size_t i = 2; i <= k; ++i) {
                const std::size_t j = std::min(i, k - 1);  // of a side, k tests are not bounded here
                const Cost sum = i < k ? curves[j] + curves[2 * k + j] : 0;
                if (sum > level.lower[i]) {
                    curves_.raise_lower(entry, i, sum);
                    copy_lower();
                }
            }
        }
        for (std::size_t i = 0; i < k; ++i) {
            const Cost sum = curves[k + i] + curves[3 * k + k - 1 - i];
            if (sum >= curves_.upper(entry, k)) continue;
            curves_.reduce_upper(entry, k, sum, static_cast<std::int32_t>(split.feature));
            best = std::min(best, sum);
            if (&entry == root_) (*on_upper_)();
        }
        const std::size_t few = std::min<std::size_t>(k - 1, 3);
        candidate.guess = curves[k + few] + curves[3 * k + few];
        if (candidate.bound >= best) {
            rest = std::min(rest, candidate.bound);
        } else {
            level.candidates[n_kept++] = candidate;
        }
    }
    level.candidates.resize(n_kept);
    if (is_answered(entry, k, cutoff)) return curves_.lower(entry, k);
    std::ranges::sort(level.candidates, [](const Candidate& a, const Candidate& b) {
        return std::pair(a.guess, a.bound) < std::pair(b.guess, b.bound);
    });
    for (std::size_t c = 0; c < level.candidates.size(); ++c) {
        Candidate& candidate = level.candidates[c];
        if (candidate.bound < best) best = std::min(best, search_split(entry, k, best, candidate, level_number));
        rest = std::min(rest, candidate.bound);
        if (is_answered(entry, k, cutoff)) return curves_.lower(entry, k);
    }
    curves_.raise_lower(entry, k, std::min(rest, curves_.upper(entry, k)));
    return curves_.lower(entry, k);
}

// Searches splits with nested sides by ranges. Of two nested sides the larger one costs at least as much, and at most the
// weight of what it has more, so every split that is searched bounds all others of its chain.
Cost Solver::search_ranges(Entry& entry, std::size_t k, Cost cutoff, Cost rest, std::size_t level_number) {
    Level& level = levels_[level_number];
    Frame& frame = level.frame;
    const auto& splits = frame.splits();
    const Depth depth = depth_below(entry.depth);
    const bool is_root = &entry == root_;
    Cost best = std::min(cutoff, curves_.upper(entry, k));
    const auto curves_of = [&](std::size_t s) { return level.curves.data() + s * 4 * k; };
    const auto is_near = [&](std::size_t s) {
        if (level.bounds[s] < best) return true;
        rest = std::min(rest, level.bounds[s]);
        return false;
    };
    frame.collect_chains(level.ranges);
    std::vector<std::uint32_t> one(1);
    visit_ranges(level.ranges, is_near, [&](std::size_t s, std::size_t begin, std::size_t end) {
        const Frame::Split split = splits[s];
        one[0] = static_cast<std::uint32_t>(s);
        frame.count_pairs(one);
        Cost* const curves = curves_of(s);
        for (const int side : {0, 1}) {
            Cost* const lower = curves + side * 2 * k;
            const Cost of_one = frame.one_test(s, side);
            if (k > 1) lower[1] = std::max(lower[1], of_one);
            for (std::size_t i = 1; i < k; ++i) lower[k + i] = std::min(lower[k + i], of_one);
        }
        for (std::size_t i = 0; i < k; ++i) {
            const Cost sum = curves[k + i] + curves[3 * k + k - 1 - i];
            if (sum >= curves_.upper(entry, k)) continue;
            reduce(entry, k, sum, split.feature);
            best = std::min(best, sum);
            if (is_root) (*on_upper_)();
        }
        Candidate candidate{static_cast<std::uint32_t>(s), 0, 0};
        candidate.bound = bound_sides(curves, k, depth, level.lower.data(), is_root ? nullptr : split.weight, k);
        if (candidate.bound < best) best = std::min(best, search_split(entry, k, best, candidate, level_number));
        level.bounds[s] = candidate.bound;
        rest = std::min(rest, candidate.bound);
        if (is_answered(entry, k, cutoff)) return false;
        for (std::size_t other = begin; other < end; ++other) {
            if (other == s || level.bounds[other] >= best) continue;
            Cost* const others = curves_of(other);
            const Nesting at = nesting(s, split.low, other, splits[other].low);
            const Cost* const from_grown = curves + at.grown * 2 * k;
            const Cost* const from_shrunk = curves + at.shrunk * 2 * k;
            Cost* const to_grown = others + at.other_grown * 2 * k;
            Cost* const to_shrunk = others + at.other_shrunk * 2 * k;
            const Cost moved = split.weight[at.shrunk] - splits[other].weight[at.other_shrunk];
            const bool is_monotone = problem_.is_monotone();
            for (std::size_t i = 1; i < k; ++i) {
                if (is_monotone) to_grown[i] = std::max(to_grown[i], from_grown[i]);
                to_shrunk[i] = std::max(to_shrunk[i], from_shrunk[i] - moved);
                if (is_monotone) to_shrunk[k + i] = std::min(to_shrunk[k + i], from_shrunk[k + i]);
            }
            level.bounds[other] = bound_sides(others, k, depth, level.lower.data(), is_root ? nullptr : splits[other].weight, 2);
        }
        return true;
    });
    if (is_answered(entry, k, cutoff)) return curves_.lower(entry, k);
    curves_.raise_lower(entry, k, std::min(rest, curves_.upper(entry, k)));
    return curves_.lower(entry, k);
}

// Searches the divisions of k - 1 tests among the sides of a split until none can be below `best`; returns the best.
Cost Solver::search_split(Entry& entry, std::size_t k, Cost best, Candidate& candidate, std::size_t level_number) {
    Level& level = levels_[level_number];
    const Frame::Split split = level.frame.splits()[candidate.split];
    Cost* const curves = level.curves.data() + candidate.split * 4 * k;
    const Depth depth = depth_below(entry.depth);
    split_set(entry, split.feature, level);
    Entry& no = entry_of(level.sides[0], depth, split.leaf[0]);
    const Pin pin_no(no);
    Entry& yes = entry_of(level.sides[1], depth, split.leaf[1]);
    const Pin pin_yes(yes);
    Entry* const sides[2] = {&no, &yes};
    const std::size_t n[2] = {count(level.sides[0]), count(level.sides[1])};
    const int first = n[0] <= n[1] ? 0 : 1;
    const std::size_t most = static_cast<std::size_t>(most_tests(depth));  // of a side
    const auto load = [&](int side) {
        Cost* const lower = curves + side * 2 * k;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t n_tests = std::min(i, most);
            lower[i] = std::max(lower[i], curves_.lower(*sides[side], n_tests));
            lower[k + i] = std::min(lower[k + i], curves_.upper(*sides[side], n_tests));
        }
    };
    const auto save = [&](int side) {
        const Cost* const lower = curves + side * 2 * k;
        for (std::size_t i = 0; i < std::min(k, most + 1); ++i) {
            if (lower[i] > curves_.lower(*sides[side], i)) curves_.raise_lower(*sides[side], i, lower[i]);
        }
    };
    // Few tests of a side are tried without opening it.
    const auto ask = [&](int side, std::size_t n_tests, Cost cutoff) {
        if (n_tests == 1) return level.frame.one_test(candidate.split, side);
        if (n_tests == 2 && depth > 1 && !is_answered(*sides[side], 2, cutoff)) {
            (*tick_)();
            ++n_visited_;
            store(*sides[side], level.frame.two_tests(candidate.split, side, cutoff));
            return curves_.lower(*sides[side], 2);
        }
        return solve(*sides[side], n_tests, cutoff, level_number + 1, &level.frame);
    };
    for (std::size_t i = 0; i <= k; ++i) level.lower[i] = curves_.lower(entry, i);
    load(0), load(1);
    candidate.bound = bound_sides(curves, k, depth, level.lower.data(), &entry == root_ ? nullptr : split.weight, k);
    save(0), save(1);
    while (true) {
        std::size_t i = 0;
        Cost least = kNoTree;
        for (std::size_t n_no = 0; n_no < k; ++n_no) {
            const Cost bound = curves[n_no] + curves[2 * k + k - 1 - n_no];
            if (bound < least) least = bound, i = n_no;
        }
        candidate.bound = least;
        if (least >= best) return best;
        const std::size_t n_tests[2] = {i, k - 1 - i};
        const auto lower_of = [&](int side) -> Cost& { return curves[side * 2 * k + n_tests[side]]; };
        const int second = 1 - first;
        const Cost of_first = ask(first, n_tests[first], best - lower_of(second));
        load(first);
        if (of_first + lower_of(second) >= best) continue;
        const Cost of_second = ask(second, n_tests[second], best - of_first);
        load(second);
        if (of_first + of_second < best) {
            best = of_first + of_second;
            curves_.reduce_upper(entry, k, best, static_cast<std::int32_t>(split.feature));
            if (&entry == root_) (*on_upper_)();
        }
    }
}

GrownTree Solver::tree(std::size_t k, const std::function<void()>& tick) {
    struct Node {
        std::vector<Word> set;
        std::size_t k;
        Depth depth;
        Cost cost;  // of its tree, at most
    };
    tick_ = &tick;
    GrownTree tree;
    const SetView all = problem_.full_set();
    std::deque<Node> queue{{{all.begin(), all.end()}, k, problem_.options().max_depth, curves_.upper(*root_, k)}};
    std::vector<Cost> totals(problem_.n_channels());
    Cost cost = 0;
    for (; !queue.empty(); queue.pop_front()) {
        const Node node = queue.front();
        std::ranges::fill(totals, 0);
        problem_.add_totals(node.set, totals.data());
        const Cost leaf = problem_.leaf_cost(totals.data());
        Entry& entry = tree.feature.empty() ? *root_ : entry_of(node.set, node.depth, leaf);
        const Pin pin(entry);
        if (curves_.upper(entry, node.k) > node.cost) solve(entry, node.k, node.cost + 1, levels_.size());  // it was dropped
        const Division division = divide(entry, node.k, levels_.size());
        if (division.feature == Curves::kNoFeature) {
            tree.add_leaf(problem_.leaf_label(totals.data()));
            cost += leaf;
            continue;
        }
        tree.add_inner(static_cast<std::size_t>(division.feature));
        std::vector<Word> sides[2]{std::vector<Word>(node.set.size()), std::vector<Word>(node.set.size())};
        split(node.set, problem_.column(static_cast<std::size_t>(division.feature)), sides[0], sides[1]);
        queue.push_back({std::move(sides[0]), division.n_no, depth_below(node.depth), division.no_cost});
        queue.push_back({std::move(sides[1]), division.n_yes, depth_below(node.depth), division.yes_cost});
    }
    // The sides may have better trees meanwhile than when the upper curve was set.
    if (cost < curves_.upper(*root_, k)) curves_.reduce_upper(*root_, k, cost, tree.feature.front());
    return tree;
}

// The first test of a tree of the upper curve, and the tests of its sides. The curves of the sides may have been dropped
// meanwhile: then they are solved again.
Solver::Division Solver::divide(Entry& entry, std::size_t k, std::size_t level_number) {
    const Cost cost = curves_.upper(entry, k);
    while (k > 0 && curves_.upper(entry, k - 1) == cost) --k;
    if (k == 0) return {Curves::kNoFeature, 0, 0, 0, 0};
    const std::int32_t feature = curves_.feature(entry, k);
    const Depth depth = depth_below(entry.depth);
    std::vector<Word> sets[2]{std::vector<Word>(problem_.n_words()), std::vector<Word>(problem_.n_words())};
    split(curves_.set_of(entry), problem_.column(static_cast<std::size_t>(feature)), sets[0], sets[1]);
    std::vector<Cost> totals[2];
    for (const int side : {0, 1}) {
        totals[side].resize(problem_.n_channels());
        problem_.add_totals(sets[side], totals[side].data());
    }
    Entry& no = entry_of(sets[0], depth, problem_.leaf_cost(totals[0].data()));
    const Pin pin_no(no);
    Entry& yes = entry_of(sets[1], depth, problem_.leaf_cost(totals[1].data()));
    const Pin pin_yes(yes);
    for (std::size_t i = 0; i < k; ++i) {
        const std::size_t j = k - 1 - i;
        const Cost of_no = curves_.upper(no, i), of_yes = curves_.upper(yes, j);
        if (of_no + of_yes <= cost) return {feature, i, j, of_no, of_yes};
    }
    for (std::size_t i = 0; i < k; ++i) {
        const std::size_t j = k - 1 - i;
        const Cost of_no = solve(no, i, cost - curves_.lower(yes, j) + 1, level_number);
        if (of_no + curves_.lower(yes, j) > cost) continue;
        const Cost of_yes = solve(yes, j, cost - of_no + 1, level_number);
        if (of_no + of_yes <= cost) return {feature, i, j, of_no, of_yes};
    }
    return {Curves::kNoFeature, 0, 0, 0, 0};  // cannot be: the cost was that of a tree
}

}  // namespace puretree::front
