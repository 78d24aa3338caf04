"""The nodes of a tree with the text that drawings and tables show for them.

All drawings, and the list of records, describe a node in the same words: its split or its label, and the branch of the
parent that leads to it. :func:`node_views` computes these once for all of them.
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
    """A node as it is shown.

    Parameters
    ----------
    node : int
        Its number in the tree.
    parent : int or None
        The number of its parent; None at the root.
    depth : int
        The number of splits above it.
    branch : str
        The branch of the parent that leads to it: "yes", "no" or "no or missing"; "" at the root.
    split : str or None
        Its split, such as "petal width ≤ 0.8?"; None at a leaf.
    short_split : str or None
        The split with long names shortened, for a drawing.
    code : int
        The class of a leaf, as an index into the tree's classes; -1 at an inner node.
    label : str, int, float, bool or None
        The label of a leaf; None at an inner node.
    n_rows : int or None
        The number of training rows that reach it; None if unknown.
    """

    node: int
    parent: int | None
    depth: int
    branch: str
    split: str | None
    short_split: str | None
    code: int
    label: Level | None
    n_rows: int | None

    @property
    def is_leaf(self) -> bool:
        """Whether the node is a leaf."""
        return self.split is None


def node_views(tree: Tree) -> list[NodeView]:
    """Return a view of every node, in the order of their numbers: parents before children."""
    views: list[NodeView] = []
    # By node: its parent, depth, branch and the conditions that hold there.
    context: list[tuple[int | None, int, str, Conditions]] = [(None, 0, "", {})] * tree.n_nodes
    for node in range(tree.n_nodes):
        parent, depth, branch, conditions = context[node]
        left, code = int(tree.left[node]), int(tree.label[node])
        n_rows = None if tree.counts is None else int(tree.counts[node].sum())
        split = short_split = None
        if left >= 0:
            test = tree.predicate(int(tree.feature[node]))
            split, short_split = f"{test}?", f"{_with_short_names(test)}?"
            if_no, if_yes = add_condition(conditions, ~test), add_condition(conditions, test)
            missing_goes_left = test.column.has_missing and if_no[test.column.index].region.holds_missing
            context[left] = (node, depth + 1, "no or missing" if missing_goes_left else "no", if_no)
            context[left + 1] = (node, depth + 1, "yes", if_yes)
        label = None if code < 0 else tree.classes[code]
        views.append(NodeView(node, parent, depth, branch, split, short_split, code, label, n_rows))
        context[node] = (None, 0, "", {})  # free the conditions: a deep tree has many
    return views


def _with_short_names(test: Predicate) -> Predicate:
    """Shorten the names in a predicate. For display only: different levels may become equal."""
    column = test.column
    levels = tuple(elide(level, 32) if isinstance(level, str) else level for level in column.levels)
    return replace(test, column=replace(column, name=elide(column.name, 30), levels=levels))


def to_records(tree: Tree) -> list[dict[str, Any]]:
    """Return one dictionary per node, ready for a data frame, a spreadsheet or a web page.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    list of dict
        Keys ``node``, ``parent`` (None at the root), ``depth``, ``answer`` (the branch of the parent that leads here),
        ``question`` (the split) and ``column`` (both None at leaves), ``label`` (None at inner nodes), ``rows`` and
        ``rows_by_class`` (None if the tree has no row counts).

    Examples
    --------
    >>> tree = Tree.from_nested((0, "a", "b"))
    >>> [(row["node"], row["answer"], row["question"], row["label"]) for row in to_records(tree)]
    [(0, '', 'feature 0 is 1?', None), (1, 'no', None, 'a'), (2, 'yes', None, 'b')]
    """
    return [
        {
            "node": view.node,
            "parent": view.parent,
            "depth": view.depth,
            "answer": view.branch,
            "question": view.split,
            "column": None if view.is_leaf else tree.predicate(int(tree.feature[view.node])).column.name,
            "label": view.label,
            "rows": view.n_rows,
            "rows_by_class": None if tree.counts is None else tree.counts[view.node].tolist(),
        }
        for view in node_views(tree)
    ]
