// An initial assignment that satisfies most clauses: variables are set one by one, with unit propagation after each
// (Cai, Luo and Zhang, From Decimation to Local Search and Back, IJCAI 2017). A random assignment of a structured
// formula falsifies a fraction of its clauses, and local search would spend its time repairing them.
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
    // Propagates the hard unit clauses; `tick` is called often and may throw.
    Decimation(const Clauses& clauses, const std::function<void()>& tick);

    // Whether unit propagation refutes the hard clauses.
    bool is_unsatisfiable() const { return is_unsatisfiable_; }

    // Whether unit propagation has fixed the value of a variable.
    bool is_fixed(Var var) const { return is_fixed_[var]; }

    // Whether unit propagation has falsified a soft clause.
    bool is_false(Clause clause) const { return root_.n_free[clause] == 0 && !root_.is_true[clause]; }

    // Returns the value of each variable: sets the initial literals in their order, then the literals of soft unit
    // clauses, then the remaining variables in random order, to the preferred values if there are any.
    std::vector<std::uint8_t> assign(std::span<const Lit> initial, std::span<const std::uint8_t> preferred,
                                     Random& random, const std::function<void()>& tick) const;

private:
    struct State {
        std::vector<std::uint8_t> values;      // 0, 1 or kFree
        std::vector<std::uint32_t> n_free;     // unassigned literals of each clause; invalid once it is satisfied
        std::vector<std::uint8_t> is_true;     // of each clause
        std::vector<Clause> hard_units, soft_units;
        std::size_t n_falsified = 0;           // hard clauses
    };

    void set(State& state, Lit lit) const;
    void propagate(State& state, const std::function<void()>& tick) const;
    bool set_by_soft_unit(State& state, Random& random) const;
    Lit free_literal(const State& state, Clause clause) const;

    const Clauses& clauses_;
    State root_;
    std::vector<std::uint8_t> is_fixed_;
    bool is_unsatisfiable_;
};

}  // namespace puretree
