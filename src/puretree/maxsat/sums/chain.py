"""A sum whose literals are a chain already: nothing has to be said at all."""

from __future__ import annotations

from collections.abc import Sequence


class Chain:
    """Literals of weight 1 of which each implies the one before it, like η.

    >>> Chain([7, 8, 9]).at_most(1)
    [-8]
    """

    def __init__(self, literals: Sequence[int]) -> None:
        self._literals = list(literals)

    def at_most(self, k: int) -> list[int]:
        """Return the literal that says: at most k of the chain are true."""
        return [-self._literals[k]] if k < len(self._literals) else []
