#include "drat.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace puretree {

namespace {

constexpr std::size_t kLongestLiteral = 12;  // "-2147483648 "

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void DratReader::skip_to_word() {
    while (at_ < text_.size()) {
        if (is_blank(text_[at_])) {
            ++at_;
        } else if (text_[at_] == 'c' && literals_.empty() && (at_ == 0 || text_[at_ - 1] == '\n')) {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else {
            return;
        }
    }
}

bool DratReader::next() {
    literals_.clear();
    skip_to_word();
    if (at_ == text_.size()) return false;
    offset_ = at_;
    deletes_ = text_[at_] == 'd';
    if (deletes_ && ++at_ < text_.size() && !is_blank(text_[at_])) throw DimacsError{offset_, "a blank behind the d"};
    while (true) {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
        if (at_ == text_.size()) throw DimacsError{at_, "the 0 that ends a clause"};
        const std::int32_t literal = read_literal();
        if (literal == 0) return true;
        literals_.push_back(literal);
    }
}

std::int32_t DratReader::read_literal() {
    const std::size_t begin = at_;
    const bool negative = text_[at_] == '-';
    at_ += negative;
    const std::size_t digits = at_;
    std::int64_t var = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
        var = var * 10 + (text_[at_] - '0');
        if (var > n_vars_) throw DimacsError{begin, "a variable of the formula"};
    }
    const bool ends = at_ == text_.size() || is_blank(text_[at_]);
    if (at_ == digits || !ends || (negative && var == 0)) {
        throw DimacsError{begin, "a literal, or the 0 that ends a clause"};
    }
    return static_cast<std::int32_t>(negative ? -var : var);
}

std::size_t drat_to_text(std::string_view bytes, std::string& out) {
    constexpr std::uint64_t kMost = 2 * static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()) + 1;
    std::size_t n_read = 0, n_written = out.size();
    for (std::size_t at = 0; at < bytes.size();) {
        if (bytes[at] != 'a' && bytes[at] != 'd') throw DimacsError{at, "the letter a or d"};
        if (bytes[at++] == 'd') out += "d ";
        std::uint64_t code = 0;
        unsigned shift = 0;
        for (bool is_open = true; is_open && at < bytes.size(); ++at) {
            const auto byte = static_cast<unsigned char>(bytes[at]);
            code |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            shift += 7;
            if (code > kMost || shift > 35) throw DimacsError{at, "variables from 1 to 2147483647"};
            if (byte & 0x80) continue;
            if (code == 1 || (code == 0 && shift > 7)) throw DimacsError{at, "a literal, or the 0 that ends a clause"};
            char digits[kLongestLiteral];
            const auto var = static_cast<std::int64_t>(code >> 1);
            const char* end = std::to_chars(digits, digits + kLongestLiteral, code & 1 ? -var : var).ptr;
            out.append(digits, static_cast<std::size_t>(end - digits));
            is_open = code != 0;
            out += is_open ? ' ' : '\n';
            if (!is_open) {
                n_read = at + 1;
                n_written = out.size();
            }
            code = 0;
            shift = 0;
        }
    }
    out.resize(n_written);
    return n_read;
}

}  // namespace puretree
