"""Checks of an export: what was written must predict the training rows exactly as the tree does.

A tree that is exact here and wrong where it is deployed is worthless. Every format that can be executed is executed on
the training rows, in the container and with the types that the user passed, so that rounding, missing values and
escaping are all tested. A table that was read first has only one kind of missing value, and would hide what other
programs make of pandas' NA.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from .._support.text import quantity
from ..binarize.predicate import columns_of
from ..errors import InputError, PuretreeError, shorten
from ..table import Column, Level, Table, as_frame, label_array, read_fitted_columns, read_labels
from ..tree import Tree

RawRow = dict[str, Level | None]


def require_pure(tree: Tree, X: Any, y: Any) -> None:
    """Raise InputError if the tree misclassifies any of the rows."""
    predicted = tree.predict(X)
    labels = read_labels(y, len(predicted))
    wrong = np.flatnonzero(predicted != label_array(labels.classes)[labels.codes])
    if wrong.size:
        raise InputError(
            f"the tree misclassifies {wrong.size} of the rows (rows {shorten(wrong.tolist())}); "
            "pass the rows it was trained on, without those that on_conflict excluded"
        )


def wrong_rows(tree: Tree, X: Any, predictions: Iterable[Any]) -> list[int]:
    """Return the rows for which an export predicts another label than the tree."""
    expected = tree.predict(X).tolist()
    return [row for row, pair in enumerate(zip(predictions, expected, strict=True)) if pair[0] != pair[1]]


def require_same_predictions(tree: Tree, X: Any, predictions: Iterable[Any], format: str) -> None:
    """Raise PuretreeError if an export predicts another label than the tree for any row."""
    wrong = wrong_rows(tree, X, predictions)
    if wrong:
        raise PuretreeError(
            f"the predictions of the {format} export differ from those of the tree on {quantity(len(wrong), 'row')} "
            f"(rows {shorten(wrong)}): this is a bug, please report it"
        )


def raw_rows(tree: Tree, X: Any) -> list[RawRow]:
    """Return the rows as dictionaries of raw values, restricted to the columns that the tree uses."""
    columns = used_columns(tree)
    n_columns = tree.n_columns if tree.n_columns is not None else np.shape(X)[1]
    values, n_rows = read_fitted_columns(X, columns, n_columns)
    cells = [[column.decode(x) for x in numbers.tolist()] for column, numbers in zip(columns, values, strict=True)]
    names = [column.name for column in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)] or [{} for _ in range(n_rows)]


def passed_rows(tree: Tree, X: Any) -> Sequence[Any]:
    """Return the rows with the values that the user passed: dictionaries by name, or sequences if X has no names.

    Intervals of pandas are replaced by their text, which other programs need.
    """
    X = as_frame(X)
    if not nw.dependencies.is_into_dataframe(X):
        return raw_rows(tree, X) if isinstance(X, Table) else list(X)
    frame = nw.from_native(X, eager_only=True)
    names, rows = list(map(str, frame.columns)), frame.rows()
    if any(type(value).__name__ == "Interval" for row in rows for value in row):
        return raw_rows(tree, X)
    has_names = all(column.name in names for column in used_columns(tree))
    return [dict(zip(names, row, strict=True)) for row in rows] if has_names else rows


def used_columns(tree: Tree) -> list[Column]:
    """Return the columns that a tree splits on, in the order of the table."""
    columns = columns_of([tree.predicate(feature) for feature in tree.features])
    return sorted(columns, key=lambda column: column.index)
