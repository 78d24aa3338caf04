"""The default engine: the exact search, then MaxSAT for what it leaves open.

The search proves almost everything that any engine proves, and sooner. On tables that no engine solves, MaxSAT finds
small trees elsewhere in the search space, so it gets the last part of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .._support.resources import require_memory_limit, require_n_jobs
from ..bounds.upper import Heuristic
from ..errors import CannotSearchError
from ..outcome import Status
from ..problem import OrdinalProblem
from .base import Guarantees
from .incumbent import Incumbent
from .maxsat import MaxSat
from .search import OpenSearch, prove_and_improve

SEARCH_SHARE = 0.75  # of the time left


@dataclass(frozen=True, slots=True)
class Auto:
    """The exact search first, then MaxSAT.

    Parameters
    ----------
    memory_limit : float, optional
        Bytes that the process and its SAT solver may use; half of the machine's memory by default.
    n_jobs : int, optional
        Number of processors for the local improvement of large trees, as for :class:`LocalImprovement`.
    """

    memory_limit: float | None = None
    n_jobs: int | None = None
    name: ClassVar[str] = "auto"
    source: ClassVar[str] = "puretree"
    guarantees: ClassVar[Guarantees] = Guarantees()
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy",)

    def __post_init__(self) -> None:
        require_memory_limit(self.memory_limit)
        require_n_jobs(self.n_jobs)

    def search(self, incumbent: Incumbent) -> Status:
        """Run the exact search, then MaxSAT; see :class:`Engine`."""
        search, maxsat = OpenSearch.of(incumbent, self.memory_limit), MaxSat(memory_limit=self.memory_limit)
        can_take = not isinstance(incumbent.problem, OrdinalProblem) and maxsat.can_take(incumbent)
        try:
            with incumbent.credit("search"):
                clock = incumbent.clock.part(SEARCH_SHARE) if can_take else incumbent.clock
                status = prove_and_improve(search, incumbent, clock, self.n_jobs)
        except CannotSearchError:
            if incumbent.constraints.min_samples_leaf > 1:
                raise
            return maxsat.search(incumbent)
        if status != "time_limit" or not can_take:
            return status
        status = maxsat.search(incumbent)
        if status != "memory_limit":
            return status
        with incumbent.credit("search"):
            return prove_and_improve(search, incumbent, incumbent.clock, self.n_jobs)
