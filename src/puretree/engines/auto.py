"""The default engine: the exact search, then MaxSAT for what it leaves open.

The search proves almost everything that any engine proves, and sooner. On tables that no engine solves, MaxSAT finds
small trees elsewhere in the search space, so it gets the last part of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .._support.resources import require_memory_limit
from ..bounds.upper import Heuristic
from ..errors import CannotSearchError
from ..outcome import Status
from .base import Guarantees
from .incumbent import Incumbent
from .maxsat import MaxSat
from .search import OpenSearch

SEARCH_SHARE = 0.75  # of the time left


@dataclass(frozen=True, slots=True)
class Auto:
    """The exact search first, then MaxSAT.

    Parameters
    ----------
    memory_limit : float, optional
        Bytes that the process and its SAT solver may use; half of the machine's memory by default.
    """

    memory_limit: float | None = None
    name: ClassVar[str] = "auto"
    source: ClassVar[str] = "puretree"
    guarantees: ClassVar[Guarantees] = Guarantees()
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy",)

    def __post_init__(self) -> None:
        require_memory_limit(self.memory_limit)

    def search(self, incumbent: Incumbent) -> Status:
        """Run the exact search, then MaxSAT; see :class:`Engine`."""
        search, maxsat = OpenSearch.of(incumbent, self.memory_limit), MaxSat(memory_limit=self.memory_limit)
        try:
            with incumbent.credit("search"):
                status = search.run(incumbent, incumbent.clock.part(SEARCH_SHARE))
        except CannotSearchError:
            if incumbent.constraints.min_samples_leaf > 1:
                raise
            return maxsat.search(incumbent)
        if status != "time_limit":
            return status
        status = maxsat.search(incumbent) if maxsat.can_take(incumbent) else "memory_limit"
        if status != "memory_limit":
            return status
        with incumbent.credit("search"):
            return search.run(incumbent, incumbent.clock)
