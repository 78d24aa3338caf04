"""What engines have in common that ask SAT solvers of python-sat, and begin with the heuristics' trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from .._support.clock import TimeIsOver
from ..bounds.upper import Heuristic
from ..outcome import Status
from ..sat import DEFAULT_SOLVER, require_solver
from ..tree import Tree
from .incumbent import Incumbent


@dataclass(frozen=True, slots=True)
class SatEngine:
    """The options of an engine that asks one SAT solver.

    Parameters
    ----------
    solver : str, default="cadical195"
        By the name python-sat gives it.
    isolated : bool, default=True
        Run the SAT solver in a process of its own, so that the time limit holds whatever it does.
    """

    solver: str = DEFAULT_SOLVER
    isolated: bool = True
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy", "iti")

    def __post_init__(self) -> None:
        require_solver(self.solver)


# One size after the other: is there a pure tree of exactly n nodes? Downwards from the upper bound.
#
# That there is none of n nodes proves that there is none of fewer: a smaller pure tree could be grown by splitting a
# leaf on a feature its path has not asked, and only a complete tree over all features, or of the depth allowed, has no
# such leaf. So whoever answers must not leave out trees because a test of theirs is of no use.


def ask_by_size(incumbent: Incumbent, tree_of: Callable[[int], Tree | None]) -> Status:
    """Ask for smaller trees until there is none; upwards from the lower bound where no tree is known.

    Parameters
    ----------
    incumbent : Incumbent
    tree_of : callable
        Gets a number of nodes and returns a pure tree of exactly so many that keeps to the wishes, or None if there is
        none; raises TimeIsOver if the clock is over first, and MemoryError before it takes too much.
    """
    try:
        while incumbent.upper != incumbent.lower:
            _ask(incumbent, tree_of, incumbent.lower if incumbent.upper is None else incumbent.upper - 2)
    except TimeIsOver:
        return "time_limit"
    except MemoryError:
        return "memory_limit"
    incumbent.prove()
    return "optimal"


def _ask(incumbent: Incumbent, tree_of: Callable[[int], Tree | None], n_nodes: int) -> None:
    """Write down the tree of so many nodes, or that there is none."""
    if n_nodes > incumbent.constraints.most_nodes(incumbent.problem):
        raise incumbent.constraints.refuse()
    tree = tree_of(n_nodes)
    if tree is not None:
        incumbent.offer(tree)
    elif incumbent.upper is None:
        incumbent.raise_lower(n_nodes + 2)
    else:
        incumbent.raise_lower(incumbent.upper)
