"""The intervals of a region as comparisons that a program can make.

A region stores the edges where membership changes. ``x < 0.8000000000000002`` and ``x <= 0.8`` are equivalent, and
people prefer the second, so each bound is written in the shorter of the two forms. Nothing is rounded.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..binarize.region import Region

Comparison = tuple[str, float]  # an operator and a number: (">=", 1.5)


class Interval(NamedTuple):
    """An interval as two comparisons that must both hold; None where it is unbounded."""

    low: Comparison | None
    high: Comparison | None


def region_intervals(region: Region) -> list[Interval]:
    """Return the intervals of a region with edges.

    >>> region_intervals(Region.at_most(0.8)), region_intervals(Region((1.0, 2.0)))
    ([Interval(low=None, high=('<=', 0.8))], [Interval(low=('>=', 1.0), high=('<', 2.0))])
    """
    intervals = []
    for low, high in region.intervals():
        at_least = None if low == -math.inf else _shorter(low, closed=">=", open=">")
        below = None if high == math.inf else _shorter(high, closed="<", open="<=")
        intervals.append(Interval(at_least, below))
    return intervals


def _shorter(edge: float, *, closed: str, open: str) -> Comparison:
    """Compare with the edge itself, or with the preceding float where that has fewer digits."""
    before = math.nextafter(edge, -math.inf)
    return (open, before) if len(repr(before)) < len(repr(edge)) else (closed, edge)
