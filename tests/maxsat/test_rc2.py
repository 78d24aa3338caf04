"""Test RC2 in its child process."""

import pytest
from helpers.oracles.maxsat import hard_formula, random_formula

from puretree._support.clock import Clock
from puretree.errors import InputError, SolverError
from puretree.formula import Soft, Wcnf, as_block
from puretree.maxsat import Rc2


def test_empty_formula_and_empty_clause() -> None:
    """The empty formula has cost 0; a formula with an empty hard clause is unsatisfiable."""
    assert Rc2().minimise(Wcnf(), clock=Clock()).cost == 0
    formula = Wcnf()
    formula.add(as_block([[]]))
    assert Rc2().minimise(formula, clock=Clock()).status == "unsatisfiable"


def test_large_weights_are_exact() -> None:
    """Weights beyond the precision of floats are exact; a total beyond 64 bits is rejected."""
    formula = Wcnf(2, [as_block([[1, 2]])], [Soft(2**60 + 1, (-1,)), Soft(2**60, (-2,))])
    assert Rc2().minimise(formula, clock=Clock()).cost == 2**60
    formula.soft.append(Soft(2**63, (1,)))
    with pytest.raises(InputError, match="cannot handle weights that add up to"):
        Rc2().minimise(formula, clock=Clock())


def test_time_limit_is_enforced() -> None:
    """A call of the SAT solver cannot be interrupted, but its process can be killed."""
    clock = Clock(1.5)
    answer = Rc2().minimise(hard_formula(), clock=clock)
    assert (answer.status, answer.model) == ("unknown", None)
    assert clock.seconds < 2.5


def test_unknown_sat_solver() -> None:
    """The error contains the message of PySAT."""
    with pytest.raises(SolverError, match=r"RC2 \(minisaur\) ended with exit code 1 .*last output: .*minisaur"):
        Rc2("minisaur").minimise(random_formula(0), clock=Clock())
