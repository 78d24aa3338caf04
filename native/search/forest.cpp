#include "forest.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace puretree {
namespace {

using Set = std::vector<Word>;

struct Place {
    Set set;
    std::int32_t size;  // tests
    Depth depth;

    bool operator==(const Place&) const = default;
};

struct HashPlace {
    std::size_t operator()(const Place& place) const {
        const auto seed = static_cast<std::uint64_t>(place.size) << 16 | place.depth;
        return hash_set(place.set.data(), place.set.size(), seed);
    }
};

// A way to split a set: features that do it alike, some with the sides swapped.
struct Way {
    Set no, yes;
    std::vector<std::pair<std::int32_t, bool>> features;  // and whether their sides are swapped
};

using Edge = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // feature, no, yes

class Builder {
public:
    Builder(const Examples& all, const Wishes& wishes, Refinement& refinement, std::size_t max_bytes,
            const std::function<void()>& tick)
        : all_(all), wishes_(wishes), refinement_(refinement), max_bytes_(max_bytes), tick_(tick) {
        for (std::size_t c = 0; c < all.n_classes(); ++c) add_node(static_cast<std::int32_t>(c), 0, {});
    }

    Forest build(std::size_t size, std::size_t extra) {
        const Set everything(all_.everything(), all_.everything() + all_.n_words());
        for (std::size_t tests = size; tests <= size + extra; ++tests) {
            const auto root = node({everything, static_cast<std::int32_t>(tests), wishes_.max_depth}, true);
            if (root) forest_.roots.push_back(*root);
        }
        forest_.edge_start.push_back(static_cast<std::int64_t>(forest_.feature.size()));
        return std::move(forest_);
    }

private:
    // The node of all trees of a size for a set; none if there are no such trees.
    std::optional<std::int32_t> node(const Place& place, bool is_root = false) {
        if (const auto label = only_label(place.set)) return place.size == 0 ? label : std::nullopt;
        if (place.size == 0 || place.depth == 0) return std::nullopt;
        if (const auto found = nodes_.find(place); found != nodes_.end()) return found->second;
        tick_();
        std::vector<Edge> edges;
        const std::vector<Way> all_ways = ways(place.set);
        const std::size_t n_way_bytes = all_ways.size() * (2 * place.set.size() * sizeof(Word) + 128);
        n_bytes_ += n_way_bytes;
        for (const Way& way : all_ways) add_edges(way, place, is_root, edges);
        n_bytes_ -= n_way_bytes;
        std::optional<std::int32_t> made;
        if (!edges.empty()) {
            std::ranges::sort(edges);
            made = add_node(-1, place.size, edges);
        }
        keep(place.set);
        nodes_.emplace(place, made);
        return made;
    }

    void add_edges(const Way& way, const Place& place, bool is_root, std::vector<Edge>& edges) {
        if (wishes_.min_leaf > 1 && !(is_large_enough(way.no) && is_large_enough(way.yes))) return;
        if (is_root && !std::ranges::any_of(way.features, [&](auto& one) { return may_be_root(one.first); })) return;
        const Depth depth = below(place.depth);
        const Value tests = place.size - 1;
        const Value yes_bound = refinement_.lower_bound(way.yes.data(), depth, tests + 1);
        if (yes_bound > tests) return;
        if (refinement_.lower_bound(way.no.data(), depth, tests - yes_bound + 1) + yes_bound > tests) return;
        const auto no_least = value(way.no, depth, tests - yes_bound);
        if (!no_least) return;
        const auto yes_least = value(way.yes, depth, tests - *no_least);
        if (!yes_least) return;
        for (Value no_tests = *no_least; no_tests <= tests - *yes_least; ++no_tests) {
            const auto no = node({way.no, static_cast<std::int32_t>(no_tests), depth});
            if (!no) continue;
            const auto yes = node({way.yes, static_cast<std::int32_t>(tests - no_tests), depth});
            if (!yes) continue;
            for (const auto& [feature, is_swapped] : way.features) {
                if (is_root && !may_be_root(feature)) continue;
                edges.emplace_back(feature, is_swapped ? *yes : *no, is_swapped ? *no : *yes);
            }
        }
    }

    // The fewest tests for a set, if they are within the budget.
    std::optional<Value> value(const Set& set, Depth depth, Value budget) {
        Place place{set, 0, depth};
        if (const auto found = values_.find(place); found != values_.end()) {
            return found->second <= budget ? std::optional(found->second) : std::nullopt;
        }
        const Bound bound = refinement_.solve(set.data(), depth, budget);
        if (!bound.is_exact) return std::nullopt;
        keep(set);
        values_.emplace(std::move(place), bound.lower);
        return bound.lower;
    }

    std::vector<Way> ways(const Set& set) const {
        std::vector<Way> found;
        std::unordered_multimap<std::uint64_t, std::size_t> by_hash;
        Set no(set.size()), yes(set.size());
        for (std::size_t feature = 0; feature < all_.n_features(); ++feature) {
            if (!split(set.data(), all_.column(feature), no.data(), yes.data(), set.size())) continue;
            const bool is_swapped = first_is_in(set, no);
            if (is_swapped) no.swap(yes);  // the first example answers yes
            const std::uint64_t hash = hash_set(no.data(), no.size(), 0);
            const auto [begin, end] = by_hash.equal_range(hash);
            const auto same = std::find_if(begin, end, [&](auto& entry) { return found[entry.second].no == no; });
            if (same == end) by_hash.emplace(hash, found.size());
            Way& way = same == end ? found.emplace_back(Way{no, yes, {}}) : found[same->second];
            way.features.emplace_back(static_cast<std::int32_t>(feature), is_swapped);
        }
        return found;
    }

    static bool first_is_in(const Set& set, const Set& side) {
        std::size_t w = 0;
        while (set[w] == 0) ++w;
        return (side[w] & set[w] & (~set[w] + 1)) != 0;
    }

    std::optional<std::int32_t> only_label(const Set& set) const {
        std::optional<std::int32_t> label;
        for (std::size_t c = 0; c < all_.n_classes(); ++c) {
            if (!meets(set.data(), all_.of_class(c), set.size())) continue;
            if (label) return std::nullopt;
            label = static_cast<std::int32_t>(c);
        }
        return label;
    }

    bool is_large_enough(const Set& set) const {
        std::int64_t n_rows = 0;
        for_each(set.data(), set.size(), [&](std::size_t example) { n_rows += wishes_.n_rows[example]; });
        return n_rows >= wishes_.min_leaf;
    }

    bool may_be_root(std::int32_t feature) const {
        return wishes_.is_root.empty() || wishes_.is_root[static_cast<std::size_t>(feature)];
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
        n_bytes_ += 32 + 2 * 12 * edges.size();  // a vector may be twice as large as it has to
        return static_cast<std::int32_t>(forest_.label.size() - 1);
    }

    void keep(const Set& set) {
        n_bytes_ += set.size() * sizeof(Word) + 128;  // and what a map needs for an entry
        if (n_bytes_ > max_bytes_) throw ForestTooLarge{};
    }

    const Examples& all_;
    const Wishes& wishes_;
    Refinement& refinement_;
    std::size_t max_bytes_;
    const std::function<void()>& tick_;
    std::size_t n_bytes_ = 0;
    Forest forest_;
    std::unordered_map<Place, std::optional<std::int32_t>, HashPlace> nodes_;
    std::unordered_map<Place, Value, HashPlace> values_;  // the fewest tests, whatever the place's size
};

}  // namespace

Forest build_forest(const Examples& all, const Wishes& wishes, Refinement& refinement, std::size_t size,
                    std::size_t extra, std::size_t max_bytes, const std::function<void()>& tick) {
    return Builder(all, wishes, refinement, max_bytes, tick).build(size, extra);
}

}  // namespace puretree
