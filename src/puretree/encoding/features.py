"""Which feature is asked at which node, and which values that keeps away from the nodes below."""

from __future__ import annotations

from collections.abc import Iterator

from ..formula import Block, exactly_one, implies, units
from .variables import Variables, Vars


def right_children_lose_zeros(x: Variables) -> Iterator[Block]:
    """Eq. 10: value 0 is kept away from j if its parent asks the feature and j is the right child, or already there."""
    yield from _kept_away(x, x.d0, asked_on=1)


def left_children_lose_ones(x: Variables) -> Iterator[Block]:
    """Eq. 11: value 1 is kept away from j if its parent asks the feature and j is the left child, or already there."""
    yield from _kept_away(x, x.d1, asked_on=0)


def _kept_away(x: Variables, d: Vars, *, asked_on: int) -> Iterator[Block]:
    i, j = x.families
    child = x.child[i, j]
    yield implies((child, d[:, i]), d[:, j])
    yield implies(d[:, 2:], x.used[2:])  # an unused node has no parent to inherit from
    other, here = j % 2 != asked_on, j % 2 == asked_on
    yield implies((child[other], d[:, j[other]]), d[:, i[other]])
    i, j, child = i[here], j[here], child[here]
    yield implies((child, x.a[:, i]), d[:, j])
    yield implies((child, d[:, j]), d[:, i], x.a[:, i])


def nothing_is_kept_from_the_root(x: Variables) -> Iterator[Block]:
    """Eq. 12: every example gets to the root."""
    yield units(-x.d0[:, 1])
    yield units(-x.d1[:, 1])


def no_feature_twice_on_a_path(x: Variables) -> Iterator[Block]:
    """Eq. 13: a feature that was asked on the way is not asked again."""
    i, j = x.families
    yield implies((x.child[i, j], x.u[:, i]), -x.a[:, j])


def asked_features_are_remembered(x: Variables) -> Iterator[Block]:
    """Eq. 14: a feature was asked up to node j if j asks it or it was asked up to the parent."""
    i, j = x.families
    yield implies(x.a[:, 1:], x.u[:, 1:])
    yield implies((x.child[i, j], x.u[:, i]), x.u[:, j])
    yield implies((x.child[i, j], x.u[:, j]), x.u[:, i], x.a[:, j])
    yield implies(x.u[:, 1], x.a[:, 1])
    yield implies(x.u[:, 2:], x.used[2:])


def inner_nodes_ask_one_feature(x: Variables, ladder: Vars) -> Iterator[Block]:
    """Eq. 15: a used node that is no leaf asks exactly one feature."""
    yield from exactly_one(x.a[:, 1:].T, ladder, when=(-x.v[1:], x.used[1:]))


def leaves_ask_nothing(x: Variables) -> Iterator[Block]:
    """Eq. 16, corrected to a of node j: a leaf asks no feature."""
    yield implies(x.a[:, 1:], -x.v[1:])


def unused_nodes_ask_nothing(x: Variables) -> Iterator[Block]:
    """Not in the paper: else the features of unused nodes are free, and one tree is thousands of models."""
    yield implies(x.a[:, 1:], x.used[1:])
