"""Test the linear search against brute force."""

import time
from collections.abc import Sequence

import numpy as np
import pytest
from helpers.oracles.maxsat import cheapest, hard_clauses, hard_formula, models
from helpers.strategies import weighted_formulas
from hypothesis import given, settings
from hypothesis import strategies as st

from puretree import InputError, SolverError
from puretree._support.clock import NO_LIMIT, Clock, TimeLimitReached
from puretree.formula import Block, Model, Objective, Soft, VarPool, Wcnf, as_block, clause, true_literals
from puretree.maxsat import Linear, LinearSearch
from puretree.maxsat.linear import Improvement
from puretree.sat import LocalOracle


@given(weighted_formulas() | weighted_formulas(max_weight=1) | weighted_formulas(max_weight=10**13))
def test_cost_agrees_with_brute_force(formula: Wcnf) -> None:
    """The final model is optimal, and every model is better than the one before."""
    models: list[Model] = []
    answer = Linear(isolated=False).minimise(formula, on_model=models.append)
    expected = cheapest(formula)
    assert answer.status == ("unsatisfiable" if expected is None else "optimal")
    if answer.model is not None:
        assert answer.cost == formula.cost(answer.model) == expected
        assert all(formula.falsified_clause(model) is None for model in models)
        costs = [formula.cost(model) for model in models]
        assert costs == sorted(set(costs), reverse=True)


@given(weighted_formulas())
def test_final_assumptions_describe_all_optimal_models(formula: Wcnf) -> None:
    """After the search, the solver has exactly the optimal models under the assumptions, and all models without."""
    oracle = LocalOracle()
    search = LinearSearch.of(formula, oracle)
    if search.run(NO_LIMIT) == "unsatisfiable":
        return
    for values in np.ndindex(*(2,) * formula.n_vars):
        model = np.array([False, *values], dtype=bool)
        literals = [var if model[var] else -var for var in range(1, formula.n_vars + 1)]
        is_model = formula.falsified_clause(model) is None
        assert oracle.solve(literals) == is_model
        assert oracle.solve([*search.assumptions, *literals]) == (is_model and formula.cost(model) == search.costs[0])


def models_under(search: LinearSearch, n_vars: int) -> set[tuple[bool, ...]]:
    """Enumerate the models of a search's live solver under its assumptions, by a blocking clause for each."""
    found = set()
    while search.oracle.solve(search.assumptions):
        values = search.oracle.model(n_vars)[1:].tolist()
        found.add(tuple(values))
        search.oracle.add(as_block([[-var if value else var for var, value in enumerate(values, start=1)]]))
    return found


def models_up_to(formula: Wcnf, upper: int) -> set[tuple[bool, ...]]:
    """Return the models of a formula that cost at most ``upper``, by brute force."""
    assignments = models(formula.n_vars, hard_clauses(formula))
    return {values for values in assignments if formula.cost(np.array([False, *values])) <= upper}


@given(weighted_formulas() | weighted_formulas(max_weight=1), st.integers(0, 30))
@settings(max_examples=40)
def test_upper_bound_of_algorithm_1(formula: Wcnf, upper: int) -> None:
    """Only models below the upper bound are found; none is a proof that no model is cheaper.

    The live solver that is returned has, under the assumptions, exactly the models that cost no more than the best one,
    or than the upper bound if there is no better model.
    """
    cost = cheapest(formula)
    costs: list[int] = []
    with Linear(isolated=False).search(
        formula, upper=upper, on_model=lambda model: costs.append(formula.cost(model))
    ) as search:
        if cost is not None and cost < upper:
            assert (search.status, search.upper) == ("optimal", cost)
            assert upper > costs[0]
            assert costs == sorted(set(costs), reverse=True)
        else:
            assert (search.status, search.model, search.upper, costs) == ("unsatisfiable", None, upper, [])
        assert search.upper is not None
        assert models_under(search, formula.n_vars) == models_up_to(formula, search.upper)


class InterruptedOracle(LocalOracle):
    """A solver of which one call is stopped, by the time limit or by Ctrl-C, and which remains usable."""

    def __init__(self, n_calls: int, interrupt: type[BaseException]) -> None:
        super().__init__()
        self.n_calls, self._interrupt = n_calls, interrupt

    def solve(
        self, assumptions: Sequence[int], clock: Clock = NO_LIMIT, time_slice: Clock | None = None
    ) -> bool | None:
        """Raise the interrupt in one call."""
        self.n_calls -= 1
        if self.n_calls == 0:
            raise self._interrupt
        return super().solve(assumptions, clock, time_slice)


@given(
    weighted_formulas() | weighted_formulas(max_weight=1),
    st.integers(1, 4),
    st.sampled_from([KeyboardInterrupt, TimeLimitReached]),
)
@settings(max_examples=40)
def test_live_solver_after_an_interrupt(formula: Wcnf, n_calls: int, interrupt: type[BaseException]) -> None:
    """If any call is stopped, the assumptions describe exactly the models that cost no more than the best so far."""
    oracle = InterruptedOracle(n_calls, interrupt)
    with LinearSearch.of(formula, oracle) as search:
        status = search.run(NO_LIMIT)
        oracle.n_calls = 0  # no interrupt from now on
        if search.upper is not None and status != "unsatisfiable":
            assert models_under(search, formula.n_vars) == models_up_to(formula, search.upper)


@given(weighted_formulas())
@settings(max_examples=40)
def test_assumptions_after_the_time_limit(formula: Wcnf) -> None:
    """If the time is over with the first model, before a bound was encoded, the assumptions are still available."""
    clock = Clock()
    with LinearSearch.of(formula, LocalOracle(), on_model=lambda model: clock.stop()) as search:
        search.run(clock)
        if search.upper is not None:
            assert models_under(search, formula.n_vars) == models_up_to(formula, search.upper)


def test_live_solver_after_the_time_limit() -> None:
    """A solver that is stopped by the time limit remains usable: it has the best model under the assumptions."""
    formula = hard_formula()
    with Linear(isolated=False).search(formula, clock=Clock(0.5)) as search:
        assert search.status == "time_limit"
        assert search.model is not None
        literals = [var if search.model[var] else -var for var in range(1, formula.n_vars + 1)]
        assert search.oracle.solve([*search.assumptions, *literals])


@given(weighted_formulas(), weighted_formulas(), st.integers(0, 2**32))
def test_objectives_are_minimised_lexicographically(first: Wcnf, second: Wcnf, seed: int) -> None:
    """The second objective is minimised among the optimal models of the first."""
    n_vars = max(first.n_vars, second.n_vars)
    objectives = [Objective.of(first.soft), Objective.of(second.soft)]
    pool, oracle = VarPool(), LocalOracle()
    pool.array("x", n_vars)
    for block in first.hard:
        oracle.add(block)
    search = LinearSearch(oracle, objectives, pool)
    status = search.run(NO_LIMIT)
    assignments = [np.array([False, *values], dtype=bool) for values in np.ndindex(*(2,) * n_vars)]
    first.n_vars = n_vars
    models = [values for values in assignments if first.falsified_clause(values) is None]
    costs = [tuple(objective.cost(model) for objective in objectives) for model in models]
    assert (search.costs == min(costs)) if costs else (status == "unsatisfiable")


@given(weighted_formulas())
def test_clauses_can_be_added_lazily(formula: Wcnf) -> None:
    """With every hard clause added only when a model falsifies it, the optimum is the same."""
    pool = VarPool()
    pool.array("x", formula.n_vars)

    def refine(model: Model) -> list[Block]:
        falsified = formula.falsified_clause(model)
        return [] if falsified is None else [as_block([falsified])]

    search = LinearSearch(LocalOracle(), [Objective.of(formula.soft)], pool, refine=refine)
    status = search.run(NO_LIMIT)
    expected = cheapest(formula)
    assert status == ("unsatisfiable" if expected is None else "optimal")
    assert status == "unsatisfiable" or search.costs[0] == expected


def test_improved_bounds_are_reported() -> None:
    """Bounds are reported as they improve, the last time when they are equal."""
    formula = Wcnf(6, [clause(1, 2), clause(3, 4)], [Soft(1, (-var,)) for var in range(1, 7)])
    improvements: list[Improvement] = []
    pool, oracle = VarPool(), LocalOracle()
    pool.array("x", 6)
    formula.write_hard(oracle)
    search = LinearSearch(oracle, [Objective.of(formula.soft)], pool, on_improvement=improvements.append)
    assert search.start_from([1, 2, 3, 4, 5, 6], NO_LIMIT)
    assert search.run(NO_LIMIT) == "optimal"
    assert (improvements[0].lower, improvements[0].upper) == (0, 6)
    assert (improvements[-1].lower, improvements[-1].upper) == (2, 2)
    assert [bounds.upper for bounds in improvements] == sorted((bounds.upper for bounds in improvements), reverse=True)


def test_known_lower_bound_ends_the_search() -> None:
    """A model that reaches the lower bound is optimal without another call of the solver."""
    pool, oracle = VarPool(), LocalOracle()
    pool.array("x", 2)
    oracle.add(clause(1, 2))
    search = LinearSearch(oracle, [Objective.of([Soft(1, (-1,)), Soft(1, (-2,))])], pool, lower=1)
    assert search.start_from([1, -2], NO_LIMIT)
    oracle.close()
    assert search.run(NO_LIMIT) == "optimal"


def test_contradictory_start_is_ignored() -> None:
    """Start literals that contradict the clauses are rejected, and the search works without them."""
    formula = Wcnf(2, [clause(1, 2)], [Soft(1, (-1,)), Soft(1, (-2,))])
    search = LinearSearch.of(formula, LocalOracle())
    assert not search.start_from([-1, -2], NO_LIMIT)
    assert search.run(NO_LIMIT) == "optimal"
    assert search.costs == (1,)


def test_time_limit_holds_with_many_equal_weights() -> None:
    """With 6000 soft clauses of weight 1, the time limit holds: a totaliser would take a minute to build."""
    formula = Wcnf(6000, [clause(np.arange(1, 6000, 2), np.arange(2, 6001, 2))], [])
    formula.soft = [Soft(1, (-var,)) for var in range(1, 6001)]
    start = time.monotonic()
    answer = Linear().minimise(formula, clock=Clock(2))
    assert time.monotonic() - start < 3
    assert answer.model is not None
    assert formula.falsified_clause(answer.model) is None


def test_solver_that_ignores_assumptions_is_an_error() -> None:
    """A solver that ignores its assumptions raises an error instead of causing an endless loop."""

    class IgnoringOracle(LocalOracle):
        def solve(self, assumptions: Sequence[int], clock: Clock = NO_LIMIT) -> bool | None:
            return super().solve([1, 2], clock)

    formula = Wcnf(2, [clause(1, 2)], [Soft(1, (-1,)), Soft(1, (-2,))])
    with pytest.raises(SolverError, match="use another solver"):
        LinearSearch.of(formula, IgnoringOracle()).run(NO_LIMIT)


def test_negative_weights_are_rejected() -> None:
    """A soft clause with a negative weight is an error."""
    with pytest.raises(InputError, match="negative weight"):
        Linear(isolated=False).minimise(Wcnf(1, [], [Soft(-3, (-1,))]))


def test_assumptions_before_the_proof() -> None:
    """At any time, the assumptions describe the models that cost no more than the best one so far."""
    formula = Wcnf(3, [clause(1, 2), clause(2, 3)], [Soft(1, (-var,)) for var in (1, 2, 3)])
    oracle = LocalOracle()
    search = LinearSearch.of(formula, oracle)
    assert search.assumptions == []
    assert search.start_from([1, -2, 3], NO_LIMIT)
    assert not oracle.solve([*search.assumptions, 1, 2, 3])
    assert oracle.solve([*search.assumptions, 1, 2])


@pytest.mark.parametrize("isolated", [False, True])
def test_without_time_the_status_is_unknown(isolated: bool) -> None:
    """With a time limit of 0, the status is "unknown"."""
    formula = Wcnf(2, [clause(1, 2)], [Soft(1, (-1,))])
    assert Linear(isolated=isolated).minimise(formula, clock=Clock(0)).status == "unknown"


@pytest.mark.parametrize("upper", [-1, 1.5, True])
def test_an_upper_bound_is_a_cost(upper: int) -> None:
    """No model has a negative cost: such a bound is an error, not a proof that there is no model."""
    with pytest.raises(InputError, match=f"upper={upper} is not a cost"):
        Linear(isolated=False).search(Wcnf(1, [clause(1)], [Soft(1, (-1,))]), upper=upper)
    with Linear(isolated=False).search(Wcnf(1, [clause(1)]), upper=0) as search:
        assert search.status == "unsatisfiable"


@pytest.mark.parametrize("is_warm", [True, False])
def test_phases_follow_the_best_model_after_a_warm_start(is_warm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a known model on, the phases are set to it and to every better model; without one, never."""
    formula = hard_formula(n_vars=30, n_hard=50, n_soft=30)
    phases: list[list[int]] = []
    monkeypatch.setattr(LocalOracle, "set_phases", lambda oracle, literals, clock: phases.append(list(literals)))
    accepted: list[Model] = []
    search = LinearSearch.of(formula, LocalOracle(), on_model=accepted.append)
    if is_warm:
        assert search.start_from([], NO_LIMIT)
    assert search.run(NO_LIMIT) == "optimal"
    assert len(accepted) > 2
    assert phases == ([true_literals(model) for model in accepted] if is_warm else [])
