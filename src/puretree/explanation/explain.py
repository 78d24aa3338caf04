"""From a tree and a row to an explanation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..predicate import Level, columns_of
from ..tree import Tree
from .explanation import Explanation, Step
from .flip import Places, is_unseen, nearest_flip
from .row import one_row, places_of, raw_value


def explain(tree: Tree, row: Any, ranges: Mapping[str, float] | None = None) -> Explanation:
    """Explain what a tree answers for one row.

    Parameters
    ----------
    tree : Tree
        The tree.
    row : list, 1-D array, dictionary, pandas row, or data frame or 2-D array of one row
        The values: all columns in order, or by name those that the tree asks about; None where missing.
    ranges : mapping of str to float, optional
        How far the numbers of each column reached in training, largest minus smallest, by name: what changes of numbers
        are measured by. Where it is not given, the sizes of the tree's thresholds and of the value stand in.

    Returns
    -------
    Explanation
        To print, or as JSON values by ``to_dict()``.
    """
    given = one_row(row)
    columns = columns_of([tree.predicate(feature) for feature in tree.features])
    places = places_of(given, columns, tree)
    raw = {column.index: raw_value(given, column) for column in columns}
    path, label = _walk(tree, places, raw)
    return Explanation(label, path, nearest_flip(tree, label, places, raw, ranges or {}))


def _walk(tree: Tree, places: Places, raw: dict[int, Level | None]) -> tuple[tuple[Step, ...], Level]:
    path: list[Step] = []
    node = 0
    while tree.left[node] >= 0:
        question = tree.predicate(int(tree.feature[node]))
        index = question.column.index
        answer = question.region.contains(places[index])
        path.append(Step(question, raw[index], answer, is_unseen(question.column, places[index])))
        node = int(tree.left[node]) + answer
    return tuple(path), tree.classes[int(tree.label[node])]
