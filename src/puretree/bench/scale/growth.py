"""Growth exponents of time and memory.

The slope of a straight line through the logarithms of size and seconds is the exponent of a power law: with an exponent
of 2, doubling the size quadruples the time. The line is fitted only to the sizes that are solved, since the time of an
unsolved size is the time limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from statistics import median

import numpy as np

from ..cell import Row

MIN_SECONDS, MIN_BYTES = 0.001, 2**20  # smaller values are dominated by constant overhead
MIN_POINTS = 3  # a line through two points always fits


@dataclass(frozen=True, slots=True)
class Point:
    """The median time and memory of an engine for problems of one size.

    Parameters
    ----------
    size : int
    seconds : float or None
        Median over the measured problems; None if it exceeds the time limit.
    n_bytes : float or None
        Median of the peak memory, over the problems where it is known.
    n_rows : int
        Number of measured problems.
    """

    size: int
    seconds: float | None
    n_bytes: float | None
    n_rows: int

    @classmethod
    def from_rows(cls, size: int, rows: Sequence[Row]) -> Point:
        """Compute the medians; problems without a proof count as slower than all others."""
        proved = [row.status == "done" and row.values.get("optimum") is not None for row in rows]
        seconds = [row.values["seconds"] if is_proved else inf for row, is_proved in zip(rows, proved, strict=True)]
        peaks = [row.peak_bytes for row in rows if row.peak_bytes is not None]
        middle = median(seconds) if seconds else inf
        return cls(size, middle if isfinite(middle) else None, median(peaks) if peaks else None, len(rows))

    @property
    def is_proved(self) -> bool:
        """Whether more than half of the problems are solved."""
        return self.seconds is not None


Curve = tuple[Point, ...]


def exponents(curve: Curve) -> tuple[float | None, float | None]:
    """Return the growth exponents of time and memory over the solved sizes."""
    solved = [point for point in curve if point.is_proved]
    seconds = [(point.size, point.seconds) for point in solved]
    n_bytes = [(point.size, point.n_bytes) for point in solved]
    return _slope(seconds, MIN_SECONDS), _slope(n_bytes, MIN_BYTES)


def _slope(points: Sequence[tuple[int, float | None]], least: float) -> float | None:
    """Fit a line to the logarithms by least squares; None if there are too few points above ``least``."""
    fitted = [(size, value) for size, value in points if value is not None and value > least]
    if len(fitted) < MIN_POINTS:
        return None
    x, y = np.log(np.array(fitted, dtype=float)).T
    x = x - x.mean()
    return float(x @ y / (x @ x))
