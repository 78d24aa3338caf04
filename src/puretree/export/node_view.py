"""A tree told node by node: what is asked or answered there, and which answer led there.

Every drawing and every list of nodes says the same things in the same words, so they are put together once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..binarize.predicate import Predicate
from ..table import Level
from ..tree import Conditions, Tree, add_condition
from .appearance import elide


@dataclass(frozen=True, slots=True)
class NodeView:
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


def node_views(tree: Tree) -> list[NodeView]:
    """Tell every node of a tree, in the order of their numbers: parents before children."""
    told: list[NodeView] = []
    above: list[tuple[int | None, int, str, Conditions]] = [(None, 0, "", {})] * tree.n_nodes
    for node in range(tree.n_nodes):
        parent, depth, answer, conditions = above[node]
        left, code = int(tree.left[node]), int(tree.label[node])
        n_rows = None if tree.counts is None else int(tree.counts[node].sum())
        question = brief = None
        if left >= 0:
            test = tree.predicate(int(tree.feature[node]))
            question, brief = f"{test}?", f"{_with_short_names(test)}?"
            if_no, if_yes = add_condition(conditions, ~test), add_condition(conditions, test)
            gaps_go_on = test.column.has_missing and if_no[test.column.index].region.holds_missing
            above[left] = (node, depth + 1, "no or missing" if gaps_go_on else "no", if_no)
            above[left + 1] = (node, depth + 1, "yes", if_yes)
        label = None if code < 0 else tree.classes[code]
        told.append(NodeView(node, parent, depth, answer, question, brief, code, label, n_rows))
        above[node] = (None, 0, "", {})  # the conditions of a deep tree are many: let them go
    return told


def _with_short_names(test: Predicate) -> Predicate:
    """Return a question in fewer letters: only to be read, since levels may have become equal."""
    column = test.column
    levels = tuple(elide(level, 32) if isinstance(level, str) else level for level in column.levels)
    return replace(test, column=replace(column, name=elide(column.name, 30), levels=levels))


# A tree as a list of plain dictionaries, one per node: what any data frame, spreadsheet or web page takes.


def to_records(tree: Tree) -> list[dict[str, Any]]:
    """Return one dictionary per node.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    list of dict
        Keys ``node``, ``parent`` (None at the root), ``depth``, ``answer`` (to the parent's question), ``question``
        and ``column`` (None at leaves), ``label`` (None at inner nodes), ``rows`` and ``rows_by_class`` (None where
        no rows were counted).

    Examples
    --------
    >>> tree = Tree.from_nested((0, "a", "b"))
    >>> [(row["node"], row["answer"], row["question"], row["label"]) for row in to_records(tree)]
    [(0, '', 'feature 0 is 1?', None), (1, 'no', None, 'a'), (2, 'yes', None, 'b')]
    """
    return [
        {
            "node": told.node,
            "parent": told.parent,
            "depth": told.depth,
            "answer": told.answer,
            "question": told.question,
            "column": None if told.is_leaf else tree.predicate(int(tree.feature[told.node])).column.name,
            "label": told.label,
            "rows": told.n_rows,
            "rows_by_class": None if tree.counts is None else tree.counts[told.node].tolist(),
        }
        for told in node_views(tree)
    ]
