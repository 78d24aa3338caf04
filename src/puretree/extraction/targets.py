"""How different trees are, as the paper measures it: by which feature is asked at which node.

The targets of a tree are the variables ``a[r,j]`` of the encoding that are true for it: feature ``r`` is asked at node
``j``, nodes numbered from 1 breadth first. The Hamming distance of two trees over these variables is the number of
targets that only one of them has. Nothing of a solver is needed to tell it, so trees from anywhere can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np

from ..tree import Tree

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
