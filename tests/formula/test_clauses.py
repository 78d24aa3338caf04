"""Test blocks of clauses exhaustively on small cases."""

import numpy as np
import pytest
from helpers.oracles.maxsat import models

from puretree.formula import VarPool, as_block, clause, exactly_one, implies, units


def clauses_of(*blocks: np.ndarray) -> list[list[int]]:
    """Return blocks as lists of literals, padding dropped."""
    return [[int(literal) for literal in row if literal] for block in blocks for row in block]


def test_clauses_broadcast() -> None:
    """Arrays of literals are broadcast to one clause per element, row by row."""
    block = clause(np.array([[1], [2]]), [3, 4], -5)
    assert block.dtype == np.int32
    assert block.tolist() == [[1, 3, -5], [1, 4, -5], [2, 3, -5], [2, 4, -5]]


def test_implication_has_exactly_its_models() -> None:
    """The conjunction of the conditions implies one of the consequences, and nothing more."""
    satisfying = set(models(4, clauses_of(implies((1, 2), 3, 4))))
    assert satisfying == {values for values in models(4, []) if not (values[0] and values[1]) or values[2] or values[3]}


def test_shorter_clauses_are_padded() -> None:
    """Clauses of different lengths share a block, padded with zeros; no clauses give an empty block."""
    assert as_block([[1, -2, 3], [4]]).tolist() == [[1, -2, 3], [4, 0, 0]]
    assert as_block([]).size == 0
    assert units([7, -8]).tolist() == [[7], [-8]]


@pytest.mark.parametrize("n", range(1, 6))
def test_exactly_one_adds_no_models(n: int) -> None:
    """Exactly one literal is true if the condition holds, else at most one; the ladder variables are determined."""
    pool = VarPool()
    literals, ladder, condition = pool.array("x", 1, n), pool.array("s", 1, n - 1), pool.array("when", 1)
    solutions = list(models(pool.n_vars, clauses_of(*exactly_one(literals, ladder, when=[condition]))))
    seen = [(values[:n], values[-1]) for values in solutions]
    one_true = {tuple(i == chosen for i in range(n)) for chosen in range(n)}
    expected = {(values, holds) for values in one_true for holds in (False, True)} | {((False,) * n, False)}
    assert len(seen) == len(set(seen))
    assert set(seen) == expected
