#include "clauses.hpp"

#include <algorithm>

namespace puretree {

void Clauses::add(std::span<const std::int32_t> clause, Weight weight) {
    const std::size_t start = literals_.size();
    for (const std::int32_t signed_var : clause) {
        if (signed_var != 0) literals_.push_back(literal(signed_var));
    }
    const auto begin = literals_.begin() + static_cast<std::ptrdiff_t>(start);
    std::sort(begin, literals_.end());  // a literal and its negation become adjacent
    literals_.erase(std::unique(begin, literals_.end()), literals_.end());
    const bool is_tautology =
        std::adjacent_find(begin, literals_.end(), [](Lit a, Lit b) { return a == negated(b); }) != literals_.end();
    if (is_tautology || weight == 0) {
        literals_.resize(start);
    } else if (literals_.size() == start) {
        has_empty_hard_clause_ |= weight == kHard;
        if (weight != kHard) empty_cost_ += weight;
    } else {
        starts_.push_back(literals_.size());
        weights_.push_back(weight);
        n_soft_ += weight != kHard;
        if (weight != kHard) soft_weight_ += weight;
    }
}

void Clauses::find_occurrences() {
    first_.assign(2 * n_vars_ + 3, 0);  // literals go up to 2 * n_vars + 1, and the last entry ends the last one
    for (const Lit lit : literals_) ++first_[lit + 1];
    for (std::size_t lit = 1; lit < first_.size(); ++lit) first_[lit] += first_[lit - 1];
    occurrences_.resize(literals_.size());
    std::vector<std::size_t> next(first_);
    for (Clause clause = 0; clause < size(); ++clause) {
        for (const Lit lit : (*this)[clause]) occurrences_[next[lit]++] = clause;
    }
}

}  // namespace puretree
