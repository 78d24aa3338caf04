"""The shape of the tree: every used node but the root has one parent, every inner node two children."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..formula import Block, clause, implies, units
from .variables import Variables, Vars


def root_is_inner(x: Variables) -> Iterator[Block]:
    """Eq. 4: the root is no leaf."""
    yield units(-x.v[1])


def leaves_have_no_children(x: Variables) -> Iterator[Block]:
    """Eq. 5: a leaf has no left child; a used node that can have none is a leaf."""
    i, j = np.nonzero(x.l)
    yield implies(x.v[i], -x.l[i, j])
    childless = np.flatnonzero(~x.l.any(axis=1))[1:]
    yield implies(x.used[childless], x.v[childless])


def siblings_are_neighbours(x: Variables) -> Iterator[Block]:
    """Eq. 6: j is the left child of i exactly if j+1 is its right child."""
    i, j = np.nonzero(x.l)
    yield implies(x.l[i, j], x.r[i, j + 1])
    yield implies(x.r[i, j + 1], x.l[i, j])


def inner_nodes_have_children(x: Variables) -> Iterator[Block]:
    """Eq. 7: a used node that is no leaf has exactly one left child."""
    for i in np.flatnonzero(x.l.any(axis=1)):
        candidates = x.l[i, x.l[i] > 0]
        yield clause(x.v[i], -x.used[i], *candidates)
        yield _at_most_one(candidates)


def children_are_used(x: Variables) -> Iterator[Block]:
    """Eq. 9, completed: an unused node has no parent. Without it 3 nodes "solve" xor: the children are not there."""
    i, j = x.families
    yield implies(x.child[i, j], x.used[j])


def used_nodes_have_a_parent(x: Variables) -> Iterator[Block]:
    """Eq. 9: a used node other than the root has exactly one parent."""
    for j in x.nodes[1:]:
        candidates = x.child[x.child[:, j] > 0, j]
        yield clause(-x.used[j], *candidates)
        yield _at_most_one(candidates)


def _at_most_one(literals: Vars) -> Block:
    first, second = np.triu_indices(len(literals), 1)
    return clause(-literals[first], -literals[second])
