"""Trees of different layouts: as many as can be of each, in turn.

Diversity by construction, after dtfinder (Janota and Morgado, *SAT-Based Encodings for Optimal Decision Trees with
Explicit Paths*, SAT 2020): trees whose upper parts have different shapes are different enough that nothing need be
minimised. A layout says of each place down to a depth whether it is an inner node, a leaf, or not there at all. Nodes
are numbered breadth first, so it is told by which of the first nodes are leaves, and its trees are had by assuming a
few literals ``v``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..formula import as_block
from ..tree import Tree
from .mdsol import Choice
from .tree_oracle import TreeOracle

DEFAULT_DEPTH = 2


def layout_of(tree: Tree, depth: int) -> str:
    """Return the layout of a tree: ``o`` for an inner node, ``·`` for a leaf, node by node, down to a depth.

    >>> layout_of(Tree.from_nested((0, "a", (1, "b", (2, "a", "b")))), 2)
    'o·o·o'
    """
    n_above = n_level = 1
    for _ in range(depth):  # the nodes of the next level are the children of this one
        n_level = 2 * int((tree.left[n_above - n_level : n_above] >= 0).sum())
        n_above += n_level
    return "".join("·" if left < 0 else "o" for left in tree.left[:n_above])


def tell_by_layout(
    trees: TreeOracle, choose: Callable[[TreeOracle, Sequence[int]], Choice], depth: int, first: Tree | None
) -> Iterator[Tree]:
    """Yield a tree of each layout that a minimum tree has, then one more of each, and so on until there are no more.

    So k trees are k/k' of each of k' layouts wherever the clock ends it, and a layout that has no more trees leaves
    its share to the others.

    Parameters
    ----------
    trees : TreeOracle
    choose : callable
        Makes the way to choose among the trees of a layout, which is given by its literals.
    depth : int
        Down to which a layout is looked at.
    first : Tree, optional
        A tree to begin with.
    """
    choices: list[Choice] = []
    for tree, layout in _one_of_each(trees, depth, first):
        yield tree
        if tree is first:
            trees.start_from(tree)
        choices.append(choose(trees, layout))
        _take(trees, choices[-1], tree)
    while choices:
        for choice in choices.copy():
            found = choice.next()
            if found is None:
                choices.remove(choice)
                continue
            yield found
            _take(trees, choice, found)


def _take(trees: TreeOracle, choice: Choice, tree: Tree) -> None:
    trees.forbid(tree)
    choice.take(tree)


def _one_of_each(trees: TreeOracle, depth: int, first: Tree | None) -> Iterator[tuple[Tree, list[int]]]:
    """Yield a tree of each layout, with the literals of the layout.

    Asking for a tree of a layout not seen yet takes a question for each layout that there is, and a last one. To ask
    for every layout that could be thought of takes a proof for each that there is not.
    """
    (is_new,) = trees.encoding.pool.array("new_layout", 1).tolist()
    tree = trees.ask() if first is None else first
    while tree is not None:
        n_nodes = len(layout_of(tree, depth))
        layout = np.where(tree.left[:n_nodes] < 0, 1, -1) * trees.encoding.vars.v[1 : n_nodes + 1]
        yield tree, layout.tolist()
        trees.add(as_block([[-is_new, *(-layout).tolist()]]))
        tree = trees.ask([is_new])
