"""Trees of different layouts: as many as can be of each, in turn.

Diversity by construction, after dtfinder (Janota and Morgado, *SAT-Based Encodings for Optimal Decision Trees with
Explicit Paths*, SAT 2020): trees whose upper parts have different shapes are different enough that nothing need be
minimised. The trees of a layout are had by assuming a few literals ``v``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .._support.clock import TimeIsOver
from ..encoding.topologies import layout_literals, layout_of
from ..formula import as_block
from ..tree import Tree
from .mdsol import Choice
from .tree_oracle import TreeOracle

DEFAULT_DEPTH = 2


class NewLayout:
    """A way to choose trees of layouts not seen yet.

    To ask for any of them takes a question for each layout that there is, and a last one; to ask for every layout that
    could be thought of takes a proof for each that there is not.

    Parameters
    ----------
    trees : TreeOracle
    depth : int
    """

    def __init__(self, trees: TreeOracle, depth: int) -> None:
        self._trees = trees
        self._depth = depth
        (self._is_new,) = trees.encoding.pool.array("new_layout", 1).tolist()

    def take(self, tree: Tree) -> None:
        """Know the layout of a tree from now on."""
        self._trees.add(as_block([[-self._is_new, *(-literal for literal in self.literals(tree))]]))

    def next(self) -> Tree | None:
        """Ask for a tree of a new layout."""
        return self._trees.ask([self._is_new], self._trees.pace.turn())

    def literals(self, tree: Tree) -> list[int]:
        """Return the literals that are true for the trees of a tree's layout."""
        return layout_literals(self._trees.encoding.vars.v, layout_of(tree, self._depth))


def tell_by_layout(
    trees: TreeOracle, choose: Callable[[TreeOracle, Sequence[int]], Choice], depth: int, first: Tree | None
) -> Iterator[Tree]:
    """Yield a tree of each layout that a minimum tree has, then one more of each, and so on until there are no more.

    So k trees are k/k' of each of k' layouts wherever it is ended, and a layout that has no more trees leaves its share
    to the others. What does not get an answer in its turn, be it that there are no more layouts, is asked again in the
    next round.

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
    new = NewLayout(trees, depth)
    choices: list[Choice] = [new]

    def take(tree: Tree, choice: Choice) -> None:
        trees.forbid(tree)
        choice.take(tree)
        if choice is new:
            choices.append(choose(trees, new.literals(tree)))
            choices[-1].take(tree)

    if first is not None:
        yield first
        trees.start_from(first)
        take(first, new)
    next_round: list[Choice] = [new]  # a tree of each layout first
    while choices:
        for choice in next_round:
            for tree in _in_turn(choice, choices, trees):
                yield tree
                take(tree, choice)
                if choice is not new:
                    break
        next_round = choices.copy()


def _in_turn(choice: Choice, choices: list[Choice], trees: TreeOracle) -> Iterator[Tree]:
    """Yield trees of a choice until its turn is over; if it has no more, it is no longer one of the choices."""
    try:
        while (tree := choice.next()) is not None:
            yield tree
        choices.remove(choice)
    except TimeIsOver:
        trees.pace.clock.require_time()
