"""Clauses in blocks: a two-dimensional array of literals, one row per clause.

An encoding states the same constraint for thousands of variables, so it works on arrays of variables and builds its
clauses by broadcasting, one block at a time; building them one by one in Python would be fifty times slower. A zero in
a block is not a literal: it pads a clause that is shorter than the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Block = NDArray[np.int32]
Literals = NDArray[np.int32]


class Sink(Protocol):
    """A consumer of clauses: a solver, a file, or a counter."""

    def add(self, block: Block) -> None:
        """Add a block of clauses."""


class Counter:
    """A sink that only counts clauses and literals, to determine the size of a formula without storing it.

    Examples
    --------
    >>> counter = Counter()
    >>> counter.add(clause([1, 2, 3], -4))
    >>> counter.n_clauses, counter.n_literals
    (3, 6)
    """

    def __init__(self) -> None:
        self.n_clauses = 0
        self.n_literals = 0

    def add(self, block: Block) -> None:
        """Count a block."""
        self.n_clauses += len(block)
        self.n_literals += int(np.count_nonzero(block))


def clause(*literals: ArrayLike) -> Block:
    """Return one clause per element of the arrays of literals, broadcast against each other.

    >>> clause([1, 2], -3).tolist()
    [[1, -3], [2, -3]]
    """
    arrays = np.broadcast_arrays(*(np.asarray(array, dtype=np.int32) for array in literals))
    return np.stack(arrays, axis=-1).reshape(-1, len(arrays))


def implies(condition: ArrayLike | Sequence[ArrayLike], *consequence: ArrayLike) -> Block:
    """Return the clauses "condition implies one of the consequences"; a tuple of conditions is a conjunction.

    >>> implies((1, [2, 3]), 4).tolist()
    [[-1, -2, 4], [-1, -3, 4]]
    """
    conditions = condition if isinstance(condition, tuple) else (condition,)
    return clause(*(-np.asarray(literal, dtype=np.int32) for literal in conditions), *consequence)


def units(literals: ArrayLike) -> Block:
    """Return a unit clause for each literal."""
    return clause(literals)


def as_block(clauses: Iterable[Sequence[int]]) -> Block:
    """Return a block of clauses of any lengths, padded with zeros.

    >>> as_block([[1, -2], [3]]).tolist()
    [[1, -2], [3, 0]]
    """
    rows = list(clauses)
    lengths = np.fromiter(map(len, rows), dtype=np.intp, count=len(rows))
    block = np.zeros((len(rows), lengths.max(initial=0)), dtype=np.int32)
    block[np.arange(block.shape[1]) < lengths[:, None]] = np.fromiter(chain.from_iterable(rows), dtype=np.int32)
    return block


def exactly_one(literals: Literals, ladder: Literals, *, when: Sequence[Any]) -> Iterator[Block]:
    """Yield the clauses "exactly one literal of each row is true" (at most one where the condition is false).

    The ladder encoding (Gent and Nightingale, 2004) has a linear number of clauses, where the pairwise encoding has a
    quadratic one (the wine data with all thresholds has 1259 features). The ladder variables are defined by
    equivalences, not implications: each means "one of the literals up to this one is true", so its value is determined
    and the number of models does not grow.

    Parameters
    ----------
    literals : ndarray of shape (n_rows, n_literals)
    ladder : ndarray of shape (n_rows, n_literals - 1)
        Fresh variables.
    when : sequence of array-like of shape (n_rows,)
        Literals whose conjunction is the condition. Where it is false, still at most one literal is true.
    """
    conditions = tuple(np.asarray(literal, dtype=np.int32) for literal in when)
    yield np.column_stack([*(-literal for literal in conditions), literals])  # at least one
    if literals.shape[1] == 1:
        return
    yield implies(literals[:, :-1], ladder)
    yield implies(ladder[:, :-1], ladder[:, 1:])
    yield implies(ladder[:, :1], literals[:, :1])
    yield implies(ladder[:, 1:], ladder[:, :-1], literals[:, 1:-1])
    yield implies(ladder, -literals[:, 1:])
