"""A tree as a list of plain dictionaries, one per node: what any data frame, spreadsheet or web page takes."""

from __future__ import annotations

from typing import Any

from ..tree import Tree
from .told import tell_nodes


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
        for told in tell_nodes(tree)
    ]
