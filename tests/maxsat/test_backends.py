"""Tests common to all MaxSAT backends, against brute force."""

import shlex
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.oracles.maxsat import cheapest, random_formula

from puretree._support.clock import NO_LIMIT, Clock
from puretree.engines import MaxSat, make_engine
from puretree.errors import InputError
from puretree.formula import Model
from puretree.maxsat import BACKENDS, Backend, External, Hermax, Linear, LocalSearch, Rc2, make_backend

FAKE = (sys.executable, str(Path(__file__).parents[1] / "helpers" / "fake_solver.py"), "good")
MAKERS: dict[str, Callable[[], Backend]] = {
    "linear": Linear,
    "linear, in-process": lambda: Linear("glucose4", isolated=False),
    "rc2": Rc2,
    "hermax": Hermax,
    "local-search-ck": lambda: LocalSearch("ck", isolated=False),
    "external": lambda: External(FAKE),
    "external, old style": lambda: External(FAKE, style="old"),
}


@pytest.fixture(params=MAKERS)
def backend(request: pytest.FixtureRequest) -> Backend:
    """Return each backend in turn."""
    if request.param == "hermax" and find_spec("hermax") is None:
        pytest.skip("hermax is not installed")
    return MAKERS[request.param]()


def test_every_backend_is_tested() -> None:
    """All registered backends are tested here, except those that prove nothing: see test_local_search.py."""
    assert set(BACKENDS) - {"local-search", "local-search-c"} <= set(MAKERS)


def test_cost_agrees_with_brute_force(backend: Backend) -> None:
    """With equal and different weights, satisfiable or not; every reported model is better than the one before."""
    statuses = set()
    for seed in range(20):
        formula = random_formula(seed)
        expected = cheapest(formula)
        models: list[Model] = []
        answer = backend.minimise(formula, clock=NO_LIMIT, on_model=models.append)
        statuses.add(answer.status)
        assert answer.status == ("unsatisfiable" if expected is None else "optimal"), seed
        if answer.status == "optimal":
            assert answer.cost == expected, seed
            costs = [formula.cost(model) for model in models]
            assert costs == sorted(set(costs), reverse=True)
            assert costs[-1] == expected
            assert all(formula.falsified_clause(model) is None for model in models)
    assert statuses == {"optimal", "unsatisfiable"}


def test_without_time_the_status_is_unknown(backend: Backend) -> None:
    """With a time limit of 0, the status is "unknown"."""
    assert backend.minimise(random_formula(0), clock=Clock(0)).status == "unknown"


def test_backend_from_a_string() -> None:
    """The text after the colon is a solver of hermax or a command; an engine specification accepts it as an option."""
    assert make_backend("external:/opt/solver -v 0") == External("/opt/solver -v 0")
    engine = make_engine("maxsat(backend='external:/opt/solver')")
    assert isinstance(engine, MaxSat)
    assert engine.backend == "external:/opt/solver"
    if find_spec("hermax") is not None:
        assert make_backend("hermax:UWrMaxSAT") == Hermax("UWrMaxSAT")


def test_invalid_backend_string_is_rejected() -> None:
    """A missing command, unknown solvers and kinds, and arguments for backends without any are errors."""
    with pytest.raises(InputError, match="names no program"):
        make_backend("external:")
    with pytest.raises(InputError, match="solver='NoSuch' is unknown"):
        make_backend("hermax:NoSuch")
    for invalid in ("magic:word", "linear:word", "hermax;UWrMaxSAT"):
        with pytest.raises(InputError, match="hermax:SOLVER, or external:COMMAND"):
            make_backend(invalid)


def test_external_program_from_a_string() -> None:
    """The program is run with its options."""
    backend = make_backend(f"external:{shlex.join(FAKE)}")
    formula = random_formula(0)
    answer = backend.minimise(formula, clock=NO_LIMIT)
    assert answer.cost == cheapest(formula)
