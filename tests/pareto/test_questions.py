"""minimum_tree with errors: each question is answered as the whole front answers it, and its bounds are valid."""

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.random_problems import random_cost_table

from puretree import (
    Bounds,
    InfeasibleError,
    InputError,
    SolverError,
    UnfinishedWarning,
    front,
    minimum_tree,
    prepare,
)
from puretree._support.clock import Clock
from puretree.engines import MaxSat
from puretree.maxsat import External
from puretree.outcome import Outcome
from puretree.pareto import Request, answer
from puretree.problem import Constraints, prepare_costs


def noisy_table(n_rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of small integers whose labels depend on two columns, with noise."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (n_rows, 4))
    return X, np.where(rng.random(n_rows) < 0.2, rng.integers(0, 3, n_rows), (X[:, 0] > 1) + (X[:, 1] > 2))


def require_proved(outcome: Outcome, value: float) -> None:
    """Require that an outcome is proved optimal, with the expected value and a consistent history."""
    assert outcome.status == "optimal"
    assert outcome.lower_bound == outcome.upper_bound == pytest.approx(value)
    lower = [bounds.lower for bounds in outcome.history]
    assert lower == sorted(lower)
    upper = [bounds.upper for bounds in outcome.history if bounds.upper is not None]
    assert upper == sorted(upper, reverse=True)
    assert (lower[-1], upper[-1]) == (outcome.lower_bound, outcome.upper_bound)
    assert not outcome.is_minimum


@pytest.mark.parametrize("engine", ["search", "maxsat(isolated=False)"])
@pytest.mark.parametrize("limits", [{}, {"max_depth": 2}, {"min_samples_leaf": 2}, {"root": 0}])
@pytest.mark.parametrize("seed", range(8))
def test_answers_are_those_of_the_front(seed: int, limits: dict[str, Any], engine: str) -> None:
    """Fewest nodes, least cost and least complexity agree with the whole front, for any costs and constraints.

    The formulas of MaxSAT are a second opinion: they share no bound with the search.
    """
    X, y, costs = random_cost_table(seed)
    whole = front(X, y, **limits, **costs)
    assert whole.is_complete
    weight = whole.prepared.row_costs.total_weight
    options: Any = {"engine": engine, **limits}
    for point in whole:
        outcome = minimum_tree(X, y, max_cost=point.cost, **options, **costs)
        require_proved(outcome, point.n_nodes)
        assert outcome.n_nodes == point.n_nodes
        outcome = minimum_tree(X, y, minimise="errors", max_nodes=point.n_nodes + 1, **options, **costs)
        require_proved(outcome, point.cost)
        assert outcome.n_nodes == point.n_nodes
        assert outcome.minimised == ("errors" if whole.counts_errors else "error-cost")
        assert outcome.engine == engine.partition("(")[0]
        if whole.counts_errors:
            assert outcome.n_errors == point.errors
            require_proved(minimum_tree(X, y, max_errors=point.errors, **options), point.n_nodes)
    for alpha in (0.0, 0.01, 0.03, 0.1, 0.3):
        point = whole.at(alpha=alpha)
        outcome = minimum_tree(X, y, alpha=alpha, **options, **costs)
        require_proved(outcome, point.cost / weight + alpha * point.n_leaves)
    if whole[-1].cost > 0:
        with pytest.raises(InfeasibleError, match="there is no tree"):
            minimum_tree(X, y, max_cost=whole[-1].cost * 0.99, **options, **costs)


@pytest.mark.parametrize("options", [{"max_errors": 40}, {"minimise": "errors", "max_nodes": 31}, {"alpha": 0.01}])
def test_maxsat_stops_with_valid_bounds(options: dict[str, Any]) -> None:
    """At a limit and on Ctrl-C the best tree, which is never worse than CART's, is returned with both bounds."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (120, 5)), rng.integers(0, 3, 120)

    def interrupt(bounds: Bounds) -> None:
        raise KeyboardInterrupt

    limits: list[dict[str, Any]] = [{"time_limit": 0.5}, {"memory_limit": 1e5}, {"on_progress": interrupt}]
    for limit, status in zip(limits, ("time_limit", "memory_limit", "interrupted"), strict=True):
        with pytest.warns(UnfinishedWarning, match="before optimality was proved|before a tree"):
            outcome = minimum_tree(X, y, engine="maxsat", **options, **limit)
        assert outcome.status == status
        if status != "interrupted":
            assert outcome.tree is not None
            assert outcome.upper_bound is not None
            assert outcome.lower_bound < outcome.upper_bound
            assert int((outcome.tree.predict(X) != y).sum()) == outcome.n_errors
        assert {bounds.by for bounds in outcome.history} <= {"scikit-learn", "linear"}


def test_an_error_of_a_solver_carries_the_best_tree() -> None:
    """A program that fails raises SolverError with CART's tree and valid bounds."""
    program = Path(__file__).parents[1] / "helpers" / "faulty_solver.py"
    backend = External((sys.executable, str(program), "invalid-model"), name="faulty")
    X, y = noisy_table()
    with pytest.raises(SolverError, match="faulty") as error:
        minimum_tree(X, y, max_errors=8, engine=MaxSat(backend))
    assert error.value.outcome.status == "failed"
    assert error.value.outcome.n_errors <= 8


def test_the_size_is_limited_by_both_parameters() -> None:
    """max_nodes and max_leaf_nodes are limits of every question."""
    X, y = noisy_table()
    assert minimum_tree(X, y, minimise="errors", max_nodes=8, max_leaf_nodes=3).n_nodes == 5
    assert minimum_tree(X, y, alpha=0, max_nodes=5).n_nodes == 5
    with pytest.raises(InfeasibleError, match="there is no tree that satisfies the constraints with at most 0 errors"):
        minimum_tree(X, y, max_errors=0, max_nodes=5)


def test_a_small_question_is_cheaper_than_the_front() -> None:
    """A question about a small tree is answered although the whole front would take long."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (300, 20)), rng.integers(0, 2, 300)
    n_errors = minimum_tree(X, y, minimise="errors", max_nodes=5).n_errors
    outcome = minimum_tree(X, y, max_errors=n_errors, time_limit=30)
    assert (outcome.status, outcome.n_nodes) == ("optimal", 5)
    assert minimum_tree(X, y, alpha=12 / 300, time_limit=30).status == "optimal"


@pytest.mark.parametrize("options", [{"max_errors": 20}, {"alpha": 1e-3}, {"minimise": "errors", "max_nodes": 31}])
@pytest.mark.parametrize("seconds", [0.0, 0.05])
def test_limits_leave_valid_bounds(options: dict[str, Any], seconds: float) -> None:
    """At a time limit the bounds enclose the value of the tree, and a warning says so."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 6)), rng.integers(0, 3, 120)
    with pytest.warns(UnfinishedWarning, match="time limit reached before optimality was proved"):
        outcome = minimum_tree(X, y, time_limit=seconds, **options)
    assert outcome.status == "time_limit"
    assert outcome.upper_bound is not None
    assert outcome.tree is not None
    assert outcome.lower_bound < outcome.upper_bound
    errors = int((outcome.tree.predict(X) != y).sum())
    assert errors == outcome.n_errors
    value = {"max_errors": outcome.n_nodes, "minimise": errors}
    value["alpha"] = errors / 120 + 1e-3 * outcome.tree.n_leaves  # type: ignore[assignment]
    assert outcome.upper_bound == pytest.approx(value[next(iter(options))])


def test_an_interrupt_leaves_the_best_tree() -> None:
    """Ctrl-C at any improvement stops the search with valid bounds."""
    X, y = noisy_table()
    prepared = prepare_costs(X, y)
    question = Request(alpha=0.01).question(prepared)
    exact = answer(prepared, Constraints(), question, clock=Clock())
    for stop in range(len(exact.history)):
        calls = iter(range(stop))

        def interrupt(bounds: Bounds, calls: Iterator[int] = calls) -> None:
            if next(calls, None) is None:
                raise KeyboardInterrupt

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome = answer(prepared, Constraints(), question, clock=Clock(), on_progress=interrupt)
        assert outcome.status in ("interrupted", "optimal")
        assert outcome.upper_bound is not None
        assert exact.upper_bound is not None
        assert outcome.lower_bound <= exact.upper_bound <= outcome.upper_bound


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_errors": 1, "alpha": 0.1}, "max_errors and alpha contradict each other; use one of them"),
        ({"max_errors": 1, "minimise": "cost"}, "minimise='cost' does not apply with max_errors; omit it"),
        ({"alpha": 0.1, "engine": "mindt"}, "engine='mindt' does not support alpha; use 'auto', 'search' or 'maxsat'"),
        (
            {"alpha": 0.1, "engine": "maxsat(lazy=True)"},
            "lazy=True is an option for pure trees; with errors, engine='ma",
        ),
        ({"alpha": 0.1, "feature_costs": {0: 2}}, r"feature_costs=\{0: 2\} does not apply with alpha; omit it"),
        ({"max_cost": 1, "pair_cover": True}, "pair_cover=True does not apply with max_cost; omit it"),
        ({"max_nodes": 5}, "max_nodes=5 limits trees with errors; for a pure tree use max_leaf_nodes; use minimise="),
        ({"minimise": "errors"}, "minimise='errors' needs a limit of the size"),
        ({"class_weight": "balanced"}, "class_weight says what errors cost, and a pure tree has none"),
        ({"max_errors": 1, "sample_weight": range(1, 61)}, "max_errors=1 counts errors, but weights"),
        ({"max_errors": -1}, "max_errors=-1 is not an integer of at least 0"),
        ({"max_errors": 1.5}, "max_errors=1.5 is not an integer of at least 0"),
        ({"alpha": float("inf")}, "alpha=inf is not a number of at least 0"),
        ({"max_cost": "1"}, "max_cost='1' is not a number of at least 0"),
        ({"minimise": "errors", "max_nodes": 0}, "max_nodes=0 is not an integer of at least 1"),
    ],
)
def test_parameters_that_do_not_apply_are_rejected(options: dict[str, Any], message: str) -> None:
    """The message names the parameter, and what to do."""
    X, y = noisy_table()
    with pytest.raises(InputError, match=message):
        minimum_tree(X, y, **options)


def test_contradictory_rows_are_errors() -> None:
    """Contradictory rows are not dropped: they are errors of every tree, and no warning is issued."""
    X, y = [[0], [0], [0], [1]], [0, 0, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outcome = minimum_tree(X, y, max_errors=1)
    assert (outcome.n_nodes, outcome.n_errors) == (3, 1)
    assert str(outcome).startswith("3 nodes, 1 error, proved minimum number of nodes")
    with pytest.raises(InfeasibleError, match="there is no tree with at most 0 errors; allow more"):
        minimum_tree(X, y, max_errors=0)


def test_without_errors_the_answer_is_the_minimum_pure_tree() -> None:
    """The smallest tree without errors has as many nodes as the pure search proves."""
    X, y = noisy_table(40)
    pure = minimum_tree(X, y, on_conflict="majority")
    n_dropped = 40 - len(prepare(X, y, on_conflict="majority").problem.kept_rows)
    assert minimum_tree(X, y, max_errors=n_dropped).n_nodes == pure.n_nodes
