"""The paper's system: one MaxSAT formula for all trees up to the upper bound, minimised by any MaxSAT solver.

With the linear search it is at its best: the size objective needs no adder (η is a chain), the solver starts near the
upper-bound tree, and of many examples those are told first that a tree gets wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from .._support.clock import TimeIsOver
from .._support.resources import MOST_BYTES, bytes_for_child, require_memory_limit
from ..bounds.lower import least_nodes, least_value
from ..bounds.upper import Start
from ..encoding import TreeEncoding
from ..errors import SolverError
from ..formula import Block, Model
from ..maxsat import Backend, Linear, LinearSearch, make_backend
from ..maxsat.linear import Improvement
from ..outcome import Status
from ..sat import DEFAULT_SOLVER, make_oracle, require_solver
from .base import Guarantees
from .incumbent import Incumbent

Answer = Literal["optimal", "unsatisfiable", "time_limit", "memory_limit", "interrupted"]

FIRST_GUESS = 15  # nodes, where no heuristic finds a tree that keeps to the wishes
MANY_EXAMPLES = 2000
SOLVER_BYTES = 5e7  # of a solver's process before it has a formula, and of a piece of it in Python's own lists


@dataclass(frozen=True, slots=True)
class MaxSat:
    """Minimum pure trees through MaxSAT.

    Parameters
    ----------
    backend : str or Backend, default="linear"
        The MaxSAT solver: ``linear``, ``rc2``, ``hermax:UWrMaxSAT``, ``external:loandra``, or an object such as
        ``External("loandra", style="old")``. Where it gives up, or is not to be trusted, the linear search goes on from
        what it found.
    solver : str, default="cadical195"
        The SAT solver of the linear search, by the name python-sat gives it. A program that is not trusted needs it
        as well, for the proof.
    lazy : bool, optional
        Linear search only: begin with few examples and add those that a tree gets wrong. By default with more than
        2000 examples: in single runs of 25 s it got to 21 nodes on 6499 of mushroom where all at once got to 25, and
        to 81 on 1278 of kr-vs-kp where all at once got to 79.
    isolated : bool, default=True
        Linear search only: run the SAT solver in a process of its own, so that the time limit holds whatever it
        does. Without it small problems are a tenth of a second faster.
    memory_limit : float, optional
        Bytes that this process and the SAT solver's may take together; half of the machine's for the formula, without
        a limit for what the solver learns, by default. A MaxSAT solver of others, and one that is not isolated, is held
        to the size of the formula alone.
    """

    backend: str | Backend = "linear"
    solver: str = DEFAULT_SOLVER
    lazy: bool | None = None
    isolated: bool = True
    memory_limit: float | None = None
    name: ClassVar[str] = "maxsat"
    source: ClassVar[str] = "Alòs, Ansótegui, Torres 2022"
    guarantees: ClassVar[Guarantees] = Guarantees()
    starts_from: ClassVar[tuple[Start, ...]] = ("greedy", "iti")

    def __post_init__(self) -> None:
        require_solver(self.solver)
        make_backend(self.backend)
        require_memory_limit(self.memory_limit)

    def can_take(self, incumbent: Incumbent) -> bool:
        """Whether a formula for trees smaller than the best one would fit into the memory, and tell all wishes."""
        n_nodes = FIRST_GUESS if incumbent.tree is None else incumbent.tree.n_nodes
        return incumbent.constraints.min_samples_leaf == 1 and self._has_room(incumbent, n_nodes)

    def _has_room(self, incumbent: Incumbent, n_nodes: int) -> bool:
        """Whether a formula of trees of so many nodes fits into the memory."""
        most = MOST_BYTES if self._most_bytes is None else self._most_bytes - SOLVER_BYTES
        return TreeEncoding.n_bytes(incumbent.problem, n_nodes) <= most

    @property
    def _most_bytes(self) -> int | None:
        """What a solver may take now."""
        return None if self.memory_limit is None else bytes_for_child(self.memory_limit)

    def search(self, incumbent: Incumbent) -> Status:
        """Minimise; see :class:`Engine`."""
        incumbent.constraints.require_only(self.name, "max_depth", "root", "max_nodes", "minimise")
        n_nodes = max(FIRST_GUESS, lower_nodes(incumbent)) if incumbent.tree is None else incumbent.tree.n_nodes
        while True:
            n_nodes = min(n_nodes, incumbent.constraints.most_nodes(incumbent.problem))
            if n_nodes < lower_nodes(incumbent):
                raise incumbent.constraints.refuse()
            answer = self._minimise(incumbent, n_nodes)
            if answer in ("time_limit", "memory_limit", "interrupted"):
                return answer
            if (answer == "unsatisfiable") != (incumbent.tree is None):
                raise SolverError(f"a solver contradicts itself on trees of at most {n_nodes} nodes: it says {answer}")
            if incumbent.tree is None:
                n_nodes = grow(incumbent, n_nodes)
            elif n_nodes < _enough_nodes(incumbent):
                n_nodes = _enough_nodes(incumbent)
            else:
                incumbent.prove()
                return "optimal"

    def _minimise(self, incumbent: Incumbent, n_nodes: int) -> Answer:
        """Minimise over the trees of at most so many nodes."""
        backend = Linear(self.solver, self.isolated) if self.backend == "linear" else make_backend(self.backend)
        if not self._has_room(incumbent, n_nodes):
            return "memory_limit"
        encoding = TreeEncoding(
            incumbent.problem, n_nodes, lower=lower_nodes(incumbent), constraints=incumbent.constraints
        )
        try:
            if isinstance(backend, Linear):
                return self._search_linearly(incumbent, encoding, backend)
            return self._search_with(backend, incumbent, encoding)
        except TimeIsOver:
            return "time_limit"
        except MemoryError:
            return "memory_limit"

    def _search_with(self, backend: Backend, incumbent: Incumbent, encoding: TreeEncoding) -> Answer:
        formula = encoding.wcnf(incumbent.clock)
        answer = backend.minimise(
            formula, clock=incumbent.clock, on_model=lambda model: incumbent.offer(encoding.tree(model))
        )
        if answer.status == "unsatisfiable" and incumbent.tree is not None:
            raise SolverError(f"{backend.name} says that there is no such tree, but there is one")
        if answer.status == "unknown" and incumbent.clock.is_over:
            return "time_limit"
        if answer.status == "unknown" or not backend.is_trusted:
            return self._search_linearly(incumbent, encoding, Linear(self.solver, self.isolated))
        if answer.status == "optimal":
            _require_best(incumbent, encoding, answer.model, backend.name)
        return answer.status

    def _search_linearly(self, incumbent: Incumbent, encoding: TreeEncoding, linear: Linear) -> Answer:
        is_lazy = incumbent.problem.n_examples > MANY_EXAMPLES if self.lazy is None else self.lazy
        oracle = make_oracle(linear.solver, isolated=linear.isolated, max_bytes=self._most_bytes)
        try:
            search = LinearSearch(
                oracle,
                encoding.objectives,
                encoding.pool,
                lower=(encoding.lower + 1) // 2 if incumbent.constraints.minimise != "cost" else incumbent.lower,
                refine=_misclassified(encoding) if is_lazy else None,
                on_model=lambda model: incumbent.offer(encoding.tree(model)),
                on_improvement=_raise_lower(incumbent),
            )
            for block in encoding.structure():
                oracle.add(block, incumbent.clock)
            for block in encoding.purity(_first_examples(incumbent) if is_lazy else None):
                oracle.add(block, incumbent.clock)
            if incumbent.tree is not None and incumbent.tree.n_nodes <= encoding.n_nodes:
                search.start_from(encoding.literals(incumbent.tree), incumbent.clock)
            return search.run(incumbent.clock)
        finally:
            oracle.close()


def _require_best(incumbent: Incumbent, encoding: TreeEncoding, model: Model | None, name: str) -> None:
    """Refuse an optimum that is worse than a tree we know."""
    assert incumbent.tree is not None
    if model is None or incumbent.value(encoding.tree(model)) > incumbent.value(incumbent.tree):
        raise SolverError(f"{name} calls a tree the best one although a better one is known; do not trust it")


def lower_nodes(incumbent: Incumbent) -> int:
    """Return how many nodes a tree has at least."""
    return incumbent.lower if incumbent.constraints.minimise != "cost" else least_nodes(incumbent.problem)


def grow(incumbent: Incumbent, n_nodes: int) -> int:
    """Return how many nodes to try next after it was proved that so many are not enough."""
    if n_nodes >= incumbent.constraints.most_nodes(incumbent.problem):
        raise incumbent.constraints.refuse()
    incumbent.raise_lower(least_value(incumbent.problem, incumbent.constraints, n_nodes + 2))
    return 2 * n_nodes + 1


def _enough_nodes(incumbent: Incumbent) -> int:
    """Return how many nodes a tree can have that is better than the best one: only a cheaper one can be larger."""
    assert incumbent.tree is not None
    if incumbent.constraints.minimise != "cost":
        return incumbent.tree.n_nodes
    most = incumbent.constraints.most_nodes(incumbent.problem)
    cheapest = int(incumbent.problem.costs.min())
    return min(most, 2 * (incumbent.cost(incumbent.tree) // cheapest) + 1) if cheapest else most


def _first_examples(incumbent: Incumbent) -> np.ndarray:
    """Return one example for each leaf of the best tree, or of each class if there is none."""
    problem, tree = incumbent.problem, incumbent.tree
    groups = problem.labels if tree is None else tree.apply(problem.examples)
    return np.unique(groups, return_index=True)[1]


def _misclassified(encoding: TreeEncoding) -> Callable[[Model], Iterator[Block]]:
    problem = encoding.problem

    def refine(model: Model) -> Iterator[Block]:
        """Yield the clauses of one wrong example for each leaf that has any."""
        tree = encoding.tree(model)
        leaves = tree.apply(problem.examples)
        wrong = np.flatnonzero(tree.label[leaves] != problem.labels)
        if len(wrong):
            yield from encoding.purity(wrong[np.unique(leaves[wrong], return_index=True)[1]])

    return refine


def _raise_lower(incumbent: Incumbent) -> Callable[[Improvement], None]:
    def hear(news: Improvement) -> None:
        """Pass a proved size on while later objectives are still open; η counts pairs of nodes and the root."""
        if news.objective == 0 and incumbent.constraints.minimise != "cost":
            incumbent.raise_lower(2 * news.lower - 1)

    return hear
