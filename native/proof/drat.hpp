// Reads proofs in the DRAT format: a line for each learned clause, "1 -2 0", and for each deleted one, "d 1 -2 0".
// CaDiCaL writes binary DRAT by default, which has no header; readers guess the format from the first bytes. Here
// proofs are text, and binary ones are converted once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../dimacs.hpp"

namespace puretree {

// Iterates over the steps of a proof in text. Throws DimacsError on a syntax error.
class DratReader {
public:
    DratReader(std::string_view text, std::int64_t n_vars, std::size_t from = 0)
        : text_(text), n_vars_(n_vars), at_(from) {}

    // Reads the next step; false at the end of the text.
    bool next();

    bool deletes() const { return deletes_; }
    std::span<const std::int32_t> literals() const { return literals_; }
    std::size_t offset() const { return offset_; }  // of the step in the text

private:
    void skip_to_word();
    std::int32_t read_literal();

    std::string_view text_;
    std::int64_t n_vars_;
    std::size_t at_;
    std::size_t offset_ = 0;
    bool deletes_ = false;
    std::vector<std::int32_t> literals_;
};

// Appends the complete steps of a binary proof as text; returns how many bytes were read. Throws DimacsError on a
// syntax error.
std::size_t drat_to_text(std::string_view bytes, std::string& out);

}  // namespace puretree
