// Bindings of formulas and proofs in text formats.
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
#include "deadline.hpp"

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

NewMatrix<std::int64_t> to_numpy_spans(const std::vector<Span>& spans) {
    std::vector<std::int64_t> flat;
    flat.reserve(2 * spans.size());
    for (const Span& span : spans) flat.insert(flat.end(), {span.begin, span.end});
    return to_numpy<NewMatrix<std::int64_t>>(std::move(flat), {spans.size(), 2});
}

auto parse_text(nb::bytes bytes) {
    const std::string_view text(bytes.c_str(), bytes.size());
    DimacsText parsed;
    try {
        nb::gil_scoped_release nogil;
        parsed = parse_dimacs(text);
    } catch (const DimacsError& error) {
        PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.offset, error.expected).ptr());
        throw nb::python_error();
    }
    return std::make_tuple(to_numpy(std::move(parsed.hard.literals)), to_numpy(std::move(parsed.hard.ends)),
                           to_numpy(std::move(parsed.soft.literals)), to_numpy(std::move(parsed.soft.ends)),
                           to_numpy_spans(parsed.weights), to_numpy_spans(parsed.notes),
                           std::make_tuple(parsed.max_var, parsed.n_vars.value_or(-1), parsed.n_clauses.value_or(-1)));
}

auto rewrite_drat(nb::bytes bytes) {
    std::string out;
    std::size_t n_read = 0;
    try {
        nb::gil_scoped_release nogil;
        n_read = drat_to_text({bytes.c_str(), bytes.size()}, out);
    } catch (const DimacsError& error) {
        PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.offset, error.expected).ptr());
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
            result = check_rup(formula_text, proof_text, max_bytes, out, make_tick(seconds));
        }
        const bool is_refuted = result.verdict == RupResult::Verdict::kRefuted;
        return std::make_tuple(is_refuted, result.failed_step, result.n_lemmas, result.n_written);
    } catch (const ProofError& error) {
        PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.is_in_formula, error.offset, error.expected).ptr());
        throw nb::python_error();
    } catch (const TimeLimitReached&) {
        return std::nullopt;
    }
}

}  // namespace

void bind_formulas(nb::module_& m) {
    m.def("format_clauses", &format_block, "block"_a, "prefix"_a,
          "Format each clause of a block as a line of text with a prefix.");
    m.def("parse_dimacs", &parse_text, "text"_a,
          "Parse a formula: hard literals and ends, soft literals and ends, spans of weights and notes, and (highest "
          "variable, variables and clauses of the p line or -1). Raises ValueError(offset, what was expected).");
    m.def("drat_to_text", &rewrite_drat, "proof"_a,
          "Convert the complete steps of a binary DRAT proof to text; also returns the number of bytes read. Raises "
          "ValueError(offset, what was expected).");
    m.def("check_rup", &rup_verdict, "formula"_a, "proof"_a, "on_lrat"_a.none(), "max_bytes"_a, "seconds"_a,
          "Check by unit propagation that a DRAT proof in text refutes a formula. Returns whether it does, the offset of "
          "the first step that does not follow (None if only the empty clause is missing), the number of clauses checked, "
          "and the number of clauses of the LRAT proof, which is passed to on_lrat in pieces. Returns None at the time "
          "limit; raises MemoryError at the memory limit, ValueError(is in formula, offset, what was expected) on a "
          "syntax error.");
}

}  // namespace puretree::bindings
