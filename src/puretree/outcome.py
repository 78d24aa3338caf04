"""What an engine answers: a tree, how small a tree can be at best and at worst, and whether that is settled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .tree import Tree

Status = Literal["optimal", "time_limit", "memory_limit", "interrupted", "failed", "unproved"]

Aim = Literal["nodes", "nodes-then-cost", "cost", "depth", "depth-then-nodes", "errors"]
"""What is made as small as possible: the first of them is what bounds are told of."""

UNITS: dict[Aim, str] = {
    "nodes": "size",
    "nodes-then-cost": "size",
    "cost": "cost",
    "depth": "depth",
    "depth-then-nodes": "depth",
    "errors": "errors",
}
"""What the bounds of an aim are numbers of, as one word."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How small and how large the minimum can still be, at a moment of the search.

    Parameters
    ----------
    seconds : float
        Since the start.
    lower : int
        No tree that counts is better.
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
    """The answer to "which is the smallest pure tree?", or to another system's question of that kind.

    Parameters
    ----------
    tree : Tree or None
        The best tree found, checked on every training row. None only if the search ended before any tree was found that
        keeps to the depth, the number of nodes or the size of leaves asked for.
    lower_bound, upper_bound : int
        The minimum lies between them: numbers of nodes, or of what else is ``minimised`` first. ``upper_bound`` is
        None if ``tree`` is.
    status : {"optimal", "time_limit", "memory_limit", "interrupted", "failed", "unproved"}
        ``optimal`` means proved: no tree that was allowed is better in what was ``minimised``; see ``is_minimum``.
        ``memory_limit``: the formula would need more than half of the machine's memory. ``failed`` is said only of
        the outcome that a SolverError carries. ``unproved``: the engine did all it does, and that proves nothing.
    history : tuple of Bounds
        Every improvement of a bound, with its time.
    seconds : float
        How long it took.
    cost : int or None
        The cost of the tree's tests, each inner node counted.
    minimised : {"nodes", "nodes-then-cost", "cost", "depth", "depth-then-nodes", "errors"}
        What was asked for. Depth and errors are the aims of other systems, which say nothing of the smallest tree.
    n_errors : int, default=0
        The training rows that the tree is wrong on, those left out by a conflict not counted: 0 unless errors are
        minimised.
    """

    tree: Tree | None
    lower_bound: int
    upper_bound: int | None
    status: Status
    history: tuple[Bounds, ...]
    seconds: float
    cost: int | None = None
    minimised: Aim = "nodes"
    n_errors: int = 0

    @property
    def is_minimum(self) -> bool:
        """Whether it is proved that no smaller tree is right on every row."""
        return self.status == "optimal" and UNITS[self.minimised] == "size"

    @property
    def n_nodes(self) -> int | None:
        """The size of the tree, inner nodes and leaves."""
        return None if self.tree is None else self.tree.n_nodes

    def __repr__(self) -> str:
        return f"<Outcome: {self}>"

    def __str__(self) -> str:
        """Tell in a line what came out."""
        what = UNITS[self.minimised]
        proved = "minimum" if what == "size" else f"minimum {what}"
        if self.minimised == "depth-then-nodes":
            proved = "minimum depth, and size at that depth"
        settled = f"proved {proved}" if self.status == "optimal" else f"minimum {what} at least {self.lower_bound}"
        return f"{self._size()}, {settled} ({self.status}, {self.seconds:.1f} s)"

    def _size(self) -> str:
        if self.tree is None:
            return "no tree yet"
        size = f"{self.tree.n_nodes} nodes"
        if self.minimised in ("nodes-then-cost", "cost"):
            return f"{size} of cost {self.cost}"
        return {"depth": f"{size}, depth {self.tree.depth}", "errors": f"{size}, wrong on {self.n_errors} rows"}.get(
            UNITS[self.minimised], size
        )
