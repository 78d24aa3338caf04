"""Topologies: the layouts of trees down to a given depth, which partition all trees into a few groups.

Trees whose upper parts have different shapes have little in common, so each group is a smaller subproblem (Janota and
Morgado, *SAT-Based Encodings for Optimal Decision Trees with Explicit Paths*, SAT 2020), and trees from several groups
are diverse. A layout specifies, for each position down to the depth, whether it is an inner node, a leaf, or absent.
Nodes are numbered breadth first, so a layout is given by which of the first nodes are leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from ..tree import Tree
from .variables import Vars

INNER, LEAF = "o·"


def layout_of(tree: Tree, depth: int) -> str:
    """Return the layout of a tree down to a depth: ``o`` for an inner node, ``·`` for a leaf, breadth first.

    >>> layout_of(Tree.from_nested((0, "a", (1, "b", (2, "a", "b")))), 2)
    'o·o·o'
    """
    n_above = n_level = 1
    for _ in range(depth):  # the nodes of the next level are the children of this one
        n_level = 2 * int((tree.left[n_above - n_level : n_above] >= 0).sum())
        n_above += n_level
    return "".join(LEAF if left < 0 else INNER for left in tree.left[:n_above])


def layouts(n_nodes: int, depth: int, max_depth: int | None = None) -> Iterator[str]:
    """Yield every layout down to a depth that a tree with a given number of nodes can have.

    Inner nodes come before leaves: layouts with more inner nodes comprise more trees. A layout and its mirror image are
    both generated: "no" goes left and "yes" goes right, so their trees differ.

    Parameters
    ----------
    n_nodes : int
        Number of nodes of the tree: odd, at least 3.
    depth : int
        Depth of the layouts.
    max_depth : int, optional
        The maximum number of tests on a path.

    Examples
    --------
    >>> list(layouts(5, 1)), list(layouts(7, 1)), list(layouts(7, 1, max_depth=2))
    (['oo·', 'o·o'], ['ooo', 'oo·', 'o·o'], ['ooo'])
    >>> len(list(layouts(99, 2))), len(list(layouts(99, 3)))
    (21, 651)
    """
    deepest = n_nodes // 2 if max_depth is None else min(max_depth, n_nodes // 2)

    def extensions(layout: str, level: str, at: int) -> Iterator[str]:
        """Yield the layouts that extend one whose last level, at depth ``at``, is ``level``."""
        n_inner = level.count(INNER)
        smallest, largest = len(layout) + 2 * n_inner, len(layout) + n_inner * (2 ** (deepest - at + 1) - 2)
        if not smallest <= n_nodes <= largest:
            return
        if at == depth or not n_inner:
            yield layout
            return
        for letters in product(INNER + LEAF, repeat=2 * n_inner):
            next_level = "".join(letters)
            yield from extensions(layout + next_level, next_level, at + 1)

    yield from extensions(INNER, INNER, 0)


def layout_literals(v: Vars, layout: str) -> list[int]:
    """Return the literals that hold for the trees of a layout, from the variables ``v[i]``: node i is a leaf."""
    is_leaf = np.array([letter == LEAF for letter in layout])
    first = v[1 : len(layout) + 1]
    return [int(literal) for literal in np.where(is_leaf, first, -first)]


def layout_paths(layout: str) -> Iterator[tuple[tuple[bool, ...], bool]]:
    """Yield the path to each node of a layout, True for right, and whether the node is a leaf.

    >>> list(layout_paths("o·o"))
    [((), False), ((False,), True), ((True,), False)]
    """
    paths: list[tuple[bool, ...]] = [()]
    for node, letter in enumerate(layout):
        path = paths[node]
        yield path, letter == LEAF
        if letter == INNER:
            paths += [(*path, False), (*path, True)]
