#include "dimacs.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

namespace puretree {

namespace {

constexpr std::size_t kLongestLiteral = 12;  // "-2147483648 "
constexpr std::size_t kMaxDigits = 4000;      // Python's default limit is slightly higher

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_leading_zeros(std::string_view digits) {
    const std::size_t first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? std::string_view() : digits.substr(first);
}

// Compares decimal numbers of any length.
bool at_least(std::string_view digits, std::string_view bound) {
    const auto a = without_leading_zeros(digits), b = without_leading_zeros(bound);
    return a.size() != b.size() ? a.size() > b.size() : a >= b;
}

enum class Format { kPlain, kWithTop, kAllSoft, kLetters };  // p cnf; p wcnf with and without top; no p line

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    DimacsText run() {
        skip_to_token();
        if (at_ < text_.size() && text_[at_] == 'p') read_header();
        while (skip_to_token(), at_ < text_.size()) {
            if (format_ == Format::kPlain && text_[at_] == '%') break;  // the end of SATLIB files
            read_clause();
        }
        out_.is_cnf = format_ == Format::kPlain;
        out_.n_read = at_;
        return std::move(out_);
    }

private:
    // Skips to the next word that is not part of a comment.
    void skip_to_token() {
        while (at_ < text_.size()) {
            if (is_blank(text_[at_])) {
                starts_line_ |= text_[at_] == '\n';
                ++at_;
            } else if (starts_line_ && text_[at_] == 'c') {
                skip_comment();
            } else {
                return;
            }
        }
    }

    void skip_comment() {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, end - at_);
        if (line.starts_with("c var ") || line.starts_with("c n_vars ")) {
            if (line.ends_with('\r')) line.remove_suffix(1);
            out_.notes.push_back(span(line));
        }
        at_ = end;
    }

    std::string_view word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
        starts_line_ = false;
        return text_.substr(begin, at_ - begin);
    }

    // The next word on the same line, or an empty one.
    std::string_view word_on_line() {
        while (at_ < text_.size() && is_blank(text_[at_]) && text_[at_] != '\n') ++at_;
        return word();
    }

    void read_header() {
        static constexpr const char* kExpected = "'p cnf VARIABLES CLAUSES' or 'p wcnf VARIABLES CLAUSES [TOP]'";
        const std::size_t line = at_;
        word();  // "p"
        const std::string_view kind = word_on_line();
        if (kind != "cnf" && kind != "wcnf") throw DimacsError{line, kExpected};
        out_.n_vars = count(word_on_line(), line, kExpected);
        out_.n_clauses = count(word_on_line(), line, kExpected);
        if (*out_.n_vars > std::numeric_limits<std::int32_t>::max()) throw DimacsError{line, kVariables};
        top_ = word_on_line();
        format_ = kind == "cnf" ? Format::kPlain : top_.empty() ? Format::kAllSoft : Format::kWithTop;
        const bool top_fits = top_.empty() || (kind == "wcnf" && are_digits(top_));
        if (!top_fits || !word_on_line().empty()) throw DimacsError{line, kExpected};
    }

    void read_clause() {
        if (format_ == Format::kPlain) return read_literals(out_.hard);
        const std::size_t begin = at_;
        const std::string_view weight = word();
        if (format_ == Format::kLetters && weight == "h") return read_literals(out_.hard);
        if (!are_digits(weight))
            throw DimacsError{begin, format_ == Format::kLetters ? "'h', a weight or a comment" : "a weight"};
        if (format_ == Format::kWithTop && at_least(weight, top_)) return read_literals(out_.hard);
        if (weight.size() > kMaxDigits) throw DimacsError{begin, "a weight of at most 4000 digits"};
        out_.weights.push_back(span(weight));
        read_literals(out_.soft);
    }

    void read_literals(ClauseList& clauses) {
        while (true) {
            skip_to_token();
            if (at_ == text_.size()) throw DimacsError{at_, "the 0 that ends a clause"};
            const std::int32_t literal = read_literal();
            if (literal == 0) break;
            clauses.literals.push_back(literal);
        }
        clauses.ends.push_back(static_cast<std::int64_t>(clauses.literals.size()));
    }

    std::int32_t read_literal() {
        const std::size_t begin = at_;
        starts_line_ = false;
        const bool negative = text_[at_] == '-';
        at_ += negative;
        std::int64_t var = 0;
        const std::size_t digits = at_;
        for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
            var = var * 10 + (text_[at_] - '0');
            if (var > std::numeric_limits<std::int32_t>::max()) throw DimacsError{begin, kVariables};
        }
        const bool ends = at_ == text_.size() || is_blank(text_[at_]);
        if (at_ == digits || !ends || (negative && var == 0)) throw DimacsError{begin, "a literal, or the 0 that ends a clause"};
        if (out_.n_vars && var > *out_.n_vars) throw DimacsError{begin, "no variable beyond those of the p line"};
        if (var > out_.max_var) out_.max_var = var;
        return static_cast<std::int32_t>(negative ? -var : var);
    }

    static std::int64_t count(std::string_view digits, std::size_t line, const char* expected) {
        std::int64_t value = -1;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size() || value < 0) throw DimacsError{line, expected};
        return value;
    }

    static bool are_digits(std::string_view word) {
        return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
    }

    Span span(std::string_view part) const {
        const std::int64_t begin = part.data() - text_.data();
        return {begin, begin + static_cast<std::int64_t>(part.size())};
    }

    static constexpr const char* kVariables = "variables from 1 to 2147483647";

    std::string_view text_;
    std::size_t at_ = 0;
    bool starts_line_ = true;
    Format format_ = Format::kLetters;
    std::string_view top_;
    DimacsText out_;
};

}  // namespace

void format_clauses(std::span<const std::int32_t> literals, std::size_t n_rows, std::size_t width,
                    std::string_view prefix, std::string& out) {
    const std::size_t before = out.size();
    out.resize(before + n_rows * (prefix.size() + width * kLongestLiteral + 2));  // an upper bound, cut below
    char* to = out.data() + before;
    const std::int32_t* from = literals.data();
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (!prefix.empty()) std::memcpy(to, prefix.data(), prefix.size());
        to += prefix.size();
        for (std::size_t i = 0; i < width; ++i, ++from) {
            if (*from == 0) continue;
            to = std::to_chars(to, to + kLongestLiteral, *from).ptr;
            *to++ = ' ';
        }
        *to++ = '0';
        *to++ = '\n';
    }
    out.resize(static_cast<std::size_t>(to - out.data()));
}

DimacsText parse_dimacs(std::string_view text) { return Parser(text).run(); }

}  // namespace puretree
