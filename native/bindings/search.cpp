// Bindings of the exact search.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <tuple>

#include "../search/proof/proof_log.hpp"
#include "../search/search.hpp"
#include "arrays.hpp"
#include "deadline.hpp"
#include "module.hpp"

namespace puretree::bindings {
namespace {

auto make_search(Words example_words, std::size_t n_bits, Vector<std::int32_t> labels, std::size_t n_classes,
                 Vector<std::int64_t> n_rows, Vector<std::int64_t> weights, Vector<std::uint8_t> is_root,
                 std::optional<std::uint16_t> max_depth, std::int64_t min_samples_leaf, std::size_t max_bytes) {
    const auto examples = view(example_words, n_bits);
    require_labels(view(labels), examples.n_rows, static_cast<int>(n_classes));
    require(n_rows.shape(0) == examples.n_rows, "n_rows must have one number per example");
    require(weights.shape(0) == 0 || weights.shape(0) == n_bits, "feature_costs must be empty or have one weight per feature");
    require(std::ranges::all_of(view(weights), [](std::int64_t weight) { return weight > 0; }), "feature_costs must be positive");
    require(is_root.shape(0) == 0 || is_root.shape(0) == n_bits, "root_features must be empty or have one flag per feature");
    require(n_bits < Memo::kMaxFeatures, "the search supports at most 16 million features");
    require(examples.n_rows < std::size_t{1} << 22, "the search supports at most 4 million different examples");
    Constraints constraints;
    if (weights.shape(0) > 0) constraints.feature_costs.emplace(view(weights).begin(), view(weights).end());
    if (is_root.shape(0) > 0) constraints.root_features.emplace(view(is_root).begin(), view(is_root).end());
    constraints.max_depth = max_depth.value_or(kAnyDepth);
    constraints.min_samples_leaf = min_samples_leaf;
    constraints.n_rows.assign(view(n_rows).begin(), view(n_rows).end());
    return std::make_unique<Search>(std::vector<Word>(example_words.data(), example_words.data() + example_words.size()),
                                    n_bits, std::vector<std::int32_t>(view(labels).begin(), view(labels).end()),
                                    n_classes, std::move(constraints), max_bytes);
}

using OnLower = nb::typed<nb::callable, void(Value)>;
using OnTree = nb::typed<nb::callable, void(NewVector<std::int32_t>, NewVector<std::int32_t>, NewVector<std::int32_t>)>;

std::optional<bool> run_search(Search& search, Value cutoff, OnLower on_lower, OnTree on_tree, double seconds) {
    const SearchCallbacks callbacks{[&](Value lower) {
                                        nb::gil_scoped_acquire gil;
                                        on_lower(lower);
                                    },
                                    [&](const GrownTree& tree) {
                                        nb::gil_scoped_acquire gil;
                                        const auto [feature, left, label] = to_numpy(GrownTree(tree));
                                        on_tree(feature, left, label);
                                    }};
    try {
        nb::gil_scoped_release nogil;
        return search.run(cutoff, callbacks, make_tick(seconds));
    } catch (const TimeLimitReached&) {
        return std::nullopt;
    }
}

auto search_forest(Search& search, std::size_t size, std::size_t extra, std::size_t max_bytes, double seconds) {
    std::optional<Forest> forest;
    try {
        nb::gil_scoped_release nogil;
        forest = search.find_forest(size, extra, max_bytes, make_tick(seconds));
    } catch (const TimeLimitReached&) {
    } catch (const ForestTooLarge&) {
        throw std::bad_alloc();
    }
    const auto to_arrays = [](Forest& built) {
        return std::make_tuple(to_numpy(std::move(built.label)), to_numpy(std::move(built.size)),
                               to_numpy(std::move(built.edge_start)), to_numpy(std::move(built.feature)),
                               to_numpy(std::move(built.no)), to_numpy(std::move(built.yes)),
                               to_numpy(std::move(built.roots)));
    };
    return forest ? std::optional(to_arrays(*forest)) : std::nullopt;
}

std::optional<nb::bytes> search_proof(Search& search, Value bound, std::size_t max_bytes, double seconds) {
    std::string log;
    try {
        nb::gil_scoped_release nogil;
        log = search.write_proof(bound, max_bytes, make_tick(seconds));
    } catch (const TimeLimitReached&) {
        return std::nullopt;
    } catch (const ProofTooLarge&) {
        throw std::bad_alloc();
    }
    return nb::bytes(log.data(), log.size());
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<Search>(m, "Search", "The exact search for minimum pure trees.")
        .def(nb::new_(&make_search), "words"_a, "n_bits"_a, "labels"_a, "n_classes"_a, "n_rows"_a, "feature_costs"_a,
             "root_features"_a, "max_depth"_a.none(), "min_samples_leaf"_a, "max_bytes"_a)
        .def("run", &run_search, "cutoff"_a, "on_lower"_a, "on_tree"_a, "seconds"_a,
             "Search for a best tree. Returns True after reporting it, or if no tree is better than `cutoff`; False if "
             "there is no tree; None at the time limit: run again to continue.")
        .def("forest", &search_forest, "size"_a, "extra"_a, "max_bytes"_a, "seconds"_a,
             "Find all trees of `size` (the minimum) to size + extra tests: label, size, edge_start, feature, no, yes, "
             "roots. Returns None at the time limit; raises MemoryError at the memory limit.")
        .def("proof", &search_proof, "bound"_a, "max_bytes"_a, "seconds"_a,
             "Write the log of a proof that no tree has fewer tests than a bound that a run has established. Returns None "
             "at the time limit; raises MemoryError at the memory limit.");
}

}  // namespace puretree::bindings
