"""The engine for those who do not want to choose: the exact search, and MaxSAT for what it leaves open.

The search proves almost everything that any engine proves, and sooner. On tables that are too much for all of them
MaxSAT looks elsewhere for small trees, so it gets the last of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .. import _native
from .._support.resources import require_memory_limit
from ..bounds.upper import Heuristic
from ..errors import CannotSearchError
from ..outcome import Status
from .base import Guarantees
from .incumbent import Incumbent
from .maxsat import MaxSat
from .search import open_search, run

SEARCH_SHARE = 0.75  # of the time left


@dataclass(frozen=True, slots=True)
class Auto:
    """The exact search first, then MaxSAT.

    Parameters
    ----------
    memory_limit : float, optional
        Bytes that the process may take, with that of a SAT solver; half of the machine's by default.
    """

    memory_limit: float | None = None
    name: ClassVar[str] = "auto"
    source: ClassVar[str] = "puretree"
    guarantees: ClassVar[Guarantees] = Guarantees()
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy",)

    def __post_init__(self) -> None:
        require_memory_limit(self.memory_limit)

    def search(self, incumbent: Incumbent) -> Status:
        """Search, then minimise by MaxSAT; see :class:`Engine`."""
        try:
            search = open_search(incumbent.problem, incumbent.constraints, self.memory_limit)
        except CannotSearchError:
            if incumbent.constraints.min_samples_leaf > 1:
                raise
            return MaxSat(memory_limit=self.memory_limit).search(incumbent)
        return search_then_maxsat(search, incumbent, self.memory_limit)


def search_then_maxsat(search: _native.Search, incumbent: Incumbent, memory_limit: float | None) -> Status:
    """Let a search work, and MaxSAT after it; where that cannot be for lack of memory, the search gets all the time."""
    status = run(search, incumbent, incumbent.clock.part(SEARCH_SHARE))
    if status != "time_limit":
        return status
    maxsat = MaxSat(memory_limit=memory_limit)
    status = maxsat.search(incumbent) if maxsat.can_take(incumbent) else "memory_limit"
    return run(search, incumbent, incumbent.clock) if status == "memory_limit" else status
