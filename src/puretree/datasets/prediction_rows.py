"""Read rows to predict from a file, with the column kinds of the training table.

The kind of a column is never guessed from the new rows: among ten of them, a column of codes may happen to hold only
digits and would be read as numbers, while in training it was categorical. Parquet and Arrow files have typed columns.
Rows are not merged: each gets its prediction.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError, MissingValuesWarning, near, warn
from ..table import Column, Level, Table, is_missing, read_columns, read_table
from .arrow_file import arrow_columns, read_arrow_columns
from .csv_file import MISSING_VALUES, CsvFile, describe_missing, parse_numbers
from .formats import format_of

BOOLEANS: dict[str, Level | None] = {"": None, "true": True, "1": True, "false": False, "0": False}


def read_rows(
    path: str | os.PathLike[str], columns: Sequence[Column], missing_values: Collection[str] | None = None
) -> Table:
    """Read the columns that a tree tests; other columns are ignored.

    Parameters
    ----------
    path : path
        A CSV file with a header line, a Parquet file or an Arrow file, as for :func:`~puretree.datasets.read_file`.
    columns : sequence of Column
        The columns as in training.
    missing_values : collection of str, optional
        The texts of missing values, besides empty cells, as in training. By default the usual ones, with a warning
        that names them. A level of the column is not missing.

    Returns
    -------
    Table
    """
    if format_of(path) not in ("csv", None):
        return _read_typed_rows(Path(path), columns)
    file = CsvFile.read(path, MISSING_VALUES if missing_values is None else missing_values)
    _require_columns(file.path, file.header, columns)
    if not columns:
        return Table((), len(file.rows))
    table = read_columns({column.name: _read_column(file, column) for column in columns})
    levels = {column.name: column.levels for column in columns}
    if missing_values is None and (found := describe_missing(map(file.column, levels), levels)):
        warn(MissingValuesWarning(found))
    return table


def _require_columns(path: Path, header: Sequence[str], columns: Sequence[Column]) -> None:
    missing = [column.name for column in columns if column.name not in header]
    if missing:
        raise InputError(
            f"{path} has no column {missing[0]!r}, which the tree tests{near(missing[0], header)}; add it, "
            "or rename the column"
        )


def _read_typed_rows(path: Path, columns: Sequence[Column]) -> Table:
    names = arrow_columns(path)
    _require_columns(path, names, columns)
    # Without columns, a tree of one leaf predicts all rows alike: any column says how many there are.
    rows = read_arrow_columns(path, [column.name for column in columns] or names[:1])
    if not rows.num_rows:
        raise InputError(f"{path} has no rows; it needs at least one")
    if not columns:
        return Table((), rows.num_rows)
    try:
        return read_table(rows)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def read_typed_labels(path: Path, target: str, classes: Collection[Level]) -> list[Level]:
    """Read the labels of a Parquet or Arrow file, as the classes of a tree that they denote.

    Parameters
    ----------
    path : Path
    target : str
        The column.
    classes : collection of str, int, float or bool
        The classes of the tree; the text of a class denotes it, and so does an integer if the classes are text.
    """
    cells = read_arrow_columns(path, [target]).column(0).to_pylist()
    row = next((row for row, cell in enumerate(cells) if is_missing(cell)), None)
    if row is not None:
        raise InputError(f"{path}, row {row}: no label in column {target!r}; remove the row, or add its label")
    known: dict[Any, Level] = {str(label): label for label in classes} | {label: label for label in classes}
    return [known.get(cell, known.get(str(cell), cell)) for cell in cells]


def read_cell(column: Column, text: str, missing_values: Collection[str] | None = None) -> Level | None:
    """Read one value of a column; empty text is a missing value, and an invalid value raises ValueError.

    >>> read_cell(Column("code", 0, "category", ("007", "12")), "12"), read_cell(Column("age", 0, "number"), "12")
    ('12', 12.0)
    """
    missing = MISSING_VALUES if missing_values is None else missing_values
    if not text or (text in missing and text not in column.levels):
        return None
    if column.levels and all(isinstance(level, bool) for level in column.levels):
        if text.lower() not in BOOLEANS:
            raise ValueError(f"{text!r} is neither true nor false")
        return BOOLEANS[text.lower()]
    if any(isinstance(level, str) for level in column.levels):
        return text
    try:
        return float(parse_numbers([text])[0])
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None


def _read_column(file: CsvFile, column: Column) -> list[Level | None]:
    values = []
    for line, text in zip(file.lines, file.column(column.name).texts, strict=True):
        try:
            values.append(read_cell(column, text, file.missing_values))
        except ValueError as error:
            raise InputError(
                f"{file.path}, line {line}, column {column.name!r}: {error}, unlike in training; correct it, or "
                "leave the cell empty for a missing value"
            ) from None
    return values
