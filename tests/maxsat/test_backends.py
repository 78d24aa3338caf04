"""One suite for all MaxSAT solvers: what they answer is what trying every assignment says."""

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
    "linear, in this process": lambda: Linear("glucose4", isolated=False),
    "rc2": Rc2,
    "hermax": Hermax,
    "local-search-ck": lambda: LocalSearch("ck", isolated=False),
    "external": lambda: External(FAKE),
    "external, old style": lambda: External(FAKE, style="old"),
}


@pytest.fixture(params=MAKERS)
def backend(request: pytest.FixtureRequest) -> Backend:
    """Give each backend in turn."""
    if request.param == "hermax" and find_spec("hermax") is None:
        pytest.skip("hermax is not installed")
    return MAKERS[request.param]()


def test_every_backend_is_in_the_suite() -> None:
    """No name of the registry is left out here, but for those that prove nothing: see test_local_search.py."""
    assert set(BACKENDS) - {"local-search", "local-search-c"} <= set(MAKERS)


def test_the_cost_is_that_of_brute_force(backend: Backend) -> None:
    """Equal and different weights, with and without a model; every model told on the way is better than before."""
    seen = set()
    for seed in range(20):
        formula = random_formula(seed)
        truth = cheapest(formula)
        models: list[Model] = []
        answer = backend.minimise(formula, clock=NO_LIMIT, on_model=models.append)
        seen.add(answer.status)
        assert answer.status == ("unsatisfiable" if truth is None else "optimal"), seed
        if answer.status == "optimal":
            assert answer.cost == truth, seed
            costs = [formula.cost(model) for model in models]
            assert costs == sorted(set(costs), reverse=True)
            assert costs[-1] == truth
            assert all(formula.broken(model) is None for model in models)
    assert seen == {"optimal", "unsatisfiable"}


def test_no_time_is_no_answer(backend: Backend) -> None:
    """With the clock over nothing is claimed."""
    assert backend.minimise(random_formula(0), clock=Clock(0)).status == "unknown"


def test_a_backend_can_be_spelled_in_a_line_of_text() -> None:
    """The word after the colon is a solver of hermax or a command; an engine by name takes it as an option."""
    assert make_backend("external:/opt/solver -v 0") == External("/opt/solver -v 0")
    engine = make_engine("maxsat(backend='external:/opt/solver')")
    assert isinstance(engine, MaxSat)
    assert engine.backend == "external:/opt/solver"
    if find_spec("hermax") is not None:
        assert make_backend("hermax:UWrMaxSAT") == Hermax("UWrMaxSAT")


def test_a_backend_that_is_spelled_wrong_is_refused() -> None:
    """No command, an unknown solver, an unknown kind, and a word for a backend that takes none."""
    with pytest.raises(InputError, match="names no program"):
        make_backend("external:")
    with pytest.raises(InputError, match="solver='NoSuch' is not known"):
        make_backend("hermax:NoSuch")
    for wrong in ("magic:word", "linear:word", "hermax;UWrMaxSAT"):
        with pytest.raises(InputError, match="hermax:SOLVER, or external:COMMAND"):
            make_backend(wrong)


def test_a_program_spelled_in_a_line_of_text_solves() -> None:
    """It is run with its options."""
    backend = make_backend(f"external:{shlex.join(FAKE)}")
    formula = random_formula(0)
    answer = backend.minimise(formula, clock=NO_LIMIT)
    assert answer.cost == cheapest(formula)
