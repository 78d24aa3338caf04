"""The pieces of a region as comparisons a program can make: with the shorter of two equal ways to write a bound.

An edge is where membership changes; ``x < 0.8000000000000002`` and ``x <= 0.8`` mean the same, and people prefer the
second. What is written is compared as it stands: nothing is rounded.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..binarize.region import Region

Bound = tuple[str, float]  # a sign and a number: (">=", 1.5)


class Piece(NamedTuple):
    """An interval: both bounds must hold; None where there is none."""

    low: Bound | None
    high: Bound | None


def pieces(region: Region) -> list[Piece]:
    """Return the intervals of a region with edges.

    >>> pieces(Region.at_most(0.8)), pieces(Region((1.0, 2.0)))
    ([Piece(low=None, high=('<=', 0.8))], [Piece(low=('>=', 1.0), high=('<', 2.0))])
    """
    found = []
    for low, high in region.intervals():
        at_least = None if low == -math.inf else _shorter(low, closed=">=", open=">")
        below = None if high == math.inf else _shorter(high, closed="<", open="<=")
        found.append(Piece(at_least, below))
    return found


def _shorter(edge: float, *, closed: str, open: str) -> Bound:
    """Write an edge as itself, or by the number before it where that is shorter."""
    before = math.nextafter(edge, -math.inf)
    return (open, before) if len(repr(before)) < len(repr(edge)) else (closed, edge)
