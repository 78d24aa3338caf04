"""One row, in any of the forms people hold one: a list, a dictionary, a row of pandas, a table of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ..errors import InputError
from ..predicate import Column, Level, is_missing, plain_level
from ..reading import read_columns, read_known
from ..tree import Tree

Given = dict[str, Any] | list[Any]


def one_row(row: Any) -> Given:
    """Return the values of one row, by name if it has names."""
    if nw.dependencies.is_into_dataframe(row):
        frame = nw.from_native(row, eager_only=True)
        if len(frame) != 1:
            raise InputError(f"explain takes one row, got a table of {len(frame)}; pick one, for example X.iloc[[0]]")
        return dict(zip(map(str, frame.columns), frame.row(0), strict=True))
    if isinstance(row, Mapping) or (hasattr(row, "items") and hasattr(row, "index")):  # a row of pandas
        return {str(name): value for name, value in row.items()}
    if isinstance(row, str | bytes) or not hasattr(row, "__len__"):
        raise InputError(f"a row is a list of values or a dictionary by column name, not {type(row).__name__}")
    cells = list(row)
    if len(cells) == 1 and isinstance(cells[0], Sequence | np.ndarray) and not isinstance(cells[0], str):
        cells = list(cells[0])
    if any(isinstance(cell, list | tuple | np.ndarray) for cell in cells):
        raise InputError(f"explain takes one row, got {len(cells)}; pick one, for example X[0]")
    return cells


def places_of(given: Given, columns: list[Column], tree: Tree) -> dict[int, float]:
    """Return the numbers that stand for the values of the columns asked about."""
    if not columns:
        return {}
    n_columns = tree.n_columns if tree.n_columns is not None else len(given)
    if isinstance(given, list) and len(given) != n_columns:
        raise InputError(
            f"the row has {len(given)} values, but the tree was made for {n_columns} columns; "
            "give one value per column, None where missing, or a dictionary by column name"
        )
    if isinstance(given, list):
        values, _ = read_known([given], columns, n_columns)
    else:
        asked = {column.name for column in columns}
        known = {name: value for name, value in given.items() if name in asked} if asked <= given.keys() else given
        values, _ = read_known(read_columns({name: [value] for name, value in known.items()}), columns, n_columns)
    return {column.index: float(known[0]) for column, known in zip(columns, values, strict=True)}


def raw_value(given: Given, column: Column) -> Level | None:
    """Return the value of a column as it was given, as a plain level; None if it is missing."""
    value = given[column.index] if isinstance(given, list) else given.get(column.name)
    if is_missing(value):
        return None
    plain = plain_level(value)
    return plain if plain is not None else str(value)
