"""From a problem to the graph of all its minimum trees: prove the minimum, then collect what attains it.

The search that proved the minimum knows most of what the graph needs, so it is asked to go on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from .. import _native
from .._support.clock import Clock
from .._support.resources import free_bytes
from ..bounds.upper import Heuristic
from ..engines import solve
from ..engines.auto import search_then_maxsat
from ..engines.base import Guarantees
from ..engines.incumbent import Incumbent
from ..engines.search import Search, open_search, run
from ..errors import InputError, UnfinishedError
from ..outcome import OnProgress, Outcome, Status
from ..problem import BinaryProblem, Constraints
from .graph import Graph


def grow_forest(
    problem: BinaryProblem,
    constraints: Constraints | None = None,
    extra: int = 0,
    clock: Clock | None = None,
    memory_limit: float | None = None,
    on_progress: OnProgress | None = None,
    then_maxsat: bool = False,
) -> tuple[Outcome, Graph]:
    """Find all minimum trees of a problem.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints, optional
        Nodes must be what is minimised.
    extra : int, default=0
        Also the trees with up to so many inner nodes more than the minimum.
    clock : Clock, optional
        No limit without it.
    memory_limit : float, optional
        Bytes that the process may take; half of the machine's by default.
    on_progress : callable, optional
        Gets the bounds while the minimum is being proved.
    then_maxsat : bool, default=False
        Where the search does not prove the minimum, let MaxSAT go on, as :class:`Auto` does.

    Returns
    -------
    tuple of Outcome and Graph
        The proof, and the trees over the problem's features.

    Raises
    ------
    UnfinishedError
        If the time or the memory was not enough, or after Ctrl-C; its ``outcome`` holds the best tree and the bounds.
    """
    constraints, clock = constraints or Constraints(), clock or Clock()
    if constraints.minimise != "nodes":
        raise InputError(f"a forest holds the trees with fewest nodes, not those of least {constraints.minimise!r}")
    if not isinstance(extra, int) or isinstance(extra, bool) or extra < 0:
        raise InputError(f"extra={extra!r} is not a number of inner nodes: use 0, 1, 2 …")
    engine = _Keeping(memory_limit, then_maxsat)
    outcome = solve(problem, engine, constraints=constraints, clock=clock, on_progress=on_progress)
    if outcome.status != "optimal" or outcome.n_nodes is None:
        raise UnfinishedError(f"the minimum is not proved: {outcome}; allow more time", outcome)
    search = engine.opened[0] if engine.opened else open_search(problem, constraints, memory_limit)
    most = outcome.n_nodes + 2 * extra if constraints.max_nodes is None else constraints.max_nodes
    extra = min(extra, (most - outcome.n_nodes) // 2)
    try:
        arrays = search.forest((outcome.n_nodes - 1) // 2, extra, int(free_bytes(memory_limit)), clock.left)
    except MemoryError:
        raise UnfinishedError(
            f"the minimum is {outcome.n_nodes} nodes, but the trees of that size are too many for the memory; allow "
            "more, ask for fewer (a root, a depth, fewer columns), or be content with one: minimum_tree",
            outcome,
        ) from None
    except KeyboardInterrupt:
        raise UnfinishedError(
            f"the minimum is {outcome.n_nodes} nodes, but Ctrl-C came before all trees of that size were found", outcome
        ) from None
    if arrays is None:
        raise UnfinishedError(
            f"the minimum is {outcome.n_nodes} nodes, but there was no time to find all trees of that size; allow more",
            outcome,
        )
    return outcome, Graph(*arrays)


@dataclass(frozen=True, slots=True)
class _Keeping:
    """The search engine, which keeps its search."""

    memory_limit: float | None
    then_maxsat: bool
    opened: list[_native.Search] = field(default_factory=list)
    name: ClassVar[str] = "search"
    source: ClassVar[str] = Search.source
    guarantees: ClassVar[Guarantees] = Search.guarantees
    starts_from: ClassVar[tuple[Heuristic, ...]] = Search.starts_from

    def search(self, incumbent: Incumbent) -> Status:
        search = open_search(incumbent.problem, incumbent.constraints, self.memory_limit)
        self.opened.append(search)
        return (
            search_then_maxsat(search, incumbent, self.memory_limit)
            if self.then_maxsat
            else run(search, incumbent, incumbent.clock)
        )
