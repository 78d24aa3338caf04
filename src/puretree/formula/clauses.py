"""Clauses in blocks: a two-dimensional array of literals, one row per clause.

An encoding says the same thing of thousands of variables at once, so it is written over arrays of variables and
makes its clauses by broadcasting, a block at a time; one clause at a time in Python would be fifty times slower.
A zero in a block is no literal: it pads a clause that is shorter than its neighbours.
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
    """Where clauses go: a solver, a file, a counter."""

    def add(self, block: Block) -> None:
        """Take a block of clauses."""


class Counter:
    """A sink that only counts, to know the size of a formula before it is made.

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
    """Make one clause for each place of the arrays of literals, broadcast against each other.

    >>> clause([1, 2], -3).tolist()
    [[1, -3], [2, -3]]
    """
    arrays = np.broadcast_arrays(*(np.asarray(each, dtype=np.int32) for each in literals))
    return np.stack(arrays, axis=-1).reshape(-1, len(arrays))


def implies(condition: ArrayLike | Sequence[ArrayLike], *consequence: ArrayLike) -> Block:
    """Make clauses for: if the condition holds (all of it, if it is a tuple), one of the consequences does.

    >>> implies((1, [2, 3]), 4).tolist()
    [[-1, -2, 4], [-1, -3, 4]]
    """
    conditions = condition if isinstance(condition, tuple) else (condition,)
    return clause(*(-np.asarray(each, dtype=np.int32) for each in conditions), *consequence)


def units(literals: ArrayLike) -> Block:
    """Make a unit clause of each literal."""
    return clause(literals)


def as_block(clauses: Iterable[Sequence[int]]) -> Block:
    """Make a block of clauses of any lengths.

    >>> as_block([[1, -2], [3]]).tolist()
    [[1, -2], [3, 0]]
    """
    rows = list(clauses)
    lengths = np.fromiter(map(len, rows), dtype=np.intp, count=len(rows))
    block = np.zeros((len(rows), lengths.max(initial=0)), dtype=np.int32)
    block[np.arange(block.shape[1]) < lengths[:, None]] = np.fromiter(chain.from_iterable(rows), dtype=np.int32)
    return block


def exactly_one(literals: Literals, ladder: Literals, *, when: Sequence[Any]) -> Iterator[Block]:
    """Say that exactly one literal of each row is true, or none where a condition fails.

    The ladder (Gent and Nightingale, 2004) takes three clauses a literal where pairs of literals take their square
    (wine with all thresholds: 1259 features). It is an equivalence, not an implication: each of its variables
    means "one of the literals up to here", so it has one value only and adds no model.

    Parameters
    ----------
    literals : ndarray of shape (n_rows, n_literals)
    ladder : ndarray of shape (n_rows, n_literals - 1)
        Fresh variables.
    when : sequence of array-like of shape (n_rows,)
        Literals that together make the condition. At most one literal is true even where it fails.
    """
    conditions = tuple(np.asarray(each, dtype=np.int32) for each in when)
    yield np.column_stack([*(-each for each in conditions), literals])  # at least one
    if literals.shape[1] == 1:
        return
    yield implies(literals[:, :-1], ladder)
    yield implies(ladder[:, :-1], ladder[:, 1:])
    yield implies(ladder[:, :1], literals[:, :1])
    yield implies(ladder[:, 1:], ladder[:, :-1], literals[:, 1:-1])
    yield implies(ladder, -literals[:, 1:])
