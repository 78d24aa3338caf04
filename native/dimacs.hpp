// Writes and reads clauses in the DIMACS format: "h 1 -2 0".
//
// A formula for a few thousand examples has tens of millions of literals. Python takes about a microsecond for each, so
// writing the file would take longer than solving it; here it takes about ten nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace puretree {

// Appends one line for each row of `width` literals: the prefix, the literals, a closing 0. Zeros in a row are padding.
void format_clauses(std::span<const std::int32_t> literals, std::size_t n_rows, std::size_t width,
                    std::string_view prefix, std::string& out);

// A part of the text, by offsets.
struct Span {
    std::int64_t begin;
    std::int64_t end;
};

// Clauses of any lengths in one array; clause i ends before ends[i].
struct ClauseList {
    std::vector<std::int32_t> literals;
    std::vector<std::int64_t> ends;
};

// The content of a file. Weights stay text: they may exceed any machine word.
struct DimacsText {
    ClauseList hard;
    ClauseList soft;
    std::vector<Span> weights;  // one for each soft clause
    std::vector<Span> notes;    // comment lines that begin with "c var " or "c n_vars ", without line ends
    std::int64_t max_var = 0;
    std::optional<std::int64_t> n_vars;     // according to the p line
    std::optional<std::int64_t> n_clauses;  // according to the p line
    bool is_cnf = false;     // it begins with "p cnf": all clauses are hard and have no weights
    std::size_t n_read = 0;  // where parsing stopped: before the "%" that ends files of SATLIB, otherwise at the end
};

// A syntax error: where, and what was expected there.
struct DimacsError {
    std::size_t offset;
    const char* expected;
};

// Parses "p cnf", "p wcnf" with or without a top weight (clauses of at least that weight are hard), and the format of
// the MaxSAT Evaluations since 2022 without a p line. A clause ends with its 0, not with its line. Throws DimacsError.
DimacsText parse_dimacs(std::string_view text);

}  // namespace puretree
