"""The columns of a raw table as the numbers that a scikit-learn tree takes.

Numbers, booleans and categories that are numbers go as they are. Text goes through scikit-learn's own encoders: a
column of which only single levels are asked ("is red") becomes one 0/1 column per asked level, so each question stays
one split; any other becomes its place in the list of levels. Gaps in text may be None or NaN, unseen levels have a
place of their own, and both get the tree's answers.
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
from .chains import Chain, Known, Split, chain


@dataclass(frozen=True, slots=True)
class NumberInput:
    """A column that goes to the tree as it is.

    Parameters
    ----------
    column : Column
        The fitted column.
    place : int
        Which column of the tree's input it is.
    values : ndarray of float64
        The training values, as numbers.
    """

    column: Column
    place: int
    values: Floats

    def at_first(self) -> dict[int, Known]:
        """Return what is known before anything is asked: nothing."""
        return {self.place: Known()}

    def chain(self, test: Predicate, rows: Any) -> Chain:
        """Return a question as splits that are right on the given training rows in single precision."""
        region = test.region if self.column.kind == "number" else numbers_of_levels(self.column, test.region)
        return chain(self.place, region, [self._threshold(edge, rows) for edge in region.edges])

    def _threshold(self, edge: float, rows: Any) -> float:
        """Return the number next to the edge that keeps training values on their sides, those of all rows if it can."""
        for values in (self.values, self.values[rows]):
            below, above = values[values < edge], values[values >= edge]
            low = float(np.float32(below.max())) if below.size else -math.inf
            high = float(np.float32(above.min())) if above.size else math.inf
            if low < high:
                return max(low, min(math.nextafter(edge, -math.inf), math.nextafter(high, -math.inf)))
        raise InputError(
            f"column {self.column.name!r}: {float(below.max())!r} and {float(above.min())!r} are one number in "
            "single precision, in which scikit-learn compares; subtract a constant from the column before fitting, "
            "or choose a format in double precision: json, python or sql"
        )


@dataclass(frozen=True, slots=True)
class PlaceInput:
    """A column of text that goes to the tree as places in its list of levels; None is the place after the last."""

    column: Column
    place: int

    def at_first(self) -> dict[int, Known]:
        """Return what is known before anything is asked: places are from -1 to the number of levels."""
        return {self.place: Known(UNSEEN - 0.5, len(self.column.levels) + 0.5)}

    def chain(self, test: Predicate, rows: Any) -> Chain:
        """Return a question as splits between places."""
        n_levels = len(self.column.levels)
        inside = [test.region.contains(float(place)) for place in range(int(UNSEEN), n_levels)]
        cuts = np.arange(n_levels + 1.0)
        places = Region.from_cells(
            cuts, np.array([*inside, test.region.holds_missing]), holds_missing=test.region.holds_missing
        )
        return chain(self.place, places, [edge - 0.5 for edge in places.edges])


@dataclass(frozen=True, slots=True)
class LevelInput:
    """A column of text that goes to the tree as one 0/1 column per asked level; gaps are two, None and NaN."""

    column: Column
    place: int  # of the first of its 0/1 columns
    asked: tuple[Any, ...]

    def at_first(self) -> dict[int, Known]:
        """Return what is known before anything is asked: 0 or 1, and never missing."""
        return {self.place + i: Known(-0.5, 1.5, may_be_missing=False) for i in range(len(self.asked))}

    def chain(self, test: Predicate, rows: Any) -> Chain:
        """Return a question as a split per level."""
        takes_unseen = test.region.contains(UNSEEN)
        rest: Chain = takes_unseen
        for item in single_levels(test):
            rest = Split(self.place + _index(self.asked, item), 0.5, False, rest, not takes_unseen)
        return rest


Input = NumberInput | PlaceInput | LevelInput


def is_text(column: Column | TableColumn) -> bool:
    """Whether a column's levels are text, which scikit-learn's trees do not take."""
    return any(isinstance(level, str) for level in column.levels)


def single_levels(test: Predicate) -> list[Any]:
    """Return the levels that are answered otherwise than unseen ones are; None and NaN if gaps are."""
    column, region = test.column, test.region
    takes_unseen = region.contains(UNSEEN)
    found: list[Any] = [level for i, level in enumerate(column.levels) if region.contains(float(i)) != takes_unseen]
    return found + [None, math.nan] * (region.holds_missing != takes_unseen)


def asks_single_levels(tests: list[Predicate]) -> bool:
    """Whether each of the questions is about one level, or about gaps."""
    return all(sum(item is not None for item in single_levels(test)) <= 1 for test in tests)


def asked_levels(tests: list[Predicate]) -> tuple[Any, ...]:
    """Return the levels that the questions are about, each once, gaps last as scikit-learn wants them."""
    items = [item for test in tests for item in single_levels(test)]
    levels = sorted({item for item in items if isinstance(item, str)})
    return (*levels, None, math.nan) if None in items else tuple(levels)


def numbers_of_levels(column: Column, region: Region) -> Region:
    """Return the region of the numbers that stand for the levels in a region of places.

    Between two whole levels the border is half way; else a level is exactly its number.
    """
    takes_unseen = region.contains(UNSEEN)
    are_whole = all(float(level).is_integer() for level in column.levels)
    edges: set[float] = set()
    for place, level in enumerate(column.levels):
        if region.contains(float(place)) != takes_unseen:
            x = float(level)
            # An edge that two neighbours share is none.
            edges ^= {x - 0.5, x + 0.5} if are_whole else {x, math.nextafter(x, math.inf)}
    return Region(tuple(sorted(edges)), takes_unseen, region.holds_missing)


def _index(items: tuple[Any, ...], item: Any) -> int:
    is_nan = isinstance(item, float)
    return next(i for i, other in enumerate(items) if (isinstance(other, float) if is_nan else other == item))
