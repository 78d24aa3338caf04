"""The paper's system: one MaxSAT formula for all trees up to the upper bound, minimised by any MaxSAT solver.

The paper computes the upper bound by ITI, encodes the trees of at most that many nodes, and runs Algorithm 1 on the
formula with CaDiCaL: here ``maxsat(warm_start=False, objective='totaliser', lazy=False, upper_bound='iti')``. ITI tries
five orders of the examples; the paper does not say how many. By default we add to it:

- the linear search starts from the upper-bound tree, as its first model and as the solver's phases;
- the objective needs no sum, as η is a chain: "at most n nodes" is one literal of the formula;
- with more than 2000 examples only those that a tree misclassifies are added;
- the greedy tree is an upper bound beside ITI's.

None of these changes what is proved. The corrected equations of the encoding are listed in docs/decisions/0005.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, get_args

import numpy as np

from .._support.clock import TimeLimitReached
from .._support.resources import MOST_BYTES, bytes_for_child, require_memory_limit
from ..bounds.lower import least_nodes, least_value
from ..bounds.upper import Heuristic
from ..encoding import TreeEncoding
from ..errors import InputError, SolverError
from ..formula import Block, Model, Objective
from ..maxsat import Backend, Linear, LinearSearch, make_backend
from ..maxsat.linear import Improvement
from ..outcome import Status
from ..sat import DEFAULT_SOLVER, Oracle, make_oracle, require_solver
from .base import Guarantees
from .incumbent import Incumbent
from .sat_engine import HEURISTICS, FirstTree, require_booleans, require_first_tree

Answer = Literal["optimal", "unsatisfiable", "unproved", "time_limit", "memory_limit", "interrupted"]
SizeObjective = Literal["chain", "totaliser"]

FIRST_GUESS = 15  # nodes, where no heuristic finds a tree that satisfies the constraints
MANY_EXAMPLES = 2000
SOLVER_BYTES = 5e7  # of a solver's process without a formula, and of one block of clauses as Python lists


@dataclass(frozen=True, slots=True)
class MaxSat:
    """Minimum pure trees by MaxSAT.

    Parameters
    ----------
    backend : str or Backend, default="linear"
        The MaxSAT solver: ``linear``, ``rc2``, ``hermax:UWrMaxSAT``, ``external:loandra``,
        ``external:open-wbo?format=old``, or an object such as ``External("open-wbo", style="old")``.
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
    warm_start : bool, default=True
        Linear search only: start from the upper-bound tree, as first model and as the solver's phases. Otherwise only
        its size is used, as in the paper: the formula has that many nodes, and a smaller tree is searched for.
    objective : {"chain", "totaliser"}, default="chain"
        Linear search only: bound the size by one literal of η, or by a totaliser over the soft clauses that does not
        use that η is a chain, as in the paper's Algorithm 1.
    takeover : bool, default=True
        If the MaxSAT solver gives up or is not trusted, the linear search continues from its best tree. Otherwise the
        outcome is what the MaxSAT solver achieved: its status is ``unproved`` if the solver gave up, or if it is not
        trusted and reported an optimum, which remains a claim.
    upper_bound : {"best", "iti"}, default="best"
        The first upper bound: the smaller one of the greedy tree and ITI's, or ITI's tree only, as in the paper.
    """

    backend: str | Backend = "linear"
    solver: str = DEFAULT_SOLVER
    lazy: bool | None = None
    isolated: bool = True
    memory_limit: float | None = None
    warm_start: bool = True
    objective: SizeObjective = "chain"
    takeover: bool = True
    upper_bound: FirstTree = "best"
    name: ClassVar[str] = "maxsat"
    source: ClassVar[str] = "Alòs, Ansótegui, Torres 2022"

    def __post_init__(self) -> None:
        require_solver(self.solver)
        make_backend(self.backend)
        require_memory_limit(self.memory_limit)
        require_booleans(isolated=self.isolated, warm_start=self.warm_start, takeover=self.takeover)
        if self.lazy is not None:
            require_booleans(lazy=self.lazy)
        require_first_tree(self.upper_bound)
        if self.objective not in get_args(SizeObjective):
            raise InputError(
                f"is unknown; use {' or '.join(map(repr, get_args(SizeObjective)))}",
                parameter="objective",
                value=self.objective,
            )

    @property
    def guarantees(self) -> Guarantees:
        """Minimum trees; without a takeover, only if the MaxSAT solver can prove them."""
        return Guarantees(proves=self.takeover or self.make_backend().proves)

    @property
    def starts_from(self) -> tuple[Heuristic, ...]:
        """The heuristics of the upper bound."""
        return HEURISTICS[self.upper_bound]

    def make_backend(self) -> Backend:
        """Return the MaxSAT solver."""
        return Linear(self.solver, self.isolated) if self.backend == "linear" else make_backend(self.backend)

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
        with incumbent.credit(self.name):
            return self._search(incumbent)

    def _search(self, incumbent: Incumbent) -> Status:
        n_nodes = max(FIRST_GUESS, lower_nodes(incumbent)) if incumbent.tree is None else incumbent.tree.n_nodes
        while True:
            n_nodes = min(n_nodes, incumbent.constraints.most_nodes(incumbent.problem))
            if n_nodes < lower_nodes(incumbent):
                raise incumbent.constraints.infeasible()
            answer = self._minimise(incumbent, n_nodes)
            if answer in ("unproved", "time_limit", "memory_limit", "interrupted"):
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
        backend = self.make_backend()
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
        incumbent.source = backend.name
        formula = encoding.wcnf(incumbent.clock)
        answer = backend.minimise(
            formula, clock=incumbent.clock, on_model=lambda model: incumbent.offer(encoding.tree(model))
        )
        if answer.status == "unsatisfiable" and incumbent.tree is not None:
            raise SolverError(f"{backend.name} returned a wrong answer: unsatisfiable, but a tree is known")
        if answer.status == "unknown" and incumbent.clock.is_over:
            return "time_limit"
        if answer.status == "unknown" or not backend.is_trusted:
            if not self.takeover:
                return "unproved"
            return self._search_linearly(incumbent, encoding, Linear(self.solver, self.isolated))
        if answer.status == "optimal":
            _require_optimum(incumbent, encoding, answer.model, backend.name)
        return answer.status

    def _search_linearly(self, incumbent: Incumbent, encoding: TreeEncoding, linear: Linear) -> Answer:
        incumbent.source = linear.name
        oracle = make_oracle(linear.solver, isolated=linear.isolated, max_bytes=self._max_bytes(incumbent))
        is_kept = False
        try:
            search = self._make_search(incumbent, encoding, oracle)
            answer = search.run(incumbent.clock)
            if answer == "unsatisfiable" and search.upper is not None:
                answer = "optimal"  # the upper bound is that of the incumbent, and no tree is smaller
            if answer == "optimal" and incumbent.formula is not None and incumbent.constraints.minimise != "cost":
                incumbent.formula.fill(encoding, search)
                is_kept = True
            return answer
        finally:
            if not is_kept:
                oracle.close()

    def _make_search(self, incumbent: Incumbent, encoding: TreeEncoding, oracle: Oracle) -> LinearSearch:
        """Add the clauses of an encoding to a solver, and return a search from the incumbent's tree or its size."""
        is_lazy = incumbent.problem.n_examples > MANY_EXAMPLES if self.lazy is None else self.lazy
        has_tree = incumbent.tree is not None and incumbent.tree.n_nodes <= encoding.n_nodes
        objectives = encoding.objectives
        if self.objective == "totaliser":
            objectives = tuple(Objective.of(objective.soft) for objective in objectives)
        search = LinearSearch(
            oracle,
            objectives,
            encoding.pool,
            lower=(encoding.lower + 1) // 2 if incumbent.constraints.minimise != "cost" else incumbent.lower,
            upper=_upper_bound(incumbent) if has_tree and not self.warm_start else None,
            refine=_lazy_clauses(encoding) if is_lazy else None,
            on_model=lambda model: incumbent.offer(encoding.tree(model)),
            on_improvement=_bound_callback(incumbent),
        )
        for block in encoding.structure():
            oracle.add(block, incumbent.clock)
        for block in encoding.purity(_first_examples(incumbent) if is_lazy else None):
            oracle.add(block, incumbent.clock)
        if has_tree and self.warm_start:
            assert incumbent.tree is not None
            search.start_from(encoding.literals(incumbent.tree), incumbent.clock)
        return search


class OpenFormula:
    """The formula of a proof, in a live solver with all that it learnt, from which the optimal trees can be extracted.

    ``solve(problem, MaxSat(), formula=formula)`` fills it if the linear search proves the minimum, and the caller then
    closes it. It remains empty if the bounds meet without a search, if another MaxSAT solver makes the proof, with
    ``minimise="cost"``, where a proof may need several formulas, and without a proof.

    Attributes
    ----------
    encoding : TreeEncoding or None
        Its trees may have more nodes than the minimum.
    search : LinearSearch or None
        ``search.assumptions`` restrict ``search.oracle`` to the optimal trees. With lazy examples the solver lacks
        those that no tree misclassified so far: a tree that misclassifies others is excluded by adding
        ``encoding.purity`` of these examples.

    Examples
    --------
    >>> from puretree.engines import solve
    >>> from puretree.problem import BinaryProblem
    >>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> with OpenFormula() as formula:
    ...     outcome = solve(xor, MaxSat(), formula=formula)
    ...     formula.search.oracle.solve(formula.search.assumptions)
    True
    """

    def __init__(self) -> None:
        self.encoding: TreeEncoding | None = None
        self.search: LinearSearch | None = None

    def fill(self, encoding: TreeEncoding, search: LinearSearch) -> None:
        """Take over a formula and its solver; a formula that was held before is closed."""
        self.close()
        self.encoding, self.search = encoding, search

    def close(self) -> None:
        """Release the solver; the formula is empty again."""
        if self.search is not None:
            self.search.close()
        self.encoding = self.search = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _upper_bound(incumbent: Incumbent) -> int:
    """Return the cost that a better model stays below; one more if it may also be better in a second objective."""
    assert incumbent.upper is not None
    upper = incumbent.upper if incumbent.constraints.minimise == "cost" else (incumbent.upper + 1) // 2
    return upper if incumbent.constraints.minimise == "nodes" else upper + 1


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
