"""What an engine answers: a tree, how small a tree can be at best and at worst, and whether that is settled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .tree import Tree

Status = Literal["optimal", "time_limit", "memory_limit", "interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How small and how large the minimum can still be, at a moment of the search.

    Parameters
    ----------
    seconds : float
        Since the start.
    lower : int
        No pure tree is smaller.
    upper : int or None
        The best tree known; None while there is none.
    """

    seconds: float
    lower: int
    upper: int | None

    def __str__(self) -> str:
        return f"{self.lower} ≤ min{'' if self.upper is None else f' ≤ {self.upper}'} · {self.seconds:.1f} s"


OnProgress = Callable[[Bounds], None]


@dataclass(frozen=True, slots=True, repr=False)
class Outcome:
    """The answer to "which is the smallest pure tree?".

    Parameters
    ----------
    tree : Tree or None
        The best tree found, checked on every training row. None only if the search ended before any tree was found that
        keeps to the depth, the number of nodes or the size of leaves asked for.
    lower_bound, upper_bound : int
        The minimum lies between them: numbers of nodes, or costs if the cost alone is minimised. ``upper_bound``
        is None if ``tree`` is.
    status : {"optimal", "time_limit", "memory_limit", "interrupted", "failed"}
        ``optimal`` means proved: no pure tree that was allowed is smaller (or cheaper, if that was asked for).
        ``memory_limit``: the formula would need more than half of the machine's memory. ``failed`` is said only of
        the outcome that a SolverError carries.
    history : tuple of Bounds
        Every improvement of a bound, with its time.
    seconds : float
        How long it took.
    cost : int or None
        The cost of the tree's tests, each inner node counted.
    minimised : {"nodes", "nodes-then-cost", "cost"}
        What was asked for.
    """

    tree: Tree | None
    lower_bound: int
    upper_bound: int | None
    status: Status
    history: tuple[Bounds, ...]
    seconds: float
    cost: int | None = None
    minimised: str = "nodes"

    @property
    def n_nodes(self) -> int | None:
        """The size of the tree, inner nodes and leaves."""
        return None if self.tree is None else self.tree.n_nodes

    def __repr__(self) -> str:
        return f"<Outcome: {self}>"

    def __str__(self) -> str:
        """Tell in a line what came out."""
        size = "no tree yet" if self.tree is None else f"{self.tree.n_nodes} nodes"
        what = "cost" if self.minimised == "cost" else "size"
        cost = "" if self.minimised == "nodes" or self.cost is None else f" of cost {self.cost}"
        settled = "proved minimum" if self.status == "optimal" else f"minimum {what} at least {self.lower_bound}"
        return f"{size}{cost}, {settled} ({self.status}, {self.seconds:.1f} s)"
