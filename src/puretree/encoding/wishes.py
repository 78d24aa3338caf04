"""What a person asks of the tree: its depth, its root, the cost of its tests. Not in the paper."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from ..formula import Block, clause, implies, units
from .variables import Variables, Vars


def root_is_one_of(x: Variables, features: Collection[int]) -> Iterator[Block]:
    """Say that the root asks one of the features given."""
    others = np.setdiff1d(np.arange(len(x.a)), np.asarray(sorted(features), dtype=np.intp))
    yield units(-x.a[others, 1])


def depth_is_at_most(x: Variables, deep: Vars) -> Iterator[Block]:
    """Say that no path has more tests than ``deep`` has rows; ``deep[t, j]``: more than t tests lead to node j."""
    i, j = x.families
    child = x.child[i, j]
    yield units(-deep[:, 1])
    yield implies(deep[:, 2:], x.used[2:])
    yield implies(child, deep[0, j])
    yield implies((child, deep[:-1, i]), deep[1:, j])
    yield implies((child, deep[1:, j]), deep[:-1, i])
    yield implies(deep[-1, 1:], x.v[1:])


def costs_are_counted(
    x: Variables, at_least: Vars, costs: NDArray[np.int64], steps: NDArray[np.int64]
) -> Iterator[Block]:
    """Say of each node which steps the cost of its test reaches.

    Parameters
    ----------
    x : Variables
    at_least : array (n_steps, n+1)
        The test at node j costs at least ``steps[s]``.
    costs : ndarray of shape (n_features,)
    steps : ndarray of shape (n_steps,)
        The different costs above 0, ascending.
    """
    for reached, step in zip(at_least, steps, strict=True):
        dear = x.a[costs >= step]
        yield implies(dear[:, 1:], reached[1:])
        yield np.column_stack([-reached[1:], *dear[:, 1:]])
    yield clause(-at_least[1:, 1:], at_least[:-1, 1:])
