// Formulas and proofs as text.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "../dimacs.hpp"
#include "../proof/drat.hpp"
#include "../proof/rup.hpp"
#include "arrays.hpp"
#include "module.hpp"
#include "waiting.hpp"

namespace puretree::bindings {
namespace {

nb::bytes format_block(Matrix<std::int32_t> block, nb::bytes prefix) {
    const std::string_view start(prefix.c_str(), prefix.size());
    std::string out;
    {
        nb::gil_scoped_release nogil;
        format_clauses({block.data(), block.size()}, block.shape(0), block.shape(1), start, out);
    }
    return nb::bytes(out.data(), out.size());
}

NewMatrix<std::int64_t> hand_over_spans(const std::vector<Span>& spans) {
    std::vector<std::int64_t> flat;
    flat.reserve(2 * spans.size());
    for (const Span& span : spans) flat.insert(flat.end(), {span.begin, span.end});
    return hand_over<NewMatrix<std::int64_t>>(std::move(flat), {spans.size(), 2});
}

auto parse_text(nb::bytes bytes) {
    const std::string_view text(bytes.c_str(), bytes.size());
    DimacsText found;
    try {
        nb::gil_scoped_release nogil;
        found = parse_dimacs(text);
    } catch (const DimacsError& error) {
        PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.at, error.expected).ptr());
        throw nb::python_error();
    }
    return std::make_tuple(hand_over(std::move(found.hard.literals)), hand_over(std::move(found.hard.ends)),
                           hand_over(std::move(found.soft.literals)), hand_over(std::move(found.soft.ends)),
                           hand_over_spans(found.weights), hand_over_spans(found.notes),
                           std::make_tuple(found.max_var, found.n_vars, found.n_clauses));
}

auto rewrite_drat(nb::bytes bytes) {
    std::string out;
    std::size_t n_read = 0;
    try {
        nb::gil_scoped_release nogil;
        n_read = drat_to_text({bytes.c_str(), bytes.size()}, out);
    } catch (const DimacsError& error) {
        PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.at, error.expected).ptr());
        throw nb::python_error();
    }
    return std::make_tuple(nb::bytes(out.data(), out.size()), n_read);
}

using OnText = nb::typed<nb::callable, void(nb::bytes)>;

auto rup_verdict(nb::bytes formula, nb::bytes proof, std::optional<OnText> on_lrat, std::size_t max_bytes, double seconds)
    -> std::optional<std::tuple<bool, std::optional<std::size_t>, std::size_t, std::size_t>> {
    const std::string_view formula_text(formula.c_str(), formula.size()), proof_text(proof.c_str(), proof.size());
    std::function<void(std::string_view)> out;
    if (on_lrat) {
        out = [&](std::string_view text) {
            nb::gil_scoped_acquire gil;
            (*on_lrat)(nb::bytes(text.data(), text.size()));
        };
    }
    try {
        RupResult result;
        {
            nb::gil_scoped_release nogil;
            result = check_rup(formula_text, proof_text, max_bytes, out, ticking(seconds));
        }
        const bool is_refuted = result.end == RupResult::End::kRefuted;
        const bool has_place = result.end == RupResult::End::kNotImplied;
        return std::make_tuple(is_refuted, has_place ? std::optional(result.place) : std::nullopt, result.n_lemmas,
                               result.n_written);
    } catch (const ProofError& error) {
        PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.is_in_formula, error.at, error.expected).ptr());
        throw nb::python_error();
    } catch (const TimeIsOver&) {
        return std::nullopt;
    }
}

}  // namespace

void bind_formulas(nb::module_& m) {
    m.def("format_clauses", &format_block, "block"_a, "prefix"_a,
          "One line of text for each clause of a block, each with a prefix.");
    m.def("parse_dimacs", &parse_text, "text"_a,
          "Hard literals and ends, soft literals and ends, spans of weights and notes, and (highest variable seen, "
          "variables and clauses of the p line or -1). ValueError(place, what was expected).");
    m.def("drat_to_text", &rewrite_drat, "proof"_a,
          "The complete steps of a proof in bytes as text, and how many bytes they took. ValueError(place, what was "
          "expected).");
    m.def("check_rup", &rup_verdict, "formula"_a, "proof"_a, "on_lrat"_a.none(), "max_bytes"_a, "seconds"_a,
          "Check that a DRAT proof in text refutes a formula, by unit propagation alone: whether it does, the place of "
          "the step that does not follow (None if only the empty clause is missing), the clauses checked, and those of "
          "the LRAT proof that was handed over in pieces, if asked for. None if the seconds were too few; MemoryError "
          "if the bytes were; ValueError(whether it is in the formula, place, what was expected).");
}

}  // namespace puretree::bindings
