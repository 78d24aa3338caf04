"""What is known of a raw column, and the numbers that represent its values.

A number represents itself, a category its index in the list of levels, a missing value NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Kind = Literal["number", "category", "ordered"]
Level = str | int | float | bool

KINDS: tuple[Kind, ...] = ("number", "category", "ordered")
# pandas' NA and NaT are known by name: pandas need not be there.
MISSING_TYPES = ("NoneType", "NAType", "NaTType")
UNSEEN = -1.0  # the place of a level that was not there in training: before all others


def is_missing(value: Any) -> bool:
    """Whether a cell holds no value: None, NaN, or what pandas calls NA or NaT."""
    if type(value).__name__ in MISSING_TYPES:
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def plain_level(value: Any) -> Level | None:
    """Return a value as plain text, boolean or number, intervals as text; None if it is none of them."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return None  # its item is a bare integer where the unit is nanoseconds
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str) or type(value).__name__ == "Interval":  # pandas.cut makes intervals
        return str(value)
    return value if isinstance(value, bool | int | float) else None


@dataclass(frozen=True, slots=True)
class Column:
    """What is known of a raw column after training.

    Parameters
    ----------
    name : str
        As people call it.
    index : int
        Its place in the table.
    kind : {"number", "category", "ordered"}
        Whether values are numbers, levels without order, or levels in order.
    levels : tuple of str, int, float or bool
        The known values of a category, in order.
    has_missing : bool
        Whether values were missing in training.
    """

    name: str
    index: int
    kind: Kind
    levels: tuple[Level, ...] = ()
    has_missing: bool = False

    def place(self, value: Any) -> float:
        """Return the number that stands for a raw value."""
        if is_missing(value):
            return math.nan
        if self.kind == "number":
            return float(value)
        return float(self.levels.index(value)) if value in self.levels else UNSEEN

    def value(self, place: float) -> Level | None:
        """Return a raw value that a number stands for: the inverse of :meth:`place`.

        >>> colour = Column("colour", 0, "category", ("blue", "red"))
        >>> colour.value(1.0), colour.value(math.nan), colour.place(colour.value(UNSEEN)) == UNSEEN
        ('red', None, True)
        """
        if math.isnan(place):
            return None
        if self.kind == "number":
            return place
        return self.levels[int(place)] if place != UNSEEN else self._unseen_value()

    def _unseen_value(self) -> Level:
        if any(isinstance(level, str) for level in self.levels):
            return "".join(map(str, self.levels)) + "?"
        return 1 + max(float(level) for level in self.levels)
