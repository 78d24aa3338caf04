// Local search over small formulas: models satisfy every hard clause and get cheaper, and what is called impossible has no
// model among all assignments.
#include "../local_search/local_search.hpp"

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

    // The weight of the false soft clauses; -1 if a hard one is false.
    Weight cost(const LocalSearch::Values& values) const {
        Weight cost = 0;
        for (std::size_t i = 0; i < clauses.size(); ++i) {
            if (is_true(clauses[i], values)) continue;
            if (weights[i] == Clauses::kHard) return -1;
            cost += weights[i];
        }
        return cost;
    }

    bool has_model() const {
        LocalSearch::Values values(n_vars + 1);
        for (std::size_t all = 0; all < std::size_t{1} << n_vars; ++all) {
            for (std::size_t var = 1; var <= n_vars; ++var) values[var] = all >> (var - 1) & 1;
            if (cost(values) >= 0) return true;
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
        for (auto& literal : clause) literal = formula.n_vars == 0 || bytes.one_in(9) ? 0 : draw_literal(bytes, formula.n_vars);
        formula.clauses.push_back(clause);
        const bool is_hard = bytes.flag();
        formula.weights.push_back(is_hard ? Clauses::kHard : bytes.one_in(8) ? Weight{1} << 55 : bytes.byte());
    }
    return formula;
}

void walk(Bytes& bytes) {
    const Formula formula = draw_formula(bytes);
    LocalSearch search(formula.n_vars);
    for (std::size_t i = 0; i < formula.clauses.size(); ++i) search.add(formula.clauses[i], formula.weights[i]);
    for (std::size_t n_runs = 1 + bytes.below(3); n_runs-- > 0;) {
        std::vector<std::int32_t> given;
        for (std::size_t n = formula.n_vars == 0 ? 0 : bytes.below(4); n-- > 0;) given.push_back(draw_literal(bytes, formula.n_vars));
        std::size_t ticks_left = bytes.flag() ? SIZE_MAX : bytes.below(40);
        Weight last = -1;
        const auto hear = [&](const LocalSearch::Values& values) {
            const Weight cost = formula.cost(values);
            expect(cost >= 0, "a model satisfies the hard clauses");
            expect(last < 0 || cost < last, "the next model is cheaper");
            last = cost;
        };
        const Pace pace{bytes.word(), static_cast<std::int64_t>(bytes.below(2000)), static_cast<Weight>(bytes.below(300))};
        try {
            const auto end = search.run(pace, given, hear, [&] {
                if (ticks_left-- == 0) throw TimeIsOver{};
            });
            if (end == LocalSearch::End::kImpossible) expect(!formula.has_model(), "what is impossible has no model");
            if (end == LocalSearch::End::kEnough) expect(last >= 0, "enough is a model");
        } catch (const TimeIsOver&) {
        }
    }
}

const Target walking("local search", walk);

}  // namespace
}  // namespace puretree::fuzz
