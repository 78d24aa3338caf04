"""Test local search and its hybrids against brute force."""

import signal
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers.oracles.maxsat import cheapest, hard_formula, random_formula
from helpers.strategies import weighted_formulas
from hypothesis import given
from hypothesis import strategies as st

from puretree import InputError, _native
from puretree._support.clock import Clock
from puretree.formula import Model, Soft, Wcnf, as_block, true_literals
from puretree.maxsat import BACKENDS, LinearSearch, LocalSearch
from puretree.maxsat.checker import ModelChecker
from puretree.maxsat.local_search import phases_near
from puretree.sat import LocalOracle

HYBRIDS = ("none", "c", "ck")


def quick(hybrid: Any = "none", **options: Any) -> LocalSearch:
    """Return a search with few steps."""
    return LocalSearch(hybrid, isolated=False, **{"max_steps": 5000, **options})


@given(weighted_formulas() | weighted_formulas(max_weight=1) | weighted_formulas(max_weight=10**13), st.integers(0, 99))
def test_models_and_statuses_are_correct(formula: Wcnf, seed: int) -> None:
    """Every reported model is valid and better than the one before, and a claimed optimum is one."""
    expected = cheapest(formula)
    for hybrid in HYBRIDS:
        models: list[Model] = []
        answer = quick(hybrid, seed=seed).minimise(formula, on_model=models.append)
        costs = [formula.cost(model) for model in models]
        assert all(formula.falsified_clause(model) is None for model in models)
        assert costs == sorted(set(costs), reverse=True)
        assert answer.cost == (costs[-1] if costs else None)
        if answer.status != "unknown":
            assert answer.cost == expected
        assert hybrid == "none" or answer.status == ("unsatisfiable" if expected is None else "optimal")


def test_small_optima_are_found() -> None:
    """The walk finds the optimum of nearly all of 300 small formulas, without a proof."""
    is_optimal = [quick().minimise(formula).cost == cheapest(formula) for formula in map(random_formula, range(300))]
    assert sum(is_optimal) >= 297


def test_walk_improves_on_the_first_model_of_a_sat_solver() -> None:
    """With 300 variables, the walk alone finds a model of much lower cost than the first one of a SAT solver."""
    formula = hard_formula()
    answer = quick(max_steps=100_000).minimise(formula)
    assert answer.status == "unknown"
    assert answer.cost is not None
    assert answer.cost < 0.8 * formula.cost(first_model(formula))


def test_same_seed_gives_the_same_models() -> None:
    """The same seed gives the same sequence of models, another seed a different one."""
    models: dict[int, list[list[bool]]] = {}
    for run, seed in enumerate((7, 7, 8)):
        models[run] = []
        search = quick(seed=seed, max_steps=100_000)
        search.minimise(hard_formula(), on_model=lambda model, run=run: models[run].append(model.tolist()))
    assert models[0] == models[1] != models[2]
    assert len(models[0]) > 1


def test_walk_starts_from_the_given_model() -> None:
    """With the literals of a model as start, the first model is that one or a better one."""
    formula = hard_formula()
    first = first_model(formula)
    models: list[Model] = []
    start = [var if first[var] else -var for var in range(1, formula.n_vars + 1)]
    quick().improve(formula, ModelChecker(formula, "it", models.append), Clock(), start=start)
    costs = [formula.cost(model) for model in models]
    assert models[0].tolist() == first.tolist() or costs[0] < formula.cost(first)
    assert all(later < earlier for earlier, later in pairwise(costs))


def test_walk_ends_at_the_target_cost() -> None:
    """A model that reaches the target cost ends the walk and is reported as optimal."""
    formula = hard_formula(n_hard=600)
    answer = quick(max_steps=10**6).improve(formula, ModelChecker(formula, "it", lambda _: None), Clock(), target=600)
    assert answer.status == "optimal"
    assert answer.cost is not None
    assert 0 < answer.cost <= 600


def formula_of(n_vars: int, hard: list[list[int]], soft: list[tuple[int, list[int]]]) -> Wcnf:
    """Return a formula from lists of literals."""
    formula = Wcnf(n_vars, soft=[Soft(weight, tuple(literals)) for weight, literals in soft])
    formula.add(as_block(hard))
    return formula


EDGE_CASES: dict[str, tuple[Wcnf, tuple[str, int | None]]] = {
    "empty formula": (formula_of(0, [], []), ("optimal", 0)),
    "variables without clauses": (formula_of(3, [], []), ("optimal", 0)),
    "no soft clauses": (formula_of(2, [[1, 2], [-1, 2]], []), ("optimal", 0)),
    "an empty hard clause": (formula_of(1, [[]], [(1, [1])]), ("unsatisfiable", None)),
    "an empty soft clause": (formula_of(1, [], [(3, []), (1, [1])]), ("optimal", 3)),
    "contradictory units": (formula_of(2, [[1], [-1, 2], [-2]], []), ("unsatisfiable", None)),
    "soft clauses against units": (formula_of(2, [[1], [-1, 2]], [(4, [-2]), (2, [2])]), ("optimal", 4)),
    "repeated literals": (formula_of(2, [[1, 1, 2], [-2, -2]], [(1, [1, 1])]), ("optimal", 0)),
    "tautologies": (formula_of(2, [[1, -1], [2, 1, -2]], [(5, [2, -2])]), ("optimal", 0)),
    "weight 0": (formula_of(1, [[1]], [(0, [-1]), (0, [])]), ("optimal", 0)),
    "large weights": (formula_of(2, [[1, 2]], [(2**61 + 1, [-1]), (2**61, [-2])]), ("unknown", 2**61)),
}


@pytest.mark.parametrize("case", EDGE_CASES)
def test_edge_cases(case: str) -> None:
    """Trivial formulas are solved without search."""
    formula, (status, cost) = EDGE_CASES[case]
    answer = quick().minimise(formula)
    assert (answer.status, answer.cost) == (status, cost)


def test_invalid_weights_are_rejected() -> None:
    """A total weight beyond 64 bits and negative weights are errors."""
    with pytest.raises(InputError, match="local-search cannot handle weights that add up to"):
        quick().minimise(formula_of(1, [], [(2**62, [1]), (2**62, [-1])]))
    with pytest.raises(InputError, match="negative weight"):
        quick().minimise(formula_of(1, [], [(-1, [1])]))


@pytest.mark.parametrize("hybrid", HYBRIDS)
def test_time_limit_is_enforced(hybrid: Any) -> None:
    """The search continues until the time limit and returns its best model."""
    clock = Clock(0.5)
    answer = LocalSearch(hybrid, isolated=False).minimise(hard_formula(), clock=clock)
    assert answer.status == "unknown"
    assert answer.model is not None
    assert 0.4 < clock.seconds < 5  # the walk would go on for hours


def test_keyboard_interrupt_stops_the_search() -> None:
    """Ctrl-C stops a walk without limit, and the models so far have been reported."""
    models: list[Model] = []
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        LocalSearch(max_steps=2**62).minimise(hard_formula(), on_model=models.append)
    timer.join()
    assert models


def test_exception_of_the_callback_is_propagated() -> None:
    """An exception raised by the callback ends the walk, and the callback is not called again."""
    models: list[Model] = []

    def fail(model: Model) -> None:
        models.append(model)
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        quick().minimise(hard_formula(), on_model=fail)
    assert len(models) == 1


@pytest.mark.parametrize("hybrid", ["c", "ck"])
def test_linear_search_continues_from_the_walk(hybrid: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the hybrids the linear search starts from the best model of the walk."""
    formula = hard_formula(n_vars=40, n_hard=60, n_soft=30)
    start_costs: list[int] = []
    original = LinearSearch.start_from

    def start_from(search: LinearSearch, literals: Sequence[int], clock: Clock) -> bool:
        start_costs.append(formula.cost(np.array([False, *(literal > 0 for literal in literals)])))
        return original(search, literals, clock)

    monkeypatch.setattr(LinearSearch, "start_from", start_from)
    answer = quick(hybrid).minimise(formula)
    assert answer.status == "optimal"
    assert answer.cost is not None
    assert answer.cost <= start_costs[0] < formula.cost(first_model(formula))


def test_phases_of_the_linear_search() -> None:
    """Soft unit clauses are tried true, the heaviest of a variable counts, and other variables are as in the model."""
    soft = [Soft(5, (-1,)), Soft(2, (1,)), Soft(1, (2,)), Soft(9, (-3, -4))]
    phases = phases_near(np.array([False, True, False, True, True]), soft)
    assert {abs(literal): literal for literal in phases} == {1: -1, 2: 2, 3: 3, 4: 4}


def test_phases_of_hybrid_c_follow_the_best_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """After every model of the linear search, the phases are those near it; with ``ck`` those of the model itself."""
    formula = hard_formula(n_vars=40, n_hard=60, n_soft=30)
    recorded: list[list[int]] = []
    monkeypatch.setattr(LocalOracle, "set_phases", lambda oracle, literals, clock: recorded.append(list(literals)))
    models: list[Model] = []
    quick("c", max_steps=0).minimise(formula, on_model=models.append)
    expected = [phases_near(model, formula.soft) for model in models]
    assert len(models) > 2
    assert recorded == expected
    recorded.clear()
    quick("ck", max_steps=0).minimise(formula)
    assert recorded == [true_literals(model) for model in models]


@pytest.mark.parametrize(("limit", "value"), [("C_SECONDS", 0.2), ("C_TIME_FRACTION", 0.005), ("STEPS", 10_000)])
def test_walk_of_hybrid_c_ends_when_it_stagnates(limit: str, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default it ends after some seconds, a fraction of the time limit, or steps without improvement."""
    monkeypatch.setattr(f"puretree.maxsat.local_search.{limit}", value)
    formula, clock = hard_formula(), Clock(40.0)  # without the change, a quarter of it
    LocalSearch("c").improve(formula, ModelChecker(formula, "it", lambda _: None), clock)
    assert clock.seconds < 9.5


def first_model(formula: Wcnf) -> Model:
    """Return the first model of a SAT solver."""
    oracle = LocalOracle()
    for block in formula.hard:
        oracle.add(block)
    assert oracle.solve([])
    return oracle.model(formula.n_vars)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"hybrid": "cc"}, "hybrid='cc' is unknown; use one of 'none', 'c', 'ck'"),
        ({"seed": -1}, "seed=-1 is not a valid seed"),
        ({"seed": 0.5}, "seed=0.5 is not a valid seed"),
        ({"max_steps": -1}, "max_steps=-1 is not a number of steps"),
        ({"solver": "minisaur"}, "there is no solver 'minisaur'"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], match: str) -> None:
    """The error names the option and the valid values."""
    with pytest.raises(InputError, match=match):
        LocalSearch(**options)


def test_names() -> None:
    """The names in the registry are those of the backends."""
    for name in ("local-search", "local-search-c", "local-search-ck"):
        assert BACKENDS[name]().name == name


def test_native_code_checks_its_arguments() -> None:
    """The native code rejects literals of unknown variables, and weights that are negative or missing."""
    search = _native.LocalSearch(2)
    no_weights = np.empty(0, dtype=np.int64)
    with pytest.raises(ValueError, match="not of a variable"):
        search.add(as_block([[3]]), no_weights)
    with pytest.raises(ValueError, match="not of a variable"):
        search.add(np.array([[-(2**31)]], dtype=np.int32), no_weights)
    with pytest.raises(ValueError, match="needs its weight"):
        search.add(as_block([[1], [2]]), np.ones(1, dtype=np.int64))
    with pytest.raises(ValueError, match="negative"):
        search.add(as_block([[1]]), np.array([-1], dtype=np.int64))
    with pytest.raises(ValueError, match="zero"):
        search.run(np.zeros(1, dtype=np.int32), 0, 1, 0, lambda values: None, 1.0, 1.0)
