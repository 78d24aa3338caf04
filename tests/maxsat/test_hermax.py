"""Test the solvers of the package hermax."""

import importlib.util

import pytest
from helpers.oracles.maxsat import cheapest, hard_formula, random_formula

from puretree._support.clock import Clock
from puretree.errors import InputError
from puretree.maxsat import Hermax, make_backend
from puretree.maxsat.hermax import SOLVERS

needs_hermax = pytest.mark.skipif(importlib.util.find_spec("hermax") is None, reason="hermax is not installed")


@needs_hermax
@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_agrees_with_brute_force(name: str) -> None:
    """A complete solver finds the optimum of small formulas; an incomplete one finds a model and claims no optimum."""
    for seed in range(8):
        formula = random_formula(seed)
        answer = Hermax(name).minimise(formula, clock=Clock())
        expected = cheapest(formula)
        if SOLVERS[name][1] == "incomplete":
            assert answer.status == "unknown" or not formula.hard
            assert (answer.model is None) == (expected is None)
        else:
            assert (answer.status, answer.cost) == ("unsatisfiable" if expected is None else "optimal", expected)


@needs_hermax
def test_solver_from_a_string() -> None:
    """``hermax:SOLVER`` names a backend."""
    formula = random_formula(3)
    backend = make_backend("hermax:UWrMaxSAT")
    assert backend == Hermax("UWrMaxSAT")
    assert backend.minimise(formula, clock=Clock()).cost == cheapest(formula)


@needs_hermax
@pytest.mark.parametrize("name", [name for name, (_, kind) in SOLVERS.items() if kind in ("stoppable", "resumable")])
def test_some_solvers_stop_with_their_best_model(name: str) -> None:
    """Solvers that accept a time limit return their best model before it."""
    formula = hard_formula()
    clock = Clock(3)
    answer = Hermax(name).minimise(formula, clock=clock)
    assert answer.status == "unknown"
    assert answer.model is not None
    assert answer.cost == formula.cost(answer.model)
    assert clock.seconds < 4


@needs_hermax
def test_other_solvers_are_killed() -> None:
    """A solver that cannot be stopped is killed at the time limit."""
    clock = Clock(1.5)
    answer = Hermax("EvalMaxSAT").minimise(hard_formula(), clock=clock)
    assert (answer.status, answer.model) == ("unknown", None)
    assert clock.seconds < 2.5


def test_unknown_solver_is_rejected() -> None:
    """The message lists the available solvers."""
    with pytest.raises(InputError, match="solver='SAT4J' is unknown; use one of UWrMaxSAT, "):
        Hermax("SAT4J")


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message contains the install command."""
    monkeypatch.setattr("puretree.maxsat.hermax.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r'not installed; use: pip install "puretree\[hermax\]"'):
        Hermax()
