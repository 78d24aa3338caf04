"""Data sets that come with scikit-learn: there wherever puretree is."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from ..errors import InputError, near
from ..table import Column, Level, Table, read_columns
from .csv_file import CsvFile, parse_numbers
from .dataset import Dataset

BUNDLED: dict[str, Callable[[], Any]] = {
    "iris": load_iris,
    "wine": load_wine,
    "breast-cancer": load_breast_cancer,
}


def load_bundled(name: str) -> Dataset:
    """Load one of scikit-learn's small data sets, all columns numbers."""
    bunch = BUNDLED[name]()
    columns = zip(bunch.feature_names, bunch.data.T, strict=True)
    table = read_columns({str(column).removesuffix(" (cm)"): values for column, values in columns})
    return Dataset(name, table, bunch.target_names[bunch.target], source="scikit-learn")


# Rows to predict, from a CSV file: read as the training table was, not as they happen to look.
#
# Among ten new rows a column of codes may hold nothing but digits. Read on their own they would be numbers; the tree
# knows that they are names.

BOOLEANS: dict[str, Level | None] = {"": None, "true": True, "1": True, "false": False, "0": False}


def read_rows(path: str | os.PathLike[str], columns: Sequence[Column]) -> Table:
    """Read the columns that a tree asks about; others are passed over.

    Parameters
    ----------
    path : path
        A CSV file with a header line.
    columns : sequence of Column
        What training knew of them.

    Returns
    -------
    Table
    """
    file = CsvFile.read(path)
    lost = [column.name for column in columns if column.name not in file.header]
    if lost:
        raise InputError(
            f"{file.path} has no column {lost[0]!r}, which the tree asks about{near(lost[0], file.header)}; add it, or "
            "rename the one that is meant"
        )
    if not columns:
        return Table((), len(file.rows))
    return read_columns({column.name: _read(file, column) for column in columns})


def read_cell(column: Column, text: str) -> Level | None:
    """Read one value as training read its column; an empty text is a gap, and what does not fit a ValueError.

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


def _read(file: CsvFile, column: Column) -> list[Level | None]:
    values = []
    for line, cell in zip(file.lines, file.cells(column.name), strict=True):
        try:
            values.append(read_cell(column, cell))
        except ValueError as error:
            raise InputError(
                f"{file.path}, line {line}, column {column.name!r}: {error}, as it was in training; correct it, or "
                "leave it empty if it is not known"
            ) from None
    return values
