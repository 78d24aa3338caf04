"""Families of generated problems, in each of which one number grows.

A problem has random bits, and labels assigned by a planted random tree. The planted tree is an upper bound on the
minimum, and the numbers of rows, columns, classes and nodes can be chosen independently. With random labels instead,
the minimum tree would grow with the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...problem import BinaryProblem

N_ROWS, N_COLUMNS, N_INNER = 500, 20, 7
MANY_COLUMNS = 30  # for the largest planted tree
FEW_ROWS, FEW_INNER = 200, 4  # for growing columns: with 7 inner nodes maxsat and mindt solved none of 100 in 10 s
ENOUGH_INNER = 11  # one leaf for each of 12 classes
FEW_COLUMNS = 20  # up to this number, rows are drawn without replacement; beyond, duplicates are negligible


@dataclass(frozen=True, slots=True)
class Family:
    """Problems that differ in one number, their size.

    Parameters
    ----------
    sizes : tuple of int
        Roughly a geometric sequence.
    make : callable
        Returns the problem of a size and a seed, deterministically.
    """

    sizes: tuple[int, ...]
    make: Callable[[int, int], BinaryProblem]


def make_planted_problem(n_rows: int, n_columns: int, n_classes: int, n_inner: int, seed: list[int]) -> BinaryProblem:
    """Generate distinct rows of random bits, labelled by a random tree with ``n_inner`` inner nodes.

    Every leaf has rows, the classes alternate from leaf to leaf, and no column is tested twice. So the labels depend on
    ``n_inner`` columns, and with enough rows no smaller tree is pure.
    """
    assert n_inner <= n_columns
    rng = np.random.default_rng(seed)
    table = _distinct_rows(n_rows, n_columns, rng)
    leaf_of_row = _grow(table, n_inner, rng)
    return BinaryProblem.from_rows(table, leaf_of_row % n_classes, on_conflict="raise")


def _distinct_rows(n_rows: int, n_columns: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    if n_columns > FEW_COLUMNS:
        return rng.integers(0, 2, (n_rows, n_columns), dtype=np.uint8)
    numbers = rng.choice(2**n_columns, n_rows, replace=False)
    return (numbers[:, None] >> np.arange(n_columns) & 1).astype(np.uint8)


def _grow(table: NDArray[np.uint8], n_inner: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Repeatedly split the leaf of a random row on a new column; return the leaf index of each row, left to right.

    Large leaves are split more often, so the tree stays shallow.
    """
    leaf_of_row = np.zeros(len(table), dtype=np.int64)
    for column in rng.permutation(table.shape[1])[:n_inner]:
        is_one = table[:, column] == 1
        leaf, is_left, is_right = -1, is_one, ~is_one
        while leaf < 0 or not (is_left.any() and is_right.any()):
            leaf = leaf_of_row[rng.integers(len(table))]
            is_left, is_right = (leaf_of_row == leaf) & ~is_one, (leaf_of_row == leaf) & is_one
        leaf_of_row += (leaf_of_row > leaf) | is_right
    return leaf_of_row


FAMILIES: dict[str, Family] = {
    "rows": Family(
        (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000),
        lambda size, seed: make_planted_problem(size, N_COLUMNS, 2, N_INNER, [0, size, seed]),
    ),
    "columns": Family(
        (10, 30, 100, 300, 1_000, 3_000),
        lambda size, seed: make_planted_problem(FEW_ROWS, size, 2, FEW_INNER, [1, size, seed]),
    ),
    "classes": Family(
        (2, 3, 4, 6, 8, 12),
        lambda size, seed: make_planted_problem(N_ROWS, N_COLUMNS, size, ENOUGH_INNER, [2, size, seed]),
    ),
    "nodes": Family(
        (2, 3, 4, 6, 8, 12, 16, 24),
        lambda size, seed: make_planted_problem(N_ROWS, MANY_COLUMNS, 2, size, [3, size, seed]),
    ),
}
