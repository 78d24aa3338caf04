// Bindings of the local search for MaxSAT.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "../local_search/local_search.hpp"
#include "arrays.hpp"
#include "deadline.hpp"
#include "module.hpp"

namespace puretree::bindings {
namespace {

void require_literals(std::span<const std::int32_t> literals, std::size_t n_vars) {
    const auto max_var = static_cast<std::int64_t>(n_vars);
    require(std::ranges::all_of(literals, [&](std::int64_t lit) { return -max_var <= lit && lit <= max_var; }),
            "a literal is not of a variable of the formula");
}

auto make_local_search(std::size_t n_vars) {
    require(n_vars < std::size_t{1} << 30, "local search supports at most a billion variables");
    return std::make_unique<LocalSearch>(n_vars);
}

void add_clauses(LocalSearch& search, Matrix<std::int32_t> block, Vector<std::int64_t> weights) {
    require_literals({block.data(), block.size()}, search.n_vars());
    require(weights.shape(0) == 0 || weights.shape(0) == block.shape(0), "every soft clause needs its weight");
    require(std::ranges::all_of(view(weights), [](Weight weight) { return weight >= 0; }), "weights must not be negative");
    nb::gil_scoped_release nogil;
    for (std::size_t row = 0; row < block.shape(0); ++row) {
        search.add({block.data() + row * block.shape(1), block.shape(1)},
                   weights.shape(0) == 0 ? Clauses::kHard : weights.data()[row]);
    }
}

using OnModel = nb::typed<nb::callable, void(NewVector<std::uint8_t>)>;

// A tick that throws TimeLimitReached, also if there is no better model for `patience` seconds.
std::function<void()> make_patient_tick(const LocalSearch& search, double seconds, double patience) {
    return [&search, tick = make_tick(seconds), patience, is_patient = Deadline(patience),
            improved_at = std::int64_t{0}]() mutable {
        tick();
        if (std::exchange(improved_at, search.improved_at()) != search.improved_at()) is_patient = Deadline(patience);
        if (!is_patient()) throw TimeLimitReached{};
    };
}

std::optional<bool> run_local_search(LocalSearch& search, Vector<std::int32_t> initial, std::uint64_t seed,
                                     std::int64_t max_steps, Weight target_cost, OnModel on_model, double seconds,
                                     double patience) {
    require_literals(view(initial), search.n_vars());
    require(std::ranges::find(view(initial), 0) == view(initial).end(), "literals must not be zero");
    const auto report = [&](const LocalSearch::Values& values) {
        nb::gil_scoped_acquire gil;
        on_model(to_numpy(LocalSearch::Values(values)));
    };
    try {
        nb::gil_scoped_release nogil;
        const auto stop =
            search.run({seed, max_steps, target_cost}, view(initial), report, make_patient_tick(search, seconds, patience));
        if (stop == LocalSearch::Stop::kStepLimit) return std::nullopt;
        return stop == LocalSearch::Stop::kTargetReached;
    } catch (const TimeLimitReached&) {
        return std::nullopt;
    }
}

}  // namespace

void bind_local_search(nb::module_& m) {
    nb::class_<LocalSearch>(m, "LocalSearch", "Local search for cheap models of a weighted formula.")
        .def(nb::new_(&make_local_search), "n_vars"_a)
        .def("add", &add_clauses, "block"_a, "weights"_a,
             "Add a block of clauses: soft ones with weights, hard ones without. All must be added before the first run.")
        .def("run", &run_local_search, "initial"_a, "seed"_a, "max_steps"_a, "target_cost"_a, "on_model"_a, "seconds"_a,
             "patience"_a,
             "Search from an assignment with the given literals. Returns True after reporting a model that costs at most "
             "`target_cost`, or that is as cheap as unit propagation permits; False if unit propagation refutes the hard "
             "clauses; None at the time limit, or after `max_steps` steps or `patience` seconds without a better model.");
}

}  // namespace puretree::bindings
