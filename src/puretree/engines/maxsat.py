"""The paper's system: one MaxSAT formula for all trees up to the upper bound, minimised by any MaxSAT solver.

With the linear search it is at its best: the size objective needs no adder (η is a chain), the solver starts near the
upper-bound tree, and of many examples those are told first that a tree gets wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ..bounds.lower import least_nodes, least_value
from ..bounds.upper import Start
from ..clock import TimeIsOver
from ..encoding import TreeEncoding
from ..errors import SolverError
from ..formula import Block, Model
from ..machine import MOST_BYTES, bytes_for_child, require_memory_limit
from ..maxsat import Backend, Linear, LinearSearch, make_backend
from ..maxsat.linear import Improvement
from ..outcome import Status
from ..record import Record
from ..sat import DEFAULT_SOLVER, make_oracle, require_solver
from .base import Promise

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
    promise: ClassVar[Promise] = Promise()
    starts_from: ClassVar[tuple[Start, ...]] = ("greedy", "iti")

    def __post_init__(self) -> None:
        require_solver(self.solver)
        make_backend(self.backend)
        require_memory_limit(self.memory_limit)

    def can_take(self, record: Record) -> bool:
        """Whether a formula for trees smaller than the best one would fit into the memory, and tell all wishes."""
        n_nodes = FIRST_GUESS if record.tree is None else record.tree.n_nodes
        return record.steering.min_leaf == 1 and self._has_room(record, n_nodes)

    def _has_room(self, record: Record, n_nodes: int) -> bool:
        """Whether a formula of trees of so many nodes fits into the memory."""
        most = MOST_BYTES if self._most_bytes is None else self._most_bytes - SOLVER_BYTES
        return TreeEncoding.n_bytes(record.problem, n_nodes) <= most

    @property
    def _most_bytes(self) -> int | None:
        """What a solver may take now."""
        return None if self.memory_limit is None else bytes_for_child(self.memory_limit)

    def search(self, record: Record) -> Status:
        """Minimise; see :class:`Engine`."""
        record.steering.require_only(self.name, "max_depth", "root", "max_nodes", "minimise")
        n_nodes = max(FIRST_GUESS, lower_nodes(record)) if record.tree is None else record.tree.n_nodes
        while True:
            n_nodes = min(n_nodes, record.steering.most_nodes(record.problem))
            if n_nodes < lower_nodes(record):
                raise record.steering.refuse()
            answer = self._minimise(record, n_nodes)
            if answer in ("time_limit", "memory_limit", "interrupted"):
                return answer
            if (answer == "unsatisfiable") != (record.tree is None):
                raise SolverError(f"a solver contradicts itself on trees of at most {n_nodes} nodes: it says {answer}")
            if record.tree is None:
                n_nodes = grow(record, n_nodes)
            elif n_nodes < _enough_nodes(record):
                n_nodes = _enough_nodes(record)
            else:
                record.prove()
                return "optimal"

    def _minimise(self, record: Record, n_nodes: int) -> Answer:
        """Minimise over the trees of at most so many nodes."""
        backend = Linear(self.solver, self.isolated) if self.backend == "linear" else make_backend(self.backend)
        if not self._has_room(record, n_nodes):
            return "memory_limit"
        encoding = TreeEncoding(record.problem, n_nodes, lower=lower_nodes(record), steering=record.steering)
        try:
            if isinstance(backend, Linear):
                return self._search_linearly(record, encoding, backend)
            return self._search_with(backend, record, encoding)
        except TimeIsOver:
            return "time_limit"
        except MemoryError:
            return "memory_limit"

    def _search_with(self, backend: Backend, record: Record, encoding: TreeEncoding) -> Answer:
        formula = encoding.wcnf(record.clock)
        answer = backend.minimise(
            formula, clock=record.clock, on_model=lambda model: record.offer(encoding.tree(model))
        )
        if answer.status == "unsatisfiable" and record.tree is not None:
            raise SolverError(f"{backend.name} says that there is no such tree, but there is one")
        if answer.status == "unknown" and record.clock.is_over:
            return "time_limit"
        if answer.status == "unknown" or not backend.is_trusted:
            return self._search_linearly(record, encoding, Linear(self.solver, self.isolated))
        if answer.status == "optimal":
            _require_best(record, encoding, answer.model, backend.name)
        return answer.status

    def _search_linearly(self, record: Record, encoding: TreeEncoding, linear: Linear) -> Answer:
        is_lazy = record.problem.n_examples > MANY_EXAMPLES if self.lazy is None else self.lazy
        oracle = make_oracle(linear.solver, isolated=linear.isolated, most_bytes=self._most_bytes)
        try:
            search = LinearSearch(
                oracle,
                encoding.objectives,
                encoding.pool,
                lower=(encoding.lower + 1) // 2 if record.steering.minimise != "cost" else record.lower,
                refine=_misclassified(encoding) if is_lazy else None,
                on_model=lambda model: record.offer(encoding.tree(model)),
                on_improvement=_raise_lower(record),
            )
            for block in encoding.structure():
                oracle.add(block, record.clock)
            for block in encoding.purity(_first_examples(record) if is_lazy else None):
                oracle.add(block, record.clock)
            if record.tree is not None and record.tree.n_nodes <= encoding.n_nodes:
                search.start_from(encoding.literals(record.tree), record.clock)
            return search.run(record.clock)
        finally:
            oracle.close()


def _require_best(record: Record, encoding: TreeEncoding, model: Model | None, name: str) -> None:
    """Refuse an optimum that is worse than a tree we know."""
    assert record.tree is not None
    if model is None or record.value(encoding.tree(model)) > record.value(record.tree):
        raise SolverError(f"{name} calls a tree the best one although a better one is known; do not trust it")


def lower_nodes(record: Record) -> int:
    """Return how many nodes a tree has at least."""
    return record.lower if record.steering.minimise != "cost" else least_nodes(record.problem)


def grow(record: Record, n_nodes: int) -> int:
    """Return how many nodes to try next after it was proved that so many are not enough."""
    if n_nodes >= record.steering.most_nodes(record.problem):
        raise record.steering.refuse()
    record.raise_lower(least_value(record.problem, record.steering, n_nodes + 2))
    return 2 * n_nodes + 1


def _enough_nodes(record: Record) -> int:
    """Return how many nodes a tree can have that is better than the best one: only a cheaper one can be larger."""
    assert record.tree is not None
    if record.steering.minimise != "cost":
        return record.tree.n_nodes
    most = record.steering.most_nodes(record.problem)
    cheapest = int(record.problem.costs.min())
    return min(most, 2 * (record.cost(record.tree) // cheapest) + 1) if cheapest else most


def _first_examples(record: Record) -> np.ndarray:
    """Return one example for each leaf of the best tree, or of each class if there is none."""
    problem, tree = record.problem, record.tree
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


def _raise_lower(record: Record) -> Callable[[Improvement], None]:
    def hear(news: Improvement) -> None:
        """Pass a proved size on while later objectives are still open; η counts pairs of nodes and the root."""
        if news.objective == 0 and record.steering.minimise != "cost":
            record.raise_lower(2 * news.lower - 1)

    return hear
