// Local search for models of a formula.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "../local_search/local_search.hpp"
#include "arrays.hpp"
#include "module.hpp"
#include "waiting.hpp"

namespace puretree::bindings {
namespace {

void require_literals(std::span<const std::int32_t> literals, std::size_t n_vars) {
    const auto most = static_cast<std::int64_t>(n_vars);
    require(std::ranges::all_of(literals, [&](std::int64_t lit) { return -most <= lit && lit <= most; }),
            "a literal is not of a variable of the formula");
}

auto make_local_search(std::size_t n_vars) {
    require(n_vars < std::size_t{1} << 30, "local search takes at most a billion variables");
    return std::make_unique<LocalSearch>(n_vars);
}

void add_clauses(LocalSearch& search, Matrix<std::int32_t> block, Vector<std::int64_t> weights) {
    require_literals({block.data(), block.size()}, search.n_vars());
    require(weights.shape(0) == 0 || weights.shape(0) == block.shape(0), "every soft clause needs its weight");
    require(std::ranges::all_of(view(weights), [](Weight weight) { return weight >= 0; }), "a weight is negative");
    nb::gil_scoped_release nogil;
    for (std::size_t row = 0; row < block.shape(0); ++row) {
        search.add({block.data() + row * block.shape(1), block.shape(1)},
                   weights.shape(0) == 0 ? Clauses::kHard : weights.data()[row]);
    }
}

using OnModel = nb::typed<nb::callable, void(NewVector<std::uint8_t>)>;

std::optional<bool> run_local_search(LocalSearch& search, Vector<std::int32_t> given, std::uint64_t seed,
                                     std::int64_t most_steps, Weight enough, OnModel on_model, double seconds) {
    require_literals(view(given), search.n_vars());
    require(std::ranges::find(view(given), 0) == view(given).end(), "a literal is zero");
    const auto hear = [&](const LocalSearch::Values& values) {
        nb::gil_scoped_acquire gil;
        on_model(hand_over(LocalSearch::Values(values)));
    };
    try {
        nb::gil_scoped_release nogil;
        const auto end = search.run({seed, most_steps, enough}, view(given), hear, ticking(seconds));
        if (end == LocalSearch::End::kStale) return std::nullopt;
        return end == LocalSearch::End::kEnough;
    } catch (const TimeIsOver&) {
        return std::nullopt;
    }
}

}  // namespace

void bind_local_search(nb::module_& m) {
    nb::class_<LocalSearch>(m, "LocalSearch", "Local search for cheap models of a weighted formula.")
        .def(nb::new_(&make_local_search), "n_vars"_a)
        .def("add", &add_clauses, "block"_a, "weights"_a,
             "Take a block of clauses: soft ones with their weights, hard ones with no weights. All before the first run.")
        .def("run", &run_local_search, "given"_a, "seed"_a, "most_steps"_a, "enough"_a, "on_model"_a, "seconds"_a,
             "Walk from the literals given: True when a model was handed over that costs no more than is enough, or than "
             "any model must; False if there is no model, by unit propagation; None if the seconds or the steps without "
             "a better model were too few.");
}

}  // namespace puretree::bindings
