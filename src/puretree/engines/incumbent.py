"""The incumbent of a search: the best tree so far and both bounds, each checked before it is accepted.

Engines offer every tree they find. The checks do not depend on the engine: the tree is evaluated on the examples,
counted, and compared with the constraints.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .._support.clock import Clock
from .._support.resources import MOST_BYTES, bytes_for_child
from ..errors import PuretreeError
from ..outcome import Aim, Bounds, OnProgress, Outcome, Status
from ..problem import BinaryProblem, Constraints
from ..tree import Tree

if TYPE_CHECKING:
    from .maxsat import OpenFormula
    from .search import OpenSearch


class Incumbent:
    """The best tree and the bounds of a running search.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
    clock : Clock
    on_progress : callable, optional
        Called with the bounds whenever one improves.
    aim : {"nodes", "nodes-then-cost", "cost", "depth", "depth-then-nodes", "errors"}, optional
        The objective; by default ``constraints.minimise``. Only with "errors" may a tree be impure.
    search : OpenSearch, optional
        The exact search to use, if the caller continues it afterwards.
    memory_limit : float, optional
        Bytes that the process and its children may use; half of the machine's memory by default.
    formula : OpenFormula, optional
        Receives the formula of a proof by MaxSAT, if the caller continues with it afterwards.

    Attributes
    ----------
    source : str
        Who makes the improvements at the moment: ``Bounds.by``. Engines with several stages change it.
    """

    def __init__(
        self,
        problem: BinaryProblem,
        constraints: Constraints,
        clock: Clock,
        on_progress: OnProgress | None = None,
        aim: Aim | None = None,
        search: OpenSearch | None = None,
        memory_limit: float | None = None,
        formula: OpenFormula | None = None,
    ) -> None:
        self.problem = problem
        self.constraints = constraints
        self.clock = clock
        self.aim: Aim = aim or constraints.minimise
        self.tree: Tree | None = None
        self._value: tuple[int, ...] = ()  # of the tree; read far more often than it changes
        self.lower = 0
        self.is_proved = False
        self.history: list[Bounds] = []
        self._on_progress = on_progress or (lambda bounds: None)
        self.search = search
        self.memory_limit = memory_limit
        self.formula = formula
        self.source = ""

    @contextmanager
    def credit(self, name: str) -> Iterator[None]:
        """Attribute the improvements within the context to `name`; the source is as before at its end."""
        before, self.source = self.source, name
        try:
            yield
        finally:
            self.source = before

    @property
    def bytes_for_child(self) -> int:
        """Bytes that a child process may use now."""
        return bytes_for_child(MOST_BYTES if self.memory_limit is None else self.memory_limit)

    @property
    def solver_limit(self) -> int | None:
        """Bytes that the process of a SAT solver may use now; None without a memory limit."""
        return None if self.memory_limit is None else self.bytes_for_child

    def require_memory(self, n_bytes: float) -> None:
        """Raise MemoryError if a formula of that size exceeds the memory limit."""
        if n_bytes > (MOST_BYTES if self.memory_limit is None else self.bytes_for_child):
            raise MemoryError

    def cost(self, tree: Tree) -> int:
        """Return the cost of a tree's tests."""
        return int(self.problem.costs[tree.feature[tree.left >= 0]].sum())

    def value(self, tree: Tree) -> tuple[int, ...]:
        """Return the objective value of a tree, to be compared lexicographically."""
        if self.aim == "nodes":
            return (tree.n_nodes,)
        if self.aim == "nodes-then-cost":
            return (tree.n_nodes, self.cost(tree))
        if self.aim == "cost":
            return (self.cost(tree), tree.n_nodes)
        return (self.problem.n_errors(tree) if self.aim == "errors" else tree.depth, tree.n_nodes)

    @property
    def upper(self) -> int | None:
        """The upper bound: the first objective value of the tree; None without a tree."""
        return self._value[0] if self._value else None

    def offer(self, tree: Tree) -> None:
        """Replace the tree by a better one; keep it otherwise.

        Raises
        ------
        PuretreeError
            If the tree misclassifies an example or violates a constraint: this is a bug of the engine.
        """
        is_valid = self.aim == "errors" or self.problem.is_pure(tree)
        if not is_valid or not self.constraints.allows(tree, self.problem):
            raise PuretreeError("a search returned an invalid tree: this is a bug, please report it")
        value = self.value(tree)
        if self._value and value >= self._value:
            return
        self.tree, self._value = tree, value
        if self.upper is not None and self.upper < self.lower:
            raise PuretreeError("a search found a tree below its own lower bound: this is a bug, please report it")
        self._report()

    def raise_lower(self, lower: int) -> None:
        """Raise the lower bound; keep it if ``lower`` is not better."""
        if lower > self.lower:
            if self.upper is not None and lower > self.upper:
                raise PuretreeError("the lower bound exceeds the incumbent: this is a bug, please report it")
            self.lower = lower
            self._report()

    def prove(self) -> None:
        """Mark the tree as proved optimal."""
        assert self.upper is not None
        self.raise_lower(self.upper)
        self.is_proved = True

    def outcome(self, status: Status, engine: str = "") -> Outcome:
        """Build the outcome; its status is ``optimal`` only if optimality was proved."""
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
            engine=engine,
        )

    def _report(self) -> None:
        bounds = Bounds(self.clock.seconds, self.lower, self.upper, self.source)
        self.history.append(bounds)
        self._on_progress(bounds)
