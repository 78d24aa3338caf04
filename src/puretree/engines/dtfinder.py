"""dtfinder: is there a pure tree of exactly n nodes? One SAT question for each topology, several at once.

Janota and Morgado, *SAT-Based Encodings for Optimal Decision Trees with Explicit Paths*, SAT 2020. A topology is the
layout of a tree down to a depth: with it fixed, a question is smaller than that for all trees, and the questions know
nothing of each other, so processors can share them. Every layout that a tree of n nodes can have is asked for, so the
proof is that of MinDT: there is no tree of n nodes, and hence none of fewer. The tree is pure and of minimum size.

A deeper split means more questions: 1, 3, 21, 651 down to depth 0, 1, 2, 3 for large trees, and fewer for small ones.

>>> from puretree.engines import solve
>>> from puretree.problem import BinaryProblem
>>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
>>> solve(xor, DtFinder(isolated=False)).n_nodes
7
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from joblib import effective_n_jobs

from .._support.clock import TimeIsOver
from .._support.resources import MOST_BYTES
from ..bounds.upper import Start
from ..encoding import PathEncoding, TreeEncoding, layout_literals, layouts
from ..errors import InputError
from ..formula import Block, units
from ..outcome import Status
from ..problem import BinaryProblem, Constraints
from ..sat import DEFAULT_SOLVER, Oracle, first_result, require_solver
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent
from .sat_engine import ask_by_size

Encoding = Literal["nodes", "paths"]

DEEPEST_SPLIT = 4  # half a million topologies


@dataclass(frozen=True, slots=True)
class DtFinder:
    """Minimum pure trees through SAT questions, one for each topology.

    Parameters
    ----------
    encoding : {"nodes", "paths"}, default="nodes"
        What a tree is to the solver: nodes with children, as MinDT has it, or an ordered set of paths, dtfinder's own.
        In single runs on a busy machine, paths took 17 s for hayes-roth (45 nodes) and nodes 42 s; for monks-1 (29
        nodes) paths took 10 s and nodes 5 s.
    split_depth : int, default=1
        Down to which depth topologies differ, from 0 (no split) to 4. Deeper is for more processors: on hayes-roth
        paths took 10, 17 and 30 s down to 0, 1 and 2, and with ``n_jobs=2`` 11 and 8 s down to 1 and 2.
    n_jobs : int, default=1
        How many topologies are asked for at once, as joblib counts: -1 is as many as there are processors.
    solver : str, default="cadical195"
        By the name python-sat gives it.
    isolated : bool, default=True
        Run each SAT solver in a process of its own, so that the time limit holds whatever it does.
    """

    encoding: Encoding = "nodes"
    split_depth: int = 1
    n_jobs: int = 1
    solver: str = DEFAULT_SOLVER
    isolated: bool = True
    name: ClassVar[str] = "dtfinder"
    source: ClassVar[str] = "Janota, Morgado 2020"
    guarantees: ClassVar[Guarantees] = Guarantees()
    starts_from: ClassVar[tuple[Start, ...]] = ("greedy", "iti")

    def __post_init__(self) -> None:
        require_solver(self.solver)
        if self.encoding not in get_args(Encoding):
            raise InputError(f"encoding={self.encoding!r} is not known; use one of {', '.join(get_args(Encoding))}")
        if self.split_depth not in range(DEEPEST_SPLIT + 1):
            raise InputError(f"split_depth={self.split_depth!r} is not a whole number from 0 to {DEEPEST_SPLIT}")
        if not isinstance(self.n_jobs, int) or isinstance(self.n_jobs, bool) or self.n_jobs == 0:
            raise InputError(f"n_jobs={self.n_jobs!r} is not a number of jobs; use 1 or more, or -1 for all processors")
        if self.n_jobs != 1 and not self.isolated:
            raise InputError(f"n_jobs={self.n_jobs} needs isolated=True: solvers in one process wait for each other")

    def search(self, incumbent: Incumbent) -> Status:
        """Ask for smaller trees, topology by topology, until there is none; see :func:`ask_by_size`."""
        incumbent.constraints.require_only(self.name, "max_depth", "root", "max_nodes")
        return ask_by_size(incumbent, lambda n_nodes: self._tree_of(incumbent, n_nodes))

    def _tree_of(self, incumbent: Incumbent, n_nodes: int) -> Tree | None:
        """Return a pure tree of exactly so many nodes, or None if there is none of any topology."""
        problem, constraints, clock = incumbent.problem, incumbent.constraints, incumbent.clock
        encoding = self._encode(problem, n_nodes, constraints)

        def ask(layout: str, oracle: Oracle) -> Tree | None:
            for block in _clauses(encoding, layout):
                oracle.add(block, clock)
            answer = oracle.solve([], clock)
            if answer is None:
                raise TimeIsOver
            return encoding.tree(oracle.model(encoding.pool.n_vars)) if answer else None

        deepest = min(constraints.max_depth or problem.n_features, problem.n_features)
        topologies = layouts(n_nodes, self.split_depth, deepest)
        return first_result(topologies, ask, n_jobs=self.n_jobs, solver=self.solver, isolated=self.isolated)

    def _encode(self, problem: BinaryProblem, n_nodes: int, constraints: Constraints) -> PathEncoding | TreeEncoding:
        """Return the encoding, unless as many formulas as there are jobs would take too much memory."""
        most_bytes = MOST_BYTES / effective_n_jobs(self.n_jobs)
        if self.encoding == "paths":
            if PathEncoding.n_bytes(problem, n_nodes, constraints) > most_bytes:
                raise MemoryError
            return PathEncoding(problem, n_nodes, constraints=constraints)
        if TreeEncoding.n_bytes(problem, n_nodes) > most_bytes:
            raise MemoryError
        return TreeEncoding(problem, n_nodes, lower=n_nodes, constraints=constraints)


def _clauses(encoding: PathEncoding | TreeEncoding, layout: str) -> Iterator[Block]:
    """Yield the clauses of the pure trees of a layout."""
    if isinstance(encoding, PathEncoding):
        yield from encoding.clauses(layout)
        return
    yield units(layout_literals(encoding.vars.v, layout))
    yield from encoding.structure()
    yield from encoding.purity()
