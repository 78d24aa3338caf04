"""The paper's system: one MaxSAT formula for all trees up to the upper bound, minimised by any MaxSAT solver.

It works best with the linear search: the size objective needs no adder (η is a chain), the solver gets a warm start
from the upper-bound tree, and with many examples only those that a tree misclassifies are added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from .._support.clock import TimeLimitReached
from .._support.resources import MOST_BYTES, bytes_for_child, require_memory_limit
from ..bounds.lower import least_nodes, least_value
from ..bounds.upper import Heuristic
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

FIRST_GUESS = 15  # nodes, where no heuristic finds a tree that satisfies the constraints
MANY_EXAMPLES = 2000
SOLVER_BYTES = 5e7  # of a solver's process without a formula, and of one block of clauses as Python lists


@dataclass(frozen=True, slots=True)
class MaxSat:
    """Minimum pure trees by MaxSAT.

    Parameters
    ----------
    backend : str or Backend, default="linear"
        The MaxSAT solver: ``linear``, ``rc2``, ``hermax:UWrMaxSAT``, ``external:loandra``, or an object such as
        ``External("loandra", style="old")``. If it gives up or is not trusted, the linear search continues from its
        best tree.
    solver : str, default="cadical195"
        SAT solver of the linear search, by its name in python-sat. An untrusted MaxSAT solver needs it as well, for
        the proof.
    lazy : bool, optional
        Linear search only: start with few examples and add those that a tree misclassifies. Default: if there are more
        than 2000 examples. In single runs of 25 s, it reached 21 nodes on 6499 examples of mushroom, where adding all
        at once reached 25, and 81 on 1278 examples of kr-vs-kp, where adding all at once reached 79.
    isolated : bool, default=True
        Linear search only: run the SAT solver in its own process, so that the time limit is always enforced. Without
        it small problems are a tenth of a second faster.
    memory_limit : float, optional
        Limit in bytes for this process and the SAT solver's together. By default the formula may take half of the
        machine's memory, and learnt clauses are not limited. For third-party MaxSAT solvers and with
        ``isolated=False``, only the size of the formula is limited.
    """

    backend: str | Backend = "linear"
    solver: str = DEFAULT_SOLVER
    lazy: bool | None = None
    isolated: bool = True
    memory_limit: float | None = None
    name: ClassVar[str] = "maxsat"
    source: ClassVar[str] = "Alòs, Ansótegui, Torres 2022"
    guarantees: ClassVar[Guarantees] = Guarantees()
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy", "iti")

    def __post_init__(self) -> None:
        require_solver(self.solver)
        make_backend(self.backend)
        require_memory_limit(self.memory_limit)

    def can_take(self, incumbent: Incumbent) -> bool:
        """Whether a formula for trees up to the incumbent's size fits into memory and can express the constraints."""
        n_nodes = FIRST_GUESS if incumbent.tree is None else incumbent.tree.n_nodes
        return incumbent.constraints.min_samples_leaf == 1 and self._fits(incumbent, n_nodes)

    def _fits(self, incumbent: Incumbent, n_nodes: int) -> bool:
        """Whether the formula for trees of at most `n_nodes` nodes fits into memory."""
        limit = self._max_bytes(incumbent)
        max_bytes = MOST_BYTES if limit is None else limit - SOLVER_BYTES
        return TreeEncoding.n_bytes(incumbent.problem, n_nodes) <= max_bytes

    def _max_bytes(self, incumbent: Incumbent) -> int | None:
        """Bytes that a solver process may take now; None without a limit."""
        return incumbent.solver_limit if self.memory_limit is None else bytes_for_child(self.memory_limit)

    def search(self, incumbent: Incumbent) -> Status:
        """Minimise; see :class:`~puretree.engines.base.Engine`."""
        incumbent.constraints.require_only(self.name, "max_depth", "root", "max_nodes", "minimise")
        n_nodes = max(FIRST_GUESS, lower_nodes(incumbent)) if incumbent.tree is None else incumbent.tree.n_nodes
        while True:
            n_nodes = min(n_nodes, incumbent.constraints.most_nodes(incumbent.problem))
            if n_nodes < lower_nodes(incumbent):
                raise incumbent.constraints.infeasible()
            answer = self._minimise(incumbent, n_nodes)
            if answer in ("time_limit", "memory_limit", "interrupted"):
                return answer
            if (answer == "unsatisfiable") != (incumbent.tree is None):
                raise SolverError(
                    f"a solver contradicts itself on trees of at most {n_nodes} nodes: it returned {answer}, "
                    f"and {'no' if incumbent.tree is None else 'a'} tree is known"
                )
            if incumbent.tree is None:
                n_nodes = next_size(incumbent, n_nodes)
            elif n_nodes < _sufficient_nodes(incumbent):
                n_nodes = _sufficient_nodes(incumbent)
            else:
                incumbent.prove()
                return "optimal"

    def _minimise(self, incumbent: Incumbent, n_nodes: int) -> Answer:
        """Minimise over the trees of at most `n_nodes` nodes."""
        backend = Linear(self.solver, self.isolated) if self.backend == "linear" else make_backend(self.backend)
        if not self._fits(incumbent, n_nodes):
            return "memory_limit"
        encoding = TreeEncoding(
            incumbent.problem, n_nodes, lower=lower_nodes(incumbent), constraints=incumbent.constraints
        )
        try:
            if isinstance(backend, Linear):
                return self._search_linearly(incumbent, encoding, backend)
            return self._search_with(backend, incumbent, encoding)
        except TimeLimitReached:
            return "time_limit"
        except MemoryError:
            return "memory_limit"

    def _search_with(self, backend: Backend, incumbent: Incumbent, encoding: TreeEncoding) -> Answer:
        formula = encoding.wcnf(incumbent.clock)
        answer = backend.minimise(
            formula, clock=incumbent.clock, on_model=lambda model: incumbent.offer(encoding.tree(model))
        )
        if answer.status == "unsatisfiable" and incumbent.tree is not None:
            raise SolverError(f"{backend.name} returned a wrong answer: unsatisfiable, but a tree is known")
        if answer.status == "unknown" and incumbent.clock.is_over:
            return "time_limit"
        if answer.status == "unknown" or not backend.is_trusted:
            return self._search_linearly(incumbent, encoding, Linear(self.solver, self.isolated))
        if answer.status == "optimal":
            _require_optimum(incumbent, encoding, answer.model, backend.name)
        return answer.status

    def _search_linearly(self, incumbent: Incumbent, encoding: TreeEncoding, linear: Linear) -> Answer:
        is_lazy = incumbent.problem.n_examples > MANY_EXAMPLES if self.lazy is None else self.lazy
        oracle = make_oracle(linear.solver, isolated=linear.isolated, max_bytes=self._max_bytes(incumbent))
        try:
            search = LinearSearch(
                oracle,
                encoding.objectives,
                encoding.pool,
                lower=(encoding.lower + 1) // 2 if incumbent.constraints.minimise != "cost" else incumbent.lower,
                refine=_lazy_clauses(encoding) if is_lazy else None,
                on_model=lambda model: incumbent.offer(encoding.tree(model)),
                on_improvement=_bound_callback(incumbent),
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


def _require_optimum(incumbent: Incumbent, encoding: TreeEncoding, model: Model | None, name: str) -> None:
    """Raise SolverError if the reported optimum is worse than the incumbent."""
    assert incumbent.tree is not None
    if model is None or incumbent.value(encoding.tree(model)) > incumbent.value(incumbent.tree):
        raise SolverError(f"{name} returned a wrong answer: its optimum is worse than a known tree")


def lower_nodes(incumbent: Incumbent) -> int:
    """Return the lower bound on the number of nodes."""
    return incumbent.lower if incumbent.constraints.minimise != "cost" else least_nodes(incumbent.problem)


def next_size(incumbent: Incumbent, n_nodes: int) -> int:
    """Return the size to try next after a proof that `n_nodes` nodes are not enough; raise the lower bound."""
    if n_nodes >= incumbent.constraints.most_nodes(incumbent.problem):
        raise incumbent.constraints.infeasible()
    incumbent.raise_lower(least_value(incumbent.problem, incumbent.constraints, n_nodes + 2))
    return 2 * n_nodes + 1


def _sufficient_nodes(incumbent: Incumbent) -> int:
    """Return the maximum size of a better tree than the incumbent: only a cheaper tree can be larger."""
    assert incumbent.tree is not None
    if incumbent.constraints.minimise != "cost":
        return incumbent.tree.n_nodes
    max_nodes = incumbent.constraints.most_nodes(incumbent.problem)
    min_cost = int(incumbent.problem.costs.min())
    return min(max_nodes, 2 * (incumbent.cost(incumbent.tree) // min_cost) + 1) if min_cost else max_nodes


def _first_examples(incumbent: Incumbent) -> np.ndarray:
    """Return one example for each leaf of the incumbent, or for each class if there is no tree."""
    problem, tree = incumbent.problem, incumbent.tree
    groups = problem.labels if tree is None else tree.apply(problem.examples)
    return np.unique(groups, return_index=True)[1]


def _lazy_clauses(encoding: TreeEncoding) -> Callable[[Model], Iterator[Block]]:
    problem = encoding.problem

    def refine(model: Model) -> Iterator[Block]:
        """Yield the purity clauses of one misclassified example for each leaf that has any."""
        tree = encoding.tree(model)
        leaves = tree.apply(problem.examples)
        misclassified = np.flatnonzero(tree.label[leaves] != problem.labels)
        if len(misclassified):
            first_of_leaf = np.unique(leaves[misclassified], return_index=True)[1]
            yield from encoding.purity(misclassified[first_of_leaf])

    return refine


def _bound_callback(incumbent: Incumbent) -> Callable[[Improvement], None]:
    def on_improvement(improvement: Improvement) -> None:
        """Report a proved size while later objectives are still open; η counts pairs of nodes and the root."""
        if improvement.objective == 0 and incumbent.constraints.minimise != "cost":
            incumbent.raise_lower(2 * improvement.lower - 1)

    return on_improvement
