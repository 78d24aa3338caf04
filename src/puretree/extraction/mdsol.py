"""MDSOL: minimum trees that differ, each as far as can be from those before it (the paper's Algorithm 2).

The paper makes a soft clause of the negation of every target literal of every former tree. A tree breaks as many of
them as it agrees in with former trees, so the best one has the greatest sum of Hamming distances to them. The distance
of trees of one size grows by 2 for each target that they do not share, so the sum is greatest where Σ u[r,j]·a[r,j] is
least, with u[r,j] the number of former trees that ask feature r at node j: as many soft clauses as there are targets
in use, however many trees were told. A node asks one feature at most, so the uses of each node are counted for
themselves, "at least 1, at least 2 …", and :class:`GrowingSum` adds them up over the nodes.

Uses only grow and trees only get fewer, so what the sum was at least for one tree, it is at least for the next.

Alòs, Ansótegui, Torres, *Interpretable Decision Trees Through MaxSAT*, 2022.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

import numpy as np

from ..clock import TimeIsOver
from ..formula import implies
from ..maxsat.sums.growing import GrowingSum
from ..tree import Tree
from .tree_oracle import TreeOracle

Diversity = Literal["none", "mdsol"]


class Choice(Protocol):
    """A way to choose the next tree."""

    def take(self, tree: Tree) -> None:
        """Hear of a tree that was told."""

    def next(self) -> Tree | None:
        """Choose a tree that was not forbidden; None if there is none, TimeIsOver if its turn is over first."""


class AnyTree:
    """No diversity: whatever the solver comes up with.

    Parameters
    ----------
    trees : TreeOracle
    within : sequence of int
        Literals that must be true for the trees.
    """

    def __init__(self, trees: TreeOracle, within: Sequence[int] = ()) -> None:
        self._trees = trees
        self._within = list(within)

    def take(self, tree: Tree) -> None:
        """Remember nothing: to be forbidden is enough."""

    def next(self) -> Tree | None:
        """Ask for a tree."""
        return self._trees.ask(self._within, self._trees.pace.turn())


class FarthestTree(AnyTree):
    """Diversity: the tree with the greatest sum of distances to those that were told; parameters as before."""

    def __init__(self, trees: TreeOracle, within: Sequence[int] = ()) -> None:
        super().__init__(trees, within)
        self._uses = np.zeros(trees.encoding.vars.a.shape, dtype=np.int64)
        self._reached: list[list[int]] = [[] for _ in range(trees.encoding.n_nodes)]  # by node: at least 1, 2 … uses
        self._sum = GrowingSum(trees.encoding.n_nodes, trees.encoding.pool, trees)
        self._least = 0  # no tree that is left shares fewer targets

    def take(self, tree: Tree) -> None:
        """Count what a tree asks."""
        for node in np.flatnonzero(tree.left >= 0).tolist():
            feature = int(tree.feature[node])
            self._uses[feature, node + 1] += 1
            n_uses = int(self._uses[feature, node + 1])
            reached = self._reached[node]
            if n_uses > len(reached):
                reached.append(self._sum.extend(node))
            self._trees.add(implies(self._trees.encoding.vars.a[feature, node + 1], reached[n_uses - 1]))

    def next(self) -> Tree | None:
        """Ask for trees that share less and less with those before, until there is none.

        If the tree's turn is over first, the best one known is returned: it is new all the same. Asking upwards from
        ``_least`` instead was no faster where all was proved, and has nothing to show where it was not.
        """
        turn = self._trees.pace.turn()
        best = self._trees.ask(self._within, turn)
        try:
            while best is not None and (shared := self._shared(best)) > self._least:
                better = self._trees.ask([*self._within, *self._sum.at_most(shared - 1)], turn)
                if better is None:
                    self._least = shared
                best = better or best
        except TimeIsOver:
            self._trees.pace.n_unproved += 1
        return best

    def _shared(self, tree: Tree) -> int:
        """Return how many targets a tree shares with those before, with each of them counted."""
        inner = np.flatnonzero(tree.left >= 0)
        return int(self._uses[tree.feature[inner], inner + 1].sum())


CHOICES: dict[Diversity, type[AnyTree] | type[FarthestTree]] = {"none": AnyTree, "mdsol": FarthestTree}


def tell(trees: TreeOracle, choice: Choice, first: Tree | None) -> Iterator[Tree]:
    """Yield trees, never one twice, until there are no more.

    Parameters
    ----------
    trees : TreeOracle
    choice : Choice
    first : Tree, optional
        A tree to begin with.
    """
    if first is not None:
        yield first
        trees.start_from(first)
        trees.forbid(first)
        choice.take(first)
    while (tree := _next(choice, trees)) is not None:
        yield tree
        trees.forbid(tree)
        choice.take(tree)


def _next(choice: Choice, trees: TreeOracle) -> Tree | None:
    """Choose a tree, turn after turn as long as there is time: without it there is nothing to go on with."""
    while True:
        try:
            return choice.next()
        except TimeIsOver:
            trees.pace.clock.require_time()
