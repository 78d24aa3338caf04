"""The features of a table, column by column: lists of regions that are made when they are looked up.

A column of a million different numbers has a million thresholds, of which a tree tests a few. So the regions of a
column of thresholds or of levels are not stored. They also have codes: every value of the column is an integer, and a
feature is a comparison of that integer. Engines for large tables work on codes and make no matrix of features.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ..table import Column, Floats
from .cuts import cuts_between
from .predicate import Predicate
from .region import Region


@dataclass(frozen=True, slots=True, eq=False)
class ColumnCodes:
    """The values of a column as integers from 0 on.

    Parameters
    ----------
    values : ndarray of int32
        The code of each row.
    is_ordered : bool
        Whether feature t of the column is "code ≤ t", otherwise "code = t".
    complement : int
        The one feature whose complement is "code ≤ t"; -1 if there is none.
    """

    values: NDArray[np.int32]
    is_ordered: bool
    complement: int = -1


class ColumnFeatures(Sequence[Region]):
    """The regions of the features of a column, made on demand, and the codes that replace them."""

    @abstractmethod
    def codes(self, values: Floats) -> ColumnCodes:
        """Return the codes of the training values."""

    @overload
    def __getitem__(self, index: int) -> Region: ...

    @overload
    def __getitem__(self, index: slice) -> list[Region]: ...

    def __getitem__(self, index: int | slice) -> Region | list[Region]:
        if isinstance(index, slice):
            return [self._region(i) for i in range(len(self))[index]]
        return self._region(range(len(self))[index])

    @abstractmethod
    def _region(self, index: int) -> Region: ...

    def select(self, indices: NDArray[np.int64]) -> list[Region]:
        """Return some of the regions."""
        return [self._region(index) for index in indices.tolist()]


class Thresholds(ColumnFeatures):
    """The features of ordered values: one for each cut, and one for missing values.

    Parameters
    ----------
    low, high : ndarray of float64
        The neighbouring values that each cut separates, ascending.
    form : {"at most", "above", "levels"}
        The region of a cut: all numbers up to it, all numbers above it (for a single cut without missing values), or
        the levels up to ``low``, without unseen ones.
    are_integers : bool
        Whether all numbers are integers, and so the cuts.
    with_missing : bool
        Whether the last feature is "is missing".
    """

    def __init__(
        self,
        low: Floats,
        high: Floats,
        form: Literal["at most", "above", "levels"],
        *,
        are_integers: bool,
        with_missing: bool,
    ) -> None:
        self.low = low
        self.high = high
        self.form = form
        self.are_integers = are_integers
        self.with_missing = with_missing

    def __len__(self) -> int:
        return len(self.low) + self.with_missing

    def _cuts(self, which: slice | NDArray[np.int64]) -> Floats:
        # Rounding all cuts of a column takes longer than the rest of its binarisation; a tree tests few.
        return cuts_between(self.low[which], self.high[which], are_integers=self.are_integers)

    def _region(self, index: int) -> Region:
        if index == len(self.low):
            return Region.missing()
        if self.form == "levels":
            return Region((0.0, float(self.low[index]) + 1))
        cut = float(self._cuts(slice(index, index + 1))[0])
        return Region.above(cut) if self.form == "above" else Region.at_most(cut)

    def __iter__(self) -> Iterator[Region]:
        return iter(self.select(np.arange(len(self))))

    def select(self, indices: NDArray[np.int64]) -> list[Region]:
        """Return some of the regions, in ascending order; faster than one by one."""
        if self.form != "at most":
            return super().select(indices)
        is_cut = indices < len(self.low)
        return Region.at_most_each(self._cuts(indices[is_cut])) + [Region.missing()] * int((~is_cut).sum())

    def codes(self, values: Floats) -> ColumnCodes:
        """Return for each value the number of cuts below it; missing values come after all others."""
        codes = _positions(self.low, values)
        if self.form == "above":
            return ColumnCodes(1 - codes, is_ordered=True)
        if self.with_missing:
            codes[np.isnan(values)] = len(self.low) + 1
        return ColumnCodes(codes, is_ordered=True, complement=len(self.low) if self.with_missing else -1)


def _positions(bounds: NDArray[Any], values: Floats) -> NDArray[np.int32]:
    """Return for each value the number of bounds below it; NaN comes after all numbers."""
    # Searching for the distinct values, in order, takes a fraction of the time for all values.
    distinct, index = np.unique(values, return_inverse=True)
    return np.searchsorted(bounds, distinct, side="left").astype(np.int32)[index]


class Levels(ColumnFeatures):
    """The features of levels without order: one for each level, and one for missing values; of two only the second.

    Parameters
    ----------
    levels : ndarray of intp
        The codes of the levels that occur, ascending.
    with_missing : bool
        Whether missing values occur.
    """

    def __init__(self, levels: NDArray[np.intp], *, with_missing: bool) -> None:
        self.levels = levels
        self.with_missing = with_missing

    @property
    def _n_values(self) -> int:
        return len(self.levels) + self.with_missing

    def __len__(self) -> int:
        return self._n_values if self._n_values > 2 else max(0, self._n_values - 1)

    def _region(self, index: int) -> Region:
        value = index if self._n_values > 2 else index + 1
        if value == len(self.levels):
            return Region.missing()
        level = float(self.levels[value])
        return Region((level, level + 1))

    def codes(self, values: Floats) -> ColumnCodes:
        """Return the position of each value among those that occur; of two values the second has code 0."""
        codes = _positions(self.levels, values)
        if self._n_values == 2:
            return ColumnCodes(1 - codes, is_ordered=True)
        return ColumnCodes(codes, is_ordered=False)


class Features(Sequence[Predicate]):
    """The predicates of a binariser, in the order of its output.

    Parameters
    ----------
    columns : sequence of Column
        The fitted columns.
    regions : sequence of sequences of Region
        The regions of each column.
    """

    def __init__(self, columns: Sequence[Column], regions: Sequence[Sequence[Region]]) -> None:
        self.columns = tuple(columns)
        self.regions = tuple(regions)
        self.starts = np.cumsum([0, *map(len, regions)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    @overload
    def __getitem__(self, index: int) -> Predicate: ...

    @overload
    def __getitem__(self, index: slice) -> list[Predicate]: ...

    def __getitem__(self, index: int | slice) -> Predicate | list[Predicate]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        index = range(len(self))[index]
        column = int(np.searchsorted(self.starts, index, side="right")) - 1
        return Predicate(self.columns[column], self.regions[column][index - int(self.starts[column])])

    def __iter__(self) -> Iterator[Predicate]:
        for column, regions in zip(self.columns, self.regions, strict=True):
            for region in regions:
                yield Predicate(column, region)

    def select(self, indices: Sequence[int]) -> dict[int, Predicate]:
        """Return some of the predicates by their numbers, which are ascending; faster than one by one."""
        selected: dict[int, Predicate] = {}
        numbers = np.asarray(indices, dtype=np.int64)
        columns = np.searchsorted(self.starts, numbers, side="right") - 1
        for column in np.unique(columns).tolist():
            of_column = numbers[columns == column]
            regions, first = self.regions[column], int(self.starts[column])
            chosen = (
                regions.select(of_column - first)
                if isinstance(regions, ColumnFeatures)
                else [regions[index - first] for index in of_column.tolist()]
            )
            predicates = (Predicate(self.columns[column], region) for region in chosen)
            selected |= zip(of_column.tolist(), predicates, strict=True)
        return selected

    @cached_property
    def column_of_feature(self) -> NDArray[np.intp]:
        """The index of the column of each feature."""
        return np.repeat(np.arange(len(self.columns)), np.diff(self.starts))
