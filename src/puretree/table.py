"""A raw table as puretree holds it: named columns of floats.

Numbers stand for themselves, categories for their places in a list of levels, missing values are NaN. How tables get
here from pandas, polars, NumPy and lists is the business of :mod:`puretree.reading`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InputError, InputTypeError, shorten
from .predicate import UNSEEN, Column, Floats, Kind, Level


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column: ``values`` are numbers, or places in ``levels``; NaN where missing.

    Numbers given in single precision stay so while they are only compared; see :meth:`in_double`.
    """

    name: str
    kind: Kind
    values: Floats
    levels: tuple[Level, ...] = ()

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return bool(np.isnan(self.values).any())

    def observed(self) -> Floats:
        """Return the distinct values present, ascending."""
        values: Floats = np.unique(self.values)
        return values[~np.isnan(values)]

    def in_double(self) -> TableColumn:
        """Return the column in double precision: wherever something is computed from the values."""
        return replace(self, values=self.values.astype(np.float64, copy=False))

    def as_category(self) -> TableColumn:
        """Read numbers as names of categories."""
        if self.kind != "number":
            return self
        observed, places = np.unique(self.values, return_inverse=True)
        observed = observed[~np.isnan(observed)]
        levels = tuple(int(x) if x.is_integer() else x for x in observed.tolist())
        values = np.where(np.isnan(self.values), np.nan, places)
        return TableColumn(self.name, "category", values, levels)

    def as_known(self, column: Column) -> Floats:
        """Return the values as a fitted column numbers them; levels it does not know are UNSEEN."""
        if column.kind != "number" and self.kind == "number":
            return self.as_category().as_known(column)
        before, now = _contents(column.kind, column.levels), _contents(self.kind, self.levels)
        if now is not None and before != now:
            raise InputTypeError(
                f"column {self.name!r} held {before} in training and holds {now} now; convert it first"
            )
        if column.kind == "number" or self.levels == column.levels:
            return self.values
        place_of = {level: float(place) for place, level in enumerate(column.levels)}
        known = np.array([*(place_of.get(level, UNSEEN) for level in self.levels), np.nan])
        return known[np.where(np.isnan(self.values), len(self.levels), self.values).astype(np.intp)]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length; ``has_names`` tells whether the names were given or made up here."""

    columns: tuple[TableColumn, ...]
    n_rows: int
    has_names: bool = True

    def __len__(self) -> int:
        return self.n_rows

    def __iter__(self) -> Iterator[TableColumn]:
        return iter(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(column.name for column in self.columns)

    def take(self, rows: NDArray[Any] | Sequence[int]) -> Table:
        """Return the table of some rows, by number or by mask."""
        columns = tuple(replace(column, values=column.values[rows]) for column in self.columns)
        return Table(columns, len(columns[0].values), self.has_names)

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, categories as their levels: what a data frame is made from."""
        return {column.name: _raw_values(column) for column in self.columns}

    def require_finite(self) -> None:
        """Refuse infinite numbers, with the column and the rows."""
        for column in self.columns:
            rows = np.flatnonzero(np.isinf(column.values))
            if rows.size:
                raise InputError(
                    f"column {column.name!r} holds infinite values (rows {shorten(rows.tolist())}); "
                    "replace them by a number, or by NaN to make them missing"
                )


def _contents(kind: Kind, levels: tuple[Level, ...]) -> str | None:
    """Say what a column holds; None for a category of which nothing was seen."""
    if kind != "number" and not levels:
        return None
    return "strings" if any(isinstance(level, str) for level in levels) else "numbers"


def _raw_values(column: TableColumn) -> NDArray[Any]:
    if column.kind == "number":
        return column.values
    levels = np.array([*column.levels, None], dtype=object)
    places = np.where(np.isnan(column.values), len(column.levels), column.values)
    raw: NDArray[Any] = levels[places.astype(np.intp)]
    return raw
