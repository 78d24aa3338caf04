#include "forest.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <queue>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace puretree::front {
namespace {

using Set = std::vector<Word>;
using Budgets = std::vector<Cost>;  // for each number of tests

constexpr Cost kNotNeeded = -1;

struct Key {
    Set set;
    Depth depth;

    bool operator==(const Key&) const = default;
};

struct HashKey {
    std::size_t operator()(const Key& key) const { return hash_set(key.set, key.depth); }
};

struct Feature {
    std::int32_t feature;
    bool is_swapped;  // whether the examples on its no side are those of the yes side of its partition
};

// A partition of a set into two sides, and all features that induce it.
struct Partition {
    std::uint32_t no, yes;  // states
    std::vector<Feature> features;
};

struct Tree {
    Cost cost;
    std::int32_t node;
};

// A set with a depth. First its parents ask for trees, then it asks its sides, at last its trees are known.
struct State {
    std::size_t n_atoms;
    std::int32_t label;  // of a leaf
    Cost leaf;           // the cost of a leaf, kNoTree if it has too few rows
    Budgets budgets;     // the most that a tree with so many tests may cost, kNotNeeded if none is needed
    std::vector<Partition> partitions;
    std::vector<std::vector<Tree>> trees;  // the nodes for each number of tests, by ascending cost
};

struct Edge {
    Cost cost;
    std::int32_t feature, no, yes;
};

// Parents come before their sides if sets are taken by descending size. So every set is divided once, when the trees
// that are needed of it are known, and its trees are combined once, in reverse order.
class Builder {
public:
    Builder(const Problem& problem, Solver& solver, const Problem& of_bounds, std::size_t max_bytes, const std::function<void()>& tick)
        : problem_(problem), solver_(solver), of_bounds_(of_bounds), first_word_(problem.n_words() - of_bounds.n_words()),
          max_bytes_(max_bytes), tick_(tick), sides_{Set(problem.n_words()), Set(problem.n_words())} {}

    CostForest build(std::size_t max_tests, Cost max_cost) {
        // The curve of all atoms bounds those of the sides, so it pays even where it is not needed to know which trees exist.
        for (std::size_t k = 0; k <= max_tests; ++k) solver_.solve_root(k, kNoTree, ignore_, tick_);
        const SetView all = problem_.full_set();
        const std::uint32_t root = state_of({{all.begin(), all.end()}, problem_.options().max_depth});
        states_[root].budgets.assign(max_tests + 1, max_cost);
        std::vector<std::uint32_t> order;
        while (!queue_.empty()) {
            const std::uint32_t index = queue_.top().second;
            queue_.pop();
            const Key& key = *keys_[index];
            divide(index, key, index == root);
            n_bytes_ -= bytes_of(key.set);
            index_of_.erase(index_of_.find(key));
            order.push_back(index);
        }
        for (; !order.empty(); order.pop_back()) combine(order.back());
        for (const auto& trees : states_[root].trees) {
            for (const Tree& tree : trees) forest_.roots.push_back(tree.node);
        }
        forest_.edge_start.push_back(static_cast<std::int64_t>(forest_.feature.size()));
        drop_unreachable();
        return std::move(forest_);
    }

private:
    std::uint32_t state_of(Key key) {
        const auto [known, is_new] = index_of_.try_emplace(std::move(key), static_cast<std::uint32_t>(states_.size()));
        if (is_new) {
            const Set& set = known->first.set;
            std::vector<Cost> totals(problem_.n_channels());
            problem_.add_totals(set, totals.data());
            states_.push_back({count(set), problem_.leaf_label(totals.data()), problem_.leaf_cost(totals.data()), {}, {}, {}});
            keys_.push_back(&known->first);
            queue_.emplace(states_.back().n_atoms, known->second);
            add_bytes(bytes_of(set) + sizeof(State) + 32);
        }
        return known->second;
    }

    // Asks the sides of every feature for the trees that a tree of the set within its budgets may need.
    void divide(std::uint32_t index, const Key& key, bool is_root) {
        State& state = states_[index];
        trim(state.budgets, key);
        const std::size_t max_tests = state.budgets.size();  // plus one
        if (max_tests <= 1) return;
        const Depth depth = depth_below(key.depth);
        const Budgets budgets = state.budgets;
        const Budgets lower = curve(key.set, key.depth, max_tests, state.leaf).lower;
        std::unordered_multimap<std::uint64_t, std::size_t> by_hash;
        std::vector<std::pair<Set, std::vector<Feature>>> partitions;  // the no side and the features
        const std::size_t first = first_member(key.set);
        for (std::size_t feature = 0; feature < problem_.n_features(); ++feature) {
            if (is_root && !problem_.may_be_root(feature)) continue;
            if (!split(key.set, problem_.column(feature), sides_[0], sides_[1])) continue;
            const bool is_swapped = contains(sides_[0], first);
            if (is_swapped) sides_[0].swap(sides_[1]);  // the first atom is on the yes side
            const std::uint64_t hash = hash_set(sides_[0], 0);
            const auto [begin, end] = by_hash.equal_range(hash);
            const auto same = std::find_if(begin, end, [&](auto& one) { return partitions[one.second].first == sides_[0]; });
            const std::size_t at = same == end ? partitions.size() : same->second;
            if (same == end) {
                by_hash.emplace(hash, at);
                partitions.push_back({sides_[0], {}});
            }
            partitions[at].second.push_back({static_cast<std::int32_t>(feature), is_swapped});
        }
        const std::size_t n_temporary = partitions.size() * (bytes_of(key.set) + 64);
        add_bytes(n_temporary);
        std::vector<Partition> kept;
        for (auto& [no, features] : partitions) {
            tick_();
            Budgets asked[2];
            Set yes(no.size());
            for (std::size_t w = 0; w < no.size(); ++w) yes[w] = key.set[w] & ~no[w];
            if (!ask_sides(no, yes, depth, budgets, lower, asked)) continue;
            add_bytes(sizeof(Partition) + 16 * features.size());
            kept.push_back({ask({std::move(no), depth}, asked[0]), ask({std::move(yes), depth}, asked[1]), std::move(features)});
        }
        n_bytes_ -= n_temporary;
        states_[index].partitions = std::move(kept);
    }

    // Drops the budgets of trees that do not exist, and those after the last that is needed.
    void trim(Budgets& budgets, const Key& key) const {
        budgets.resize(std::min(budgets.size(), most_tests_of(key.set, key.depth) + 1));
        while (!budgets.empty() && budgets.back() == kNotNeeded) budgets.pop_back();
    }

    // The most tests that a tree of a set may have.
    std::size_t most_tests_of(SetView set, Depth depth) const {
        std::size_t n_labels = 0;
        for (std::size_t c = 0; c < problem_.n_classes(); ++c) n_labels += intersects(set, problem_.class_members(c));
        if (n_labels == 1) return 0;  // a leaf of any part of the set predicts the same class
        const Value n_examples = static_cast<Value>(count_common(set, problem_.examples()));
        return static_cast<std::size_t>(std::min(most_tests(depth), n_examples - 1));
    }

    // The atoms of a set in the problem of the solver: its costs, without what only counts examples.
    SetView of_bounds(SetView set) const { return set.subspan(first_word_); }

    // The least cost if it is below the cutoff, else a lower bound.
    Cost solve(SetView set, std::size_t k, Cost cutoff, Depth depth, Cost lower) {
        const SetView atoms = of_bounds(set);
        // A test may separate only examples that the solver does not have.
        const bool is_all = depth == of_bounds_.options().max_depth && std::ranges::equal(atoms, of_bounds_.full_set());
        if (is_all) return solver_.solve_root(k, cutoff, ignore_, tick_);
        return solver_.solve_set(atoms, k, cutoff, depth, lower, tick_);
    }

    // What is known of a set with less than n tests.
    struct Curve {
        Budgets lower, upper;
    };
    Curve curve(SetView set, Depth depth, std::size_t n, Cost leaf) const {
        const Curves& curves = solver_.curves();
        Curve known{Budgets(n, 0), Budgets(n, leaf)};
        known.lower[0] = leaf;
        const SetView atoms = of_bounds(set);
        if (const Entry* entry = curves.find(atoms, Curves::hash_of(atoms, depth), depth)) {
            for (std::size_t k = 0; k < n; ++k) {
                known.lower[k] = std::max(known.lower[k], curves.lower(*entry, k));
                known.upper[k] = curves.upper(*entry, k);
            }
        }
        return known;
    }

    // Computes the budgets of the sides of a partition; false if no tree within the budgets begins with it.
    bool ask_sides(const Set& no, const Set& yes, Depth depth, const Budgets& budgets, const Budgets& lower, Budgets* asked) {
        const std::size_t n = budgets.size() - 1;  // a side has less tests
        const SetView sets[2] = {no, yes};
        std::int32_t labels[2];
        std::size_t most[2];  // tests
        Curve curves[2];
        std::vector<Cost> totals(problem_.n_channels());
        for (const int side : {0, 1}) {
            std::ranges::fill(totals, 0);
            problem_.add_totals(sets[side], totals.data());
            labels[side] = problem_.leaf_label(totals.data());
            most[side] = std::min(most_tests_of(sets[side], depth), n - 1);
            curves[side] = curve(sets[side], depth, n, problem_.leaf_cost(totals.data()));
            asked[side].assign(most[side] + 1, kNotNeeded);
        }
        // Trees of both sides make a tree of the set.
        for (const int side : {0, 1}) {
            Budgets& own = curves[side].lower;
            const Budgets& other = curves[1 - side].upper;
            for (std::size_t i = n; i-- > 0;) {
                if (i + 1 < n) own[i] = std::max(own[i], own[i + 1]);
                for (std::size_t j = 0; i + j + 1 <= n; ++j) own[i] = std::max(own[i], lower[i + j + 1] - other[j]);
            }
        }
        const int first = count(no) <= count(yes) ? 0 : 1;
        bool is_needed = false;
        for (std::size_t tests = 1; tests <= n; ++tests) {
            const Cost budget = budgets[tests];
            if (budget < lower[tests]) continue;
            for (std::size_t i = tests - 1 > most[1] ? tests - 1 - most[1] : 0; i < tests && i <= most[0]; ++i) {
                const std::size_t n_tests[2] = {i, tests - 1 - i};
                if (tests == 1 && labels[0] == labels[1]) continue;
                const auto lower_of = [&](int side) -> Cost& { return curves[side].lower[n_tests[side]]; };
                const auto fits = [&] { return lower_of(0) + lower_of(1) <= budget; };
                for (const int side : {first, 1 - first}) {
                    if (!fits()) break;
                    const Cost cutoff = budget - lower_of(1 - side) + 1;
                    lower_of(side) = solve(sets[side], n_tests[side], cutoff, depth, lower_of(side));
                }
                if (!fits()) continue;
                is_needed = true;
                for (const int side : {0, 1}) {
                    Cost& of_side = asked[side][n_tests[side]];
                    of_side = std::max(of_side, budget - lower_of(1 - side));
                }
            }
        }
        return is_needed;
    }

    std::uint32_t ask(Key key, const Budgets& asked) {
        const std::uint32_t index = state_of(std::move(key));
        Budgets& budgets = states_[index].budgets;
        if (budgets.size() < asked.size()) {
            add_bytes((asked.size() - budgets.size()) * sizeof(Cost));
            budgets.resize(asked.size(), kNotNeeded);
        }
        for (std::size_t k = 0; k < asked.size(); ++k) budgets[k] = std::max(budgets[k], asked[k]);
        return index;
    }

    // Makes the nodes of a set from those of its sides.
    void combine(std::uint32_t index) {
        State& state = states_[index];
        state.trees.resize(state.budgets.size());
        if (!state.budgets.empty() && state.leaf <= state.budgets[0]) {
            state.trees[0].push_back({state.leaf, leaf_node(state.label, state.leaf)});
        }
        for (std::size_t tests = 1; tests < state.budgets.size(); ++tests) {
            if (state.budgets[tests] == kNotNeeded) continue;
            std::vector<Edge> edges;
            for (const Partition& partition : state.partitions) {
                tick_();
                add_edges(partition, tests, state.budgets[tests], edges);
            }
            std::ranges::sort(edges, {}, [&](const Edge& edge) {
                const auto no = static_cast<std::size_t>(edge.no);
                return std::tuple(edge.cost, edge.feature, forest_.size[no], forest_.cost[no]);
            });
            for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
                while (end < edges.size() && edges[end].cost == edges[begin].cost) ++end;
                const Cost cost = edges[begin].cost;
                const auto of_cost = std::span(edges).subspan(begin, end - begin);
                state.trees[tests].push_back({cost, add_node(-1, static_cast<std::int32_t>(tests), cost, of_cost)});
            }
            n_bytes_ -= 2 * sizeof(Edge) * edges.size();
        }
        state.partitions = {};
    }

    void add_edges(const Partition& partition, std::size_t tests, Cost budget, std::vector<Edge>& edges) {
        if (tests == 1 && states_[partition.no].label == states_[partition.yes].label) return;
        const auto& of_no = states_[partition.no].trees;
        const auto& of_yes = states_[partition.yes].trees;
        for (std::size_t i = 0; i < tests && i < of_no.size(); ++i) {
            const std::size_t j = tests - 1 - i;
            if (j >= of_yes.size()) continue;
            for (const Tree& no : of_no[i]) {
                for (const Tree& yes : of_yes[j]) {
                    const Cost cost = no.cost + yes.cost;
                    if (cost > budget) break;
                    for (const auto& [feature, is_swapped] : partition.features) {
                        edges.push_back({cost, feature, is_swapped ? yes.node : no.node, is_swapped ? no.node : yes.node});
                    }
                    add_bytes(2 * sizeof(Edge) * partition.features.size());  // the capacity may be twice the size
                }
            }
        }
    }

    std::int32_t leaf_node(std::int32_t label, Cost cost) {
        const auto [known, is_new] = leaves_.try_emplace({label, cost});
        if (is_new) known->second = add_node(label, 0, cost, {});
        return known->second;
    }

    std::int32_t add_node(std::int32_t label, std::int32_t size, Cost cost, std::span<const Edge> edges) {
        if (forest_.label.size() == static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) throw ForestTooLarge{};
        forest_.label.push_back(label);
        forest_.size.push_back(size);
        forest_.cost.push_back(cost);
        forest_.edge_start.push_back(static_cast<std::int64_t>(forest_.feature.size()));
        for (const Edge& edge : edges) {
            forest_.feature.push_back(edge.feature);
            forest_.no.push_back(edge.no);
            forest_.yes.push_back(edge.yes);
        }
        add_bytes(64 + 2 * 12 * edges.size());
        return static_cast<std::int32_t>(forest_.label.size() - 1);
    }

    // Drops the nodes that no tree needs: bounds could not tell.
    void drop_unreachable() {
        std::vector<std::int32_t> new_index(forest_.label.size(), -1);
        for (const std::int32_t root : forest_.roots) new_index[static_cast<std::size_t>(root)] = 0;
        for (std::size_t node = new_index.size(); node-- > 0;) {
            if (new_index[node] < 0) continue;
            for (auto edge = forest_.edge_start[node]; edge < forest_.edge_start[node + 1]; ++edge) {
                const auto e = static_cast<std::size_t>(edge);
                new_index[static_cast<std::size_t>(forest_.no[e])] = new_index[static_cast<std::size_t>(forest_.yes[e])] = 0;
            }
        }
        std::size_t n_nodes = 0, n_edges = 0;
        for (std::size_t node = 0; node < new_index.size(); ++node) {
            if (new_index[node] < 0) continue;
            const auto begin = static_cast<std::size_t>(forest_.edge_start[node]);
            const auto end = static_cast<std::size_t>(forest_.edge_start[node + 1]);
            new_index[node] = static_cast<std::int32_t>(n_nodes);
            forest_.label[n_nodes] = forest_.label[node];
            forest_.size[n_nodes] = forest_.size[node];
            forest_.cost[n_nodes] = forest_.cost[node];
            forest_.edge_start[n_nodes++] = static_cast<std::int64_t>(n_edges);
            for (std::size_t edge = begin; edge < end; ++edge, ++n_edges) {
                forest_.feature[n_edges] = forest_.feature[edge];
                forest_.no[n_edges] = new_index[static_cast<std::size_t>(forest_.no[edge])];
                forest_.yes[n_edges] = new_index[static_cast<std::size_t>(forest_.yes[edge])];
            }
        }
        forest_.edge_start[n_nodes] = static_cast<std::int64_t>(n_edges);
        forest_.edge_start.resize(n_nodes + 1);
        for (auto* of_nodes : {&forest_.label, &forest_.size, &forest_.cost}) of_nodes->resize(n_nodes);
        for (auto* of_edges : {&forest_.feature, &forest_.no, &forest_.yes}) of_edges->resize(n_edges);
        for (std::int32_t& root : forest_.roots) root = new_index[static_cast<std::size_t>(root)];
    }

    static std::size_t bytes_of(const Set& set) { return set.size() * sizeof(Word) + 128; }  // with a map's entry

    void add_bytes(std::size_t n) {
        n_bytes_ += n;
        if (n_bytes_ > max_bytes_) throw ForestTooLarge{};
    }

    const Problem& problem_;
    Solver& solver_;
    const Problem& of_bounds_;  // of the solver
    std::size_t first_word_;    // of the costs
    std::size_t max_bytes_;
    const std::function<void()>& tick_;
    std::size_t n_bytes_ = 0;
    Set sides_[2];
    std::deque<State> states_;
    std::vector<const Key*> keys_;  // of the states that are not divided yet
    std::unordered_map<Key, std::uint32_t, HashKey> index_of_;
    std::priority_queue<std::pair<std::size_t, std::uint32_t>> queue_;  // the number of atoms and the state
    std::map<std::pair<std::int32_t, Cost>, std::int32_t> leaves_;
    CostForest forest_;
    const std::function<void()> ignore_ = [] {};
};

}  // namespace

CostForest build_forest(const Problem& problem, Solver& solver, std::size_t max_tests, Cost max_cost,
                        std::size_t max_bytes, const std::function<void()>& tick, const Problem* of_bounds) {
    return Builder(problem, solver, of_bounds ? *of_bounds : problem, max_bytes, tick).build(max_tests, max_cost);
}

}  // namespace puretree::front
