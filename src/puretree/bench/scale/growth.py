"""How steeply a measure grows with the size of a problem.

A straight line through the logarithms of size and seconds has a slope, the exponent of a power: with 2, twice the size
takes four times as long. It is fitted to the sizes that are solved, since what ends at a limit tells the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from statistics import median

import numpy as np

from ..cell import Row

LEAST_SECONDS, LEAST_BYTES = 0.001, 2**20  # below, it is not the problem that takes them
LEAST_POINTS = 3  # through two there is always a line


@dataclass(frozen=True, slots=True)
class Point:
    """What an engine needs for the problems of a size.

    Parameters
    ----------
    seconds : float or None
        The median of those that have a row; None if it is not reached within the limit.
    n_bytes : float or None
        The median of the peaks of memory, as far as they are known.
    n_rows : int
        Problems that have a row.
    """

    size: int
    seconds: float | None
    n_bytes: float | None
    n_rows: int

    @classmethod
    def of(cls, size: int, rows: Sequence[Row]) -> Point:
        """Return the medians; what was not proved took longer than everything that was."""
        proved = [row.status == "done" and row.values.get("optimum") is not None for row in rows]
        seconds = [row.values["seconds"] if is_proved else inf for row, is_proved in zip(rows, proved, strict=True)]
        peaks = [row.peak_bytes for row in rows if row.peak_bytes is not None]
        middle = median(seconds) if seconds else inf
        return cls(size, middle if isfinite(middle) else None, median(peaks) if peaks else None, len(rows))

    @property
    def is_proved(self) -> bool:
        """Whether more than half of the problems are solved."""
        return self.seconds is not None


Line = tuple[Point, ...]


def exponents(line: Line) -> tuple[float | None, float | None]:
    """Return how time and memory grow with the size, over the sizes that are solved: the slopes of their logarithms."""
    solved = [point for point in line if point.is_proved]
    seconds = [(point.size, point.seconds) for point in solved]
    n_bytes = [(point.size, point.n_bytes) for point in solved]
    return _slope(seconds, LEAST_SECONDS), _slope(n_bytes, LEAST_BYTES)


def _slope(points: Sequence[tuple[int, float | None]], least: float) -> float | None:
    """Fit a line by least squares; None through too few points."""
    counted = [(size, value) for size, value in points if value is not None and value > least]
    if len(counted) < LEAST_POINTS:
        return None
    x, y = np.log(np.array(counted, dtype=float)).T
    x = x - x.mean()
    return float(x @ y / (x @ x))
