"""A tree told node by node: what is asked or answered there, and which answer led there.

Every drawing and every list of nodes says the same things in the same words, so they are put together once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..predicate import Level, Predicate
from ..tree import Tree
from ..wording import Conditions, narrowed
from .letters import elide


@dataclass(frozen=True, slots=True)
class ToldNode:
    """One node in words.

    Parameters
    ----------
    node : int
        Its number in the tree.
    parent : int or None
        The number of the node above it; None at the root.
    depth : int
        How many questions lead to it.
    answer : str
        The answer to the parent's question that leads here: "yes", "no" or "no or missing"; "" at the root.
    question : str or None
        What it asks; None at a leaf.
    brief : str or None
        The same with long names cut short, for a drawing.
    code : int
        The class of a leaf, as a place in the tree's classes; -1 at an inner node.
    label : str, int, float, bool or None
        The label of a leaf; None at an inner node.
    n_rows : int or None
        How many training rows reach it, where that is known.
    """

    node: int
    parent: int | None
    depth: int
    answer: str
    question: str | None
    brief: str | None
    code: int
    label: Level | None
    n_rows: int | None

    @property
    def is_leaf(self) -> bool:
        """Whether it answers rather than asks."""
        return self.question is None


def tell_nodes(tree: Tree) -> list[ToldNode]:
    """Tell every node of a tree, in the order of their numbers: parents before children."""
    told: list[ToldNode] = []
    above: list[tuple[int | None, int, str, Conditions]] = [(None, 0, "", {})] * tree.n_nodes
    for node in range(tree.n_nodes):
        parent, depth, answer, conditions = above[node]
        left, code = int(tree.left[node]), int(tree.label[node])
        n_rows = None if tree.counts is None else int(tree.counts[node].sum())
        question = brief = None
        if left >= 0:
            test = tree.predicate(int(tree.feature[node]))
            question, brief = f"{test}?", f"{_with_short_names(test)}?"
            if_no, if_yes = narrowed(conditions, ~test), narrowed(conditions, test)
            gaps_go_on = test.column.has_missing and if_no[test.column.index].region.holds_missing
            above[left] = (node, depth + 1, "no or missing" if gaps_go_on else "no", if_no)
            above[left + 1] = (node, depth + 1, "yes", if_yes)
        label = None if code < 0 else tree.classes[code]
        told.append(ToldNode(node, parent, depth, answer, question, brief, code, label, n_rows))
        above[node] = (None, 0, "", {})  # the conditions of a deep tree are many: let them go
    return told


def _with_short_names(test: Predicate) -> Predicate:
    """Return a question in fewer letters: only to be read, since levels may have become equal."""
    column = test.column
    levels = tuple(elide(level, 32) if isinstance(level, str) else level for level in column.levels)
    return replace(test, column=replace(column, name=elide(column.name, 30), levels=levels))
