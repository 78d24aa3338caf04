"""The tree with no test: an upper bound of errors that is there at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import inf
from time import monotonic
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock
from ..errors import InputError
from ..problem import BinaryProblem, Constraints
from ..tree import Tree


def rows_of_classes(problem: BinaryProblem) -> NDArray[np.int64]:
    """Return how many rows each class has, in whole numbers however large."""
    n_rows = np.zeros(len(problem.classes), dtype=np.int64)
    np.add.at(n_rows, problem.labels, problem.weights)
    return n_rows


def majority_leaf(problem: BinaryProblem) -> Tree:
    """Return the leaf of the class with most rows."""
    return Tree.leaf(int(rows_of_classes(problem).argmax()), problem.classes)


# An upper bound at once: the pure tree that information gain grows.
#
# It costs little, and every exact method is faster for knowing it (Quinlan, *Induction of Decision Trees*, Machine
# Learning 1, 1986). It is pure, rarely minimum, and says nothing about how far from it.


def greedy_tree(problem: BinaryProblem, *, seconds: float = inf) -> Tree:
    """Grow a pure tree by information gain; ties go to the first feature.

    Parameters
    ----------
    problem : BinaryProblem
        Without contradictions, as every BinaryProblem is.
    seconds : float, default=inf
        After these, any feature that separates two classes will do: the tree is pure all the same, but larger.

    Returns
    -------
    Tree
        Over the problem's features.
    """
    return _grow(problem, np.arange(problem.n_examples), seconds)


def rooted_greedy_tree(problem: BinaryProblem, feature: int, *, seconds: float = inf) -> Tree:
    """Grow a pure tree by information gain below a root that asks a given feature."""
    says_yes = problem.features.take(np.array([feature])).unpack()[0]
    no, yes = (_grow(problem, np.flatnonzero(side), seconds / 2) for side in (~says_yes, says_yes))
    return Tree.join(feature, no, yes)


def _grow(problem: BinaryProblem, which: NDArray[np.intp], seconds: float) -> Tree:
    examples, labels = problem.examples.take(which), problem.labels[which]
    grown = _native.greedy_tree(examples.words, examples.n_bits, labels, len(problem.classes), seconds)
    return Tree(*grown, problem.classes)


# A second upper bound: the pure trees that incremental induction grows.
#
# ITI takes the examples one at a time. Each goes down the tree to its leaf; a leaf of two classes splits; and where a
# test is no longer the best by information gain, the best one is pulled up from the subtrees, level by level, so the
# work done below is kept (Utgoff, *Incremental Induction of Decision Trees*, Machine Learning 4, 1989; Utgoff, Berkman
# and Clouse, *Decision Tree Induction Based on Efficient Tree Restructuring*, Machine Learning 29, 1997).
#
# It runs after the greedy tree; it is the bound that the paper and MinDT start from. With the gain ratio of the later
# program instead of the information gain of 1989 it was worse: larger than the greedy tree on 27 of the paper's 52 data
# sets and smaller on 7, where information gain is larger on 2 and smaller on 14.
#
# Whatever the order of the examples, every node ends up with a best test, as if grown in one go. Only a test that ties
# keeps its place, so several orders give several trees, and the smallest counts. That pays where ties are many: on
# monks-1 the trees of 200 orders have from 29 to 291 nodes.


def iti_tree(problem: BinaryProblem, *, n_orders: int = 5, seconds: float = inf, random_state: int = 0) -> Tree | None:
    """Induce pure trees incrementally, in several orders of the examples, and return the smallest.

    Parameters
    ----------
    problem : BinaryProblem
        Without contradictions, as every BinaryProblem is.
    n_orders : int, default=5
        How many orders to try: the problem's own, then random ones.
    seconds : float, default=inf
        Time for all orders together.
    random_state : int, default=0
        Seed of the random orders.

    Returns
    -------
    Tree or None
        Over the problem's features; of equally small trees the first. None if the time was too short for even one.
    """
    if n_orders < 1:
        raise InputError(f"n_orders={n_orders} gives no tree; use 1 or more")
    deadline = monotonic() + seconds
    rng = np.random.default_rng(random_state)
    best = None
    order = np.arange(problem.n_examples)
    for _ in range(n_orders):
        tree = _induce(problem, order, deadline - monotonic())
        if tree is None:
            break
        if best is None or tree.n_nodes < best.n_nodes:
            best = tree
        order = rng.permutation(problem.n_examples)
    return best


def _induce(problem: BinaryProblem, order: np.typing.NDArray[np.int64], seconds: float) -> Tree | None:
    examples = problem.examples
    n_classes = len(problem.classes)
    found = _native.iti_tree(examples.words, examples.n_bits, problem.labels, n_classes, order, seconds)
    return None if found is None else Tree(*found, problem.classes)


# The upper bound to start from: the smallest pure tree that the heuristics find.

Start = Literal["greedy", "iti"]

GREEDY_SHARE, ITI_SHARE = 0.8, 0.1  # of the time left
GREEDY_LEAST = 0.3  # seconds, even if none are left: a tree is wanted in any case
ROOTS_TRIED = 20


def starting_trees(
    problem: BinaryProblem, constraints: Constraints, clock: Clock, by: Collection[Start] = ("greedy", "iti")
) -> Iterator[Tree]:
    """Yield pure trees that keep to the wishes, the quickest first; none if no heuristic finds one.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
    clock : Clock
    by : collection of {"greedy", "iti"}
        Greedily from the root, or by incremental induction, which takes longer.
    """
    for tree in _candidates(problem, constraints, clock, by):
        if tree is not None and constraints.allows(tree, problem):
            yield tree


def _candidates(
    problem: BinaryProblem, constraints: Constraints, clock: Clock, by: Collection[Start]
) -> Iterator[Tree | None]:
    if "greedy" in by:
        yield greedy_tree(problem, seconds=_greedy_seconds(clock))
        if constraints.root is not None:
            yield from _rooted(problem, sorted(constraints.root), clock)
    if "iti" in by:
        yield iti_tree(problem, seconds=clock.part(ITI_SHARE).left)


def _rooted(problem: BinaryProblem, roots: list[int], clock: Clock) -> Iterator[Tree]:
    """Yield a tree for some of the roots, evenly spread, and for one of them even when the clock is over."""
    for place, feature in enumerate(roots[:: len(roots) // ROOTS_TRIED + 1]):
        if place and clock.is_over:
            return
        yield rooted_greedy_tree(problem, feature, seconds=_greedy_seconds(clock))


def _greedy_seconds(clock: Clock) -> float:
    return max(GREEDY_LEAST, GREEDY_SHARE * clock.left)
