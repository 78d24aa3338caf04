"""Blocks of clauses, exhausted on small cases."""

import numpy as np
import pytest
from helpers.oracles.maxsat import models

from puretree.formula import VarPool, as_block, clause, exactly_one, implies, units


def clauses_of(*blocks: np.ndarray) -> list[list[int]]:
    """Return blocks as lists of literals, padding dropped."""
    return [[int(literal) for literal in row if literal] for block in blocks for row in block]


def test_clauses_broadcast() -> None:
    """Arrays of literals make a clause for each place, row by row."""
    block = clause(np.array([[1], [2]]), [3, 4], -5)
    assert block.dtype == np.int32
    assert block.tolist() == [[1, 3, -5], [1, 4, -5], [2, 3, -5], [2, 4, -5]]


def test_an_implication_is_what_it_says() -> None:
    """All of the condition implies one of the consequences, and nothing more."""
    found = set(models(4, clauses_of(implies((1, 2), 3, 4))))
    assert found == {values for values in models(4, []) if not (values[0] and values[1]) or values[2] or values[3]}


def test_padding_is_no_literal() -> None:
    """Clauses of different length share a block; no clauses make an empty one."""
    assert as_block([[1, -2, 3], [4]]).tolist() == [[1, -2, 3], [4, 0, 0]]
    assert as_block([]).size == 0
    assert units([7, -8]).tolist() == [[7], [-8]]


@pytest.mark.parametrize("n", range(1, 6))
def test_exactly_one_adds_no_models(n: int) -> None:
    """Exactly one literal where the condition holds, none or one where not; the ladder has one value in each case."""
    pool = VarPool()
    literals, ladder, condition = pool.array("x", 1, n), pool.array("s", 1, n - 1), pool.array("when", 1)
    found = list(models(pool.n_vars, clauses_of(*exactly_one(literals, ladder, when=[condition]))))
    seen = [(values[:n], values[-1]) for values in found]
    single = {tuple(place == chosen for place in range(n)) for chosen in range(n)}
    expected = {(one, holds) for one in single for holds in (False, True)} | {((False,) * n, False)}
    assert len(seen) == len(set(seen))
    assert set(seen) == expected
