"""A sum whose literals are a chain already: nothing has to be said at all."""

from __future__ import annotations

from collections.abc import Mapping


class Chain:
    """Literals of which each implies the one before it, like η.

    Parameters
    ----------
    reached : mapping of int to int
        The sums that can be reached, ascending, and the literal that is true if it is reached or exceeded.

    Examples
    --------
    >>> Chain({1: 7, 2: 8, 5: 9}).at_most(1)
    [-8]
    """

    def __init__(self, reached: Mapping[int, int]) -> None:
        self._reached = reached

    def at_most(self, k: int) -> list[int]:
        """Return the literal that says: the sum is at most k."""
        return next(([-literal] for total, literal in self._reached.items() if total > k), [])
