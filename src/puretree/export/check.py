"""No export leaves unchecked: what was written answers the training rows, and must answer them as the tree does.

A tree that is exact here and wrong where it is deployed is worth nothing. The formats that can be run are run on the
training rows, as raw values: rounding, gaps and escaping are all part of the test.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..binarize.predicate import columns_of
from ..errors import InputError, PuretreeError, shorten
from ..table import Column, Level, label_array, read_fitted_columns, read_labels
from ..tree import Tree

RawRow = dict[str, Level | None]


def require_pure(tree: Tree, X: Any, y: Any) -> None:
    """Refuse a tree that is wrong on the rows it is said to be right on."""
    predicted = tree.predict(X)
    labels = read_labels(y, len(predicted))
    wrong = np.flatnonzero(predicted != label_array(labels.classes)[labels.codes])
    if wrong.size:
        raise InputError(
            f"the tree does not answer y on {wrong.size} of the rows (rows {shorten(wrong.tolist())}); "
            "give the rows it was trained on, without those that on_conflict left out"
        )


def require_same_answers(tree: Tree, X: Any, answers: Iterable[Any], what: str) -> None:
    """Refuse an export that answers otherwise than the tree does."""
    expected = tree.predict(X).tolist()
    wrong = [row for row, pair in enumerate(zip(answers, expected, strict=True)) if pair[0] != pair[1]]
    if wrong:
        raise PuretreeError(
            f"the {what} export answers otherwise than the tree on {len(wrong)} rows "
            f"(rows {shorten(wrong)}): this is a bug, please report it"
        )


def raw_rows(tree: Tree, X: Any) -> list[RawRow]:
    """Return the rows as dictionaries of raw values, of the columns that the tree asks about."""
    columns = asked_columns(tree)
    n_columns = tree.n_columns if tree.n_columns is not None else np.shape(X)[1]
    values, n_rows = read_fitted_columns(X, columns, n_columns)
    cells = [[column.decode(x) for x in known.tolist()] for column, known in zip(columns, values, strict=True)]
    names = [column.name for column in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)] or [{} for _ in range(n_rows)]


def asked_columns(tree: Tree) -> list[Column]:
    """Return the columns that a tree asks about, in the order of the table."""
    columns = columns_of([tree.predicate(feature) for feature in tree.features])
    return sorted(columns, key=lambda column: column.index)
