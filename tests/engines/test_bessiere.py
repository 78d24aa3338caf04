"""Bessiere: properties that the suite for all engines does not cover."""

import pytest
from helpers.random_problems import formula, noise

from puretree import InputError
from puretree._support.clock import Clock
from puretree.engines import solve
from puretree.engines.bessiere import Bessiere
from puretree.engines.incumbent import Incumbent
from puretree.problem import Constraints

ENGINE = Bessiere(isolated=False)


def test_slots_are_added_until_there_is_a_tree() -> None:
    """If no tree is known, slots are added until there is one: mux6 with its last bit at the root needs 27 nodes."""
    incumbent = Incumbent(formula("mux6"), Constraints(root=[5]), Clock())
    incumbent.raise_lower(3)
    assert ENGINE.search(incumbent) == "optimal"
    assert (incumbent.upper, incumbent.lower, incumbent.is_proved) == (27, 27, True)
    assert incumbent.history[1].lower == 17  # the first guess proves this bound


def test_time_limit_is_enforced() -> None:
    """On a problem that is too hard, the best tree and valid bounds are returned in time."""
    outcome = solve(noise(150, 12), Bessiere(), clock=Clock(1))
    assert outcome.status == "time_limit"
    assert outcome.seconds < 3
    assert outcome.lower_bound < outcome.upper_bound == outcome.n_nodes  # type: ignore[operator]


def test_unsupported_constraints_and_solvers_are_rejected() -> None:
    """Neither min_samples_leaf nor costs are supported, and the solver must exist."""
    for constraints in (Constraints(min_samples_leaf=2), Constraints(minimise="cost")):
        with pytest.raises(InputError, match="'bessiere' does not support"):
            solve(formula("mux6"), ENGINE, constraints=constraints)
    with pytest.raises(InputError, match="no solver"):
        Bessiere(solver="abacus")


def test_formula_that_is_too_large_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory is estimated before the formula is built."""
    monkeypatch.setattr("puretree.engines.incumbent.MOST_BYTES", 1e4)
    outcome = solve(formula("mux6"), ENGINE)
    assert (outcome.status, outcome.lower_bound) == ("memory_limit", 3)
