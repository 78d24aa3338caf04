"""The linear search, held against trying every assignment."""

import time
from collections.abc import Sequence

import numpy as np
import pytest
from helpers.oracles.maxsat import cheapest
from helpers.strategies import weighted_formulas
from hypothesis import given
from hypothesis import strategies as st

from puretree import InputError, SolverError
from puretree._support.clock import NO_LIMIT, Clock
from puretree.formula import Block, Model, Objective, Soft, VarPool, Wcnf, as_block, clause
from puretree.maxsat import Linear, LinearSearch
from puretree.maxsat.linear import Improvement
from puretree.sat import LocalOracle


@given(weighted_formulas() | weighted_formulas(max_weight=1) | weighted_formulas(max_weight=10**13))
def test_the_cost_is_that_of_brute_force(formula: Wcnf) -> None:
    """Any weighted partial formula: the cheapest model, and every model on the way is better than the one before."""
    models: list[Model] = []
    answer = Linear(isolated=False).minimise(formula, on_model=models.append)
    expected = cheapest(formula)
    assert answer.status == ("unsatisfiable" if expected is None else "optimal")
    if answer.model is not None:
        assert answer.cost == formula.cost(answer.model) == expected
        assert all(formula.broken(model) is None for model in models)
        costs = [formula.cost(model) for model in models]
        assert costs == sorted(set(costs), reverse=True)


@given(weighted_formulas())
def test_the_last_assumptions_describe_all_best_models(formula: Wcnf) -> None:
    """When the search ends, the live solver has exactly the best models, and without them all models."""
    oracle = LocalOracle()
    search = LinearSearch.of(formula, oracle)
    if search.run(NO_LIMIT) == "unsatisfiable":
        return
    for values in np.ndindex(*(2,) * formula.n_vars):
        model = np.array([False, *values], dtype=bool)
        literals = [var if model[var] else -var for var in range(1, formula.n_vars + 1)]
        is_model = formula.broken(model) is None
        assert oracle.solve(literals) == is_model
        assert oracle.solve([*search.assumptions, *literals]) == (is_model and formula.cost(model) == search.costs[0])


@given(weighted_formulas(), weighted_formulas(), st.integers(0, 2**32))
def test_objectives_one_after_the_other(first: Wcnf, second: Wcnf, seed: int) -> None:
    """The second objective is minimised among the best models of the first."""
    n_vars = max(first.n_vars, second.n_vars)
    objectives = [Objective.of(first.soft), Objective.of(second.soft)]
    pool, oracle = VarPool(), LocalOracle()
    pool.array("x", n_vars)
    for block in first.hard:
        oracle.add(block)
    search = LinearSearch(oracle, objectives, pool)
    status = search.run(NO_LIMIT)
    models = [np.array([False, *values], dtype=bool) for values in np.ndindex(*(2,) * n_vars)]
    first.n_vars = n_vars
    pairs = [tuple(each.cost(model) for each in objectives) for model in models if first.broken(model) is None]
    assert (search.costs == min(pairs)) if pairs else (status == "unsatisfiable")


@given(weighted_formulas())
def test_clauses_can_be_told_when_they_matter(formula: Wcnf) -> None:
    """With every hard clause left out until a model breaks it, the answer is the same."""
    pool = VarPool()
    pool.array("x", formula.n_vars)

    def refine(model: Model) -> list[Block]:
        broken = formula.broken(model)
        return [] if broken is None else [as_block([broken])]

    search = LinearSearch(LocalOracle(), [Objective.of(formula.soft)], pool, refine=refine)
    status = search.run(NO_LIMIT)
    expected = cheapest(formula)
    assert status == ("unsatisfiable" if expected is None else "optimal")
    assert status == "unsatisfiable" or search.costs[0] == expected


def test_every_improved_bound_is_told() -> None:
    """Bounds are reported as they improve, the last time when they meet."""
    formula = Wcnf(6, [clause(1, 2), clause(3, 4)], [Soft(1, (-var,)) for var in range(1, 7)])
    heard: list[Improvement] = []
    pool, oracle = VarPool(), LocalOracle()
    pool.array("x", 6)
    formula.write_hard(oracle)
    search = LinearSearch(oracle, [Objective.of(formula.soft)], pool, on_improvement=heard.append)
    assert search.start_from([1, 2, 3, 4, 5, 6], NO_LIMIT)
    assert search.run(NO_LIMIT) == "optimal"
    assert (heard[0].lower, heard[0].upper) == (0, 6)
    assert (heard[-1].lower, heard[-1].upper) == (2, 2)
    assert [news.upper for news in heard] == sorted((news.upper for news in heard), reverse=True)


def test_a_known_lower_bound_ends_the_search() -> None:
    """A model that meets the lower bound needs no further question."""
    pool, oracle = VarPool(), LocalOracle()
    pool.array("x", 2)
    oracle.add(clause(1, 2))
    search = LinearSearch(oracle, [Objective.of([Soft(1, (-1,)), Soft(1, (-2,))])], pool, lower=1)
    assert search.start_from([1, -2], NO_LIMIT)
    oracle.close()
    assert search.run(NO_LIMIT) == "optimal"


def test_literals_that_fit_no_model_start_nothing() -> None:
    """A start that contradicts the clauses is refused, and the search goes on without."""
    formula = Wcnf(2, [clause(1, 2)], [Soft(1, (-1,)), Soft(1, (-2,))])
    search = LinearSearch.of(formula, LocalOracle())
    assert not search.start_from([-1, -2], NO_LIMIT)
    assert search.run(NO_LIMIT) == "optimal"
    assert search.costs == (1,)


def test_the_limit_holds_with_many_equal_weights() -> None:
    """Six thousand soft clauses of weight 1: a totaliser would take a minute to build."""
    formula = Wcnf(6000, [clause(np.arange(1, 6000, 2), np.arange(2, 6001, 2))], [])
    formula.soft = [Soft(1, (-var,)) for var in range(1, 6001)]
    start = time.monotonic()
    answer = Linear().minimise(formula, clock=Clock(2))
    assert time.monotonic() - start < 3
    assert answer.model is not None
    assert formula.broken(answer.model) is None


def test_a_solver_that_does_not_get_better_is_found_out() -> None:
    """A solver that ignores what it is asked to assume ends in an error, not in an endless loop."""

    class Deaf(LocalOracle):
        def solve(self, assumptions: Sequence[int], clock: Clock = NO_LIMIT) -> bool | None:
            return super().solve([1, 2], clock)

    formula = Wcnf(2, [clause(1, 2)], [Soft(1, (-1,)), Soft(1, (-2,))])
    with pytest.raises(SolverError, match="use another solver"):
        LinearSearch.of(formula, Deaf()).run(NO_LIMIT)


def test_negative_weights_are_refused() -> None:
    """The cheapest model would break the clause: nothing here looks for that."""
    with pytest.raises(InputError, match="negative weight"):
        Linear(isolated=False).minimise(Wcnf(1, [], [Soft(-3, (-1,))]))


def test_best_models_are_known_before_the_proof() -> None:
    """The assumptions describe the models that are as good as the best so far, at any moment."""
    formula = Wcnf(3, [clause(1, 2), clause(2, 3)], [Soft(1, (-var,)) for var in (1, 2, 3)])
    oracle = LocalOracle()
    search = LinearSearch.of(formula, oracle)
    assert search.assumptions == []
    assert search.start_from([1, -2, 3], NO_LIMIT)
    assert not oracle.solve([*search.assumptions, 1, 2, 3])
    assert oracle.solve([*search.assumptions, 1, 2])


@pytest.mark.parametrize("isolated", [False, True])
def test_no_time_is_no_answer(isolated: bool) -> None:
    """With the clock over before the start, nothing is known and nothing is claimed."""
    formula = Wcnf(2, [clause(1, 2)], [Soft(1, (-1,))])
    assert Linear(isolated=isolated).minimise(formula, clock=Clock(0)).status == "unknown"
