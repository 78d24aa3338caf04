#include "forest.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace puretree {
namespace {

using Set = std::vector<Word>;

struct State {
    Set set;
    std::int32_t size;  // tests
    Depth depth;

    bool operator==(const State&) const = default;
};

struct HashState {
    std::size_t operator()(const State& state) const {
        const auto seed = static_cast<std::uint64_t>(state.size) << 16 | state.depth;
        return hash_set(state.set, seed);
    }
};

// A partition of a set into two sides, and all features that induce it, some with the sides swapped.
struct Partition {
    Set no, yes;
    std::vector<std::pair<std::int32_t, bool>> features;  // and whether its sides are swapped
};

using Edge = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // feature, no, yes

class Builder {
public:
    Builder(const Examples& all, const Constraints& constraints, Refinement& refinement, std::size_t max_bytes,
            const std::function<void()>& tick)
        : all_(all), constraints_(constraints), refinement_(refinement), max_bytes_(max_bytes), tick_(tick) {
        for (std::size_t c = 0; c < all.n_classes(); ++c) add_node(static_cast<std::int32_t>(c), 0, {});
    }

    Forest build(std::size_t size, std::size_t extra) {
        const Set all_examples(all_.full_set().begin(), all_.full_set().end());
        for (std::size_t tests = size; tests <= size + extra; ++tests) {
            const auto root = node({all_examples, static_cast<std::int32_t>(tests), constraints_.max_depth}, true);
            if (root) forest_.roots.push_back(*root);
        }
        forest_.edge_start.push_back(static_cast<std::int64_t>(forest_.feature.size()));
        return std::move(forest_);
    }

private:
    // The node of all trees of a state; none if there are no such trees.
    std::optional<std::int32_t> node(const State& state, bool is_root = false) {
        if (const auto label = only_label(state.set)) return state.size == 0 ? label : std::nullopt;
        if (state.size == 0 || state.depth == 0) return std::nullopt;
        if (const auto known = nodes_.find(state); known != nodes_.end()) return known->second;
        tick_();
        std::vector<Edge> edges;
        const std::vector<Partition> partitions = partitions_of(state.set);
        const std::size_t n_partition_bytes = partitions.size() * (2 * state.set.size() * sizeof(Word) + 128);
        n_bytes_ += n_partition_bytes;
        for (const Partition& partition : partitions) add_edges(partition, state, is_root, edges);
        n_bytes_ -= n_partition_bytes;
        std::optional<std::int32_t> added;
        if (!edges.empty()) {
            std::ranges::sort(edges);
            added = add_node(-1, state.size, edges);
        }
        count_bytes(state.set);
        nodes_.emplace(state, added);
        return added;
    }

    void add_edges(const Partition& partition, const State& state, bool is_root, std::vector<Edge>& edges) {
        if (constraints_.min_samples_leaf > 1 && !(is_large_enough(partition.no) && is_large_enough(partition.yes))) return;
        if (is_root && !std::ranges::any_of(partition.features, [&](auto& one) { return may_be_root(one.first); })) return;
        const Depth depth = depth_below(state.depth);
        const Value tests = state.size - 1;
        const Value yes_bound = refinement_.lower_bound(partition.yes, depth, tests + 1);
        if (yes_bound > tests) return;
        if (refinement_.lower_bound(partition.no, depth, tests - yes_bound + 1) + yes_bound > tests) return;
        const auto least_no = value(partition.no, depth, tests - yes_bound);
        if (!least_no) return;
        const auto least_yes = value(partition.yes, depth, tests - *least_no);
        if (!least_yes) return;
        for (Value no_tests = *least_no; no_tests <= tests - *least_yes; ++no_tests) {
            const auto no = node({partition.no, static_cast<std::int32_t>(no_tests), depth});
            if (!no) continue;
            const auto yes = node({partition.yes, static_cast<std::int32_t>(tests - no_tests), depth});
            if (!yes) continue;
            for (const auto& [feature, is_swapped] : partition.features) {
                if (is_root && !may_be_root(feature)) continue;
                edges.emplace_back(feature, is_swapped ? *yes : *no, is_swapped ? *no : *yes);
            }
        }
    }

    // The minimum number of tests of a set, if it is within the budget.
    std::optional<Value> value(const Set& set, Depth depth, Value budget) {
        State state{set, 0, depth};
        if (const auto known = values_.find(state); known != values_.end()) {
            return known->second <= budget ? std::optional(known->second) : std::nullopt;
        }
        const Bound bound = refinement_.solve(set, depth, budget);
        if (!bound.is_exact) return std::nullopt;
        count_bytes(set);
        values_.emplace(std::move(state), bound.lower);
        return bound.lower;
    }

    std::vector<Partition> partitions_of(const Set& set) const {
        std::vector<Partition> partitions;
        std::unordered_multimap<std::uint64_t, std::size_t> by_hash;
        Set no(set.size()), yes(set.size());
        const std::size_t first = first_member(set);
        for (std::size_t feature = 0; feature < all_.n_features(); ++feature) {
            if (!split(set, all_.column(feature), no, yes)) continue;
            const bool is_swapped = contains(no, first);
            if (is_swapped) no.swap(yes);  // the first example is on the yes side
            const std::uint64_t hash = hash_set(no, 0);
            const auto [begin, end] = by_hash.equal_range(hash);
            const auto same = std::find_if(begin, end, [&](auto& entry) { return partitions[entry.second].no == no; });
            const std::size_t index = same == end ? partitions.size() : same->second;
            if (index == partitions.size()) {
                by_hash.emplace(hash, index);
                partitions.push_back({no, yes, {}});
            }
            partitions[index].features.emplace_back(static_cast<std::int32_t>(feature), is_swapped);
        }
        return partitions;
    }

    std::optional<std::int32_t> only_label(const Set& set) const {
        std::optional<std::int32_t> label;
        for (std::size_t c = 0; c < all_.n_classes(); ++c) {
            if (!intersects(set, all_.class_members(c))) continue;
            if (label) return std::nullopt;
            label = static_cast<std::int32_t>(c);
        }
        return label;
    }

    bool is_large_enough(const Set& set) const {
        std::int64_t n_rows = 0;
        for_each(set, [&](std::size_t example) { n_rows += constraints_.n_rows[example]; });
        return n_rows >= constraints_.min_samples_leaf;
    }

    bool may_be_root(std::int32_t feature) const {
        return constraints_.may_be_root(static_cast<std::uint32_t>(feature));
    }

    std::int32_t add_node(std::int32_t label, std::int32_t size, const std::vector<Edge>& edges) {
        forest_.label.push_back(label);
        forest_.size.push_back(size);
        forest_.edge_start.push_back(static_cast<std::int64_t>(forest_.feature.size()));
        for (const auto& [feature, no, yes] : edges) {
            forest_.feature.push_back(feature);
            forest_.no.push_back(no);
            forest_.yes.push_back(yes);
        }
        n_bytes_ += 32 + 2 * 12 * edges.size();  // the capacity of a vector may be twice its size
        return static_cast<std::int32_t>(forest_.label.size() - 1);
    }

    void count_bytes(const Set& set) {
        n_bytes_ += set.size() * sizeof(Word) + 128;  // with the overhead of a map's entry
        if (n_bytes_ > max_bytes_) throw ForestTooLarge{};
    }

    const Examples& all_;
    const Constraints& constraints_;
    Refinement& refinement_;
    std::size_t max_bytes_;
    const std::function<void()>& tick_;
    std::size_t n_bytes_ = 0;
    Forest forest_;
    std::unordered_map<State, std::optional<std::int32_t>, HashState> nodes_;
    std::unordered_map<State, Value, HashState> values_;  // the minimum number of tests; `size` is 0
};

}  // namespace

Forest build_forest(const Examples& all, const Constraints& constraints, Refinement& refinement, std::size_t size,
                    std::size_t extra, std::size_t max_bytes, const std::function<void()>& tick) {
    return Builder(all, constraints, refinement, max_bytes, tick).build(size, extra);
}

}  // namespace puretree
