"""The books of a search: the best tree so far and the bounds, checked before they are written down.

Engines hand in every tree they find. What is checked here knows nothing of how it was found: the tree is walked over
the examples, counted, and held against what was asked for.
"""

from __future__ import annotations

from .._support.clock import Clock
from ..errors import PuretreeError
from ..outcome import Aim, Bounds, OnProgress, Outcome, Status
from ..problem import BinaryProblem, Constraints
from ..tree import Tree


class Incumbent:
    """The best tree and the bounds of a search that is under way.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
    clock : Clock
    on_progress : callable, optional
        Gets the bounds whenever one improves.
    aim : {"nodes", "nodes-then-cost", "cost", "depth", "depth-then-nodes", "errors"}, optional
        What is made as small as possible; by default what the wishes say. Only with "errors" may a tree be impure.
    """

    def __init__(
        self,
        problem: BinaryProblem,
        constraints: Constraints,
        clock: Clock,
        on_progress: OnProgress | None = None,
        aim: Aim | None = None,
    ) -> None:
        self.problem = problem
        self.constraints = constraints
        self.clock = clock
        self.aim: Aim = aim or constraints.minimise
        self.tree: Tree | None = None
        self._value: tuple[int, ...] = ()  # of the tree: asked for far more often than it changes
        self.lower = 0
        self.is_proved = False
        self.history: list[Bounds] = []
        self._on_progress = on_progress or (lambda bounds: None)

    def cost(self, tree: Tree) -> int:
        """Return the cost of a tree's tests."""
        return int(self.problem.costs[tree.feature[tree.left >= 0]].sum())

    def value(self, tree: Tree) -> tuple[int, ...]:
        """Return what is minimised, the first one first."""
        if self.aim == "nodes":
            return (tree.n_nodes,)
        if self.aim == "nodes-then-cost":
            return (tree.n_nodes, self.cost(tree))
        if self.aim == "cost":
            return (self.cost(tree), tree.n_nodes)
        return (self.problem.n_errors(tree) if self.aim == "errors" else tree.depth, tree.n_nodes)

    @property
    def upper(self) -> int | None:
        """The best known value of what is minimised first."""
        return self._value[0] if self._value else None

    def offer(self, tree: Tree) -> None:
        """Take a tree if it is better than the best so far.

        Raises
        ------
        PuretreeError
            If it is wrong on an example or not what was asked for: a search that hands in such a tree is broken.
        """
        is_right = self.aim == "errors" or self.problem.is_pure(tree)
        if not is_right or not self.constraints.allows(tree, self.problem):
            raise PuretreeError("a search handed in a tree that is wrong: this is a bug, please report it")
        value = self.value(tree)
        if self._value and value >= self._value:
            return
        before = self.upper
        self.tree, self._value = tree, value
        if self.upper is not None and self.upper < self.lower:
            raise PuretreeError("a search found a tree below its own lower bound: this is a bug, please report it")
        if self.upper != before:
            self._write_down()

    def raise_lower(self, lower: int) -> None:
        """Take a lower bound if it is better than the one known."""
        if lower > self.lower:
            if self.upper is not None and lower > self.upper:
                raise PuretreeError("a search proved more than is true: this is a bug, please report it")
            self.lower = lower
            self._write_down()

    def prove(self) -> None:
        """Note that nothing better exists than the tree here."""
        assert self.upper is not None
        self.raise_lower(self.upper)
        self.is_proved = True

    def outcome(self, status: Status) -> Outcome:
        """Close the books; only what was proved is called optimal."""
        tree = self.tree
        return Outcome(
            tree=tree,
            lower_bound=self.lower,
            upper_bound=self.upper,
            status="optimal" if self.is_proved else "unproved" if status == "optimal" else status,
            history=tuple(self.history),
            seconds=self.clock.seconds,
            cost=None if tree is None else self.cost(tree),
            minimised=self.aim,
            n_errors=0 if tree is None else self.problem.n_errors(tree),
        )

    def _write_down(self) -> None:
        bounds = Bounds(self.clock.seconds, self.lower, self.upper)
        self.history.append(bounds)
        self._on_progress(bounds)
