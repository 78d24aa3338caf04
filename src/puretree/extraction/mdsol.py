"""Diverse trees by MDSOL, and the distance of trees over its targets (the paper's Algorithm 2).

The targets of a tree are the variables ``a[r,j]`` of the encoding that are true for it: node ``j`` tests feature ``r``,
with nodes numbered from 1 breadth first. The Hamming distance of two trees over these variables is the number of
targets that only one of them has. It needs no solver, so trees from any source can be compared.

The paper's soft clauses also contain the negations of the targets that a tree does not have. All minimum trees have the
same number of inner nodes, and so of targets: the distance of two of them grows by 2 with each target that they do not
share. The sum of distances is therefore greatest where the number of shared targets is least, and only the true ones
are counted. A node tests at most one feature, so its targets are a group of :class:`SolutionSpace`.

Alòs, Ansótegui, Torres, *Interpretable Decision Trees Through MaxSAT*, 2022.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Literal

import numpy as np

from ..maxsat.mdsol import AnySolution, FarthestSolution
from ..tree import Tree

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


STRATEGIES: dict[Diversity, type[AnySolution[Tree]] | type[FarthestSolution[Tree]]] = {
    "none": AnySolution,
    "mdsol": FarthestSolution,
}
