"""A raw table: named columns of floats.

A number is encoded as itself, a level of a category as its index in the list of levels, a missing value as NaN.
:mod:`puretree.table.reading` makes tables from pandas, polars, NumPy and lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._support.text import quantity
from ..errors import InputError, InputTypeError, near, shorten
from .column import UNSEEN, Column, Domain, Floats, Kind, Level


@dataclass(frozen=True)
class TableColumn:
    """One column: ``values`` are numbers, or indices into ``levels``; NaN where missing.

    Numbers in single precision are not converted as long as they are only compared; see :meth:`copied`.
    """

    name: str
    kind: Kind
    values: Floats
    levels: tuple[Level, ...] = ()

    @cached_property
    def _distinct(self) -> Floats:
        return np.unique(self.values)  # a single NaN comes last

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return bool(self._distinct.size and np.isnan(self._distinct[-1]))

    @property
    def observed(self) -> Floats:
        """The distinct values that occur, ascending."""
        return self._distinct[:-1] if self.has_missing else self._distinct

    @property
    def domain(self) -> Domain:
        """Whether all numbers are integers, or both 0 and 1 and nothing else; "real" for levels and without numbers."""
        numbers = self.observed
        if self.kind != "number" or not numbers.size or (numbers != np.floor(numbers)).any():
            return "real"
        return "binary" if numbers[0] == 0 and numbers[-1] == 1 else "integer"

    def copied(self) -> TableColumn:
        """Return a read-only copy in double precision that does not share memory with the caller's data."""
        values = np.array(self.values, dtype=np.float64)
        values.flags.writeable = False  # tables are used without further copies
        return replace(self, values=values)

    def as_category(self) -> TableColumn:
        """Return a column of numbers as a category whose levels are the numbers."""
        if self.kind != "number":
            return self
        observed, codes = np.unique(self.values, return_inverse=True)
        observed = observed[~np.isnan(observed)]
        levels = tuple(int(x) if x.is_integer() and abs(x) < 2**53 else x for x in observed.tolist())
        values = np.where(np.isnan(self.values), np.nan, codes)
        return TableColumn(self.name, "category", values, levels)

    def as_numbers(self) -> TableColumn:
        """Return a category whose levels are numbers or booleans as a column of numbers."""
        if self.kind == "number":
            return self
        numbers = np.array([*self.levels, np.nan], dtype=np.float64)
        return TableColumn(self.name, "number", numbers[self._codes()])

    def encoded_as(self, column: Column) -> Floats:
        """Return the values in the encoding of a fitted column; levels that it does not have become UNSEEN."""
        fitted_type, type_now = _value_type(column.levels), _value_type(self.levels)
        if type_now != fitted_type and "strings" in (type_now, fitted_type):
            if np.isnan(self.values).all():
                return self.values  # a column of missing values has no type
            raise InputTypeError(
                f"column {self.name!r} held {fitted_type} in training and holds {type_now} now; convert it first"
            )
        if column.kind == "number":
            return self.as_numbers().values
        if (fitted_type, type_now) == ("booleans", "numbers"):
            self._require_booleans()
        category = self.as_category()
        if category.levels == column.levels:
            return category.values
        code_of = {level: float(code) for code, level in enumerate(column.levels)}
        fitted_codes = np.array([*(code_of.get(level, UNSEEN) for level in category.levels), np.nan])
        return fitted_codes[category._codes()]

    def _require_booleans(self) -> None:
        """Raise InputError if a number is neither 0 nor 1: as an unseen level it would be predicted like False."""
        numbers = self.as_numbers().values
        rows = np.flatnonzero(~np.isnan(numbers) & (numbers != 0) & (numbers != 1))
        if rows.size:
            raise InputError(
                f"column {self.name!r} held booleans in training and holds {numbers[rows[0]]:g} now "
                f"(rows {shorten(rows.tolist())}); convert it to booleans first"
            )

    def _codes(self) -> NDArray[np.intp]:
        """Return the indices into ``levels``, one past the last for a missing value."""
        return np.where(np.isnan(self.values), len(self.levels), self.values).astype(np.intp)


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """Columns of equal length.

    Parameters
    ----------
    columns : tuple of TableColumn
    n_rows : int
    has_names : bool, default=True
        False if the names are generated (``x0``, ``x1``, ...).
    weights : ndarray of int64, optional
        The number of equal rows of the source that each row stands for; None: each row stands for itself.
    """

    columns: tuple[TableColumn, ...]
    n_rows: int
    has_names: bool = True
    weights: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"<Table: {quantity(self.n_rows, 'row')} × {quantity(len(self.columns), 'column')}>"

    def __iter__(self) -> Iterator[TableColumn]:
        return iter(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def total_weight(self) -> int:
        """The number of rows of the source: the sum of the weights."""
        return self.n_rows if self.weights is None else int(self.weights.sum())

    @property
    def row_weights(self) -> NDArray[np.int64]:
        """The weight of each row: 1 if the table has no weights."""
        return np.ones(self.n_rows, dtype=np.int64) if self.weights is None else self.weights

    def take(self, rows: NDArray[Any] | Sequence[int]) -> Table:
        """Return the table of some rows with their weights, selected by number or by mask."""
        columns = tuple(replace(column, values=column.values[rows]) for column in self.columns)
        weights = None if self.weights is None else self.weights[rows]
        return Table(columns, len(columns[0].values), self.has_names, weights)

    def joined(self, other: Table) -> Table:
        """Return the rows of this table, and after them those of another one with the same columns."""
        columns = tuple(
            replace(column, values=np.concatenate([column.values, more.values]))
            for column, more in zip(self.columns, other.columns, strict=True)
        )
        has_weights = self.weights is not None or other.weights is not None
        weights = np.append(self.row_weights, other.row_weights) if has_weights else None
        return Table(columns, self.n_rows + other.n_rows, self.has_names, weights)

    def repeated(self) -> Table:
        """Return the table without weights: each row as often as its weight says, copies next to each other."""
        if self.weights is None:
            return self
        return replace(self.take(np.repeat(np.arange(self.n_rows), self.weights)), weights=None)

    def ranges(self) -> dict[str, float]:
        """Return the range of each column of numbers, largest minus smallest value: the scale of a change in it."""
        numbers = [column for column in self.columns if column.kind == "number" and not np.isnan(column.values).all()]
        with np.errstate(over="ignore"):
            ranges = {column.name: np.nanmax(column.values) - np.nanmin(column.values) for column in numbers}
        return {name: float(min(size, np.finfo(np.float64).max)) for name, size in ranges.items()}

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, categories as their levels, as a data frame constructor takes them."""
        return {column.name: _raw_values(column) for column in self.columns}

    def require_finite(self) -> None:
        """Raise InputError if a column holds infinite numbers."""
        for column in self.columns:
            rows = np.flatnonzero(np.isinf(column.values))
            if rows.size:
                raise InputError(
                    f"column {column.name!r} holds infinite values (rows {shorten(rows.tolist())}); "
                    "replace them with a finite number, or with NaN to make them missing"
                )


def _value_type(levels: tuple[Level, ...]) -> str:
    if any(isinstance(level, str) for level in levels):
        return "strings"
    return "booleans" if levels == (False, True) and isinstance(levels[0], bool) else "numbers"


def _raw_values(column: TableColumn) -> NDArray[Any]:
    if column.kind == "number":
        return column.values
    raw: NDArray[Any] = np.array([*column.levels, None], dtype=object)[column._codes()]
    return raw


def column_indices(option: str, columns: Sequence[Any], names: Sequence[str]) -> list[int]:
    """Return the indices of the columns that an option lists by name or by index."""
    index_of: dict[Any, int] = {index: index for index in range(len(names))}
    index_of |= {name: index for index, name in enumerate(names)}
    index_of |= {int(name): index for index, name in enumerate(names) if name.isdecimal()}  # pandas' integer names
    unknown = [column for column in columns if isinstance(column, bool) or column not in index_of]
    if unknown:
        raise InputError(
            f"is not a column of the table{near(str(unknown[0]), names)}; it has {shorten(names, 10)}",
            parameter=option,
            value=unknown[0],
        )
    return [index_of[column] for column in columns]
