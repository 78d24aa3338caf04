// Reads proofs as solvers write them (DRAT): a line for each clause that was learned, "1 -2 0", and for each that was
// forgotten, "d 1 -2 0". CaDiCaL writes them in bytes instead, and nothing in such a file says so; readers guess from
// its first bytes. Here proofs are text, and those in bytes are rewritten once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../dimacs.hpp"

namespace puretree {

// Goes through the steps of a proof in text. Throws DimacsError where the text is none.
class DratReader {
public:
    DratReader(std::string_view text, std::int64_t n_vars, std::size_t from = 0)
        : text_(text), n_vars_(n_vars), at_(from) {}

    // Reads a step; false at the end of the text.
    bool next();

    bool deletes() const { return deletes_; }
    std::span<const std::int32_t> literals() const { return literals_; }
    std::size_t place() const { return place_; }  // of the step in the text

private:
    void skip_to_word();
    std::int32_t read_literal();

    std::string_view text_;
    std::int64_t n_vars_;
    std::size_t at_;
    std::size_t place_ = 0;
    bool deletes_ = false;
    std::vector<std::int32_t> literals_;
};

// Appends the steps of a proof in bytes as text, as far as they are complete; returns how many bytes that took. Throws
// DimacsError where the bytes are no proof.
std::size_t drat_to_text(std::string_view bytes, std::string& out);

}  // namespace puretree
