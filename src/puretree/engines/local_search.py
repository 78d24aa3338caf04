"""Local search over the trees of the MaxSAT encoding: an anytime engine, which proves optimality only as a hybrid.

The paper runs SATLike-c and SATLike-ck of the MaxSAT Evaluation 2021 on its formula, from ITI's upper bound. Here
``local-search-c`` has the three stages of SATLike-c: a SAT solver's model, local search until it stagnates, and linear
search with the phases of TT-Open-WBO-Inc. ``local-search-ck`` is our own hybrid, named after SATLike-ck, whose
description was not available to us: a short walk, then the linear search of the engine ``maxsat``. Both differ from the
programs of the evaluation in details, which :mod:`puretree.maxsat.local_search` lists, and in their start: they get the
heuristics' tree, not only its size, and the SAT solver completes it to the first model.

A step of the walk flips one variable, but nearly all variables of a tree's formula depend on a few of them: another
feature at one node changes the examples that reach all nodes below it. So the walk passes through many falsified
formulas between one tree and the next. It finds minimum trees of up to about 15 nodes within seconds, and rarely any
tree beyond about 35 nodes. Therefore ``-ck`` gives the walk little time. The walk itself suits less constrained
formulas (Lei and Cai, *Solving (Weighted) Partial MaxSAT by Dynamic Local Search for SAT*, IJCAI 2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .._support.clock import Clock, TimeLimitReached
from ..bounds.upper import Heuristic
from ..encoding import TreeEncoding
from ..errors import SolverError
from ..formula import Model, Wcnf, combine, true_literals
from ..maxsat import Answer, Linear, LinearSearch, LocalSearch, OnModel
from ..maxsat.checker import ModelChecker
from ..maxsat.local_search import Hybrid, backend_name, phases_near
from ..outcome import Status
from ..problem import BinaryProblem
from ..sat import DEFAULT_SOLVER, Oracle, make_oracle
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent
from .maxsat import FIRST_GUESS, MaxSat, lower_nodes, next_size
from .sat_engine import require_booleans

# Limits of the walk before the linear search. From the heuristics' trees on nine of the paper's data sets, three seeds
# each, the walk found smaller trees on two, where the linear search needs less than a second; on the others it found
# none in 4 seconds.
MAX_STEPS_CK = 1_000_000
FRACTION_CK = 0.05  # of the time
WALK = "local-search"  # who made an improvement, beside "linear"


@dataclass(frozen=True, slots=True)
class Anytime:
    """Small pure trees by local search.

    Parameters
    ----------
    hybrid : {"none", "c", "ck"}, default="none"
        ``none``: walk from a random assignment, and use only the size of the heuristics' tree. ``c``: walk from the
        model to which a SAT solver completes that tree, or from any model if there is no tree, until the walk
        stagnates; then search linearly near the best tree, which proves optimality. ``ck``: walk as ``c`` for a short
        time, then run the linear search of ``maxsat``.
    seed : int, default=0
        Random seed; the same seed gives the same walk.
    max_steps : int, optional
        Number of steps without improvement after which the walk stops. By default it runs until the time limit, or for
        ten million steps without one; with ``c``, for ten million steps, or 15 s or a quarter of the time limit without
        improvement; with ``ck``, for as many steps as the formula has literals, at most a million, and for at most a
        twentieth of the time.
    solver : str, default="cadical195"
        SAT solver of the hybrids, by its name in python-sat.
    isolated : bool, default=True
        Run the SAT solver in its own process, so that the time limit is always enforced.
    lazy : bool, optional
        Only for ``ck``: whether its linear search adds examples lazily; by default if there are many, as ``maxsat``.
    """

    hybrid: Hybrid = "none"
    seed: int = 0
    max_steps: int | None = None
    solver: str = DEFAULT_SOLVER
    isolated: bool = True
    lazy: bool | None = None
    source: ClassVar[str] = "Lei, Cai 2018"
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy", "iti")

    def __post_init__(self) -> None:
        self._backend()
        require_booleans(isolated=self.isolated)
        if self.lazy is not None:
            require_booleans(lazy=self.lazy)

    @property
    def name(self) -> str:
        """The name in the registry."""
        return backend_name(self.hybrid)

    @property
    def guarantees(self) -> Guarantees:
        """Small trees; minimum trees with a hybrid."""
        return Guarantees(proves=self.hybrid != "none")

    def search(self, incumbent: Incumbent) -> Status:
        """Walk, then search linearly if it is a hybrid; see :class:`~puretree.engines.base.Engine`."""
        incumbent.constraints.require_only(self.name, "max_depth", "root", "max_nodes", "minimise")
        status: Status = "unproved"
        try:
            if incumbent.tree is not None:
                status = self._search_from_tree(incumbent)
            elif self.hybrid == "none":
                status = self._find_first_tree(incumbent)
        except TimeLimitReached:
            status = "time_limit"
        except MemoryError:
            status = "memory_limit"
        if incumbent.is_proved or status == "interrupted" or self.hybrid == "none":
            return status
        return self._prove(incumbent, status)

    def _backend(self, n_literals: int = 0) -> LocalSearch:
        is_short = self.hybrid == "ck" and self.max_steps is None
        max_steps = min(MAX_STEPS_CK, n_literals) if is_short else self.max_steps
        return LocalSearch(self.hybrid, self.seed, max_steps, self.solver, self.isolated)

    def _prove(self, incumbent: Incumbent, status: Status) -> Status:
        """Run the engine ``maxsat``, with the backend ``local-search-c`` if that has no tree to start from."""
        if self.hybrid == "c" and status in ("time_limit", "memory_limit"):
            return status
        backend = self._backend() if self.hybrid == "c" and incumbent.tree is None else "linear"
        maxsat = MaxSat(backend, self.solver, self.lazy, self.isolated, incumbent.memory_limit)
        return maxsat.search(incumbent)

    def _search_from_tree(self, incumbent: Incumbent) -> Status:
        """Search for better trees than the incumbent's among those of at most its size."""
        assert incumbent.tree is not None
        clock = incumbent.clock.part(FRACTION_CK) if self.hybrid == "ck" else incumbent.clock
        n_nodes = incumbent.tree.n_nodes
        n_solver_bytes = TreeEncoding.n_bytes(incumbent.problem, n_nodes) if self.hybrid == "c" else 0
        incumbent.require_memory(n_bytes(incumbent.problem, n_nodes) + n_solver_bytes)
        encoding = _encoding(incumbent, n_nodes)
        formula = encoding.wcnf(clock)
        if self.hybrid == "none":
            return self._walk(incumbent, encoding, formula, clock, start=[])
        oracle = make_oracle(self.solver, isolated=self.isolated, max_bytes=incumbent.solver_limit)
        try:
            for block in formula.hard:
                oracle.add(block, clock)
            start = _complete(encoding, incumbent.tree, oracle, clock)
            status = self._walk(incumbent, encoding, formula, clock, start)
            if self.hybrid == "c" and not incumbent.is_proved:
                status = self._search_linearly(incumbent, encoding, oracle)
            return status
        finally:
            oracle.close()

    def _walk(
        self, incumbent: Incumbent, encoding: TreeEncoding, formula: Wcnf, clock: Clock, start: list[int]
    ) -> Status:
        minimises_nodes = incumbent.constraints.minimise == "nodes"
        with incumbent.credit(WALK):
            self._backend(sum(block.size for block in formula.hard)).improve(
                formula,
                ModelChecker(formula, self.name, _tree_callback(incumbent, encoding)),
                clock,
                start=start,
                target=(encoding.lower + 1) // 2 if minimises_nodes else 0,
            )
            return _final_status(incumbent)

    def _search_linearly(self, incumbent: Incumbent, encoding: TreeEncoding, oracle: Oracle) -> Status:
        """Search for better trees with the phases of TT-Open-WBO-Inc, which change with each of them."""
        soft = combine(encoding.objectives)

        def phases(model: Model) -> list[int]:
            return phases_near(model, soft)

        with incumbent.credit(Linear.name):
            assert incumbent.tree is not None
            offer = _tree_callback(incumbent, encoding)
            search = LinearSearch(oracle, encoding.objectives, encoding.pool, phases=phases, on_model=offer)
            search.start_from(encoding.literals(incumbent.tree), incumbent.clock)
            answer = search.run(incumbent.clock)
            if incumbent.constraints.minimise != "cost":
                incumbent.raise_lower(2 * search.lower[0] - 1)  # η counts pairs of nodes and the root
            if answer == "unsatisfiable":
                raise SolverError(f"{self.solver} returned a wrong answer: unsatisfiable, but a tree is known")
            if answer != "optimal":
                return answer
            if incumbent.constraints.minimise == "cost":
                return "unproved"  # a larger tree may cost less
            incumbent.prove()
            return "optimal"

    def _find_first_tree(self, incumbent: Incumbent) -> Status:
        """Search for a first tree with increasing numbers of nodes, if no heuristic satisfies the constraints."""
        max_nodes = incumbent.constraints.most_nodes(incumbent.problem)
        if max_nodes < lower_nodes(incumbent):
            raise incumbent.constraints.infeasible()
        n_nodes = min(max(FIRST_GUESS, lower_nodes(incumbent)), max_nodes)
        while incumbent.tree is None:
            incumbent.require_memory(n_bytes(incumbent.problem, n_nodes))
            answer = self._minimise(incumbent, n_nodes)
            if (
                incumbent.tree is None
                and answer.status == "unknown"
                and (incumbent.clock.is_over or n_nodes == max_nodes)
            ):
                break
            larger = next_size(incumbent, n_nodes) if answer.status == "unsatisfiable" else 2 * n_nodes + 1
            n_nodes = min(max_nodes, larger)
        return _final_status(incumbent)

    def _minimise(self, incumbent: Incumbent, n_nodes: int) -> Answer:
        encoding = _encoding(incumbent, n_nodes)
        formula = encoding.wcnf(incumbent.clock)
        return self._backend().minimise(formula, clock=incumbent.clock, on_model=_tree_callback(incumbent, encoding))


def n_bytes(problem: BinaryProblem, n_nodes: int) -> float:
    """Estimate the memory of the formula and the walk: 12 bytes per literal and 50 per clause."""
    n_clauses, n_literals = TreeEncoding.estimate(problem, n_nodes)
    return 50 * n_clauses + 12 * n_literals


def _encoding(incumbent: Incumbent, n_nodes: int) -> TreeEncoding:
    return TreeEncoding(incumbent.problem, n_nodes, lower=lower_nodes(incumbent), constraints=incumbent.constraints)


def _complete(encoding: TreeEncoding, tree: Tree, oracle: Oracle, clock: Clock) -> list[int]:
    """Return the literals of a model of a tree; none if the solver finds none."""
    answer = oracle.solve(encoding.literals(tree), clock)
    if answer is None:
        raise TimeLimitReached
    return true_literals(oracle.model(encoding.pool.n_vars)) if answer else []


def _tree_callback(incumbent: Incumbent, encoding: TreeEncoding) -> OnModel:
    return lambda model: incumbent.offer(encoding.tree(model))


def _final_status(incumbent: Incumbent) -> Status:
    """Return the status after the walk; equal bounds on the size are a proof."""
    if incumbent.constraints.minimise == "nodes" and incumbent.upper == incumbent.lower:
        incumbent.prove()
        return "optimal"
    return "time_limit" if incumbent.clock.is_over else "unproved"
