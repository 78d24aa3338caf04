"""Read rows to predict from a CSV file, with the column kinds of the training table.

The kind of a column is never guessed from the new rows: among ten of them, a column of codes may happen to hold only
digits and would be read as numbers, while in training it was categorical.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..errors import InputError, near
from ..table import Column, Level, Table, read_columns
from .csv_file import CsvFile, parse_numbers

BOOLEANS: dict[str, Level | None] = {"": None, "true": True, "1": True, "false": False, "0": False}


def read_rows(path: str | os.PathLike[str], columns: Sequence[Column]) -> Table:
    """Read the columns that a tree tests; other columns are ignored.

    Parameters
    ----------
    path : path
        A CSV file with a header line.
    columns : sequence of Column
        The columns as in training.

    Returns
    -------
    Table
    """
    file = CsvFile.read(path)
    missing = [column.name for column in columns if column.name not in file.header]
    if missing:
        raise InputError(
            f"{file.path} has no column {missing[0]!r}, which the tree tests{near(missing[0], file.header)}; add it, "
            "or rename the column"
        )
    if not columns:
        return Table((), len(file.rows))
    return read_columns({column.name: _read_column(file, column) for column in columns})


def read_cell(column: Column, text: str) -> Level | None:
    """Read one value of a column; empty text is a missing value, and an invalid value raises ValueError.

    >>> read_cell(Column("code", 0, "category", ("007", "12")), "12"), read_cell(Column("age", 0, "number"), "12")
    ('12', 12.0)
    """
    if not text:
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
    for line, cell in zip(file.lines, file.cells(column.name), strict=True):
        try:
            values.append(read_cell(column, cell))
        except ValueError as error:
            raise InputError(
                f"{file.path}, line {line}, column {column.name!r}: {error}, unlike in training; correct it, or "
                "leave the cell empty for a missing value"
            ) from None
    return values
