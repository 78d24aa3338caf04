"""A raw table as puretree holds it: named columns of floats.

Numbers stand for themselves, categories for their places in a list of levels, missing values are NaN. How tables get
here from pandas, polars, NumPy and lists is the business of :mod:`puretree.table.reading`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError, near, shorten
from .column import UNSEEN, Column, Floats, Kind, Level


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column: ``values`` are numbers, or places in ``levels``; NaN where missing.

    Numbers given in single precision stay so while they are only compared; see :meth:`copied`.
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

    def copied(self) -> TableColumn:
        """Return the column with values of its own in double precision, whatever becomes of the caller's."""
        return replace(self, values=np.array(self.values, dtype=np.float64))

    def as_category(self) -> TableColumn:
        """Read numbers as names of categories."""
        if self.kind != "number":
            return self
        observed, places = np.unique(self.values, return_inverse=True)
        observed = observed[~np.isnan(observed)]
        levels = tuple(int(x) if x.is_integer() and abs(x) < 2**53 else x for x in observed.tolist())
        values = np.where(np.isnan(self.values), np.nan, places)
        return TableColumn(self.name, "category", values, levels)

    def as_numbers(self) -> TableColumn:
        """Read categories that are numbers, or booleans, as numbers."""
        if self.kind == "number":
            return self
        numbers = np.array([*self.levels, np.nan], dtype=np.float64)
        return TableColumn(self.name, "number", numbers[self._places()])

    def as_known(self, column: Column) -> Floats:
        """Return the values as a fitted column numbers them; levels it does not know are UNSEEN."""
        held, holds = _contents(column.levels), _contents(self.levels)
        if holds != held and "strings" in (holds, held):
            if np.isnan(self.values).all():
                return self.values  # nothing but gaps fits any kind
            raise InputTypeError(
                f"column {self.name!r} held {held} in training and holds {holds} now; convert it first"
            )
        if column.kind == "number":
            return self.as_numbers().values
        given = self.as_category()
        if given.levels == column.levels:
            return given.values
        place_of = {level: float(place) for place, level in enumerate(column.levels)}
        known = np.array([*(place_of.get(level, UNSEEN) for level in given.levels), np.nan])
        return known[given._places()]

    def _places(self) -> NDArray[np.intp]:
        """Return the places of levels, the one after the last for a missing value."""
        return np.where(np.isnan(self.values), len(self.levels), self.values).astype(np.intp)


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """Columns of equal length; ``has_names`` tells whether the names were given or made up here."""

    columns: tuple[TableColumn, ...]
    n_rows: int
    has_names: bool = True

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"<Table: {self.n_rows} rows × {len(self.columns)} columns>"

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

    def ranges(self) -> dict[str, float]:
        """Return how far the numbers of each column reach: what a change of one can be measured by."""
        numbers = [column for column in self.columns if column.kind == "number" and not np.isnan(column.values).all()]
        return {column.name: float(np.nanmax(column.values) - np.nanmin(column.values)) for column in numbers}

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


def _contents(levels: tuple[Level, ...]) -> str:
    if any(isinstance(level, str) for level in levels):
        return "strings"
    return "booleans" if levels == (False, True) and isinstance(levels[0], bool) else "numbers"


def _raw_values(column: TableColumn) -> NDArray[Any]:
    if column.kind == "number":
        return column.values
    raw: NDArray[Any] = np.array([*column.levels, None], dtype=object)[column._places()]
    return raw


def column_places(option: str, chosen: Sequence[Any], names: Sequence[str]) -> list[int]:
    """Return the places of columns that an option names or numbers."""
    place_of: dict[Any, int] = {place: place for place in range(len(names))}
    place_of |= {name: place for place, name in enumerate(names)}
    place_of |= {int(name): place for place, name in enumerate(names) if name.isdecimal()}  # a frame's own numbers
    unknown = [item for item in chosen if isinstance(item, bool) or item not in place_of]
    if unknown:
        told = f"{shorten(map(repr, unknown))}, which the table does not have{near(str(unknown[0]), names)}"
        raise InputError(f"{option} names {told}; it has {shorten(names, 10)}")
    return [place_of[item] for item in chosen]
