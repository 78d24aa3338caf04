"""One suite for all MaxSAT solvers: what they answer is what trying every assignment says."""

import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from oracles.maxsat import cheapest, random_formula

from puretree.clock import NO_LIMIT, Clock
from puretree.formula import Model
from puretree.maxsat import BACKENDS, Backend, External, Hermax, Linear, LocalSearch, Rc2

FAKE = (sys.executable, str(Path(__file__).with_name("fake_solver.py")), "good")
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
