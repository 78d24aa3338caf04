"""Counting leaves and inner nodes up to each node leaves it one place for its children.

The paper calls this pruning, but it is what forces the nodes to be numbered breadth first: without it one tree has
several numberings (16, 61, 276 layouts at 9, 11, 13 nodes, where there are 14, 42, 132).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..formula import Block, implies, units
from .variables import Variables


def counters_start(x: Variables) -> Iterator[Block]:
    """Eq. 19: there are at least 0 of anything, and no counter exceeds its range (λ: half of the nodes, τ: all)."""
    t, i = np.ogrid[: x.n + 1, : x.n + 1]
    yield units(x.leaves[0])
    yield units(x.inner[0])
    yield units(-x.leaves[(t > 0) & (t > (i + 1) // 2)])
    yield units(-x.inner[(t > 0) & (t > i)])


def leaves_are_counted(x: Variables) -> Iterator[Block]:
    """Eq. 20: t leaves up to node i are t up to the node before, or t-1 up to it and i a leaf."""
    t, i = np.nonzero(_in_range(x.n, (x.nodes + 1) // 2))
    count, before, one_less, leaf = x.leaves[t, i], x.leaves[t, i - 1], x.leaves[t - 1, i - 1], x.v[i]
    yield implies(before, count)
    yield implies((one_less, leaf), count)
    yield implies(count, before, one_less)
    yield implies(count, before, leaf)


def inner_nodes_are_counted(x: Variables) -> Iterator[Block]:
    """Eq. 21: likewise for used nodes that are no leaves."""
    t, i = np.nonzero(_in_range(x.n, x.nodes))
    count, before, one_less, leaf, used = x.inner[t, i], x.inner[t, i - 1], x.inner[t - 1, i - 1], x.v[i], x.used[i]
    yield implies(before, count)
    yield implies((one_less, used), leaf, count)
    yield implies(count, before, one_less)
    yield implies(count, before, -leaf)
    yield implies(count, before, used)


def leaves_bring_children_nearer(x: Variables) -> Iterator[Block]:
    """Eq. 22: with t leaves up to node i, its children come before the place 2(i-t+1)."""
    t, i = np.nonzero(_in_range(x.n, (x.nodes + 1) // 2))
    yield from _no_child(x, x.leaves[t, i], i, 2 * (i - t + 1))


def inner_nodes_push_children_away(x: Variables) -> Iterator[Block]:
    """Eq. 23: with t inner nodes up to node i, its children come after the place 2(t-1)."""
    t, i = np.nonzero(_in_range(x.n, x.nodes))
    yield from _no_child(x, x.inner[t, i], i, 2 * (t - 1))


def _no_child(x: Variables, count: np.ndarray, i: np.ndarray, j: np.ndarray) -> Iterator[Block]:
    possible = (j >= 0) & (j < x.n)
    possible[possible] = x.l[i[possible], j[possible]] > 0
    count, i, j = count[possible], i[possible], j[possible]
    yield implies(count, -x.l[i, j])
    yield implies(count, -x.r[i, j + 1])


def _in_range(n: int, most: np.ndarray) -> np.ndarray:
    """Return which (t, i) with 1 <= t <= most[i] there are."""
    t, i = np.ogrid[: n + 1, : n + 1]
    return (t >= 1) & (i >= 1) & (t <= np.concatenate([[0], most])[i])
