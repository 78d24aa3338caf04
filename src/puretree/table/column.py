"""The fitted description of a raw column, and how its values are encoded as floats.

A number is encoded as itself, a level of a category as its index in the list of levels, a missing value as NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Kind = Literal["number", "category", "ordered"]
Domain = Literal["real", "integer", "binary"]
Level = str | int | float | bool

KINDS: tuple[Kind, ...] = ("number", "category", "ordered")
DOMAINS: tuple[Domain, ...] = ("real", "integer", "binary")
# pandas' NA and NaT are recognised by name, because pandas may not be installed.
MISSING_TYPES = ("NoneType", "NAType", "NaTType")
UNSEEN = -1.0  # the code of a level that training did not contain: before all others


def is_missing(value: Any) -> bool:
    """Return whether a cell is missing: None, NaN, or pandas' NA or NaT."""
    if type(value).__name__ in MISSING_TYPES:
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def plain_level(value: Any) -> Level | None:
    """Return a value as a str, bool, int or float, an interval as text; None for any other type."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return None  # in nanoseconds, item() returns a plain integer
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str) or type(value).__name__ == "Interval":  # pandas.cut makes intervals
        return str(value)
    return value if isinstance(value, bool | int | float) else None


@dataclass(frozen=True, slots=True)
class Column:
    """A raw column as learnt in training.

    Parameters
    ----------
    name : str
        The column name.
    index : int
        The position of the column in the table.
    kind : {"number", "category", "ordered"}
        Numbers, levels without order, or ordered levels.
    levels : tuple of str, int, float or bool
        The levels of a category, in order; empty for numbers.
    has_missing : bool
        Whether training contained missing values.
    domain : {"real", "integer", "binary"}
        Whether all numbers of training were integers, or both 0 and 1 and nothing else; "real" for levels.
    """

    name: str
    index: int
    kind: Kind
    levels: tuple[Level, ...] = ()
    has_missing: bool = False
    domain: Domain = "real"

    def encode(self, value: Any) -> float:
        """Return the number that encodes a raw value."""
        if is_missing(value):
            return math.nan
        if self.kind == "number":
            return float(value)
        return float(self.levels.index(value)) if value in self.levels else UNSEEN

    def decode(self, code: float) -> Level | None:
        """Return a raw value that a number encodes: the inverse of :meth:`encode`.

        >>> colour = Column("colour", 0, "category", ("blue", "red"))
        >>> colour.decode(1.0), colour.decode(math.nan), colour.encode(colour.decode(UNSEEN)) == UNSEEN
        ('red', None, True)
        """
        if math.isnan(code):
            return None
        if self.kind == "number":
            return code
        return self.levels[int(code)] if code != UNSEEN else self._unseen_value()

    def _unseen_value(self) -> Level:
        if any(isinstance(level, str) for level in self.levels):
            return "".join(map(str, self.levels)) + "?"
        return 1 + max(float(level) for level in self.levels)
