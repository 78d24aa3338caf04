"""The lower and the upper curve: for every number of tests, bounds of the least cost of a tree.

Both curves exist from the start, never increase with the number of tests, and only become tighter. A tree is stored
where the upper curve drops; a source makes it when it is needed, because most trees are replaced before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import PuretreeError
from ..problem import Constraints, CostProblem, leaves_of
from ..tree import Tree

Ints = NDArray[np.int32]
Costs = NDArray[np.int64]
OnChange = Callable[[int], None]


class TreeSource(Protocol):
    """Makes a tree over the merged features of a problem."""

    def make(self) -> Tree:
        """Return the tree."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundTree:
    """A tree as the search reports it: nodes breadth first."""

    feature: Ints
    left: Ints
    label: Ints
    classes: tuple[object, ...]

    def make(self) -> Tree:
        """Return the tree."""
        return Tree(self.feature, self.left, self.label, self.classes)  # type: ignore[arg-type]  # labels are levels


@dataclass(frozen=True, slots=True)
class LeafTree:
    """A single leaf with the cheapest class."""

    problem: CostProblem

    def make(self) -> Tree:
        """Return the tree."""
        return Tree.leaf(self.problem.leaf()[0], self.problem.classes)


class Curves:
    """Bounds of the least cost, in units, of a tree with at most 0, 1, 2 … tests.

    Parameters
    ----------
    problem : CostProblem
    constraints : Constraints
        ``minimise`` has no effect.
    on_change : callable, optional
        Called with the number of tests for which a bound became tighter.

    Attributes
    ----------
    lower : ndarray of int64
        A bound for each number of tests that a tree without useless tests may have; beyond, nothing is gained.
    """

    def __init__(self, problem: CostProblem, constraints: Constraints, on_change: OnChange | None = None) -> None:
        self.problem, self.constraints = problem, constraints
        self._on_change = on_change or _ignore
        n_sizes = most_tests(problem, constraints) + 1
        leaf = problem.leaf()[1]
        self.lower: Costs = np.full(n_sizes, problem.least_cost, dtype=np.int64)
        self.lower[0] = leaf
        upper: Costs = np.full(n_sizes, leaf, dtype=np.int64)
        sources: dict[int, TreeSource] = {0: LeafTree(problem)}
        self._trees = upper, sources  # one attribute: an interrupt never separates a cost from its tree

    def finish(self) -> None:
        """Report no more changes: the callback, and with it the search, are released."""
        self._on_change = _ignore

    def announce(self) -> None:
        """Report the bounds of a single leaf, which are known at the start."""
        self._on_change(0)

    @property
    def upper(self) -> Costs:
        """The cost of the best tree that is known, for each number of tests."""
        return self._trees[0]

    @property
    def points(self) -> list[int]:
        """The numbers of tests at which the upper curve drops, ascending; the first is 0."""
        return [0, *(np.flatnonzero(np.diff(self.upper)) + 1).tolist()]

    @property
    def last(self) -> int:
        """The fewest tests with the least cost that is known."""
        return int(np.searchsorted(-self.upper, -self.upper[-1]))

    @property
    def is_complete(self) -> bool:
        """Whether the curves meet everywhere."""
        return bool((self.lower == self.upper).all())

    def is_proved(self, n_tests: int) -> bool:
        """Return whether the least cost with at most so many tests is known."""
        return bool(self.lower[n_tests] == self.upper[n_tests])

    def is_point(self, n_tests: int) -> bool:
        """Return whether it is proved that no tree with so many tests is better, and no smaller one as good."""
        cost = self.upper[n_tests]
        return self.is_proved(n_tests) and (n_tests == 0 or bool(self.lower[n_tests - 1] > cost))

    def offer(self, n_tests: int, cost: int, source: TreeSource, *, replaces_equal: bool = False) -> None:
        """Lower the upper curve by a tree, if it is better than the known ones.

        Parameters
        ----------
        n_tests, cost : int
            Of the tree.
        source : TreeSource
            Makes the tree.
        replaces_equal : bool, default=False
            Also replace a tree of the same size and cost.
        """
        if n_tests >= len(self.upper):
            raise PuretreeError("a tree is larger than any tree can be: this is a bug, please report it")
        upper, sources = self._trees
        if cost >= upper[n_tests]:
            if replaces_equal and cost == upper[n_tests] and n_tests in sources:
                self._trees = upper, {**sources, n_tests: source}
            return
        end = int(np.searchsorted(-upper, -cost))  # the first size that is as good
        if (self.lower[n_tests:end] > cost).any():
            raise PuretreeError("a lower bound exceeds the cost of a tree: this is a bug, please report it")
        kept = {size: other for size, other in sources.items() if size < n_tests or upper[size] < cost}
        lowered = upper.copy()
        lowered[n_tests:end] = cost
        self._trees = lowered, {**kept, n_tests: source}
        self._on_change(n_tests)

    def raise_lower(self, n_tests: int, cost: int) -> None:
        """Raise the lower curve for at most so many tests."""
        if n_tests >= len(self.lower) or cost <= self.lower[n_tests]:
            return
        if cost > self.upper[n_tests]:
            raise PuretreeError("a lower bound exceeds the cost of a tree: this is a bug, please report it")
        self.lower[: n_tests + 1] = np.maximum(self.lower[: n_tests + 1], cost)
        self._on_change(n_tests)

    def raise_all(self, costs: Costs) -> None:
        """Raise the lower curve to bounds for every number of tests, which do not increase."""
        higher = np.flatnonzero(costs > self.lower)
        if not len(higher):
            return
        if (costs > self.upper).any():
            raise PuretreeError("a lower bound exceeds the cost of a tree: this is a bug, please report it")
        self.lower = np.maximum(self.lower, costs)
        self._on_change(int(higher[0]))

    def steps(self) -> Iterator[tuple[int, int]]:
        """Yield the ends of the steps of the convex hull of the upper curve, from the steepest step to the flattest."""
        upper = self.upper.tolist()
        hull: list[int] = []
        for point in self.points:
            while len(hull) > 1 and _lies_above(upper, hull[-2], hull[-1], point):
                hull.pop()
            hull.append(point)
        return pairwise(hull)

    def tree(self, n_tests: int) -> Tree:
        """Return the tree of a point, checked on the examples.

        Raises
        ------
        PuretreeError
            If it has another size or cost, or violates a constraint.
        """
        tree = self._trees[1][n_tests].make()
        is_valid = tree.n_nodes == 2 * n_tests + 1 and self.problem.cost(tree) == self.upper[n_tests]
        if not is_valid or violated(self.constraints, tree, self.problem):
            raise PuretreeError("a search returned an invalid tree: this is a bug, please report it")
        return tree


def _lies_above(upper: list[int], left: int, middle: int, right: int) -> bool:
    """Return whether the middle one of three points of a curve lies on or above the line between the others."""
    return (upper[left] - upper[middle]) * (right - left) <= (upper[left] - upper[right]) * (middle - left)


def _ignore(n_tests: int) -> None:
    """Ignore a change."""


def most_tests(problem: CostProblem, constraints: Constraints) -> int:
    """Return the maximum number of tests of a tree without useless tests that satisfies the constraints."""
    n_leaves = min(problem.n_examples, max(1, int(problem.n_rows.sum()) // constraints.min_samples_leaf))
    deepest = problem.n_features if constraints.max_depth is None else min(constraints.max_depth, problem.n_features)
    if deepest < n_leaves.bit_length():
        n_leaves = min(n_leaves, 2**deepest)
    if constraints.max_nodes is not None:
        n_leaves = min(n_leaves, leaves_of(constraints.max_nodes))
    return 0 if constraints.root is not None and not constraints.root else n_leaves - 1


def violated(constraints: Constraints, tree: Tree, problem: CostProblem) -> list[str]:
    """Return the names of the constraints that a tree over the merged features violates; none for a single leaf."""
    if tree.n_nodes == 1:
        return []
    n_rows = np.bincount(problem.apply(tree), problem.n_rows, tree.n_nodes)[tree.left < 0]
    limits = {
        "depth": constraints.max_depth is not None and tree.depth > constraints.max_depth,
        "size": constraints.max_nodes is not None and tree.n_nodes > constraints.max_nodes,
        "number of rows in a leaf": n_rows.min() < constraints.min_samples_leaf,
        "root": constraints.root is not None and int(tree.feature[0]) not in constraints.root,
    }
    return [name for name, is_violated in limits.items() if is_violated]


def count_errors(tree: Tree) -> int:
    """Return the number of training rows that a tree misclassifies, from the counts at its nodes."""
    assert tree.counts is not None
    leaves = np.flatnonzero(tree.left < 0)
    return int(tree.counts[leaves].sum() - tree.counts[leaves, tree.label[leaves]].sum())
