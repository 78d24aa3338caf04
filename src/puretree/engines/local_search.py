"""Local search over the trees of the MaxSAT encoding: smaller trees at any time, and a proof only from the hybrid.

In the spirit of SATLike-c and SATLike-ck, which the paper runs on its formula (Lei and Cai, *Solving (Weighted) Partial
MaxSAT by Dynamic Local Search for SAT*, IJCAI 2018). A step flips one variable, but nearly all variables of a tree's
formula follow from a few of them: one other feature at one node changes what every node below has seen. So the walk
crosses many broken formulas from one tree to the next. It finds minimum trees of up to about 15 nodes within seconds,
and beyond about 35 it rarely finds any; ``-ck`` gives it little time, and is the linear search after that. What the
walk itself is good for is formulas that are less tightly bound: see :mod:`puretree.maxsat.local_search`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .._support.clock import Clock, TimeIsOver
from .._support.resources import MOST_BYTES
from ..bounds.upper import Start
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
from .maxsat import FIRST_GUESS, MaxSat, grow, lower_nodes

# What comes before the linear search. From the heuristics' trees of nine of the paper's data sets, three seeds each,
# the walk found smaller ones on two, where the linear search needs less than a second; on the others none in 4 seconds.
STEPS_OF_CK = 1_000_000  # at most
SHARE_OF_CK = 0.05  # of the time


@dataclass(frozen=True, slots=True)
class Anytime:
    """Small pure trees through local search.

    Parameters
    ----------
    hybrid : {"none", "c", "ck"}, default="none"
        ``none``: begin anywhere; of the heuristics' tree, only the number of nodes is known. ``c``: begin with the
        model that a SAT solver completes that tree to, or with any where there is no tree. ``ck``: that, for a short
        while, and then the linear search from the best tree, which proves.
    seed : int, default=0
        The same seed takes the same steps.
    most_steps : int, optional
        Steps without a better tree after which the walk ends. By default it goes on until the time is over, or for
        ten million steps if that is not limited; with ``ck``, for as many as the formula has literals, up to a
        million, and a twentieth of the time.
    solver : str, default="cadical195"
        The SAT solver of the hybrids, by the name python-sat gives it.
    isolated : bool, default=True
        Run the SAT solver in a process of its own, so that the time limit holds whatever it does.
    """

    hybrid: Hybrid = "none"
    seed: int = 0
    most_steps: int | None = None
    solver: str = DEFAULT_SOLVER
    isolated: bool = True
    source: ClassVar[str] = "Lei, Cai 2018"
    starts_from: ClassVar[tuple[Start, ...]] = ("greedy", "iti")

    def __post_init__(self) -> None:
        self._backend()

    @property
    def name(self) -> str:
        """The name it is asked for by."""
        return backend_name(self.hybrid)

    @property
    def guarantees(self) -> Guarantees:
        """Small trees, and minimum ones from the hybrid that proves."""
        return Guarantees(proves=self.hybrid == "ck")

    def search(self, incumbent: Incumbent) -> Status:
        """Walk, and then search if that is wanted; see :class:`Engine`."""
        incumbent.constraints.require_only(self.name, "max_depth", "root", "max_nodes", "minimise")
        status: Status = "unproved"
        try:
            if incumbent.tree is not None:
                status = self._walk(
                    incumbent, incumbent.clock.part(SHARE_OF_CK) if self.hybrid == "ck" else incumbent.clock
                )
            elif self.hybrid != "ck":
                status = self._walk_to_a_tree(incumbent)
        except TimeIsOver:
            status = "time_limit"
        if incumbent.is_proved or self.hybrid != "ck":
            return status
        return MaxSat(solver=self.solver, isolated=self.isolated).search(incumbent)

    def _backend(self, n_literals: int = 0) -> LocalSearch:
        is_short = self.hybrid == "ck" and self.most_steps is None
        most_steps = min(STEPS_OF_CK, n_literals) if is_short else self.most_steps
        return LocalSearch(self.hybrid, self.seed, most_steps, self.solver, self.isolated)

    def _walk(self, incumbent: Incumbent, clock: Clock) -> Status:
        """Look for trees that are better than the best one known, and no larger."""
        assert incumbent.tree is not None
        if n_bytes(incumbent.problem, incumbent.tree.n_nodes) > MOST_BYTES:
            return "memory_limit"
        encoding = _encoding(incumbent, incumbent.tree.n_nodes)
        formula = encoding.wcnf(clock)
        counts_nodes = incumbent.constraints.minimise == "nodes"
        self._backend(sum(block.size for block in formula.hard)).improve(
            formula,
            ModelChecker(formula, self.name, _offer(incumbent, encoding)),
            clock,
            start=() if self.hybrid == "none" else self._first_model(formula, encoding.literals(incumbent.tree), clock),
            target=(encoding.lower + 1) // 2 if counts_nodes else 0,
        )
        return _end(incumbent)

    def _first_model(self, formula: Wcnf, tree: list[int], clock: Clock) -> list[int]:
        """Return the literals of the model that a SAT solver completes a tree to."""
        oracle = make_oracle(self.solver, isolated=self.isolated)
        try:
            for block in formula.hard:
                oracle.add(block, clock)
            answer = oracle.solve(tree, clock)
            if answer is None:
                raise TimeIsOver
            return true_literals(oracle.model(formula.n_vars)) if answer else []
        finally:
            oracle.close()

    def _walk_to_a_tree(self, incumbent: Incumbent) -> Status:
        """Look for a first tree among larger and larger ones, where no heuristic found one that keeps to the wishes."""
        most = incumbent.constraints.most_nodes(incumbent.problem)
        if most < lower_nodes(incumbent):
            raise incumbent.constraints.refuse()
        n_nodes = min(max(FIRST_GUESS, lower_nodes(incumbent)), most)
        while incumbent.tree is None:
            if n_bytes(incumbent.problem, n_nodes) > MOST_BYTES:
                return "memory_limit"
            answer = self._minimise(incumbent, n_nodes)
            if incumbent.tree is None and answer.status == "unknown" and (incumbent.clock.is_over or n_nodes == most):
                break
            n_nodes = min(most, grow(incumbent, n_nodes) if answer.status == "unsatisfiable" else 2 * n_nodes + 1)
        return _end(incumbent)

    def _minimise(self, incumbent: Incumbent, n_nodes: int) -> Answer:
        encoding = _encoding(incumbent, n_nodes)
        formula = encoding.wcnf(incumbent.clock)
        return self._backend().minimise(formula, clock=incumbent.clock, on_model=_offer(incumbent, encoding))


def n_bytes(problem: BinaryProblem, n_nodes: int) -> float:
    """Return about how much memory the formula and the walk take: 12 bytes a literal and 50 a clause."""
    n_clauses, n_literals = TreeEncoding.estimate(problem, n_nodes)
    return 50 * n_clauses + 12 * n_literals


def _encoding(incumbent: Incumbent, n_nodes: int) -> TreeEncoding:
    return TreeEncoding(incumbent.problem, n_nodes, lower=lower_nodes(incumbent), constraints=incumbent.constraints)


def _offer(incumbent: Incumbent, encoding: TreeEncoding) -> OnModel:
    return lambda model: incumbent.offer(encoding.tree(model))


def _end(incumbent: Incumbent) -> Status:
    """Say how the walk ended; bounds that meet prove the size."""
    if incumbent.constraints.minimise == "nodes" and incumbent.upper == incumbent.lower:
        incumbent.prove()
        return "optimal"
    return "time_limit" if incumbent.clock.is_over else "unproved"
