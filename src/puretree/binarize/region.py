"""A part of the real line: the one form that every binary feature has.

Numbers stand for themselves, levels for their places, missing values for NaN, so a threshold, a set of levels and a
bit of a bin number are all a list of edges where membership changes. That form is cheap to ask natively, easy to
negate and to intersect, and equal exactly when it means the same.

>>> small = Region.at_most(0.8)
>>> small.contains(0.8), (~small).contains(0.8), (small & Region((0.5,))).intervals()
(True, False, [(0.5, 0.8000000000000002)])
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..table import Floats


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the real line, and whether a missing value belongs to it.

    Parameters
    ----------
    edges : tuple of float
        Where membership changes, ascending; an edge belongs to what is right of it.
    starts_inside : bool
        Whether minus infinity belongs to the region.
    holds_missing : bool
        Whether a missing value does.
    """

    edges: tuple[float, ...]
    starts_inside: bool = False
    holds_missing: bool = False

    def __post_init__(self) -> None:
        # One region, one form: adding 0.0 turns -0.0 into 0.0 and leaves all else.
        object.__setattr__(self, "edges", tuple(float(edge) + 0.0 for edge in self.edges))

    @classmethod
    def at_most(cls, threshold: float) -> Region:
        """All x ≤ threshold."""
        return cls((math.nextafter(threshold, math.inf),), starts_inside=True)

    @classmethod
    def missing(cls) -> Region:
        """No value at all."""
        return cls((), holds_missing=True)

    @classmethod
    def from_cells(cls, cuts: Floats, inside: NDArray[np.bool_], *, holds_missing: bool = False) -> Region:
        """Join those of the ``len(cuts) + 1`` cells between ascending cuts that are inside."""
        changes = np.flatnonzero(inside[1:] != inside[:-1])
        return cls(tuple(cuts[changes].tolist()), bool(inside[0]), holds_missing)

    def contains(self, x: float) -> bool:
        """Whether a number (NaN: missing) lies in the region."""
        if math.isnan(x):
            return self.holds_missing
        return self.starts_inside != (bisect_right(self.edges, x) % 2 == 1)

    def __invert__(self) -> Region:
        return replace(self, starts_inside=not self.starts_inside, holds_missing=not self.holds_missing)

    def __and__(self, other: Region) -> Region:
        cuts = sorted({*self.edges, *other.edges})
        samples = [-math.inf, *cuts]
        inside = np.array([self.contains(x) and other.contains(x) for x in samples], dtype=np.bool_)
        return Region.from_cells(np.array(cuts), inside, holds_missing=self.holds_missing and other.holds_missing)

    def intervals(self) -> list[tuple[float, float]]:
        """Return the pieces ``low ≤ x < high``, ends infinite where there is no edge."""
        ends = [-math.inf] if self.starts_inside else []
        ends += self.edges
        if len(ends) % 2:
            ends.append(math.inf)
        return list(zip(ends[::2], ends[1::2], strict=True))
