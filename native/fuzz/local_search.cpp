// Local search on small formulas: models satisfy every hard clause and get cheaper, and formulas reported as
// unsatisfiable have no model.
#include "../local_search/local_search.hpp"

#include <optional>

#include "../search/value.hpp"
#include "problem.hpp"

namespace puretree::fuzz {
namespace {

struct Formula {
    std::size_t n_vars;
    std::vector<std::vector<std::int32_t>> clauses;
    std::vector<Weight> weights;

    static bool is_true(const std::vector<std::int32_t>& clause, const LocalSearch::Values& values) {
        return std::ranges::any_of(clause, [&](std::int32_t literal) {
            return literal != 0 && values[static_cast<std::size_t>(std::abs(literal))] == (literal > 0);
        });
    }

    // The weight of the false soft clauses; none if a hard one is false.
    std::optional<Weight> cost(const LocalSearch::Values& values) const {
        Weight cost = 0;
        for (std::size_t i = 0; i < clauses.size(); ++i) {
            if (is_true(clauses[i], values)) continue;
            if (weights[i] == Clauses::kHard) return std::nullopt;
            cost += weights[i];
        }
        return cost;
    }

    bool has_model() const {
        LocalSearch::Values values(n_vars + 1);
        for (std::size_t all = 0; all < std::size_t{1} << n_vars; ++all) {
            for (std::size_t var = 1; var <= n_vars; ++var) values[var] = all >> (var - 1) & 1;
            if (cost(values)) return true;
        }
        return false;
    }
};

std::int32_t draw_literal(Bytes& bytes, std::size_t n_vars) {
    const auto var = static_cast<std::int32_t>(1 + bytes.below(n_vars));
    return bytes.flag() ? var : -var;
}

Formula draw_formula(Bytes& bytes) {
    Formula formula{bytes.below(10), {}, {}};
    for (std::size_t n = bytes.below(40); n-- > 0;) {
        std::vector<std::int32_t> clause(bytes.below(5));
        for (auto& literal : clause) {
            literal = formula.n_vars == 0 || bytes.one_in(9) ? 0 : draw_literal(bytes, formula.n_vars);
        }
        formula.clauses.push_back(clause);
        const bool is_hard = bytes.flag();
        formula.weights.push_back(is_hard ? Clauses::kHard : bytes.one_in(8) ? Weight{1} << 55 : bytes.byte());
    }
    return formula;
}

void search(Bytes& bytes) {
    const Formula formula = draw_formula(bytes);
    LocalSearch local_search(formula.n_vars);
    for (std::size_t i = 0; i < formula.clauses.size(); ++i) local_search.add(formula.clauses[i], formula.weights[i]);
    for (std::size_t n_runs = 1 + bytes.below(3); n_runs-- > 0;) {
        std::vector<std::int32_t> initial;
        for (std::size_t n = formula.n_vars == 0 ? 0 : bytes.below(4); n-- > 0;) {
            initial.push_back(draw_literal(bytes, formula.n_vars));
        }
        std::size_t ticks_left = bytes.flag() ? SIZE_MAX : bytes.below(40);
        std::optional<Weight> last;
        const auto check = [&](const LocalSearch::Values& values) {
            const std::optional<Weight> cost = formula.cost(values);
            expect(cost.has_value(), "a model satisfies the hard clauses");
            expect(!last || *cost < *last, "the next model is cheaper");
            last = cost;
        };
        const std::uint64_t seed = bytes.word();
        const auto max_steps = static_cast<std::int64_t>(bytes.below(2000));
        const Limits limits{seed, max_steps, static_cast<Weight>(bytes.below(300))};
        try {
            const auto stop = local_search.run(limits, initial, check, [&] {
                if (ticks_left-- == 0) throw TimeLimitReached{};
            });
            if (stop == LocalSearch::Stop::kUnsatisfiable) expect(!formula.has_model(), "it is unsatisfiable");
            if (stop == LocalSearch::Stop::kTargetReached) expect(last.has_value(), "the target is reached by a model");
        } catch (const TimeLimitReached&) {
        }
    }
}

const Target local("local search", search);

}  // namespace
}  // namespace puretree::fuzz
