"""The first upper curve: CART's trees, pruned in the best way for every size.

CART's cost-complexity pruning visits a few subtrees of the grown tree. Dynamic programming over the grown tree finds
the cheapest subtree of *every* size, so the curve is never above CART's path, and it takes about as long as growing
the tree: milliseconds on a table of some hundred rows. Leaves predict the class that costs least.

scikit-learn weighs rows by their class, and knows no cost matrix: there, a row counts with the mean cost of its labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from ..problem import Constraints, CostProblem
from ..tree import Tree
from .chains import Chains
from .curves import Costs, Curves, FoundTree

Criterion = Literal["gini", "entropy"]
CRITERIA: tuple[Criterion, ...] = ("gini", "entropy")
MAX_CELLS = 30_000_000  # of the matrix for scikit-learn, 4 bytes each
MAX_PRUNINGS = 60  # of the path that is drawn
MAX_ROOTS = 4  # that are tried if the root is restricted

Indices = NDArray[np.intp]


def offer_cart(curves: Curves, cart: Cart, seeds: range) -> None:
    """Offer the best subtrees of the trees of some seeds, grown by the Gini index and by entropy."""
    for seed in seeds:
        for criterion in CRITERIA:
            for grown in cart.grow(criterion, seed):
                offer_pruned(curves, grown)


def offer_pruned(curves: Curves, grown: GrownTree) -> None:
    """Offer the best subtree of every size."""
    pruning = Pruning(curves.problem, grown, len(curves.upper) - 1)
    for n_tests, cost in pruning.points():
        curves.offer(n_tests, cost, PrunedTree(pruning, n_tests))


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The samples that scikit-learn grows a tree on: examples, or rows if these are counted.

    Parameters
    ----------
    example, label : ndarray of intp
        The example and the class of each sample.
    weight : ndarray of float
        Positive.
    """

    example: Indices
    label: Indices
    weight: NDArray[np.float64]

    @classmethod
    def of(cls, problem: CostProblem, *, counts_rows: bool) -> Samples:
        """Return a sample for each example and class, or as many as the example has rows.

        If a wrong label costs the same whatever it is, the weights are those of the rows.
        """
        costs = problem.costs.astype(np.float64)
        weights = np.maximum(0.0, costs.sum(axis=1, keepdims=True) / max(1, problem.n_classes - 1) - costs)
        example, label = np.nonzero(weights)
        weight = weights[example, label]
        if not counts_rows:
            return cls(example, label, weight)
        # An example of several classes shares its rows among them, in proportion to the weights.
        share = np.cumsum(weight) - np.append(0.0, np.cumsum(weight))[np.searchsorted(example, example)]
        share *= problem.n_rows[example] / weights.sum(axis=1)[example]
        ends = np.rint(share).astype(np.int64)
        begins = np.where(np.append(-1, example[:-1]) == example, np.append(0, ends[:-1]), 0)
        n_samples = ends - begins
        has_rows = n_samples > 0
        repeats = n_samples[has_rows]
        return cls(
            np.repeat(example[has_rows], repeats),
            np.repeat(label[has_rows], repeats),
            np.repeat(weight[has_rows] / repeats, repeats),
        )

    def take(self, is_example: NDArray[np.bool_]) -> Samples:
        """Return the samples of some examples."""
        chosen = is_example[self.example]
        return Samples(self.example[chosen], self.label[chosen], self.weight[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class GrownTree:
    """A tree whose nodes have higher numbers than their parents.

    Parameters
    ----------
    feature, no, yes : ndarray of intp
        The test of each node and its children; a leaf has no child (-1).
    leaf : ndarray of intp
        The leaf of each example.
    """

    feature: Indices
    no: Indices
    yes: Indices
    leaf: Indices

    def members(self) -> list[Indices]:
        """Return the examples of each node."""
        members = [np.flatnonzero(self.leaf == node) for node in range(len(self.feature))]
        for node in np.flatnonzero(self.no >= 0)[::-1]:
            members[node] = np.concatenate([members[self.no[node]], members[self.yes[node]]])
        return members

    def n_tests_below(self, node: int) -> int:
        """Return the number of tests of the subtree of a node."""
        queue = [node]
        for inner in queue:
            queue += [int(child) for child in (self.no[inner], self.yes[inner]) if self.no[child] >= 0]
        return len(queue)

    @classmethod
    def single_leaf(cls, n_examples: int) -> GrownTree:
        """Return a tree without tests."""
        none = np.array([-1])
        return cls(none, none, none, np.zeros(n_examples, dtype=np.intp))

    @classmethod
    def join(cls, feature: int, is_yes: NDArray[np.bool_], no: GrownTree, yes: GrownTree) -> GrownTree:
        """Return the tree of a test and the trees for its two answers."""
        second = 1 + len(no.feature)

        def children(own: tuple[int, int], parts: tuple[Indices, Indices]) -> Indices:
            moved = [np.where(part >= 0, part + start, -1) for part, start in zip(parts, (1, second), strict=True)]
            return np.concatenate([own[:1], *moved])

        return cls(
            np.concatenate([[feature], no.feature, yes.feature]),
            children((1, 1), (no.no, yes.no)),
            children((second, second), (no.yes, yes.yes)),
            np.where(is_yes, yes.leaf + second, no.leaf + 1),
        )


class Cart:
    """CART's trees of a problem.

    Parameters
    ----------
    problem : CostProblem
    constraints : Constraints
        All trees satisfy them, except the maximum number of nodes.
    column_of_feature : ndarray of intp, optional
        The column that each merged feature tests, by which nested thresholds are found.
    """

    def __init__(
        self, problem: CostProblem, constraints: Constraints, column_of_feature: Indices | None = None
    ) -> None:
        self.problem, self.constraints, self._column_of_feature = problem, constraints, column_of_feature

    @cached_property
    def _samples(self) -> Samples:
        return Samples.of(self.problem, counts_rows=self.constraints.min_samples_leaf > 1)

    @cached_property
    def _chains(self) -> Chains:
        return Chains.of(self.problem, self._column_of_feature)

    @cached_property
    def is_possible(self) -> bool:
        """Whether there is a tree to grow, and the matrix for it is not too large."""
        return (
            self.problem.n_features > 0
            and len(self._samples.label) > 0
            and self.problem.n_examples * self.problem.n_features <= MAX_CELLS
        )

    def grow(self, criterion: Criterion, seed: int) -> Iterator[GrownTree]:
        """Yield the tree, or one for each of the best roots if the root is restricted."""
        max_depth = self.constraints.max_depth
        if not self.is_possible:
            return
        if self.constraints.root is None:
            yield self._grow(self._samples, max_depth, criterion, seed)
            return
        below = None if max_depth is None else max_depth - 1
        for root in self._best_roots():
            is_yes = self.problem.answers(root)
            no, yes = (self._grow(self._samples.take(side), below, criterion, seed) for side in (~is_yes, is_yes))
            yield GrownTree.join(root, is_yes, no, yes)

    def extend(self, tree: Tree, criterion: Criterion) -> GrownTree:
        """Return a tree with CART's trees below its leaves."""
        leaf, max_depth = self.problem.apply(tree), self.constraints.max_depth
        grown: dict[int, GrownTree] = {}
        for node in range(tree.n_nodes - 1, -1, -1):
            left = int(tree.left[node])
            if left < 0:
                depth = None if max_depth is None else max_depth - int(tree.depths[node])
                grown[node] = self._grow(self._samples.take(leaf == node), depth, criterion, 0)
            else:
                feature = int(tree.feature[node])
                is_yes = self.problem.answers(feature)
                grown[node] = GrownTree.join(feature, is_yes, grown.pop(left), grown.pop(left + 1))
        return grown[0]

    def pruning_path(self) -> list[tuple[int, int]]:
        """Return the number of nodes and the cost of the trees of CART's cost-complexity pruning, smallest first.

        These are scikit-learn's own trees, with its labels; the root may test any feature. Of a long path, evenly
        spaced prunings are returned.
        """
        if not self.is_possible:
            return []
        values, samples, problem = self._chains.values, self._samples, self.problem
        data = values[samples.example], samples.label, samples.weight
        model = self._model(samples, self.constraints.max_depth, "gini", 0)
        alphas = np.maximum(0, model.cost_complexity_pruning_path(*data).ccp_alphas)
        points = set()
        for alpha in alphas[np.unique(np.linspace(0, len(alphas) - 1, MAX_PRUNINGS).astype(int))]:
            pruned = model.set_params(ccp_alpha=alpha).fit(*data)
            cost = problem.costs[np.arange(problem.n_examples), pruned.predict(values)].sum(dtype=np.int64)
            points.add((int(pruned.tree_.node_count), int(cost)))
        return sorted(points)

    def _best_roots(self) -> list[int]:
        """Return those roots with which one test costs least."""
        problem, costs = self.problem, {}
        for root in sorted(self.constraints.root or ()):
            is_yes = problem.answers(root)
            n_yes = int(problem.n_rows[is_yes].sum())
            if min(n_yes, int(problem.n_rows.sum()) - n_yes) >= self.constraints.min_samples_leaf:
                costs[root] = problem.leaf(is_yes)[1] + problem.leaf(~is_yes)[1]
        return sorted(costs, key=lambda root: costs[root])[:MAX_ROOTS]

    def _model(
        self, samples: Samples, max_depth: int | None, criterion: Criterion, seed: int
    ) -> DecisionTreeClassifier:
        return DecisionTreeClassifier(
            criterion=criterion,
            max_depth=max_depth,
            min_samples_leaf=int(min(self.constraints.min_samples_leaf, len(samples.label))),
            random_state=seed,
        )

    def _grow(self, samples: Samples, max_depth: int | None, criterion: Criterion, seed: int) -> GrownTree:
        """Grow a tree on some samples until it is pure, and find the leaf of every example."""
        values = self._chains.values
        if max_depth == 0 or (samples.label == samples.label[:1]).all():  # pure, or empty
            return GrownTree.single_leaf(len(values))
        model = self._model(samples, max_depth, criterion, seed)
        nodes = model.fit(values[samples.example], samples.label, sample_weight=samples.weight).tree_
        feature, no, yes = np.full(nodes.node_count, -1), nodes.children_right.copy(), nodes.children_left.copy()
        for node in np.flatnonzero(nodes.children_left >= 0).tolist():
            feature[node], is_flipped = self._chains.test(int(nodes.feature[node]), float(nodes.threshold[node]))
            if is_flipped:
                no[node], yes[node] = yes[node], no[node]
        return GrownTree(feature, no, yes, nodes.apply(values))


class Part:
    """Trees of some examples, the best one of each size.

    Parameters
    ----------
    leaf : int
        The cost of a single leaf.
    """

    def __init__(self, leaf: int) -> None:
        self.costs: Costs = np.array([leaf])
        self.trees: dict[int, FoundTree] = {}

    def add(self, cost: int, tree: FoundTree) -> None:
        """Add a tree that is better than those with as many tests."""
        n_tests = len(tree.left) // 2
        if n_tests >= len(self.costs):
            self.costs = np.pad(self.costs, (0, n_tests + 1 - len(self.costs)), mode="edge")
        self.costs[n_tests:] = np.minimum(self.costs[n_tests:], cost)
        self.trees[n_tests] = tree


class Pruning:
    """The cheapest subtree of every size that pruning leaves of a grown tree.

    Parameters
    ----------
    problem : CostProblem
    grown : GrownTree
    max_tests : int
        Larger subtrees are not considered.
    parts : mapping of int to Part, optional
        Other trees for the examples of some nodes.
    """

    def __init__(
        self, problem: CostProblem, grown: GrownTree, max_tests: int, parts: Mapping[int, Part] | None = None
    ) -> None:
        self._grown, self._classes, self._parts = grown, problem.classes, dict(parts or {})
        totals = np.zeros((len(grown.feature), problem.n_classes), dtype=np.int64)
        np.add.at(totals, grown.leaf, problem.costs)
        inner = np.flatnonzero(grown.no >= 0)[::-1].tolist()
        for node in inner:
            totals[node] = totals[grown.no[node]] + totals[grown.yes[node]]
        self._label = totals.argmin(axis=1)
        # The least cost of each node's subtree with at most 0, 1, 2 … tests, up to where nothing more is gained.
        self._curves: list[Costs] = list(totals.min(axis=1, keepdims=True))
        for node in inner:
            both = min_plus(self._curves[grown.no[node]], self._curves[grown.yes[node]])[:max_tests]
            curve = np.minimum.accumulate(np.concatenate([self._curves[node], both]))
            if node in self._parts:
                curve = _least(curve, self._parts[node].costs[: max_tests + 1])
            self._curves[node] = curve[: int(np.searchsorted(-curve, -curve[-1])) + 1]

    def points(self) -> list[tuple[int, int]]:
        """Return the number of tests and the cost of each subtree that is cheaper than all smaller ones."""
        curve = self._curves[0]
        drops = [0, *(np.flatnonzero(np.diff(curve)) + 1).tolist()]
        return [(n_tests, int(curve[n_tests])) for n_tests in drops]

    def tree(self, n_tests: int) -> Tree:
        """Return the subtree of a point."""
        return Tree.from_nested(self._nested(0, n_tests), self._classes)

    def _nested(self, node: int, n_tests: int) -> Any:
        curve = self._curves[node]
        n_tests = min(n_tests, len(curve) - 1)
        cost = int(curve[n_tests])
        n_tests = int(np.searchsorted(-curve, -cost))  # the fewest with this cost
        if n_tests == 0:
            return self._classes[self._label[node]]
        part = self._parts.get(node)
        if part is not None and n_tests in part.trees and part.costs[n_tests] == cost:
            return part.trees[n_tests].make().to_nested()
        no, yes = int(self._grown.no[node]), int(self._grown.yes[node])
        n_no = _divide(self._curves[no], self._curves[yes], n_tests - 1, cost)
        return (int(self._grown.feature[node]), self._nested(no, n_no), self._nested(yes, n_tests - 1 - n_no))


@dataclass(frozen=True, slots=True)
class PrunedTree:
    """A subtree of a pruning, made when it is needed."""

    pruning: Pruning
    n_tests: int

    def make(self) -> Tree:
        """Return the tree."""
        return self.pruning.tree(self.n_tests)


def min_plus(first: Costs, second: Costs) -> Costs:
    """Return the least sum of two curves for every sum of their sizes.

    >>> min_plus(np.array([5, 2]), np.array([4, 3, 0])).tolist()
    [9, 6, 5, 2]
    """
    short, long = sorted((first, second), key=len)
    sums = np.full(len(first) + len(second) - 1, np.iinfo(np.int64).max)
    for size, cost in enumerate(short.tolist()):
        part = sums[size : size + len(long)]
        np.minimum(part, long + cost, out=part)
    return sums


def _least(first: Costs, second: Costs) -> Costs:
    """Return the lower one of two curves at each size; beyond its end a curve is constant."""
    n_sizes = max(len(first), len(second))
    return np.minimum(*(np.pad(curve, (0, n_sizes - len(curve)), mode="edge") for curve in (first, second)))


def _divide(no: Costs, yes: Costs, n_tests: int, cost: int) -> int:
    """Return how many of the tests of two sides are on the no side, in a tree of a given cost."""
    for n_no in range(min(n_tests, len(no) - 1) + 1):
        if no[n_no] + yes[min(n_tests - n_no, len(yes) - 1)] == cost:
            return n_no
    raise AssertionError("the cost is not that of a tree")
