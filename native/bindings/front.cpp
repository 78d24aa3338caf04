// Bindings of the search for the size-error front.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "../front/search.hpp"
#include "arrays.hpp"
#include "deadline.hpp"
#include "module.hpp"

namespace puretree::bindings {
namespace {

auto make_front_search(Words example_words, std::size_t n_bits, Matrix<std::int32_t> costs, Vector<std::int64_t> n_rows,
                       Vector<std::uint8_t> is_root, std::optional<std::uint16_t> max_depth,
                       std::int64_t min_samples_leaf, std::size_t max_bytes, bool keeps_all) {
    const auto examples = view(example_words, n_bits);
    const std::size_t n_classes = costs.shape(1);
    require(costs.shape(0) == examples.n_rows && examples.n_rows > 0 && n_classes > 0,
            "costs must have a row for each example and a column for each class, at least one of each");
    require(n_rows.shape(0) == examples.n_rows, "n_rows must have one number per example");
    require(is_root.shape(0) == 0 || is_root.shape(0) == n_bits, "root_features must be empty or have one flag per feature");
    require(min_samples_leaf >= 1, "min_samples_leaf must be at least 1");
    const std::span<const std::int32_t> all_costs{costs.data(), costs.size()};
    std::int64_t total = 0, total_rows = 0;
    for (std::size_t example = 0; example < examples.n_rows; ++example) {
        const auto row = all_costs.subspan(example * n_classes, n_classes);
        require(std::ranges::min(row) >= 0, "costs must not be negative");
        total += std::ranges::max(row);
        require(n_rows.data()[example] >= 0, "n_rows must not be negative");
        total_rows = std::min<std::int64_t>(total_rows + std::min<std::int64_t>(n_rows.data()[example], front::kNoTree), front::kNoTree);
    }
    require(total < front::kNoTree, "the sum of the largest cost of each example must be below 2**30 - 1");
    require((min_samples_leaf == 1 && !keeps_all) || total_rows < front::kNoTree,
            "rows are counted, so there must be fewer than 2**30 - 1");
    front::Options options;
    options.root_features.assign(view(is_root).begin(), view(is_root).end());
    options.max_depth = max_depth.value_or(kAnyDepth);
    options.min_samples_leaf = min_samples_leaf;
    options.keeps_all = keeps_all;
    return std::make_unique<front::Search>(
        front::Problem(examples, all_costs, n_classes, view(n_rows), std::move(options)), max_bytes);
}

using OnLower = nb::typed<nb::callable, void(std::int64_t, std::int64_t)>;
using OnTree = nb::typed<nb::callable, void(std::int64_t, std::int64_t, NewVector<std::int32_t>, NewVector<std::int32_t>,
                                            NewVector<std::int32_t>)>;

// Interrupts a search at a time limit, or after a number of sets.
std::function<void()> make_limited_tick(double seconds, std::optional<std::uint64_t> max_sets) {
    return [tick = make_tick(seconds), left = max_sets]() mutable {
        if (left && (*left)-- == 0) throw TimeLimitReached{};
        tick();
    };
}

bool run_front_search(front::Search& search, Vector<std::int64_t> cutoffs, OnLower on_lower, OnTree on_tree, double seconds,
                      std::optional<std::uint64_t> max_sets) {
    require(cutoffs.shape(0) <= front::Curves::kMaxTests, "the front can have at most 16,382 tests");
    const front::Callbacks callbacks{
        [&](std::size_t k, std::int64_t lower) {
            nb::gil_scoped_acquire gil;
            on_lower(k, lower);
        },
        [&](std::size_t k, std::int64_t cost, const GrownTree& tree) {
            nb::gil_scoped_acquire gil;
            const auto [feature, left, label] = to_numpy(GrownTree(tree));
            on_tree(k, cost, feature, left, label);
        }};
    try {
        nb::gil_scoped_release nogil;
        search.run(view(cutoffs), callbacks, make_limited_tick(seconds, max_sets));
        return true;
    } catch (const TimeLimitReached&) {
        return false;
    }
}

using OnTotal = nb::typed<nb::callable, void(std::int64_t)>;
using OnPricedTree = nb::typed<nb::callable, void(std::int64_t, NewVector<std::int32_t>, NewVector<std::int32_t>,
                                                  NewVector<std::int32_t>)>;

bool run_front_price(front::Search& search, std::int32_t price, std::int32_t unit, std::int64_t cutoff, OnTotal on_lower,
                     OnPricedTree on_tree, double seconds, std::optional<std::uint64_t> max_sets) {
    require(price >= 1 && unit >= 1, "the price and the unit must be positive");
    const front::Cost leaf = search.solver().upper(0);
    require(leaf <= front::kMostTotal / unit, "the unit is too large for the costs");
    const front::PriceCallbacks callbacks{
        [&](std::int64_t lower) {
            nb::gil_scoped_acquire gil;
            on_lower(lower);
        },
        [&](std::int64_t cost, const GrownTree& tree) {
            nb::gil_scoped_acquire gil;
            const auto [feature, left, label] = to_numpy(GrownTree(tree));
            on_tree(cost, feature, left, label);
        }};
    try {
        nb::gil_scoped_release nogil;
        search.run_price({price, unit}, cutoff, callbacks, make_limited_tick(seconds, max_sets));
        return true;
    } catch (const TimeLimitReached&) {
        return false;
    }
}

constexpr std::size_t kMargin = std::size_t{1} << 22;  // bytes of bounds that are granted under any limit

// Whether a problem is another one, or the same without the examples that cost the same for every class.
bool has_costs_of(const front::Problem& problem, const front::Problem& all) {
    const front::Options &own = problem.options(), &others = all.options();
    if (own.max_depth != others.max_depth || own.min_samples_leaf != others.min_samples_leaf) return false;
    if (own.root_features != others.root_features || problem.n_features() != all.n_features()) return false;
    if (problem.kinds().size() > all.kinds().size() || problem.n_words() > all.n_words()) return false;
    const std::size_t first_kind = all.kinds().size() - problem.kinds().size(), first_word = all.n_words() - problem.n_words();
    for (std::size_t k = 0; k < problem.kinds().size(); ++k) {
        const front::Kind &one = problem.kinds()[k], &other = all.kinds()[first_kind + k];
        if (one.begin + first_word != other.begin || one.end + first_word != other.end) return false;
        if (!std::ranges::equal(one.cost, std::span(other.cost).first(one.cost.size()))) return false;
    }
    for (std::size_t f = 0; f < problem.n_features(); ++f) {
        if (!std::ranges::equal(problem.column(f), all.column(f).subspan(first_word))) return false;
    }
    return std::ranges::equal(problem.full_set(), all.full_set().subspan(first_word));
}

auto front_forest(front::Search& search, std::size_t max_tests, std::int64_t max_cost, std::size_t max_bytes, double seconds,
                  front::Search* bounds) {
    front::Search& known = bounds ? *bounds : search;
    require(has_costs_of(known.problem(), search.problem()), "the bounds are those of another problem");
    require(search.problem().has_all_examples(), "an example that costs the same for every class needs keeps_all");
    require(max_tests < front::Curves::kMaxTests, "trees can have at most 16,382 tests");
    std::optional<front::CostForest> forest;
    try {
        nb::gil_scoped_release nogil;
        // The bounds of the other search may take as much memory as the trees in addition to what they have.
        const std::size_t most_bytes = known.solver().curves().n_bytes() + max_bytes + kMargin;
        const auto tick = [&, end = make_tick(seconds)] {
            end();
            if (known.solver().curves().n_bytes() > most_bytes) throw ForestTooLarge{};
        };
        const auto most = std::clamp<std::int64_t>(max_cost - search.problem().least_cost(), -1, front::kNoTree - 1);
        forest = front::build_forest(search.problem(), known.solver(), max_tests, static_cast<front::Cost>(most), max_bytes,
                                     tick, &known.problem());
    } catch (const TimeLimitReached&) {
    } catch (const ForestTooLarge&) {
        throw std::bad_alloc();
    }
    const auto to_arrays = [](front::CostForest& built) {
        return std::make_tuple(to_numpy(std::move(built.label)), to_numpy(std::move(built.size)),
                               to_numpy(std::move(built.edge_start)), to_numpy(std::move(built.feature)),
                               to_numpy(std::move(built.no)), to_numpy(std::move(built.yes)),
                               to_numpy(std::move(built.roots)), to_numpy(std::move(built.cost)));
    };
    return forest ? std::optional(to_arrays(*forest)) : std::nullopt;
}

}  // namespace

void bind_front(nb::module_& m) {
    nb::class_<front::Search>(m, "FrontSearch", "The search for the least cost of a tree of every size.")
        .def(nb::new_(&make_front_search), "words"_a, "n_bits"_a, "costs"_a, "n_rows"_a, "root_features"_a,
             "max_depth"_a.none(), "min_samples_leaf"_a, "max_bytes"_a, "keeps_all"_a = false)
        .def("run", &run_front_search, "cutoffs"_a, "on_lower"_a, "on_tree"_a, "seconds"_a, "max_sets"_a.none() = nb::none(),
             "For each k from 0 on, look for a tree with at most k tests that costs less than cutoffs[k]. Returns True when "
             "each k is answered: the least cost was reported, or it is not below the cutoff. Returns False at the time "
             "limit, or after max_sets sets: run again to continue.")
        .def("run_price", &run_front_price, "price"_a, "unit"_a, "cutoff"_a, "on_lower"_a, "on_tree"_a, "seconds"_a,
             "max_sets"_a.none() = nb::none(),
             "Look for the tree with the least total below the cutoff: unit times the cost, and the price for each test. "
             "Returns True when it was reported, or there is none. Returns False at the time limit, or after max_sets "
             "sets: run again with the same price to continue.")
        .def("forest", &front_forest, "max_tests"_a, "max_cost"_a, "max_bytes"_a, "seconds"_a,
             "bounds"_a.none() = nb::none(),
             "Find all trees with at most max_tests tests and at most max_cost: label, size, edge_start, feature, no, yes, "
             "roots, and the cost of each node less the least cost of its examples. Returns None at the time limit; raises "
             "MemoryError at the memory limit. The bounds of another search of the same examples are used if it is given: "
             "it may lack those that cost the same for every class.")
        .def_prop_ro("n_sets", &front::Search::n_sets, "The number of sets of examples that were searched, a measure of the work.")
        .def_prop_ro(
            "n_bytes", [](front::Search& search) { return search.solver().curves().n_bytes(); }, "The memory of the bounds.");
}

}  // namespace puretree::bindings
