"""What the SAT-based engines share: their options, and the search for the minimum size one size at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from .._support.clock import TimeLimitReached
from ..bounds.upper import Heuristic
from ..outcome import Status
from ..sat import DEFAULT_SOLVER, require_solver
from ..tree import Tree
from .incumbent import Incumbent


@dataclass(frozen=True, slots=True)
class SatEngine:
    """The options of an engine that uses one SAT solver of python-sat and starts from the heuristics' trees.

    Parameters
    ----------
    solver : str, default="cadical195"
        SAT solver, by its name in python-sat.
    isolated : bool, default=True
        Run the SAT solver in its own process, so that the time limit is always enforced.
    """

    solver: str = DEFAULT_SOLVER
    isolated: bool = True
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy", "iti")

    def __post_init__(self) -> None:
        require_solver(self.solver)


def minimise_size(incumbent: Incumbent, tree_of: Callable[[int], Tree | None]) -> Status:
    """Search for smaller trees until there is none; upwards from the lower bound while no tree is known.

    If there is no pure tree of exactly n nodes, there is none of fewer nodes: a smaller one could be grown to n nodes
    by splitting leaves on features that their paths do not test, and only a complete tree over all features, or of the
    maximum depth, has no such leaf. Therefore `tree_of` must not exclude trees with useless tests.

    Parameters
    ----------
    incumbent : Incumbent
    tree_of : callable
        Takes a number of nodes and returns a pure tree of exactly that size that satisfies the constraints, or None if
        there is none. Raises TimeLimitReached at the time limit, and MemoryError if the formula would be too large.
    """
    try:
        while incumbent.upper != incumbent.lower:
            _try_size(incumbent, tree_of, incumbent.lower if incumbent.upper is None else incumbent.upper - 2)
    except TimeLimitReached:
        return "time_limit"
    except MemoryError:
        return "memory_limit"
    incumbent.prove()
    return "optimal"


def _try_size(incumbent: Incumbent, tree_of: Callable[[int], Tree | None], n_nodes: int) -> None:
    """Offer a tree of `n_nodes` nodes to the incumbent, or raise its lower bound if there is none."""
    if n_nodes > incumbent.constraints.most_nodes(incumbent.problem):
        raise incumbent.constraints.infeasible()
    tree = tree_of(n_nodes)
    if tree is not None:
        incumbent.offer(tree)
    elif incumbent.upper is None:
        incumbent.raise_lower(n_nodes + 2)
    else:
        incumbent.raise_lower(incumbent.upper)
