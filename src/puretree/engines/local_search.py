"""Local search over the trees of the MaxSAT encoding: an anytime engine, which proves optimality only as a hybrid.

It follows SATLike-c and SATLike-ck, which the paper runs on its formula (Lei and Cai, *Solving (Weighted) Partial
MaxSAT by Dynamic Local Search for SAT*, IJCAI 2018). A step flips one variable, but nearly all variables of a tree's
formula depend on a few of them: another feature at one node changes the examples that reach all nodes below it. So the
walk passes through many falsified formulas between one tree and the next. It finds minimum trees of up to about 15
nodes within seconds, and rarely any tree beyond about 35 nodes. Therefore ``-ck`` gives the walk little time and then
runs the linear search. The walk itself suits less constrained formulas: see :mod:`puretree.maxsat.local_search`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .._support.clock import Clock, TimeLimitReached
from ..bounds.upper import Heuristic
from ..encoding import TreeEncoding
from ..formula import Wcnf
from ..maxsat import Answer, LocalSearch, OnModel
from ..maxsat.checker import ModelChecker
from ..maxsat.local_search import Hybrid, backend_name, true_literals
from ..outcome import Status
from ..problem import BinaryProblem
from ..sat import DEFAULT_SOLVER, make_oracle
from .base import Guarantees
from .incumbent import Incumbent
from .maxsat import FIRST_GUESS, MaxSat, lower_nodes, next_size

# Limits of the walk before the linear search. From the heuristics' trees on nine of the paper's data sets, three seeds
# each, the walk found smaller trees on two, where the linear search needs less than a second; on the others it found
# none in 4 seconds.
MAX_STEPS_CK = 1_000_000
FRACTION_CK = 0.05  # of the time


@dataclass(frozen=True, slots=True)
class Anytime:
    """Small pure trees by local search.

    Parameters
    ----------
    hybrid : {"none", "c", "ck"}, default="none"
        ``none``: start from a random assignment, and use only the size of the heuristics' tree. ``c``: start from the
        model to which a SAT solver completes that tree, or from any model if there is no tree. ``ck``: as ``c`` for a
        short time, then the linear search from the best tree, which proves optimality.
    seed : int, default=0
        Random seed; the same seed gives the same walk.
    max_steps : int, optional
        Number of steps without improvement after which the walk stops. By default it runs until the time limit, or for
        ten million steps without one; with ``ck``, for as many steps as the formula has literals, at most a million,
        and for at most a twentieth of the time.
    solver : str, default="cadical195"
        SAT solver of the hybrids, by its name in python-sat.
    isolated : bool, default=True
        Run the SAT solver in its own process, so that the time limit is always enforced.
    """

    hybrid: Hybrid = "none"
    seed: int = 0
    max_steps: int | None = None
    solver: str = DEFAULT_SOLVER
    isolated: bool = True
    source: ClassVar[str] = "Lei, Cai 2018"
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy", "iti")

    def __post_init__(self) -> None:
        self._backend()

    @property
    def name(self) -> str:
        """The name in the registry."""
        return backend_name(self.hybrid)

    @property
    def guarantees(self) -> Guarantees:
        """Small trees; minimum trees with ``hybrid="ck"``."""
        return Guarantees(proves=self.hybrid == "ck")

    def search(self, incumbent: Incumbent) -> Status:
        """Walk, then run the linear search if ``hybrid="ck"``; see :class:`~puretree.engines.base.Engine`."""
        incumbent.constraints.require_only(self.name, "max_depth", "root", "max_nodes", "minimise")
        status: Status = "unproved"
        try:
            if incumbent.tree is not None:
                status = self._walk(
                    incumbent, incumbent.clock.part(FRACTION_CK) if self.hybrid == "ck" else incumbent.clock
                )
            elif self.hybrid != "ck":
                status = self._find_first_tree(incumbent)
        except TimeLimitReached:
            status = "time_limit"
        except MemoryError:
            status = "memory_limit"
        if incumbent.is_proved or self.hybrid != "ck":
            return status
        return MaxSat(solver=self.solver, isolated=self.isolated, memory_limit=incumbent.memory_limit).search(incumbent)

    def _backend(self, n_literals: int = 0) -> LocalSearch:
        is_short = self.hybrid == "ck" and self.max_steps is None
        max_steps = min(MAX_STEPS_CK, n_literals) if is_short else self.max_steps
        return LocalSearch(self.hybrid, self.seed, max_steps, self.solver, self.isolated)

    def _walk(self, incumbent: Incumbent, clock: Clock) -> Status:
        """Search for better trees than the incumbent's among those of at most its size."""
        assert incumbent.tree is not None
        incumbent.require_memory(n_bytes(incumbent.problem, incumbent.tree.n_nodes))
        encoding = _encoding(incumbent, incumbent.tree.n_nodes)
        formula = encoding.wcnf(clock)
        minimises_nodes = incumbent.constraints.minimise == "nodes"
        self._backend(sum(block.size for block in formula.hard)).improve(
            formula,
            ModelChecker(formula, self.name, _tree_callback(incumbent, encoding)),
            clock,
            start=() if self.hybrid == "none" else self._first_model(incumbent, formula, encoding, clock),
            target=(encoding.lower + 1) // 2 if minimises_nodes else 0,
        )
        return _final_status(incumbent)

    def _first_model(self, incumbent: Incumbent, formula: Wcnf, encoding: TreeEncoding, clock: Clock) -> list[int]:
        """Return the literals of the model to which a SAT solver completes the literals of the incumbent's tree."""
        assert incumbent.tree is not None
        oracle = make_oracle(self.solver, isolated=self.isolated, max_bytes=incumbent.solver_limit)
        try:
            for block in formula.hard:
                oracle.add(block, clock)
            answer = oracle.solve(encoding.literals(incumbent.tree), clock)
            if answer is None:
                raise TimeLimitReached
            return true_literals(oracle.model(formula.n_vars)) if answer else []
        finally:
            oracle.close()

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


def _tree_callback(incumbent: Incumbent, encoding: TreeEncoding) -> OnModel:
    return lambda model: incumbent.offer(encoding.tree(model))


def _final_status(incumbent: Incumbent) -> Status:
    """Return the status after the walk; equal bounds on the size are a proof."""
    if incumbent.constraints.minimise == "nodes" and incumbent.upper == incumbent.lower:
        incumbent.prove()
        return "optimal"
    return "time_limit" if incumbent.clock.is_over else "unproved"
