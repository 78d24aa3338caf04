"""Time shared out among the trees still wanted, so that a hard proof for one does not use up that of all others.

That no tree is farther than the one at hand can take far longer to prove than it took to find it: on 64 % of
house-votes-84 (one run) the second tree took 2 s; the third was found after 15 s and not proved after 20.
"""

from __future__ import annotations

from ..clock import Clock


class Pace:
    """The time, and how many trees it has to do for.

    Parameters
    ----------
    clock : Clock
    n_wanted : int
        Trees that were asked for.

    Attributes
    ----------
    n_unproved : int
        Trees that were taken because their turn was over.
    """

    def __init__(self, clock: Clock, n_wanted: int) -> None:
        self.clock = clock
        self._n_wanted = n_wanted
        self.n_unproved = 0

    def count(self) -> None:
        """Note that there is a tree more."""
        self._n_wanted -= 1

    def turn(self) -> Clock:
        """Start the clock of the next tree: its share of the time left, and one is kept for whoever is asked next."""
        return self.clock.part(1 / (max(1, self._n_wanted) + 1))
