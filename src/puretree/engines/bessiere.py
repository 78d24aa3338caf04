"""Bessiere et al.: one SAT formula with slots for the upper bound, solved with more and more useless slots.

Bessiere, Hebrard and O'Sullivan, *Minimising Decision Tree Size as Combinatorial Optimisation*, CP 2009: the first
minimum pure trees by SAT.

What their paper says: the upper bound is the size of a tree that a constraint program finds. Then SAT4J is called
repeatedly on one formula for trees of that size, with at least one more useless node required each time, until it is
unsatisfiable. This proves that the last tree has minimum size.

What we do: the same, with CP-SAT of OR-tools for the constraint program (``pip install "puretree[cp]"``) and any SAT
solver of python-sat. Without OR-tools the upper bound is the tree of the heuristics.

Where they differ: the heuristics run in any case, and CP-SAT searches for smaller trees than theirs, for a quarter of
the time. Its model (:mod:`.programs.cp_tree`) has variables for the features and parents of nodes, as theirs, but
neither their propagators nor their search strategy. It gives an upper bound only: what CP-SAT proves is not used. The
SAT solver starts from the known tree, as its first model and phases. The formula (:mod:`puretree.encoding.slots`) has
no slots for leaves, and unused slots come last, so that "at least k useless slots" is one literal instead of a sum.

In single runs on seven small data sets, on a busy machine with two cores, CP-SAT reached the minimum wherever the
heuristics did not (mux6, irish, iris). The proofs came 3 to 10 s later than from the heuristics' tree, two of which are
the start of OR-tools: the SAT solver finds the same trees in less than four seconds.

>>> from puretree.engines import solve
>>> from puretree.problem import BinaryProblem
>>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
>>> solve(xor, Bessiere(isolated=False)).n_nodes
7
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import ClassVar, Literal, get_args

from .._support.clock import Clock, TimeLimitReached
from ..encoding import SlotEncoding
from ..errors import InputError, SolverError, UnfinishedWarning, warn
from ..maxsat import LinearSearch
from ..outcome import Status
from ..problem import BinaryProblem
from ..sat import make_oracle
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent
from .peers import GRACE, with_labels
from .problem_program import ProblemProgram
from .sat_engine import SatEngine

Answer = Literal["optimal", "unsatisfiable", "time_limit", "memory_limit", "interrupted"]

UpperBound = Literal["auto", "cp", "heuristic"]

FIRST_GUESS = 15  # nodes, where no heuristic finds a tree that satisfies the constraints
CP_FRACTION, CP_SECONDS = 0.25, 30.0  # of the time left, and at most, for CP-SAT
CP_START = 2.0  # seconds that a child process takes to import OR-tools
CP_LITERALS = 1e6  # of a model, which is built in about five seconds


@dataclass(frozen=True, slots=True)
class Bessiere(SatEngine):
    """Minimum pure trees by incremental SAT with more and more useless nodes.

    Parameters
    ----------
    solver, isolated
        As for :class:`SatEngine`.
    upper_bound : {"auto", "cp", "heuristic"}, default="auto"
        The first upper bound. ``cp``: CP-SAT searches for a smaller tree than that of the heuristics, for a quarter of
        the time and at most 30 s. It needs OR-tools, and is skipped with a warning if that time is shorter than the
        start of OR-tools, or if the model would have more than a million literals. ``heuristic``: the tree of the
        heuristics. ``auto``: ``cp`` if OR-tools is installed, without a warning.
    """

    upper_bound: UpperBound = "auto"
    name: ClassVar[str] = "bessiere"
    source: ClassVar[str] = "Bessiere, Hebrard, O'Sullivan 2009"
    guarantees: ClassVar[Guarantees] = Guarantees()

    def __post_init__(self) -> None:
        SatEngine.__post_init__(self)
        if self.upper_bound not in get_args(UpperBound):
            raise InputError(
                f"is unknown; use one of {', '.join(get_args(UpperBound))}",
                parameter="upper_bound",
                value=self.upper_bound,
            )

    def search(self, incumbent: Incumbent) -> Status:
        """Require more useless nodes until there is no such tree; if no tree is known, add slots until there is one."""
        incumbent.constraints.require_only(self.name, "max_depth", "root", "max_nodes")
        has_cp = self.upper_bound != "heuristic" and find_spec("ortools") is not None
        if self.upper_bound == "cp" and not has_cp:
            raise InputError(
                'needs OR-tools, which is not installed; use: pip install "puretree[cp]"',
                parameter="upper_bound",
                value="cp",
            )
        if has_cp and not search_with_cp_sat(incumbent) and self.upper_bound == "cp":
            warn(UnfinishedWarning("CP-SAT was skipped: the time limit is too short, or its model would be too large"))
        max_nodes = incumbent.constraints.most_nodes(incumbent.problem)
        n_nodes = max(FIRST_GUESS, incumbent.lower) if incumbent.tree is None else incumbent.tree.n_nodes
        while True:
            n_nodes = min(n_nodes, max_nodes)
            if n_nodes < incumbent.lower:
                raise incumbent.constraints.infeasible()
            answer = self._minimise(incumbent, n_nodes)
            if answer == "optimal":
                incumbent.prove()
            if answer != "unsatisfiable":
                return answer
            if incumbent.tree is not None:
                raise SolverError(
                    f"{self.solver} returned a wrong answer: no tree of at most {n_nodes} nodes, but one is known"
                )
            incumbent.raise_lower(n_nodes + 2)
            n_nodes = 2 * n_nodes + 1

    def _minimise(self, incumbent: Incumbent, n_nodes: int) -> Answer:
        """Minimise over the trees of at most `n_nodes` nodes."""
        try:
            incumbent.require_memory(SlotEncoding.n_bytes(incumbent.problem, n_nodes // 2))
            return self._search_linearly(incumbent, n_nodes)
        except TimeLimitReached:
            return "time_limit"
        except MemoryError:
            return "memory_limit"

    def _search_linearly(self, incumbent: Incumbent, n_nodes: int) -> Answer:
        lower = incumbent.lower // 2
        encoding = SlotEncoding(incumbent.problem, n_nodes // 2, lower=lower, constraints=incumbent.constraints)
        oracle = make_oracle(self.solver, isolated=self.isolated, max_bytes=incumbent.solver_limit)
        try:
            search = LinearSearch(
                oracle,
                [encoding.objective],
                encoding.pool,
                lower=lower,
                on_model=lambda model: incumbent.offer(encoding.tree(model)),
            )
            for block in encoding.clauses():
                oracle.add(block, incumbent.clock)
            if incumbent.tree is not None and incumbent.tree.n_nodes <= n_nodes:
                search.start_from(encoding.literals(incumbent.tree), incumbent.clock)
            return search.run(incumbent.clock)
        finally:
            oracle.close()


def search_with_cp_sat(incumbent: Incumbent) -> bool:
    """Offer the trees that CP-SAT finds in its share of the time, each smaller than the one before.

    False if it cannot run: the time is too short to start it, or the model would be too large.
    """
    problem, constraints = incumbent.problem, incumbent.constraints
    clock = Clock(min(CP_SECONDS, CP_FRACTION * incumbent.clock.left))
    n_nodes = FIRST_GUESS if incumbent.tree is None else incumbent.tree.n_nodes - 2
    n_tests = min(n_nodes, constraints.most_nodes(problem)) // 2
    if n_tests < max(1, incumbent.lower // 2):  # there is no smaller tree
        return True
    if clock.left < CP_START or n_literals(problem, n_tests) > CP_LITERALS:
        return False
    request = {
        "n_tests": n_tests,
        "max_depth": None if constraints.max_depth is None else int(constraints.max_depth),
        "roots": None if constraints.root is None else sorted(map(int, constraints.root)),
        "seconds": clock.left,
    }
    with (
        incumbent.credit("cp-sat"),
        suppress(TimeLimitReached, MemoryError),
        ProblemProgram("cp-sat", problem, clock, incumbent.bytes_for_child) as program,
    ):
        program.request(request)
        while (nested := program.receive(GRACE)["tree"]) is not None:
            incumbent.offer(Tree.from_nested(with_labels(nested, problem.classes), problem.classes))
    return True


def n_literals(problem: BinaryProblem, n_tests: int) -> float:
    """Estimate the number of literals of the CP model: of the features, children and leaves for each example."""
    return problem.n_examples * n_tests * (problem.n_features / 2 + 2.0 * n_tests + 6 * (problem.n_classes - 1))
