// Records the hints of each derived clause (the clauses that it follows from), and writes the clauses that the empty
// clause depends on as an LRAT proof: with hints, a clause is checked without search, so a checker of a hundred lines
// suffices.
//
// A solver learns several times as many clauses as it needs in the end, so the proof is trimmed backwards, and each
// clause is deleted after its last use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace puretree {

class Derivation {
public:
    using Number = std::uint32_t;  // of a clause: those of the formula from 1 on, then derived ones

    explicit Derivation(std::size_t n_original) : n_original_(n_original) {}

    // Adds a clause at an offset of the proof, a unit clause, or the empty clause. Under the negation of the clause,
    // each hint in turn is a unit clause, and the last one is false.
    Number add_lemma(std::size_t offset, std::span<const Number> hints) {
        return add(Kind::kLemma, static_cast<std::int64_t>(offset), hints);
    }
    Number add_unit(std::int32_t literal, std::span<const Number> hints) { return add(Kind::kUnit, literal, hints); }
    Number add_empty(std::span<const Number> hints) { return add(Kind::kEmpty, 0, hints); }

    // Writes the clauses that the last one depends on, in pieces; `proof` is the text that the offsets refer to.
    std::size_t write(std::string_view proof, std::int64_t n_vars, const std::function<void(std::string_view)>& out,
                      const std::function<void()>& tick) const;

    std::size_t n_bytes() const { return steps_.size() * sizeof(Step) + hints_.size() * sizeof(Number); }

private:
    enum class Kind : std::uint8_t { kLemma, kUnit, kEmpty };
    struct Step {
        std::int64_t origin;  // the offset of a lemma, the literal of a unit clause
        std::uint64_t first_hint : 62;
        std::uint64_t packed_kind : 2;

        Kind kind() const { return static_cast<Kind>(packed_kind); }
    };

    Number add(Kind kind, std::int64_t origin, std::span<const Number> hints);
    std::uint64_t end_of(std::size_t step) const {
        return step + 1 < steps_.size() ? std::uint64_t{steps_[step + 1].first_hint} : hints_.size();
    }
    std::vector<Number> last_uses() const;
    void write_literals(std::size_t step, std::string_view proof, std::int64_t n_vars, std::string& text) const;

    std::size_t n_original_;
    std::deque<Step> steps_;  // a deque: a vector takes three times its size while it grows
    std::deque<Number> hints_;
};

}  // namespace puretree
