// A first assignment that already satisfies most clauses: variables are set one by one, and whatever follows from them
// by unit clauses is set at once (Cai, Luo and Zhang, From Decimation to Local Search and Back, IJCAI 2017). A random
// assignment of a structured formula breaks a share of its clauses, and the walk would spend its time mending them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "clauses.hpp"
#include "random.hpp"

namespace puretree {

class Decimation {
public:
    // Sets what follows from the hard clauses alone; `tick` is called often and may throw.
    Decimation(const Clauses& clauses, const std::function<void()>& tick);

    // Whether the hard clauses contradict each other by unit propagation.
    bool is_impossible() const { return is_impossible_; }

    // Whether a variable has the same value in all models, by unit propagation.
    bool is_fixed(Var var) const { return is_fixed_[var]; }

    // Whether nothing satisfies a soft clause, likewise.
    bool is_false(Clause clause) const { return root_.n_free[clause] == 0 && !root_.is_true[clause]; }

    // Returns the value of each variable: first the given literals, in their order, then the literals of soft unit
    // clauses, then the rest at random, with the values preferred if there are any.
    std::vector<std::uint8_t> assign(std::span<const Lit> given, std::span<const std::uint8_t> preferred,
                                     Random& random, const std::function<void()>& tick) const;

private:
    struct State {
        std::vector<std::uint8_t> values;      // 0, 1 or kFree
        std::vector<std::uint32_t> n_free;     // literals of each clause; meaningless once it is satisfied
        std::vector<std::uint8_t> is_true;     // clauses
        std::vector<Clause> hard_units, soft_units;
        std::size_t n_broken = 0;              // hard clauses
    };

    void set(State& state, Lit lit) const;
    void propagate(State& state, const std::function<void()>& tick) const;
    bool set_by_soft_unit(State& state, Random& random) const;
    Lit free_literal(const State& state, Clause clause) const;

    const Clauses& clauses_;
    State root_;
    std::vector<std::uint8_t> is_fixed_;
    bool is_impossible_;
};

}  // namespace puretree
