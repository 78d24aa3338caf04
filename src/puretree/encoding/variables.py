"""The variables of the tree encoding, with the names of the paper (its table of variables), and the classes of leaves.

Nodes are numbered 1 to n breadth first, so siblings are (even, odd). Element 0 of every array is unused, so that the
equations read as printed in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..formula import VarPool
from ..problem import BinaryProblem

Vars = NDArray[np.int32]
Indices = NDArray[np.intp]

LARGEST_BLOCK = 1 << 17  # clauses; the clock is checked between blocks


def left_children(n: int) -> NDArray[np.bool_]:
    """Return the mask [i, j] of possible left children j of i: even j in [i+1, min(2i, n-1)], the paper's lr(i).

    >>> [np.flatnonzero(row).tolist() for row in left_children(7)[1:]]
    [[2], [4], [4, 6], [6], [6], [], []]
    """
    i, j = np.ogrid[: n + 1, : n + 1]
    return np.asarray((i >= 1) & (j % 2 == 0) & (j >= i + 1) & (j <= np.minimum(2 * i, n - 1)))


def right_children(n: int) -> NDArray[np.bool_]:
    """Return the mask [i, j] of possible right children j of i: odd j in [i+2, min(2i+1, n)], the paper's rr(i)."""
    return np.roll(left_children(n), 1, axis=1)


@dataclass(frozen=True)
class Variables:
    """Arrays of variables; 0 where there is no variable.

    Parameters
    ----------
    n : int
        The upper bound on the number of nodes; odd.
    v : array (n+1)
        Node i is a leaf.
    eta : array (n+1)
        Nodes i and i-1 are used; odd i only.
    l, r : array (n+1, n+1)
        Node j is the left (right) child of node i.
    a, u : array (k, n+1)
        Feature r is tested at node j; is tested at j or at one of its ancestors.
    d0, d1 : array (k, n+1)
        No example with value 0 (1) of feature r reaches node j.
    c : array (n_class_vars, n+1)
        The class of leaf j: for two classes one row for "the second class", else one row per class.
    leaves, inner : array (n+1, n+1)
        At least t leaves (inner nodes) among nodes 1 to i; the paper's λ and τ.
    """

    n: int
    v: Vars
    eta: Vars
    l: Vars  # noqa: E741  the paper's name
    r: Vars
    a: Vars
    u: Vars
    d0: Vars
    d1: Vars
    c: Vars
    leaves: Vars
    inner: Vars

    @classmethod
    def allocate(cls, pool: VarPool, n: int, n_features: int, n_classes: int) -> Variables:
        """Allocate the variables from a pool, the most decisive ones first."""
        node = np.arange(n + 1) >= 1
        by_feature = np.broadcast_to(node, (n_features, n + 1))
        counters = np.ones((n + 1, n + 1), dtype=np.bool_)
        return cls(
            n=n,
            eta=pool.where("eta", node & (np.arange(n + 1) % 2 == 1)),
            v=pool.where("v", node),
            l=pool.where("l", left_children(n)),
            r=pool.where("r", right_children(n)),
            a=pool.where("a", by_feature),
            c=pool.where("c", np.broadcast_to(node, (1 if n_classes == 2 else n_classes, n + 1))),
            u=pool.where("u", by_feature),
            d0=pool.where("d0", by_feature),
            d1=pool.where("d1", by_feature),
            leaves=pool.where("lambda", counters),
            inner=pool.where("tau", counters),
        )

    def feature_chunks(self) -> Iterator[Variables]:
        """Yield the variables for a chunk of features at a time, to limit the size of blocks."""
        n_pairs = len(self.parent_child[0])
        step = max(1, LARGEST_BLOCK // max(1, n_pairs))
        for start in range(0, len(self.a), step):
            chunk = slice(start, start + step)
            yield replace(self, a=self.a[chunk], u=self.u[chunk], d0=self.d0[chunk], d1=self.d1[chunk])

    @property
    def nodes(self) -> Indices:
        """The nodes 1 to n."""
        return np.arange(1, self.n + 1)

    @cached_property
    def used(self) -> Vars:
        """Node i is used: η(i), which is η of the pair (i, i+1) for even i."""
        i = np.arange(self.n + 1)
        return self.eta[np.where((i % 2 == 0) & (i > 0), i + 1, i)]

    @cached_property
    def child(self) -> Vars:
        """Node j is a child of node i: the paper's p, which is l for even j and r for odd j."""
        return self.l + self.r

    @cached_property
    def parent_child(self) -> tuple[Indices, Indices]:
        """All pairs (i, j) such that i can be the parent of j."""
        i, j = np.nonzero(self.child)
        return i, j


# The class of a leaf takes one variable per class, or a single one for two classes: false for the first class, true for
# the second, which needs no clauses for "exactly one class".


def present_classes(problem: BinaryProblem) -> NDArray[np.int32]:
    """Return the sorted codes of the classes of the examples; raise InputError if there are fewer than two."""
    present = np.unique(problem.labels)
    if len(present) < 2:
        raise InputError("all examples are of one class: the tree is a single leaf, there is nothing to encode")
    return present


def class_literals(variables: Vars, classes: NDArray[np.intp]) -> Vars:
    """Return the literals "the class is c" for each of the given classes.

    Parameters
    ----------
    variables : ndarray of shape (1 or n_classes, ...)
        The class variables of leaves.
    classes : ndarray of int
        Indices into :func:`present_classes`.

    Returns
    -------
    ndarray of shape (len(classes), ...)
    """
    if len(variables) > 1:
        return np.asarray(variables[classes])
    is_second = classes.reshape(-1, *[1] * (variables.ndim - 1)) == 1
    return np.asarray(np.where(is_second, variables[0], -variables[0]))


def decode_classes(values: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the class of each leaf, as an index into :func:`present_classes`, from the values of its variables."""
    return np.asarray(values[0].astype(np.intp) if len(values) == 1 else values.argmax(axis=0))
