#include "derivation.hpp"

#include <charconv>
#include <limits>
#include <new>

#include "drat.hpp"

namespace puretree {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 22;

void append(std::string& text, std::int64_t number) {
    char digits[24];
    const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    text.append(digits, static_cast<std::size_t>(end - digits));
    text += ' ';
}

}  // namespace

Derivation::Number Derivation::add(Kind kind, std::int64_t origin, std::span<const Number> hints) {
    if (n_original_ + steps_.size() + 1 >= std::numeric_limits<Number>::max()) throw std::bad_alloc();
    steps_.push_back({origin, hints_.size(), static_cast<std::uint64_t>(kind)});
    hints_.insert(hints_.end(), hints.begin(), hints.end());
    return static_cast<Number>(n_original_ + steps_.size());
}

// For each clause, the number of the last needed clause that has it as a hint, or 0 if there is none.
std::vector<Derivation::Number> Derivation::last_uses() const {
    std::vector<Number> last(n_original_ + steps_.size() + 1);
    last.back() = static_cast<Number>(last.size() - 1);
    for (std::size_t step = steps_.size(); step-- > 0;) {
        const std::size_t number = n_original_ + step + 1;
        if (last[number] == 0) continue;
        for (std::uint64_t i = steps_[step].first_hint; i < end_of(step); ++i) {
            if (last[hints_[i]] == 0) last[hints_[i]] = static_cast<Number>(number);
        }
    }
    return last;
}

std::size_t Derivation::write(std::string_view proof, std::int64_t n_vars,
                              const std::function<void(std::string_view)>& out,
                              const std::function<void()>& tick) const {
    const std::vector<Number> last = last_uses();
    std::vector<Number> new_numbers(last.size());  // the new numbers, without gaps
    for (std::size_t i = 1; i <= n_original_; ++i) new_numbers[i] = static_cast<Number>(i);
    std::size_t n_written = 0;
    std::string text;
    std::vector<Number> deleted;
    for (std::size_t step = 0; step < steps_.size(); ++step) {
        const std::size_t number = n_original_ + step + 1;
        if (last[number] == 0) continue;
        new_numbers[number] = static_cast<Number>(n_original_ + ++n_written);
        append(text, new_numbers[number]);
        write_literals(step, proof, n_vars, text);
        text += "0 ";
        deleted.clear();
        for (std::uint64_t i = steps_[step].first_hint; i < end_of(step); ++i) {
            append(text, new_numbers[hints_[i]]);
            if (last[hints_[i]] == number) deleted.push_back(new_numbers[hints_[i]]);
        }
        text += "0\n";
        if (!deleted.empty() && number + 1 < last.size()) {
            append(text, new_numbers[number]);
            text += "d ";
            for (const Number clause : deleted) append(text, clause);
            text += "0\n";
        }
        if (text.size() >= kPieceBytes) {
            tick();
            out(text);
            text.clear();
        }
    }
    out(text);
    return n_written;
}

void Derivation::write_literals(std::size_t step, std::string_view proof, std::int64_t n_vars,
                                std::string& text) const {
    const Step& derived = steps_[step];
    if (derived.kind() == Kind::kLemma) {
        DratReader reader(proof, n_vars, static_cast<std::size_t>(derived.origin));
        reader.next();
        for (const std::int32_t literal : reader.literals()) append(text, literal);
    } else if (derived.kind() == Kind::kUnit) {
        append(text, derived.origin);
    }
}

}  // namespace puretree
