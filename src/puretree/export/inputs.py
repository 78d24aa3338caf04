"""The columns of a raw table as the numeric features that a scikit-learn tree takes.

Numbers, booleans and categories that are numbers are passed as they are. Text is encoded by scikit-learn: a column
whose splits test single levels only ("is red") becomes one 0/1 feature per tested level, so each predicate stays one
split; any other text column becomes the index in its list of levels. A missing text may be None or NaN and unseen
levels have a code of their own, so both take the same branches as in the original tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..binarize.predicate import Predicate
from ..binarize.region import Region
from ..errors import InputError
from ..table import UNSEEN, Column, Floats, TableColumn
from .splits import Split, Splits, ValueRange, region_splits


@dataclass(frozen=True, slots=True)
class NumberInput:
    """A column that is passed to the tree as it is.

    Parameters
    ----------
    column : Column
        The fitted column.
    feature : int
        Its index among the input features of the tree.
    values : ndarray of float64
        The training values, as numbers.
    """

    column: Column
    feature: int
    values: Floats

    def initial_ranges(self) -> dict[int, ValueRange]:
        """Return the possible values at the root: all of them."""
        return {self.feature: ValueRange()}

    def splits(self, test: Predicate, rows: Any) -> Splits:
        """Return a predicate as splits that are exact for these training rows in single precision."""
        region = test.region if self.column.kind == "number" else region_of_numeric_levels(self.column, test.region)
        return region_splits(self.feature, region, [self._threshold(edge, rows) for edge in region.edges])

    def _threshold(self, edge: float, rows: Any) -> float:
        """Return a threshold close to the edge that separates the same training values in single precision.

        It separates the values of all training rows if that is possible, else those of the rows that reach the node.
        """
        for values in (self.values, self.values[rows]):
            below, above = values[values < edge], values[values >= edge]
            low = float(np.float32(below.max())) if below.size else -math.inf
            high = float(np.float32(above.min())) if above.size else math.inf
            if low < high:
                return max(low, min(math.nextafter(edge, -math.inf), math.nextafter(high, -math.inf)))
        raise InputError(
            f"column {self.column.name!r}: {float(below.max())!r} and {float(above.min())!r} are equal in single "
            "precision, which scikit-learn uses for comparisons; subtract a constant from the column before fitting, "
            "or choose a format with double precision: json, python or sql"
        )


@dataclass(frozen=True, slots=True)
class OrdinalInput:
    """A text column that is passed to the tree as indices in its list of levels; None has the index after the last."""

    column: Column
    feature: int

    def initial_ranges(self) -> dict[int, ValueRange]:
        """Return the possible values at the root: indices from -1 to the number of levels."""
        return {self.feature: ValueRange(UNSEEN - 0.5, len(self.column.levels) + 0.5)}

    def splits(self, test: Predicate, rows: Any) -> Splits:
        """Return a predicate as splits between indices."""
        n_levels = len(self.column.levels)
        is_inside = [test.region.contains(float(index)) for index in range(int(UNSEEN), n_levels)]
        cuts = np.arange(n_levels + 1.0)
        region = Region.from_cells(
            cuts, np.array([*is_inside, test.region.holds_missing]), holds_missing=test.region.holds_missing
        )
        return region_splits(self.feature, region, [edge - 0.5 for edge in region.edges])


@dataclass(frozen=True, slots=True)
class OneHotInput:
    """A text column that is passed to the tree as one 0/1 feature per tested level.

    Parameters
    ----------
    column : Column
        The fitted column.
    feature : int
        The index of the first of its 0/1 features.
    levels : tuple
        The tested levels. Missing values count as two, None and NaN.
    """

    column: Column
    feature: int
    levels: tuple[Any, ...]

    def initial_ranges(self) -> dict[int, ValueRange]:
        """Return the possible values at the root: 0 or 1, never missing."""
        return {self.feature + i: ValueRange(-0.5, 1.5, may_be_missing=False) for i in range(len(self.levels))}

    def splits(self, test: Predicate, rows: Any) -> Splits:
        """Return a predicate as one split per level."""
        holds_unseen = test.region.contains(UNSEEN)
        splits: Splits = holds_unseen
        for level in exceptional_levels(test):
            splits = Split(self.feature + _index(self.levels, level), 0.5, False, splits, not holds_unseen)
        return splits


Input = NumberInput | OrdinalInput | OneHotInput


def is_text(column: Column | TableColumn) -> bool:
    """Whether a column's levels are text, which scikit-learn's trees do not accept."""
    return any(isinstance(level, str) for level in column.levels)


def exceptional_levels(test: Predicate) -> list[Any]:
    """Return the levels that take the other branch than unseen levels; None and NaN if missing values do."""
    column, region = test.column, test.region
    holds_unseen = region.contains(UNSEEN)
    levels: list[Any] = [level for i, level in enumerate(column.levels) if region.contains(float(i)) != holds_unseen]
    return levels + [None, math.nan] * (region.holds_missing != holds_unseen)


def all_single_levels(tests: list[Predicate]) -> bool:
    """Whether each predicate tests for a single level or for missing values."""
    return all(sum(level is not None for level in exceptional_levels(test)) <= 1 for test in tests)


def tested_levels(tests: list[Predicate]) -> tuple[Any, ...]:
    """Return the distinct levels that predicates test for; missing values come last, as scikit-learn requires."""
    levels = [level for test in tests for level in exceptional_levels(test)]
    texts = sorted({level for level in levels if isinstance(level, str)})
    return (*texts, None, math.nan) if None in levels else tuple(texts)


def region_of_numeric_levels(column: Column, region: Region) -> Region:
    """Translate a region over the indices of levels into one over the numbers that the levels are.

    Between integer levels the edge is half-way; otherwise a level is exactly its number.
    """
    holds_unseen = region.contains(UNSEEN)
    are_integers = all(float(level).is_integer() for level in column.levels)
    edges: set[float] = set()
    for index, level in enumerate(column.levels):
        if region.contains(float(index)) != holds_unseen:
            x = float(level)
            # An edge shared by two neighbours cancels out.
            edges ^= {x - 0.5, x + 0.5} if are_integers else {x, math.nextafter(x, math.inf)}
    return Region(tuple(sorted(edges)), holds_unseen, region.holds_missing)


def _index(levels: tuple[Any, ...], level: Any) -> int:
    is_nan = isinstance(level, float)
    return next(i for i, other in enumerate(levels) if (isinstance(other, float) if is_nan else other == level))
