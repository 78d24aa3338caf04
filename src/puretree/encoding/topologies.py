"""The topology of a tree: its layout down to a depth, which splits all trees into a few sorts.

Trees whose upper parts have different shapes have little in common, so each sort is a smaller question of its own
(Janota and Morgado, *SAT-Based Encodings for Optimal Decision Trees with Explicit Paths*, SAT 2020), and trees of
several sorts are diverse. A layout says of each place down to a depth whether it is an inner node, a leaf, or not there
at all. Nodes are numbered breadth first, so it is told by which of the first nodes are leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from ..tree import Tree
from .variables import Vars

INNER, LEAF = "o·"


def layout_of(tree: Tree, depth: int) -> str:
    """Return the layout of a tree: ``o`` for an inner node, ``·`` for a leaf, node by node, down to a depth.

    >>> layout_of(Tree.from_nested((0, "a", (1, "b", (2, "a", "b")))), 2)
    'o·o·o'
    """
    n_above = n_level = 1
    for _ in range(depth):  # the nodes of the next level are the children of this one
        n_level = 2 * int((tree.left[n_above - n_level : n_above] >= 0).sum())
        n_above += n_level
    return "".join(LEAF if left < 0 else INNER for left in tree.left[:n_above])


def layouts(n_nodes: int, depth: int, max_depth: int | None = None) -> Iterator[str]:
    """Yield every layout down to a depth that a tree of exactly so many nodes can have.

    Inner nodes come before leaves: layouts that leave more open hold more trees. The mirror image of a layout is
    another one: no goes left and yes goes right, so its trees are others.

    Parameters
    ----------
    n_nodes : int
        Odd, at least 3.
    depth : int
        Down to which places are told.
    max_depth : int, optional
        The most tests on a path.

    Examples
    --------
    >>> list(layouts(5, 1)), list(layouts(7, 1)), list(layouts(7, 1, max_depth=2))
    (['oo·', 'o·o'], ['ooo', 'oo·', 'o·o'], ['ooo'])
    >>> len(list(layouts(99, 2))), len(list(layouts(99, 3)))
    (21, 651)
    """
    deepest = n_nodes // 2 if max_depth is None else min(max_depth, n_nodes // 2)

    def below(layout: str, level: str, at: int) -> Iterator[str]:
        """Yield the layouts that begin with one down to the level ``at``, which is given as well."""
        n_open = level.count(INNER)
        least, most = len(layout) + 2 * n_open, len(layout) + n_open * (2 ** (deepest - at + 1) - 2)
        if not least <= n_nodes <= most:
            return
        if at == depth or not n_open:
            yield layout
            return
        for letters in product(INNER + LEAF, repeat=2 * n_open):
            next_level = "".join(letters)
            yield from below(layout + next_level, next_level, at + 1)

    yield from below(INNER, INNER, 0)


def layout_literals(v: Vars, layout: str) -> list[int]:
    """Return the literals that are true for the trees of a layout, of the variables ``v[i]``: node i is a leaf."""
    is_leaf = np.array([letter == LEAF for letter in layout])
    first = v[1 : len(layout) + 1]
    return [int(literal) for literal in np.where(is_leaf, first, -first)]


def layout_places(layout: str) -> Iterator[tuple[tuple[bool, ...], bool]]:
    """Yield the way to each place of a layout, True for right, and whether a leaf is there.

    >>> list(layout_places("o·o"))
    [((), False), ((False,), True), ((True,), False)]
    """
    ways: list[tuple[bool, ...]] = [()]
    for place, letter in enumerate(layout):
        way = ways[place]
        yield way, letter == LEAF
        if letter == INNER:
            ways += [(*way, False), (*way, True)]
