#include "walk.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace puretree {
namespace {

// Walks examples in parallel lanes until none moves. `step(node, example)` must return `node` at a leaf.
template <class Step>
void walk_all(std::span<std::int32_t> out, Step step) {
    constexpr std::size_t kLanes = 8;
    for (std::size_t first = 0; first < out.size(); first += kLanes) {
        const std::size_t lanes = std::min(kLanes, out.size() - first);
        std::array<std::int32_t, kLanes> node{};
        std::int32_t moved;
        do {
            moved = 0;
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const std::int32_t next = step(node[lane], first + lane);
                moved |= next ^ node[lane];
                node[lane] = next;
            }
        } while (moved != 0);
        std::copy_n(node.begin(), lanes, out.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

// A node of a tree whose regions all have a single edge, with everything that a step reads. At a leaf the edge is NaN:
// no value is below or above it.
template <class T>
struct Cut {
    const T* values;
    std::ptrdiff_t stride;
    double edge;
    std::int32_t left;
    std::uint8_t starts_inside;
    std::uint8_t holds_missing;

    std::int32_t step(std::size_t row) const {
        const double x = values[static_cast<std::ptrdiff_t>(row) * stride];
        const bool below = x < edge;
        const bool above = x >= edge;
        return left + ((starts_inside & below) | (!starts_inside & above) | (holds_missing & !(below | above)));
    }
};

template <class T>
std::vector<Cut<T>> make_cuts(const TreeView& tree, const Predicates& predicates, const std::vector<Column<T>>& columns) {
    static constexpr T kDummy = 0;
    std::vector<Cut<T>> cuts;
    for (std::size_t node = 0; node < tree.left.size(); ++node) {
        if (tree.left[node] < 0) {
            constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
            cuts.push_back({&kDummy, 0, kNaN, static_cast<std::int32_t>(node), 0, 0});
            continue;
        }
        const auto test = static_cast<std::size_t>(tree.test[node]);
        const Region region = predicates.region(test);
        const Column<T>& source = columns[static_cast<std::size_t>(predicates.column[test])];
        cuts.push_back({source.values, source.stride, region.edges[0], tree.left[node], region.starts_inside,
                        region.holds_missing});
    }
    return cuts;
}

}  // namespace

void leaves_of_bits(const TreeView& tree, const BitRows<const Word>& examples, std::span<std::int32_t> out) {
    walk_all(out, [&](std::int32_t at, std::size_t example) {
        const auto node = static_cast<std::size_t>(at);
        if (tree.left[node] < 0) return at;
        return tree.left[node] + examples.bit(example, static_cast<std::size_t>(tree.test[node]));
    });
}

template <class T>
void leaves_of_columns(const TreeView& tree, const Predicates& predicates, const std::vector<Column<T>>& columns,
                       std::span<std::int32_t> out) {
    bool all_cuts = true;
    for (std::size_t i = 0; i < predicates.size(); ++i) all_cuts &= predicates.region(i).edges.size() == 1;
    if (all_cuts) {
        const auto cuts = make_cuts(tree, predicates, columns);
        walk_all(out, [&](std::int32_t at, std::size_t row) { return cuts[static_cast<std::size_t>(at)].step(row); });
        return;
    }
    walk_all(out, [&](std::int32_t at, std::size_t row) {
        const auto node = static_cast<std::size_t>(at);
        if (tree.left[node] < 0) return at;
        const auto test = static_cast<std::size_t>(tree.test[node]);
        const Column<T>& source = columns[static_cast<std::size_t>(predicates.column[test])];
        const double x = source.values[static_cast<std::ptrdiff_t>(row) * source.stride];
        return tree.left[node] + predicates.region(test).contains(x);
    });
}

template void leaves_of_columns(const TreeView&, const Predicates&, const std::vector<Column<float>>&,
                                std::span<std::int32_t>);
template void leaves_of_columns(const TreeView&, const Predicates&, const std::vector<Column<double>>&,
                                std::span<std::int32_t>);

}  // namespace puretree
