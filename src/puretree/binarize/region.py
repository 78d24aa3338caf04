"""Parts of the real line: the common form of all binary features.

Numbers are encoded as themselves, levels as their indices, missing values as NaN, so a threshold, a set of levels and a
bit of a bin number are all lists of edges where membership changes. This form is cheap to evaluate natively and easy to
negate and to intersect, and two regions are equal exactly if they contain the same values.

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
        Where membership changes, ascending; an edge belongs to the part on its right.
    starts_inside : bool
        Whether minus infinity belongs to the region.
    holds_missing : bool
        Whether a missing value belongs to the region.
    """

    edges: tuple[float, ...]
    starts_inside: bool = False
    holds_missing: bool = False

    def __post_init__(self) -> None:
        # Equal regions have equal edges: adding 0.0 turns -0.0 into 0.0 and changes nothing else.
        object.__setattr__(self, "edges", tuple([float(edge) + 0.0 for edge in self.edges]))

    @classmethod
    def at_most(cls, threshold: float) -> Region:
        """Return the region of all x ≤ threshold."""
        return cls((math.nextafter(threshold, math.inf),), starts_inside=True)

    @classmethod
    def above(cls, threshold: float) -> Region:
        """Return the region of all x > threshold."""
        return cls((math.nextafter(threshold, math.inf),))

    @classmethod
    def at_most_each(cls, thresholds: Floats) -> list[Region]:
        """Return the regions of all x ≤ threshold, for many thresholds: faster than one by one."""
        return [cls((edge,), starts_inside=True) for edge in np.nextafter(thresholds, np.inf).tolist()]

    @classmethod
    def missing(cls) -> Region:
        """Return the region of missing values."""
        return cls((), holds_missing=True)

    @classmethod
    def from_cells(cls, cuts: Floats, inside: NDArray[np.bool_], *, holds_missing: bool = False) -> Region:
        """Return the union of the cells marked in ``inside``, of the ``len(cuts) + 1`` cells between ascending cuts."""
        changes = np.flatnonzero(inside[1:] != inside[:-1])
        return cls(tuple(cuts[changes].tolist()), bool(inside[0]), holds_missing)

    def contains(self, x: float) -> bool:
        """Return whether a number (NaN: a missing value) lies in the region."""
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
        """Return the intervals ``low ≤ x < high``, with infinite ends where there is no edge."""
        ends = [-math.inf] if self.starts_inside else []
        ends += self.edges
        if len(ends) % 2:
            ends.append(math.inf)
        return list(zip(ends[::2], ends[1::2], strict=True))
