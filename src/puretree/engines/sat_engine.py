"""What the SAT-based engines share: their options, and the search for the minimum size one size at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._support.clock import TimeLimitReached
from ..bounds.upper import Heuristic
from ..errors import InputError
from ..outcome import Status
from ..sat import DEFAULT_SOLVER, require_solver
from ..tree import Tree
from .incumbent import Incumbent

FirstTree = Literal["best", "iti"]

HEURISTICS: dict[FirstTree, tuple[Heuristic, ...]] = {"best": ("greedy", "iti"), "iti": ("iti",)}
"""The heuristics of each first upper bound; ITI tries five orders of the examples."""


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

    def __post_init__(self) -> None:
        require_solver(self.solver)
        require_booleans(isolated=self.isolated)

    @property
    def starts_from(self) -> tuple[Heuristic, ...]:
        """The greedy tree and that of ITI."""
        return HEURISTICS["best"]


def require_booleans(**options: Any) -> None:
    """Raise InputError unless each option is True or False: the text 'False' would count as true."""
    for name, value in options.items():
        if not isinstance(value, bool | np.bool_):
            raise InputError("is neither True nor False", parameter=name, value=value)


def require_first_tree(upper_bound: Any) -> None:
    """Raise InputError unless the option names the heuristics of the first upper bound."""
    if upper_bound not in list(HEURISTICS):
        raise InputError(
            f"is unknown; use {' or '.join(map(repr, HEURISTICS))}", parameter="upper_bound", value=upper_bound
        )


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
