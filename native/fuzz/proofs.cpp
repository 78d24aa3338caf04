// Valid, invalid and malformed proofs: a satisfiable formula is never refuted, and syntax errors have an offset.
#include "../proof/rup.hpp"

#include <cstdlib>
#include <new>
#include <string>

#include "../proof/drat.hpp"
#include "../search/value.hpp"
#include "problem.hpp"

namespace puretree::fuzz {
namespace {

using Clauses = std::vector<std::vector<std::int32_t>>;

Clauses draw_clauses(Bytes& bytes, std::int64_t n_vars, std::size_t max_clauses) {
    Clauses clauses(bytes.below(max_clauses + 1));
    for (auto& clause : clauses) {
        clause.resize(bytes.one_in(40) ? 0 : 1 + bytes.below(3));
        for (auto& literal : clause) {
            literal = static_cast<std::int32_t>(bytes.between(1, n_vars));
            if (bytes.flag()) literal = -literal;
        }
    }
    return clauses;
}

std::string line_of(const std::vector<std::int32_t>& clause) {
    std::string text;
    for (const std::int32_t literal : clause) text += std::to_string(literal) + " ";
    return text + "0\n";
}

bool has_model(const Clauses& clauses, std::int64_t n_vars) {
    for (std::uint32_t values = 0; values < std::uint32_t{1} << n_vars; ++values) {
        const auto is_true = [&](std::int32_t literal) {
            return ((values >> (std::abs(literal) - 1)) & 1) == (literal > 0);
        };
        const auto is_satisfied = [&](const auto& clause) { return std::ranges::any_of(clause, is_true); };
        if (std::ranges::all_of(clauses, is_satisfied)) return true;
    }
    return false;
}

// Random lemmas rarely follow; short ones over few variables do often enough.
std::string draw_proof(Bytes& bytes, const Clauses& formula, std::int64_t n_vars) {
    std::string text;
    for (const auto& lemma : draw_clauses(bytes, n_vars, 12)) {
        if (!formula.empty() && bytes.one_in(4)) text += "d " + line_of(formula[bytes.below(formula.size())]);
        text += line_of(lemma);
        if (bytes.one_in(6)) text += "d " + line_of(lemma);
    }
    return bytes.one_in(3) ? text : text + "0\n";
}

void check(Bytes& bytes) {
    const std::int64_t n_vars = 1 + static_cast<std::int64_t>(bytes.below(6));
    const Clauses clauses = draw_clauses(bytes, n_vars, 30);
    std::string formula = "p cnf " + std::to_string(n_vars) + " " + std::to_string(clauses.size()) + "\n";
    for (const auto& clause : clauses) formula += line_of(clause);
    std::string proof = draw_proof(bytes, clauses, n_vars), lrat;
    const bool is_mutated = bytes.one_in(3);
    for (std::size_t n = is_mutated ? 1 + bytes.below(4) : 0; n-- > 0;) {
        std::string& text = bytes.one_in(4) ? formula : proof;
        const std::size_t at = bytes.below(text.size() + 1);
        if (bytes.flag()) text.insert(at, 1, static_cast<char>(bytes.byte()));
        else text.erase(at, bytes.below(4));
    }
    std::size_t n_ticks = 0;
    const std::size_t max_ticks = bytes.one_in(4) ? bytes.below(20) : 1'000'000;
    try {
        const RupResult result = check_rup(
            formula, proof, bytes.one_in(6) ? bytes.below(5000) : 1 << 24, [&](std::string_view text) { lrat += text; },
            [&] {
                if (++n_ticks > max_ticks) throw TimeLimitReached{};
            });
        expect(result.failed_step.value_or(0) <= proof.size(), "a step that does not follow is in the proof");
        const bool is_refuted = result.verdict == RupResult::Verdict::kRefuted;
        expect(result.failed_step.has_value() == (result.verdict == RupResult::Verdict::kNotImplied),
               "exactly a proof with an invalid step has a failed step");
        if (!is_mutated && is_refuted) expect(!has_model(clauses, n_vars), "a satisfiable formula is not refuted");
        expect(is_refuted || lrat.empty(), "an LRAT proof is written only for a refutation");
    } catch (const ProofError& error) {
        expect(error.offset <= (error.is_in_formula ? formula : proof).size(), "an error has an offset");
    } catch (const TimeLimitReached&) {
    } catch (const std::bad_alloc&) {
    }
}

void convert(Bytes& bytes) {
    const auto rest = bytes.rest();
    const std::string binary(rest.begin(), rest.end());
    std::string text;
    try {
        expect(drat_to_text(binary, text) <= binary.size(), "no bytes beyond the end are read");
    } catch (const DimacsError& error) {
        expect(error.offset <= binary.size(), "an error has an offset");
    }
}

const Target rup("proofs", check), binary("binary proofs", convert);

}  // namespace
}  // namespace puretree::fuzz
