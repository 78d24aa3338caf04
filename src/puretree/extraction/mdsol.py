"""MDSOL: enumerate minimum trees by SAT, each as far as possible from those before (the paper's Algorithm 2).

The targets of a tree are the variables ``a[r,j]`` of the encoding that are true for it: node ``j`` tests feature ``r``,
with nodes numbered from 1 breadth first. The Hamming distance of two trees over these variables is the number of
targets that only one of them has. It needs no solver, so trees from any source can be compared.

Alòs, Ansótegui, Torres, *Interpretable Decision Trees Through MaxSAT*, 2022.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, Protocol

import numpy as np

from .._support.clock import TimeLimitReached
from ..formula import implies
from ..formula.sums.totaliser import IncrementalTotaliser
from ..tree import Tree
from .tree_oracle import TreeOracle

Diversity = Literal["none", "mdsol"]

Target = tuple[int, int]
"""A feature and the number of the node that tests it."""


def targets(tree: Tree) -> frozenset[Target]:
    """Return which feature a tree tests at which node.

    >>> sorted(targets(Tree.from_nested((5, "a", (2, "b", "a")))))
    [(2, 3), (5, 1)]
    """
    inner = np.flatnonzero(tree.left >= 0)
    return frozenset(zip(tree.feature[inner].tolist(), (inner + 1).tolist(), strict=True))


def hamming(tree: Tree, other: Tree) -> int:
    """Return the Hamming distance of two trees over the targets: the number that only one of them has."""
    return len(targets(tree) ^ targets(other))


def mean_hamming(trees: Collection[Tree]) -> float:
    """Return the mean Hamming distance over all pairs of trees; 0 if there are fewer than two trees.

    Parameters
    ----------
    trees : collection of Tree
        All over the same features; those of decoded trees are the predicates of the table.

    Notes
    -----
    A target of ``u`` trees is shared by ``u(u-1)/2`` pairs, so there is no need to enumerate the pairs.

    Examples
    --------
    >>> mean_hamming([Tree.from_nested((0, "a", "b")), Tree.from_nested((1, "a", "b"))])
    2.0
    """
    if len(trees) < 2:
        return 0.0
    uses = Counter(target for tree in trees for target in targets(tree))
    n_different = sum(u * (len(trees) - u) for u in uses.values())
    return 2 * n_different / (len(trees) * (len(trees) - 1))


class Strategy(Protocol):
    """A strategy for choosing the next tree."""

    def add(self, tree: Tree) -> None:
        """Record a tree that was returned."""

    def next_tree(self) -> Tree | None:
        """Return a tree that is not forbidden; None if there is none. Raise TimeLimitReached if the time slice ends first."""


class AnyTree:
    """No diversity: the first tree that the solver finds.

    Parameters
    ----------
    trees : TreeOracle
    assumptions : sequence of int
        Literals that must be true for the trees.
    """

    def __init__(self, trees: TreeOracle, assumptions: Sequence[int] = ()) -> None:
        self._trees = trees
        self._assumptions = list(assumptions)

    def add(self, tree: Tree) -> None:
        """Do nothing: the blocking clause is enough."""

    def next_tree(self) -> Tree | None:
        """Return any tree."""
        return self._trees.solve(self._assumptions, self._trees.budget.next_slice())


class FarthestTree(AnyTree):
    """Diversity: the tree with the greatest sum of distances to those before; parameters as for :class:`AnyTree`.

    The paper has a soft clause for the negation of every target literal of every previous tree. A tree violates as many
    of them as it shares targets with previous trees, so the optimum has the greatest sum of Hamming distances to them.
    The distance of two trees of the same size grows by 2 with each target that they do not share, so the sum is
    greatest where Σ u[r,j]·a[r,j] is least, with u[r,j] the number of previous trees that test feature r at node j: one
    term for each target in use, however many trees there are. A node tests at most one feature, so the uses of each
    node are counted separately, "at least 1, at least 2 …", and :class:`IncrementalTotaliser` adds them over the nodes.

    Uses only grow and the remaining trees only get fewer, so a lower bound on the sum for one tree holds for the next.
    """

    def __init__(self, trees: TreeOracle, assumptions: Sequence[int] = ()) -> None:
        super().__init__(trees, assumptions)
        self._uses = np.zeros(trees.encoding.vars.a.shape, dtype=np.int64)
        # For each node, the literals "at least 1, 2 … uses".
        self._at_least: list[list[int]] = [[] for _ in range(trees.encoding.n_nodes)]
        self._sum = IncrementalTotaliser(trees.encoding.n_nodes, trees.encoding.pool, trees)
        self._lower_bound = 0  # no remaining tree shares fewer targets

    def add(self, tree: Tree) -> None:
        """Count the targets of a tree."""
        for node in np.flatnonzero(tree.left >= 0).tolist():
            feature = int(tree.feature[node])
            self._uses[feature, node + 1] += 1
            n_uses = int(self._uses[feature, node + 1])
            at_least = self._at_least[node]
            if n_uses > len(at_least):
                at_least.append(self._sum.extend(node))
            self._trees.add(implies(self._trees.encoding.vars.a[feature, node + 1], at_least[n_uses - 1]))

    def next_tree(self) -> Tree | None:
        """Search for trees that share fewer and fewer targets with those before, until there is none.

        If the time slice ends first, the best tree so far is returned: it is new all the same. Searching upwards from
        the lower bound instead was no faster where the optimum was proved, and has no tree to return where it was not.
        """
        time_slice = self._trees.budget.next_slice()
        best = self._trees.solve(self._assumptions, time_slice)
        try:
            while best is not None and (n_shared := self._count_shared(best)) > self._lower_bound:
                better = self._trees.solve([*self._assumptions, *self._sum.at_most(n_shared - 1)], time_slice)
                if better is None:
                    self._lower_bound = n_shared
                best = better or best
        except TimeLimitReached:
            self._trees.budget.n_unproved += 1
        return best

    def _count_shared(self, tree: Tree) -> int:
        """Return the number of targets that a tree shares with those before, summed over those trees."""
        inner = np.flatnonzero(tree.left >= 0)
        return int(self._uses[tree.feature[inner], inner + 1].sum())


STRATEGIES: dict[Diversity, type[AnyTree] | type[FarthestTree]] = {"none": AnyTree, "mdsol": FarthestTree}


def enumerate_trees(trees: TreeOracle, strategy: Strategy, first: Tree | None) -> Iterator[Tree]:
    """Yield distinct trees until there are no more.

    Parameters
    ----------
    trees : TreeOracle
    strategy : Strategy
    first : Tree, optional
        A known tree to start with.
    """
    if first is not None:
        yield first
        trees.warm_start(first)
        trees.forbid(first)
        strategy.add(first)
    while (tree := _next_tree(strategy, trees)) is not None:
        yield tree
        trees.forbid(tree)
        strategy.add(tree)


def _next_tree(strategy: Strategy, trees: TreeOracle) -> Tree | None:
    """Return the next tree, with as many time slices as the time limit allows: without it the enumeration ends."""
    while True:
        try:
            return strategy.next_tree()
        except TimeLimitReached:
            trees.budget.clock.require_time()
