"""The clauses of the tree encoding, one function per equation of the paper (see :mod:`.tree_encoding`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from ..formula import Block, clause, exactly_one, implies, units
from .variables import Variables, Vars, class_literals

# Shape: every used node except the root has one parent, every inner node two children.


def root_is_inner(x: Variables) -> Iterator[Block]:
    """Eq. 4: the root is not a leaf."""
    yield units(-x.v[1])


def leaves_have_no_children(x: Variables) -> Iterator[Block]:
    """Eq. 5: a leaf has no left child; a used node without possible children is a leaf."""
    i, j = np.nonzero(x.l)
    yield implies(x.v[i], -x.l[i, j])
    childless = np.flatnonzero(~x.l.any(axis=1))[1:]
    yield implies(x.used[childless], x.v[childless])


def siblings_are_adjacent(x: Variables) -> Iterator[Block]:
    """Eq. 6: j is the left child of i if and only if j+1 is its right child."""
    i, j = np.nonzero(x.l)
    yield implies(x.l[i, j], x.r[i, j + 1])
    yield implies(x.r[i, j + 1], x.l[i, j])


def inner_nodes_have_children(x: Variables) -> Iterator[Block]:
    """Eq. 7: a used node that is not a leaf has exactly one left child."""
    for i in np.flatnonzero(x.l.any(axis=1)):
        candidates = x.l[i, x.l[i] > 0]
        yield clause(x.v[i], -x.used[i], *candidates)
        yield _at_most_one(candidates)


def children_are_used(x: Variables) -> Iterator[Block]:
    """Eq. 9, completed: an unused node has no parent. Without it, 3 nodes "solve" xor with unused children."""
    i, j = x.parent_child
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


# Tests: the feature of each node, and the feature values that it excludes from the nodes below.


def right_children_exclude_zeros(x: Variables) -> Iterator[Block]:
    """Eq. 10: j excludes value 0 if its parent does, or tests the feature and has j as its right child."""
    yield from _excluded_values(x, x.d0, side=1)


def left_children_exclude_ones(x: Variables) -> Iterator[Block]:
    """Eq. 11: j excludes value 1 if its parent does, or tests the feature and has j as its left child."""
    yield from _excluded_values(x, x.d1, side=0)


def _excluded_values(x: Variables, d: Vars, *, side: int) -> Iterator[Block]:
    i, j = x.parent_child
    child = x.child[i, j]
    yield implies((child, d[:, i]), d[:, j])
    yield implies(d[:, 2:], x.used[2:])  # an unused node has no parent to inherit from
    other, here = j % 2 != side, j % 2 == side
    yield implies((child[other], d[:, j[other]]), d[:, i[other]])
    i, j, child = i[here], j[here], child[here]
    yield implies((child, x.a[:, i]), d[:, j])
    yield implies((child, d[:, j]), d[:, i], x.a[:, i])


def root_excludes_nothing(x: Variables) -> Iterator[Block]:
    """Eq. 12: every example reaches the root."""
    yield units(-x.d0[:, 1])
    yield units(-x.d1[:, 1])


def no_repeated_feature_on_a_path(x: Variables) -> Iterator[Block]:
    """Eq. 13: a feature tested at an ancestor is not tested again."""
    i, j = x.parent_child
    yield implies((x.child[i, j], x.u[:, i]), -x.a[:, j])


def path_features_are_inherited(x: Variables) -> Iterator[Block]:
    """Eq. 14: a feature is tested on the path to node j if j tests it, or if it is tested on the path to its parent."""
    i, j = x.parent_child
    yield implies(x.a[:, 1:], x.u[:, 1:])
    yield implies((x.child[i, j], x.u[:, i]), x.u[:, j])
    yield implies((x.child[i, j], x.u[:, j]), x.u[:, i], x.a[:, j])
    yield implies(x.u[:, 1], x.a[:, 1])
    yield implies(x.u[:, 2:], x.used[2:])


def inner_nodes_test_one_feature(x: Variables, ladder: Vars) -> Iterator[Block]:
    """Eq. 15: a used node that is not a leaf tests exactly one feature."""
    yield from exactly_one(x.a[:, 1:].T, ladder, when=(-x.v[1:], x.used[1:]))


def leaves_test_no_feature(x: Variables) -> Iterator[Block]:
    """Eq. 16, corrected to a of node j: a leaf tests no feature."""
    yield implies(x.a[:, 1:], -x.v[1:])


def unused_nodes_test_no_feature(x: Variables) -> Iterator[Block]:
    """Not in the paper: otherwise the features of unused nodes are free, and one tree has thousands of models."""
    yield implies(x.a[:, 1:], x.used[1:])


# Purity: no example reaches a leaf of another class.


def examples_reach_their_class(x: Variables, bits: NDArray[np.bool_], classes: NDArray[np.intp]) -> Iterator[Block]:
    """Eq. 17, 18, and 24 with its sign corrected: an example reaches no leaf of another class.

    Parameters
    ----------
    x : Variables
    bits : ndarray of shape (n_examples, n_features)
    classes : ndarray of shape (n_examples,)
        Indices of the classes, from 0 to n_classes - 1.
    """
    correct_class = class_literals(x.c, classes)
    for j in x.nodes[1:]:
        excluded = np.where(bits, x.d1[:, j], x.d0[:, j])
        is_leaf = np.full(len(bits), x.v[j], dtype=np.int32)
        yield np.column_stack([-is_leaf, correct_class[:, j], excluded])


def only_leaves_have_a_class(x: Variables) -> Iterator[Block]:
    """Eq. 25, and likewise for two classes: otherwise the class of an inner node is free."""
    yield implies(x.c[:, 1:], x.v[1:])


def leaves_have_one_class(x: Variables) -> Iterator[Block]:
    """Eq. 26: a leaf has exactly one class; implied for two classes, which share one variable."""
    if len(x.c) == 1:
        return
    yield np.column_stack([-x.v[1:], *x.c[:, 1:]])
    first, second = np.triu_indices(len(x.c), 1)
    yield implies(x.c[first, 1:], -x.c[second, 1:])


# Used nodes: the first ones, an odd number of them.


def leaves_are_used(x: Variables) -> Iterator[Block]:
    """Eq. 1: an unused node is not a leaf."""
    yield implies(x.v[1:], x.used[1:])


def used_nodes_come_first(x: Variables) -> Iterator[Block]:
    """Eq. 2: η is a chain, so that "at most s nodes" is the single literal ¬η of s+2."""
    yield implies(x.eta[3::2], x.eta[1:-2:2])


def lower_bound_holds(x: Variables, lower: int) -> Iterator[Block]:
    """Eq. 3: at least ``lower`` nodes are used."""
    yield units(x.eta[lower : lower + 1])


# Counters of leaves and inner nodes: they determine the children of each node.
#
# The paper calls this pruning, but it is what forces the breadth-first numbering of the nodes: without it one tree has
# several numberings (16, 61, 276 layouts at 9, 11, 13 nodes instead of 14, 42, 132).


def counters_are_initialised(x: Variables) -> Iterator[Block]:
    """Eq. 19: each count is at least 0, and no counter exceeds its range (λ: half of the nodes, τ: all)."""
    t, i = np.ogrid[: x.n + 1, : x.n + 1]
    yield units(x.leaves[0])
    yield units(x.inner[0])
    yield units(-x.leaves[(t > 0) & (t > (i + 1) // 2)])
    yield units(-x.inner[(t > 0) & (t > i)])


def leaves_are_counted(x: Variables) -> Iterator[Block]:
    """Eq. 20: t leaves up to node i means t up to node i-1, or t-1 up to node i-1 and i is a leaf."""
    t, i = np.nonzero(_in_range(x.n, (x.nodes + 1) // 2))
    count, before, one_less, leaf = x.leaves[t, i], x.leaves[t, i - 1], x.leaves[t - 1, i - 1], x.v[i]
    yield implies(before, count)
    yield implies((one_less, leaf), count)
    yield implies(count, before, one_less)
    yield implies(count, before, leaf)


def inner_nodes_are_counted(x: Variables) -> Iterator[Block]:
    """Eq. 21: likewise for used nodes that are not leaves."""
    t, i = np.nonzero(_in_range(x.n, x.nodes))
    count, before, one_less, leaf, used = x.inner[t, i], x.inner[t, i - 1], x.inner[t - 1, i - 1], x.v[i], x.used[i]
    yield implies(before, count)
    yield implies((one_less, used), leaf, count)
    yield implies(count, before, one_less)
    yield implies(count, before, -leaf)
    yield implies(count, before, used)


def leaf_counts_bound_children(x: Variables) -> Iterator[Block]:
    """Eq. 22: with t leaves up to node i, its children come before node 2(i-t+1)."""
    t, i = np.nonzero(_in_range(x.n, (x.nodes + 1) // 2))
    yield from _no_child(x, x.leaves[t, i], i, 2 * (i - t + 1))


def inner_node_counts_bound_children(x: Variables) -> Iterator[Block]:
    """Eq. 23: with t inner nodes up to node i, its children come after node 2(t-1)."""
    t, i = np.nonzero(_in_range(x.n, x.nodes))
    yield from _no_child(x, x.inner[t, i], i, 2 * (t - 1))


def _no_child(x: Variables, count: np.ndarray, i: np.ndarray, j: np.ndarray) -> Iterator[Block]:
    possible = (j >= 0) & (j < x.n)
    possible[possible] = x.l[i[possible], j[possible]] > 0
    count, i, j = count[possible], i[possible], j[possible]
    yield implies(count, -x.l[i, j])
    yield implies(count, -x.r[i, j + 1])


def _in_range(n: int, upper: np.ndarray) -> np.ndarray:
    """Return the mask of the pairs (t, i) with 1 <= t <= upper[i]."""
    t, i = np.ogrid[: n + 1, : n + 1]
    return (t >= 1) & (i >= 1) & (t <= np.concatenate([[0], upper])[i])


# Constraints of the user, not in the paper: features of the root, depth, and cost of the tests.


def root_tests_one_of(x: Variables, features: Collection[int]) -> Iterator[Block]:
    """Require that the root tests one of the given features."""
    others = np.setdiff1d(np.arange(len(x.a)), np.asarray(sorted(features), dtype=np.intp))
    yield units(-x.a[others, 1])


def depth_is_at_most(x: Variables, deep: Vars) -> Iterator[Block]:
    """Limit the depth to the number of rows of ``deep``; ``deep[t, j]`` means "more than t tests lead to node j"."""
    i, j = x.parent_child
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
    """Define ``at_least``, the unary representation of the cost of each node's test.

    Parameters
    ----------
    x : Variables
    at_least : array (n_steps, n+1)
        The test at node j costs at least ``steps[s]``.
    costs : ndarray of shape (n_features,)
    steps : ndarray of shape (n_steps,)
        The distinct costs above 0, ascending.
    """
    for reached, step in zip(at_least, steps, strict=True):
        expensive = x.a[costs >= step]
        yield implies(expensive[:, 1:], reached[1:])
        yield np.column_stack([-reached[1:], *expensive[:, 1:]])
    yield clause(-at_least[1:, 1:], at_least[:-1, 1:])
