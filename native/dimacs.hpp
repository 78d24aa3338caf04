// Clauses <-> the text that solvers read (DIMACS): "h 1 -2 0".
//
// A formula for a few thousand examples has tens of millions of literals. Python needs about a microsecond for each of
// them, so a file would take longer to write than many a solver takes to answer; here it is about ten nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace puretree {

// Appends one line for each row of `width` literals: the prefix, the literals, a closing 0. Zeros in a row are padding.
void format_clauses(std::span<const std::int32_t> literals, std::size_t n_rows, std::size_t width,
                    std::string_view prefix, std::string& out);

// A part of the text, by its places.
struct Span {
    std::int64_t begin;
    std::int64_t end;
};

// Clauses of any lengths behind each other; clause i ends before ends[i].
struct ClauseList {
    std::vector<std::int32_t> literals;
    std::vector<std::int64_t> ends;
};

// What stands in a file. Weights are left as text: they may be longer than any machine word.
struct DimacsText {
    ClauseList hard;
    ClauseList soft;
    std::vector<Span> weights;  // one for each soft clause
    std::vector<Span> notes;    // the comment lines that begin with "c var " or "c n_vars ", without their line ends
    std::int64_t max_var = 0;
    std::int64_t n_vars = -1;     // as the p line says; -1 if there is no p line
    std::int64_t n_clauses = -1;  // likewise
    bool is_cnf = false;          // whether it opens with "p cnf": all clauses are hard, and no weight stands before them
    std::size_t n_read = 0;       // where reading ended: before the "%" that ends files of SATLIB, else at the end
};

// Text that is no formula: where, and what should have stood there.
struct DimacsError {
    std::size_t at;
    const char* expected;
};

// Reads "p cnf", "p wcnf" with or without a top weight (heavier clauses are hard), and the format of the MaxSAT
// Evaluations since 2022 without a p line. A clause ends with its 0, not with its line. Throws DimacsError.
DimacsText parse_dimacs(std::string_view text);

}  // namespace puretree
