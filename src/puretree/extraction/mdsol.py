"""How different trees are, as the paper measures it: by which feature is asked at which node.

The targets of a tree are the variables ``a[r,j]`` of the encoding that are true for it: feature ``r`` is asked at node
``j``, nodes numbered from 1 breadth first. The Hamming distance of two trees over these variables is the number of
targets that only one of them has. Nothing of a solver is needed to tell it, so trees from anywhere can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, Protocol

import numpy as np

from .._support.clock import TimeIsOver
from ..formula import implies
from ..formula.sums.totaliser import IncrementalTotaliser
from ..tree import Tree
from .tree_oracle import TreeOracle

Target = tuple[int, int]
"""A feature and the number of the node that asks it."""


def targets(tree: Tree) -> frozenset[Target]:
    """Return which feature a tree asks at which node.

    >>> sorted(targets(Tree.from_nested((5, "a", (2, "b", "a")))))
    [(2, 3), (5, 1)]
    """
    inner = np.flatnonzero(tree.left >= 0)
    return frozenset(zip(tree.feature[inner].tolist(), (inner + 1).tolist(), strict=True))


def hamming(one: Tree, other: Tree) -> int:
    """Return the Hamming distance of two trees over the targets: how many only one of them has."""
    return len(targets(one) ^ targets(other))


def mean_hamming(trees: Collection[Tree]) -> float:
    """Return the mean Hamming distance of two different ones of these trees; 0 if there are fewer than two.

    Parameters
    ----------
    trees : collection of Tree
        All in the same features: those of trees that were told in the words of a table are its questions.

    Notes
    -----
    A target of ``u`` trees is shared by ``u(u-1)/2`` pairs, so there is no need to look at the pairs.

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


# MDSOL: minimum trees that differ, each as far as can be from those before it (the paper's Algorithm 2).
#
# The paper makes a soft clause of the negation of every target literal of every former tree. A tree breaks as many of
# them as it agrees in with former trees, so the best one has the greatest sum of Hamming distances to them. The distance
# of trees of one size grows by 2 for each target that they do not share, so the sum is greatest where Σ u[r,j]·a[r,j] is
# least, with u[r,j] the number of former trees that ask feature r at node j: as many soft clauses as there are targets
# in use, however many trees were told. A node asks one feature at most, so the uses of each node are counted for
# themselves, "at least 1, at least 2 …", and :class:`IncrementalTotaliser` adds them up over the nodes.
#
# Uses only grow and trees only get fewer, so what the sum was at least for one tree, it is at least for the next.
#
# Alòs, Ansótegui, Torres, *Interpretable Decision Trees Through MaxSAT*, 2022.

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
        self._sum = IncrementalTotaliser(trees.encoding.n_nodes, trees.encoding.pool, trees)
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
