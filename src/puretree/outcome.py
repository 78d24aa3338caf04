"""The result of an engine: a tree, a lower and an upper bound, and a status."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ._support.text import quantity
from .tree import Tree

Status = Literal["optimal", "time_limit", "memory_limit", "interrupted", "failed", "unproved"]

Aim = Literal[
    "nodes",
    "nodes-then-cost",
    "cost",
    "depth",
    "depth-then-nodes",
    "errors",
    "error-cost",
    "teacher-cost",
    "nodes-within-errors",
    "cost-complexity",
]
"""The objective. Bounds are of its first criterion."""

UNITS: dict[Aim, str] = {
    "nodes": "size",
    "nodes-then-cost": "size",
    "cost": "cost",
    "depth": "depth",
    "depth-then-nodes": "depth",
    "errors": "errors",
    "error-cost": "cost of errors",
    "teacher-cost": "cost under the teacher",
    "nodes-within-errors": "number of nodes",
    "cost-complexity": "cost complexity",
}
"""The quantity that the bounds of an objective measure."""

WITH_ERRORS: tuple[Aim, ...] = ("errors", "error-cost", "teacher-cost", "nodes-within-errors", "cost-complexity")
"""The objectives that allow errors."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower and upper bound of the minimum at some time of the search.

    Parameters
    ----------
    seconds : float
        Since the start.
    lower : float
        No admissible tree is better. An integer, unless errors have weights or leaves a price.
    upper : float or None
        The best tree found; None before the first one.
    by : str, default=""
        Who made the improvement: a heuristic (``greedy``, ``iti``), a lower bound (``trivial bound``, ``pair-cover``),
        a stage of an engine (``linear``, ``search``, the name of a MaxSAT solver), or the engine as a whole.
    """

    seconds: float
    lower: float
    upper: float | None
    by: str = ""

    def __str__(self) -> str:
        upper, by = "" if self.upper is None else f" ≤ {number(self.upper)}", f" · {self.by}" if self.by else ""
        return f"{number(self.lower)} ≤ min{upper} · {self.seconds:.1f} s{by}"


OnProgress = Callable[[Bounds], None]


@dataclass(frozen=True, slots=True, repr=False)
class Outcome:
    """The best tree that an engine found, and what it proved.

    Parameters
    ----------
    tree : Tree or None
        The best tree found, checked on every training row. None only if the engine stopped before it found a tree that
        satisfies the constraints.
    lower_bound, upper_bound : float
        Bounds of the minimum number of nodes, or of the first criterion of ``minimised``: integers, unless errors
        have weights or leaves a price. ``upper_bound`` is None if ``tree`` is None.
    status : {"optimal", "time_limit", "memory_limit", "interrupted", "failed", "unproved"}
        ``optimal``: proved that no tree that satisfies the constraints is better; see ``is_minimum``.
        ``memory_limit``: the formula would exceed the memory limit. ``failed``: only in the outcome of a SolverError.
        ``unproved``: the engine finished, and does not prove optimality.
    history : tuple of Bounds
        The bounds after every improvement, with the time and who made it. A tree that is better only in the second
        criterion of ``minimised`` is an improvement, too.
    seconds : float
        The total time.
    cost : int or None
        The sum of the costs of the tree's tests.
    minimised : {"nodes", "nodes-then-cost", "cost", "depth", "depth-then-nodes", "errors", "error-cost", \
    "teacher-cost", "nodes-within-errors", "cost-complexity"}
        The objective. Only the first three make a statement about the minimum size of a pure tree.
        "error-cost": the cost of the training rows, where errors have weights or a cost matrix.
        "teacher-cost": the expected cost of the labels of training rows and synthetic rows, by a teacher.
        "nodes-within-errors": the number of nodes of a tree with at most so many errors, or so much cost.
        "cost-complexity": the cost divided by the total weight, plus a price for each leaf.
    n_errors : int, default=0
        The number of training rows that the tree misclassifies, without rows dropped as contradictory: 0 unless errors
        are allowed.
    engine : str, default=""
        The name of the engine.
    """

    tree: Tree | None
    lower_bound: float
    upper_bound: float | None
    status: Status
    history: tuple[Bounds, ...]
    seconds: float
    cost: int | None = None
    minimised: Aim = "nodes"
    n_errors: int = 0
    engine: str = ""

    @property
    def is_minimum(self) -> bool:
        """Whether it is proved that no smaller pure tree exists."""
        return self.status == "optimal" and UNITS[self.minimised] == "size"

    @property
    def n_nodes(self) -> int | None:
        """The size of the tree: inner nodes and leaves."""
        return None if self.tree is None else self.tree.n_nodes

    @property
    def found_by(self) -> str:
        """Who found the engine's tree, as in ``Bounds.by``; empty if the history does not say.

        Of a run or a classifier, ``tree`` may be another one, chosen from all minimum trees.
        """
        lowers = (0, *(bounds.lower for bounds in self.history))
        trees = [bounds for before, bounds in zip(lowers, self.history, strict=False) if bounds.lower == before]
        return trees[-1].by if trees else ""

    def __repr__(self) -> str:
        return f"<Outcome: {self}>"

    def __str__(self) -> str:
        """Return a summary in one line."""
        what = UNITS[self.minimised]
        proved = "minimum" if what == "size" else f"minimum {what}"
        if self.minimised == "depth-then-nodes":
            proved = "minimum depth, and minimum size at that depth"
        claim = (
            f"proved {proved}" if self.status == "optimal" else f"minimum {what} at least {number(self.lower_bound)}"
        )
        return f"{self._size()}, {claim} ({self.status}, {self.seconds:.1f} s)"

    def _size(self) -> str:
        if self.tree is None:
            return "no tree found"
        size = quantity(self.tree.n_nodes, "node")
        if self.minimised in ("nodes-then-cost", "cost"):
            return f"{size} of cost {self.cost}"
        if self.minimised in WITH_ERRORS:
            return f"{size}, {quantity(self.n_errors, 'error')}"
        return f"{size}, depth {self.tree.depth}" if UNITS[self.minimised] == "depth" else size


def number(value: float) -> str:
    """Return a bound as text.

    >>> number(1234567), number(0.1 + 0.2)
    ('1234567', '0.3')
    """
    return str(value) if isinstance(value, int) else f"{value:.6g}"
