"""minimum_tree: limits hold, and there is always a result."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from helpers.random_problems import formula

from puretree import (
    Auto,
    InfeasibleError,
    InputError,
    MaxSat,
    MinDt,
    Outcome,
    Search,
    SolverError,
    UnfinishedWarning,
    minimum_tree,
    prepare,
)
from puretree._support.clock import Clock
from puretree.datasets import load
from puretree.engines import Engine, solve
from puretree.maxsat import Linear


def hard_table(n_rows: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of noise whose minimum cannot be proved in a second: 10 million clauses."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_rows, 6)), rng.integers(0, 3, n_rows)


@pytest.mark.parametrize(
    "engine", ["auto", "search", *(pytest.param(name, marks=pytest.mark.slow) for name in ("maxsat", "mindt"))]
)
def test_iris_is_solved(engine: str) -> None:
    """The tree of a raw table is proved minimum, and tests raw columns."""
    iris = load("sklearn:iris")
    outcome = minimum_tree(iris.table, iris.target, engine=engine, binarize="bits", on_conflict="majority")
    assert isinstance(outcome, Outcome)
    assert outcome.status == "optimal"
    assert outcome.n_nodes == outcome.lower_bound == outcome.upper_bound == outcome.tree.n_nodes  # type: ignore[union-attr]
    assert "petal" in str(outcome.tree)


def test_the_engines_agree_on_iris() -> None:
    """All exact engines find the same size."""
    iris = load("sklearn:iris")
    rows = np.arange(0, 150, 4)
    sizes = {
        minimum_tree(
            iris.table.take(rows), iris.target[rows], engine=engine, binarize="bits", on_conflict="majority"
        ).n_nodes
        for engine in (Auto(), Search(), MaxSat(), MaxSat(lazy=True), MaxSat("rc2"), MinDt())
    }
    assert len(sizes) == 1


SOLVERS = [MaxSat(), MaxSat(lazy=True), MaxSat("rc2"), MinDt(), MaxSat(solver="lingeling")]


@pytest.mark.parametrize("engine", [*SOLVERS, Search(), Auto()])
def test_the_time_limit_holds(engine: Engine) -> None:
    """On a problem that is too hard, the result is a pure tree with valid bounds, within a second of the limit.

    Three classes need at least 5 nodes; only the search proves more.
    """
    X, y = hard_table()
    start = time.monotonic()
    with pytest.warns(UnfinishedWarning, match="time limit reached before optimality was proved"):
        outcome = minimum_tree(X, y, engine=engine, time_limit=1)
    assert time.monotonic() - start < 2
    assert outcome.status == "time_limit"
    assert outcome.tree is not None
    assert (outcome.tree.predict(X) == y).all()
    assert (outcome.lower_bound == 5) == (engine in SOLVERS)
    assert 5 <= outcome.lower_bound < outcome.upper_bound == outcome.n_nodes  # type: ignore[operator]


@pytest.mark.parametrize("engine", [MaxSat(), MaxSat("rc2"), MinDt()])
def test_a_formula_that_exceeds_the_memory_is_not_built(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is the best tree so far, with the status and a warning."""
    for module in ("maxsat", "incumbent"):
        monkeypatch.setattr(f"puretree.engines.{module}.MOST_BYTES", 100e6)
    X, y = hard_table()
    with pytest.warns(UnfinishedWarning, match="memory limit reached"):
        outcome = minimum_tree(X, y, engine=engine)
    assert outcome.status == "memory_limit"
    assert (outcome.tree.predict(X) == y).all()  # type: ignore[union-attr]


@pytest.mark.filterwarnings("ignore::puretree.errors.NoisyLabelsWarning")  # the labels are random
@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "options"),
    [
        *product(["maxsat", "search", "auto"], [{"root": 0}, {"pair_cover": True}, {"minimise": "cost"}]),
        ("maxsat", {"max_depth": 4}),
        ("search", {"max_depth": 12}),
        ("auto", {"max_leaf_nodes": 450}),
    ],
)
def test_the_time_limit_holds_with_constraints(engine: str, options: dict[str, object]) -> None:
    """The steps before and around the search observe the limit as well, on 6000 features."""
    X, y = hard_table(1000)
    prepare(X, y)  # warm up
    start = time.monotonic()
    with pytest.warns(UnfinishedWarning):
        outcome = minimum_tree(X, y, engine=engine, time_limit=2, **options)  # type: ignore[arg-type]
    assert time.monotonic() - start < 3
    assert outcome.status in ("time_limit", "memory_limit")


@pytest.mark.parametrize("engine", ["search", pytest.param("auto", marks=pytest.mark.slow)])
def test_the_search_proves_that_noise_fits_no_flat_tree(engine: str) -> None:
    """The search proves that 16 leaves are too few for 1000 rows of noise, where MaxSAT reaches the time limit."""
    X, y = hard_table(1000)
    with pytest.raises(InfeasibleError, match="with at most 4 tests on every path"):
        minimum_tree(X, y, engine=engine, max_depth=4)


INTERRUPTED = """
import os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
from test_minimum_tree import hard_table
from puretree import Auto, MaxSat, MinDt, Search, minimum_tree
X, y = hard_table()
engine = eval(sys.argv[2])
started = []
def interrupt(bounds):
    if bounds.upper and not started:
        started.append(time.monotonic())
        threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
outcome = minimum_tree(X, y, engine=engine, time_limit=None, on_progress=interrupt)
print(outcome.status, (outcome.tree.predict(X) == y).all(), time.monotonic() - started[0] < 2.5)
"""


OTHERS = ("Search()", "MaxSat()", "MaxSat(lazy=True)", "MaxSat('rc2')", "MinDt()")


@pytest.mark.parametrize("engine", ["Auto()", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_an_interrupt_returns_the_incumbent(engine: str) -> None:
    """Ctrl-C stops the search, and the best tree is returned."""
    command = [sys.executable, "-c", INTERRUPTED, str(Path(__file__).parent), engine]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["interrupted", "True", "True"], done.stderr


def test_a_killed_solver_loses_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the SAT solver is killed, the error carries the best tree over the raw columns."""
    from puretree.sat import IsolatedOracle

    solve_as_usual = IsolatedOracle.solve

    def die(oracle: IsolatedOracle, assumptions: object, clock: Clock) -> bool | None:
        os.kill(oracle._child.pid, signal.SIGKILL)
        return solve_as_usual(oracle, assumptions, clock)  # type: ignore[arg-type]

    monkeypatch.setattr(IsolatedOracle, "solve", die)
    X, y = hard_table(40)
    with pytest.raises(SolverError, match="cadical195 was killed by signal 9") as caught:
        minimum_tree(X, y, engine="maxsat")
    outcome = caught.value.outcome
    assert outcome.status == "failed"
    assert (outcome.tree.predict(X) == y).all()


def test_progress_is_reported() -> None:
    """on_progress gets both bounds and the time."""
    lines: list[str] = []
    minimum_tree([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], on_progress=lambda bounds: lines.append(str(bounds)))
    assert lines[-1].startswith("7 ≤ min ≤ 7 · ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "magic"}, "engine='magic' is unknown; use one of auto, search, maxsat, mindt"),
        ({"engine": MaxSat}, r"engine=MaxSat is a class; use MaxSat\(\)"),
        ({"feature_costs": [1, 2]}, "feature_costs=.* is not a mapping"),
        ({"time_limit": -1}, "time_limit=-1"),
        ({"minimise": "depth"}, "minimise='depth'"),
        ({"max_depth": 0}, "max_depth=0"),
        ({"max_leaf_nodes": True}, "max_leaf_nodes=True is not an integer"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        (
            {"engine": "maxsat", "min_samples_leaf": 2},
            "engine='maxsat' does not support min_samples_leaf=2; use engine='auto'",
        ),
    ],
)
def test_invalid_parameters_raise_an_error(options: dict[str, object], message: str) -> None:
    """The message names the parameter and its valid values."""
    with pytest.raises(InputError, match=message):
        minimum_tree([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [MaxSat, MinDt, Linear])
@pytest.mark.parametrize("solver", ["magic", "kissat404", "cryptominisat"])
def test_unknown_solvers_raise_an_error(make: Callable[..., object], solver: str) -> None:
    """An unknown solver raises an error when the engine is created, not when it is used."""
    with pytest.raises(InputError, match=f"no solver '{solver}'.*; use one of .*cadical195"):
        make(solver=solver)


def test_an_unknown_backend_raises_an_error() -> None:
    """An unknown MaxSAT solver raises an error when the engine is created."""
    with pytest.raises(InputError, match="backend='magic' is unknown; use one of linear, rc2"):
        MaxSat("magic")


@pytest.mark.parametrize("engine", [MaxSat(), Search(), Auto()])
def test_the_status_agrees_with_the_bounds(engine: Engine) -> None:
    """Whatever the limit, the status is optimal if and only if the bounds are equal."""
    for limit in (0.0, 0.001, 0.002, 0.005, 0.1, 0.2, 0.5, 30.0):
        outcome = solve(formula("monks-1"), engine, clock=Clock(limit))
        assert (outcome.status == "optimal") == (outcome.lower_bound == outcome.upper_bound == 29)
