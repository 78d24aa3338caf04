"""RC2 in a process of its own."""

import pytest
from helpers.oracles.maxsat import hard_formula, random_formula

from puretree._support.clock import Clock
from puretree.errors import InputError, SolverError
from puretree.formula import Soft, Wcnf, as_block
from puretree.maxsat import Rc2


def test_nothing_at_all() -> None:
    """A formula without variables has a model that costs nothing; an empty clause has none."""
    assert Rc2().minimise(Wcnf(), clock=Clock()).cost == 0
    formula = Wcnf()
    formula.add(as_block([[]]))
    assert Rc2().minimise(formula, clock=Clock()).status == "unsatisfiable"


def test_large_weights_are_exact() -> None:
    """Weights beyond what a float can hold are kept; beyond a machine word they are refused, not wrapped."""
    formula = Wcnf(2, [as_block([[1, 2]])], [Soft(2**60 + 1, (-1,)), Soft(2**60, (-2,))])
    assert Rc2().minimise(formula, clock=Clock()).cost == 2**60
    formula.soft.append(Soft(2**63, (1,)))
    with pytest.raises(InputError, match="cannot take weights that add up to"):
        Rc2().minimise(formula, clock=Clock())


def test_the_limit_is_kept() -> None:
    """A call of the SAT solver cannot be interrupted, but its process can."""
    clock = Clock(1.5)
    answer = Rc2().minimise(hard_formula(), clock=clock)
    assert (answer.status, answer.model) == ("unknown", None)
    assert clock.seconds < 2.5


def test_an_unknown_sat_solver() -> None:
    """The error shows what PySAT says."""
    with pytest.raises(SolverError, match=r"RC2 \(minisaur\) ended with exit code 1 .*last words: .*minisaur"):
        Rc2("minisaur").minimise(random_formula(0), clock=Clock())
