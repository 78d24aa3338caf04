// Remembers why each clause follows from which others, and writes those that the empty clause needs as an LRAT proof:
// with its reasons a clause is checked by looking them up, so that a checker of a hundred lines can do it.
//
// A solver learns several times as many clauses as it needs in the end, so the proof is trimmed from its end, and each
// clause is deleted behind the last one that needs it.
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
    using Number = std::uint32_t;  // of a clause: those of the formula from 1 on, then those derived

    explicit Derivation(std::size_t n_original) : n_original_(n_original) {}

    // A clause that stands at this place of the proof; a clause of one literal; the empty clause. Of each the reasons:
    // taken in turn, each has one literal left under what is known, and the last one has none.
    Number add_lemma(std::size_t place, std::span<const Number> reasons) {
        return add(static_cast<std::int64_t>(place), reasons);
    }
    Number add_unit(std::int32_t literal, std::span<const Number> reasons) {
        return add(literal > 0 ? -2 * std::int64_t{literal} : 2 * std::int64_t{literal} - 1, reasons);
    }
    Number add_empty(std::span<const Number> reasons) { return add(kEmpty, reasons); }

    // Writes what the last clause needs, in pieces; `proof` is the text that the places are of.
    std::size_t write(std::string_view proof, std::int64_t n_vars, const std::function<void(std::string_view)>& out,
                      const std::function<void()>& tick) const;

    std::size_t n_bytes() const { return steps_.size() * sizeof(Step) + reasons_.size() * sizeof(Number); }

private:
    // From zero on the origin is a place, below it is a literal or nothing.
    struct Step {
        std::int64_t origin;
        std::uint64_t first_reason;
    };
    static constexpr std::int64_t kEmpty = -1;

    Number add(std::int64_t origin, std::span<const Number> reasons);
    std::uint64_t end_of(std::size_t step) const {
        return step + 1 < steps_.size() ? steps_[step + 1].first_reason : reasons_.size();
    }
    std::vector<Number> last_uses() const;
    void write_literals(std::size_t step, std::string_view proof, std::int64_t n_vars, std::string& text) const;

    std::size_t n_original_;
    std::deque<Step> steps_;  // a deque: a vector would need three times its size where it grows
    std::deque<Number> reasons_;
};

}  // namespace puretree
