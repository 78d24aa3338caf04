"""Tests common to all MaxSAT backends, against brute force."""

import shlex
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

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
    "local-search-c": lambda: LocalSearch("c", max_steps=1000, isolated=False),
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
    """All registered backends are tested here, except one that proves nothing: see test_local_search.py."""
    assert set(BACKENDS) - {"local-search"} <= set(MAKERS)


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


@pytest.mark.parametrize(
    ("text", "command", "style"),
    [
        ("/opt/solver", "/opt/solver", "new"),
        ("/opt/solver?format=new", "/opt/solver", "new"),
        ("/opt/solver -v=0?format=old", "/opt/solver -v=0", "old"),
        ("'/opt/my solver' {file} -m?format=old", "'/opt/my solver' {file} -m", "old"),
        ("/opt/what?/solver", "/opt/what?/solver", "new"),
        ("/opt/what?format=new/solver", "/opt/what?format=new/solver", "new"),
        ("/opt/what?a=b?format=old", "/opt/what?a=b", "old"),
        ("'/opt/what?a=b'", "'/opt/what?a=b'", "new"),
        ("/opt/solver?", "/opt/solver?", "new"),
    ],
)
def test_format_of_an_external_program_from_a_string(text: str, command: str, style: Any) -> None:
    """A format at the end chooses the style of the file; other question marks belong to the command."""
    assert make_backend(f"external:{text}") == External(command, style=style)
    for engine in ("maxsat", "dtmax"):
        backend = f"external:{text}"
        assert make_engine(f"{engine}(backend={backend!r})").backend == backend  # type: ignore[attr-defined]


@pytest.mark.parametrize("option", ["?format=older", "?format=", "?style=old", "?format=OLD ", "?format=old?x=1"])
def test_unknown_options_of_an_external_program_are_rejected(option: str) -> None:
    """The error names the formats, and how to write a command that ends like an option."""
    with pytest.raises(
        InputError, match=r"ends in an unknown option; use \?format=new or \?format=old, or put .* quotes"
    ):
        make_engine(f"maxsat(backend='external:/opt/solver{option}')")


def test_invalid_backend_string_is_rejected() -> None:
    """A missing command, unknown solvers and kinds, and arguments for backends without any are errors."""
    for invalid in ("external:", "external:?format=old"):
        with pytest.raises(InputError, match="names no program"):
            make_backend(invalid)
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
