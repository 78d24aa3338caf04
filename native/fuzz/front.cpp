// The front of size and cost: curves, trees and all trees within limits are those of a simple recursion on small problems;
// on larger ones, an interruption, little memory and the order of questions change no answer.
#include "../front/search.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "problem.hpp"

namespace puretree::fuzz {
namespace {

using front::Cost;
using front::CostForest;
using front::kNoTree;

constexpr std::size_t kMaxTicks = 20'000;

struct CostTable {
    Problem examples;  // its labels are not used
    std::vector<std::int32_t> costs;
    std::vector<std::int64_t> n_rows;
    front::Options options;

    std::size_t size() const { return examples.labels.size(); }
    std::size_t n_classes() const { return examples.n_classes; }
    std::int32_t cost(std::size_t example, std::size_t c) const { return costs[example * n_classes() + c]; }
    front::Problem problem() const { return {examples.rows(), costs, n_classes(), n_rows, options}; }
};

CostTable draw_table(Bytes& bytes, bool is_large) {
    CostTable table{draw_problem(bytes, is_large ? 140 : 9, is_large ? 40 : 5), {}, {}, {}};
    table.examples.n_classes = std::min<std::size_t>(table.examples.n_classes, 5);
    const bool counts_errors = bytes.flag();
    const std::size_t most = bytes.one_in(4) ? 1000 : 1 + bytes.below(9);
    for (std::size_t i = 0; i < table.size(); ++i) {
        const auto label = static_cast<std::size_t>(table.examples.labels[i]) % table.n_classes();
        for (std::size_t c = 0; c < table.n_classes(); ++c) {
            table.costs.push_back(counts_errors ? c != label : static_cast<std::int32_t>(bytes.below(most + 1)));
        }
        table.n_rows.push_back(1 + static_cast<std::int64_t>(bytes.below(3)));
    }
    if (bytes.one_in(4)) {
        table.options.root_features.resize(table.examples.n_features);
        for (auto& is_allowed : table.options.root_features) is_allowed = bytes.flag();
    }
    if (bytes.one_in(3)) table.options.max_depth = static_cast<Depth>(bytes.below(5));
    if (bytes.one_in(3)) table.options.min_samples_leaf = 1 + static_cast<std::int64_t>(bytes.below(4));
    table.options.keeps_all = bytes.flag();
    return table;
}

// All trees by recursion, without bounds. Sets are the bits of an integer.
class Recursion {
public:
    explicit Recursion(const CostTable& table) : table_(table) {}

    using Counts = std::map<Cost, std::int64_t>;  // trees by their cost

    std::uint32_t all() const { return (1u << table_.size()) - 1; }

    // The least cost of a tree with at most k tests.
    std::int64_t least(std::uint32_t set, std::size_t k, Depth depth) {
        const auto [known, is_new] = least_.try_emplace({set, k, depth}, 0);
        if (!is_new) return known->second;
        std::int64_t best = leaf(set).cost;
        for_each_split(set, k, depth, [&](std::uint32_t no, std::size_t i, std::uint32_t yes, std::size_t j) {
            best = std::min(best, least(no, i, depth_below(depth)) + least(yes, j, depth_below(depth)));
        });
        return least_[{set, k, depth}] = best;
    }

    // The least total at a price for each test.
    std::int64_t least_total(std::uint32_t set, const front::Price& price, Depth depth) {
        const auto [known, is_new] = totals_.try_emplace({set, 0, depth}, 0);
        if (!is_new) return known->second;
        std::int64_t best = leaf(set).cost * price.unit;
        for_each_split(set, 1, depth, [&](std::uint32_t no, std::size_t, std::uint32_t yes, std::size_t) {
            const Depth below = depth_below(depth);
            best = std::min(best, price.test + least_total(no, price, below) + least_total(yes, price, below));
        });
        return totals_[{set, 0, depth}] = best;
    }

    // The trees with exactly k tests, no test having two leaves of the same class.
    const Counts& count(std::uint32_t set, std::size_t k, Depth depth) {
        const auto [known, is_new] = counts_.try_emplace({set, k, depth});
        if (!is_new) return known->second;
        Counts counts;
        if (k == 0 && leaf(set).cost < kNoTree) counts[static_cast<Cost>(leaf(set).cost)] = 1;
        for_each_split(set, k, depth, [&](std::uint32_t no, std::size_t i, std::uint32_t yes, std::size_t j) {
            if (k == 1 && leaf(no).label == leaf(yes).label) return;
            for (const auto& [no_cost, n_no] : count(no, i, depth_below(depth))) {
                for (const auto& [yes_cost, n_yes] : count(yes, j, depth_below(depth))) {
                    counts[no_cost + yes_cost] += n_no * n_yes;
                }
            }
        });
        return counts_[{set, k, depth}] = std::move(counts);
    }

private:
    struct Leaf {
        std::int64_t cost;
        std::size_t label;
    };

    Leaf leaf(std::uint32_t set) const {
        std::vector<std::int64_t> totals(table_.n_classes());
        std::int64_t n_rows = 0;
        for (std::size_t i = 0; i < table_.size(); ++i) {
            if (!(set >> i & 1)) continue;
            n_rows += table_.n_rows[i];
            for (std::size_t c = 0; c < totals.size(); ++c) totals[c] += table_.cost(i, c);
        }
        const auto label = static_cast<std::size_t>(std::ranges::min_element(totals) - totals.begin());
        return {set != all() && n_rows < table_.options.min_samples_leaf ? kNoTree : totals[label], label};
    }

    // Visits the divisions of k - 1 tests among the sides of every feature that splits a set.
    template <class Visit>
    void for_each_split(std::uint32_t set, std::size_t k, Depth depth, Visit visit) const {
        const auto& may_be_root = table_.options.root_features;
        for (std::size_t feature = 0; depth > 0 && feature < table_.examples.n_features; ++feature) {
            if (set == all() && !may_be_root.empty() && !may_be_root[feature]) continue;
            std::uint32_t yes = 0;
            for (std::size_t i = 0; i < table_.size(); ++i) {
                if ((set >> i & 1) && table_.examples.rows().bit(i, feature)) yes |= 1u << i;
            }
            if (yes == 0 || yes == set) continue;
            for (std::size_t i = 0; i < k; ++i) visit(set & ~yes, i, yes, k - 1 - i);
        }
    }

    using Question = std::tuple<std::uint32_t, std::size_t, Depth>;

    const CostTable& table_;
    std::map<Question, std::int64_t> least_;
    std::map<Question, std::int64_t> totals_;  // at one price
    std::map<Question, Counts> counts_;
};

std::int64_t cost_of(const GrownTree& tree, const CostTable& table) {
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        cost += table.cost(i, static_cast<std::size_t>(tree.label[leaf_of(tree, table.examples.rows(), i)]));
    }
    return cost;
}

// The least costs up to `max_tests`, or nothing if the ticks were not sufficient.
std::optional<std::vector<std::int64_t>> run(front::Search& search, const CostTable& table, std::size_t max_tests, std::size_t pause) {
    const std::vector<std::int64_t> cutoffs(max_tests + 1, kNoTree);
    std::vector<std::int64_t> lower(cutoffs.size()), upper(cutoffs.size(), kNoTree);
    const front::Callbacks callbacks{
        [&](std::size_t k, std::int64_t bound) {
            for (std::size_t fewer = 0; fewer <= k; ++fewer) lower[fewer] = std::max(lower[fewer], bound);
        },
        [&](std::size_t k, std::int64_t cost, const GrownTree& tree) {
            expect(n_tests(tree) <= k && cost_of(tree, table) == cost, "a tree of the front has the reported size and cost");
            for (std::size_t more = k; more <= max_tests; ++more) upper[more] = std::min(upper[more], cost);
        }};
    for (std::size_t n_ticks = 0; n_ticks < kMaxTicks;) {
        std::size_t since = 0;
        try {
            search.run(cutoffs, callbacks, [&] {
                if (++n_ticks >= kMaxTicks || ++since >= pause) throw TimeLimitReached{};
            });
            for (std::size_t k = 0; k <= max_tests; ++k) {
                lower[k] = std::max<std::int64_t>(lower[k], search.problem().least_cost());
            }
            expect(lower == upper, "a finished search has trees at the lower curve");
            return upper;
        } catch (const TimeLimitReached&) {
            pause += pause / 2 + 1;
        }
    }
    return std::nullopt;
}

// The least total at a price, or nothing if the ticks were not sufficient.
std::optional<std::int64_t> run_price(front::Search& search, const CostTable& table, const front::Price& price, std::size_t pause) {
    std::int64_t lower = 0, upper = std::int64_t{kNoTree} * price.unit;
    const front::PriceCallbacks callbacks{
        [&](std::int64_t bound) { lower = std::max(lower, bound); },
        [&](std::int64_t cost, const GrownTree& tree) {
            expect(cost_of(tree, table) == cost, "a tree at a price has the reported cost");
            expect(n_tests(tree) == 0 || table.options.root_features.empty() ||
                       table.options.root_features[static_cast<std::size_t>(tree.feature.front())],
                   "a tree at a price has an allowed root");
            upper = std::min(upper, cost * price.unit + price.test * static_cast<std::int64_t>(n_tests(tree)));
        }};
    for (std::size_t n_ticks = 0; n_ticks < kMaxTicks;) {
        std::size_t since = 0;
        try {
            search.run_price(price, std::int64_t{kNoTree} * price.unit, callbacks, [&] {
                if (++n_ticks >= kMaxTicks || ++since >= pause) throw TimeLimitReached{};
            });
            expect(lower == upper, "a finished search has a tree at the lower bound");
            return upper;
        } catch (const TimeLimitReached&) {
            expect(lower <= upper, "bounds at a price do not cross");
            pause += pause / 2 + 1;
        }
    }
    return std::nullopt;
}

front::Price draw_price(Bytes& bytes, const front::Search& search, std::int64_t leaf) {
    const auto most = static_cast<std::size_t>(front::kMostTotal / std::max<std::int64_t>(leaf - search.problem().least_cost(), 1));
    const auto unit = static_cast<Cost>(1 + bytes.below(std::min<std::size_t>(most, 5)));
    return {static_cast<Cost>(1 + bytes.below(bytes.flag() ? 10 : 2000)), unit};
}

std::optional<CostForest> find_forest(Bytes& bytes, front::Search& search, std::size_t max_tests, std::int64_t max_cost) {
    const std::size_t max_bytes = bytes.one_in(6) ? bytes.below(20'000) : 1 << 24;
    for (std::size_t pause = 1 + bytes.below(200); pause < kMaxTicks; pause *= 3) {
        std::size_t n_ticks = 0;
        try {
            return search.find_forest(max_tests, max_cost, max_bytes, [&] {
                if (++n_ticks >= pause) throw TimeLimitReached{};
            });
        } catch (const TimeLimitReached&) {
        } catch (const ForestTooLarge&) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

// Checks what the sizes and costs of a forest say of each other, and returns the number of trees of each node.
std::vector<double> check_forest(const CostForest& forest) {
    std::vector<double> n_trees(forest.label.size());
    for (std::size_t node = 0; node < forest.label.size(); ++node) {
        const auto begin = static_cast<std::size_t>(forest.edge_start[node]), end = static_cast<std::size_t>(forest.edge_start[node + 1]);
        expect((forest.label[node] >= 0) == (begin == end), "a node has either a label or edges");
        n_trees[node] = begin == end;
        std::array<std::int32_t, 4> before{-1, 0, 0, 0};
        for (std::size_t edge = begin; edge < end; ++edge) {
            const auto no = static_cast<std::size_t>(forest.no[edge]), yes = static_cast<std::size_t>(forest.yes[edge]);
            expect(no < node && yes < node, "the sides of an edge come before its node");
            expect(forest.size[no] + forest.size[yes] + 1 == forest.size[node], "sizes add up");
            expect(forest.cost[no] + forest.cost[yes] == forest.cost[node], "costs add up");
            const std::array key{forest.feature[edge], forest.size[no], forest.cost[no], 0};
            expect(before < key, "edges ascend by feature, size and cost, and are distinct");
            before = key;
            n_trees[node] += n_trees[no] * n_trees[yes];
        }
    }
    return n_trees;
}

void front_of_few(Bytes& bytes) {
    const CostTable table = draw_table(bytes, false);
    if (table.examples.n_features == 0) return;
    Recursion recursion(table);
    const std::size_t max_tests = bytes.below(6);
    front::Search search(table.problem(), bytes.one_in(3) ? bytes.below(100'000) : 1 << 24);
    std::vector<std::int64_t> expected;
    for (std::size_t k = 0; k <= max_tests; ++k) expected.push_back(recursion.least(recursion.all(), k, table.options.max_depth));
    if (const auto found = run(search, table, max_tests, 1 + bytes.below(300))) {
        expect(*found == expected, "the least costs are those of a simple recursion");
    }
    const front::Price price = draw_price(bytes, search, expected.front());
    if (const auto total = run_price(search, table, price, 1 + bytes.below(300))) {
        expect(*total == recursion.least_total(recursion.all(), price, table.options.max_depth),
               "the least total is that of a simple recursion");
    }
    if (const auto found = run(search, table, max_tests, SIZE_MAX / 4)) {
        expect(*found == expected, "a price does not change the least costs");
    }
    if (!search.problem().has_all_examples()) return;
    const std::int64_t max_cost = expected[bytes.below(expected.size())] + static_cast<std::int64_t>(bytes.below(5));
    const auto forest = find_forest(bytes, search, max_tests, max_cost);
    if (!forest) return;
    const std::vector<double> n_trees = check_forest(*forest);
    auto root = forest->roots.begin();
    for (std::size_t k = 0; k <= max_tests; ++k) {
        for (const auto& [cost, n] : recursion.count(recursion.all(), k, table.options.max_depth)) {
            if (cost > max_cost) break;
            expect(root != forest->roots.end(), "no tree is missing");
            const auto node = static_cast<std::size_t>(*root++);
            expect(forest->size[node] == static_cast<std::int32_t>(k) &&
                       forest->cost[node] + search.problem().least_cost() == cost &&
                       n_trees[node] == static_cast<double>(n),
                   "there are as many trees of each size and cost as by a simple recursion");
        }
    }
    expect(root == forest->roots.end(), "there are no other trees");
}

void front_of_many(Bytes& bytes) {
    const CostTable table = draw_table(bytes, true);
    const std::size_t max_tests = bytes.below(5);
    front::Search interrupted(table.problem(), bytes.one_in(3) ? bytes.below(300'000) : 1 << 24);
    front::Search uninterrupted(table.problem(), 1 << 24);
    const auto found = run(interrupted, table, max_tests, 1 + bytes.below(300));
    const auto reference = run(uninterrupted, table, max_tests, SIZE_MAX / 4);
    if (!found || !reference) return;
    expect(*found == *reference, "an interruption changes no least cost");
    const front::Price price = draw_price(bytes, interrupted, reference->front());
    const auto total = run_price(interrupted, table, price, 1 + bytes.below(300));
    const auto reference_total = run_price(uninterrupted, table, price, SIZE_MAX / 4);
    if (total && reference_total) expect(*total == *reference_total, "an interruption changes no least total");
    for (std::size_t k = 0; reference_total && k < reference->size(); ++k) {
        expect((*reference)[k] * price.unit + price.test * static_cast<std::int64_t>(k) >= *reference_total,
               "no tree of the front has a lower total");
    }
    if (!interrupted.problem().has_all_examples()) return;
    const std::int64_t max_cost = reference->back() + static_cast<std::int64_t>(bytes.below(3));
    const auto one = find_forest(bytes, interrupted, max_tests, max_cost);
    const auto other = find_forest(bytes, uninterrupted, max_tests, max_cost);
    if (!one || !other) return;
    check_forest(*one);
    expect(one->feature == other->feature && one->cost == other->cost && one->no == other->no && one->yes == other->yes &&
               one->roots == other->roots,
           "an interruption changes no forest");
    expect(!one->roots.empty(), "there is a tree of the front");
    for (const std::int32_t root : one->roots) {
        const auto node = static_cast<std::size_t>(root);
        const std::int64_t cost = one->cost[node] + interrupted.problem().least_cost();
        expect(cost <= max_cost && cost >= (*reference)[static_cast<std::size_t>(one->size[node])], "costs are within limits");
    }
}

void front_search(Bytes& bytes) { bytes.one_in(3) ? front_of_many(bytes) : front_of_few(bytes); }

const Target fronts("front", front_search, 6);

}  // namespace
}  // namespace puretree::fuzz
