// The clauses of a weighted formula in one array, with an index from literals to clauses. Simplified when they are
// added: duplicate literals and tautologies are removed, and of an empty clause only its weight is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace puretree {

using Var = std::uint32_t;     // from 1 on
using Lit = std::uint32_t;     // twice its variable, and one more if it is negated
using Clause = std::uint32_t;  // its index
using Weight = std::int64_t;

inline Lit literal(std::int32_t signed_var) {
    return signed_var > 0 ? 2 * static_cast<Lit>(signed_var) : 2 * static_cast<Lit>(-signed_var) + 1;
}
inline Var var_of(Lit lit) { return lit / 2; }
inline Lit negated(Lit lit) { return lit ^ 1; }

class Clauses {
public:
    static constexpr Weight kHard = -1;

    explicit Clauses(std::size_t n_vars) : n_vars_(n_vars) {}

    // Adds a clause: literals are variables up to n_vars, negated ones negative; zeros are padding. The sum of the
    // weights of all soft clauses must fit into a Weight.
    void add(std::span<const std::int32_t> clause, Weight weight);

    // To be called after the last clause; `occurrences` is empty before.
    void find_occurrences();

    std::size_t n_vars() const { return n_vars_; }
    std::size_t size() const { return weights_.size(); }
    std::size_t n_literals() const { return literals_.size(); }
    std::span<const Lit> operator[](Clause clause) const {
        return {literals_.data() + starts_[clause], literals_.data() + starts_[clause + 1]};
    }
    std::span<const Clause> occurrences(Lit lit) const {
        return {occurrences_.data() + first_[lit], occurrences_.data() + first_[lit + 1]};
    }
    bool is_hard(Clause clause) const { return weights_[clause] == kHard; }
    Weight weight(Clause clause) const { return weights_[clause]; }
    std::size_t n_soft() const { return n_soft_; }
    Weight soft_weight() const { return soft_weight_; }  // of all nonempty soft clauses
    Weight empty_cost() const { return empty_cost_; }    // of all empty soft clauses
    bool has_empty_hard_clause() const { return has_empty_hard_clause_; }

private:
    std::size_t n_vars_;
    std::vector<Lit> literals_;
    std::vector<std::size_t> starts_{0};
    std::vector<Weight> weights_;
    std::vector<Clause> occurrences_;
    std::vector<std::size_t> first_;  // the first occurrence of each literal
    std::size_t n_soft_ = 0;
    Weight soft_weight_ = 0;
    Weight empty_cost_ = 0;
    bool has_empty_hard_clause_ = false;
};

}  // namespace puretree
