"""dtfinder: decide whether there is a pure tree of exactly n nodes, by one SAT formula per topology, in parallel.

Janota and Morgado, *SAT-Based Encodings for Optimal Decision Trees with Explicit Paths*, SAT 2020. They propose an
encoding in which a tree is the set of its paths, and investigate, for the individual SAT calls, a split of the search
space into topologies. A topology is the layout of a tree down to a depth. A formula with the topology fixed is smaller
than the formula for all trees, and the formulas are independent, so they can be solved in parallel. All layouts of
trees of n nodes are covered, so the proof is that of MinDT: there is no tree of n nodes, hence none of fewer nodes, and
the tree is pure and of minimum size.

The defaults are their encoding and the shallowest split. Alòs, Ansótegui and Torres (*Interpretable Decision Trees
Through MaxSAT*) describe dtfinder as splitting the search space into topologies down to "a certain depth", without the
number. A deeper split gives more formulas: 1, 3, 21, 651 down to depth 0, 1, 2, 3 for large trees, and fewer for small
ones. The encoding of MinDT is an option (``encoding="nodes"``), for a comparison of the two under the same split.

Differences: the clauses are our own (see :class:`~puretree.encoding.PathEncoding`); the number of nodes decreases from
the smaller of a greedy tree and ITI's; and only the size is minimised, which is the objective that Alòs et al. list for
dtfinder. Janota and Morgado also minimise the depth first and then the size at that depth, which solves more instances,
but such a tree need not be a minimum one; ``infer-size`` has that objective.

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

from .._support.clock import TimeLimitReached
from .._support.resources import require_n_jobs
from ..bounds.upper import Heuristic
from ..encoding import PathEncoding, TreeEncoding, layout_literals, layouts
from ..errors import InputError
from ..formula import Block, units
from ..outcome import Status
from ..sat import DEFAULT_SOLVER, Oracle, first_result, require_solver
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent
from .sat_engine import minimise_size, require_booleans

Encoding = Literal["paths", "nodes"]

MAX_SPLIT_DEPTH = 4  # half a million topologies


@dataclass(frozen=True, slots=True)
class DtFinder:
    """Minimum pure trees by SAT, one formula per topology.

    Parameters
    ----------
    encoding : {"paths", "nodes"}, default="paths"
        Encoding of a tree: an ordered set of paths, dtfinder's own, or nodes with children, as in MinDT. In single
        runs on a busy machine, paths took 17 s and nodes 42 s for hayes-roth (45 nodes); for monks-1 (29 nodes) paths
        took 10 s and nodes 5 s.
    split_depth : int, default=1
        Depth down to which topologies are fixed, from 0 (no split) to 4. Deeper splits suit more processors: on
        hayes-roth paths took 10, 17 and 30 s at depth 0, 1 and 2, and with ``n_jobs=2`` 11 and 8 s at depth 1 and 2.
    n_jobs : int, default=1
        Number of topologies solved in parallel, as in joblib: -1 means all processors.
    solver : str, default="cadical195"
        SAT solver, by its name in python-sat.
    isolated : bool, default=True
        Run each SAT solver in its own process, so that the time limit is always enforced.
    """

    encoding: Encoding = "paths"
    split_depth: int = 1
    n_jobs: int = 1
    solver: str = DEFAULT_SOLVER
    isolated: bool = True
    name: ClassVar[str] = "dtfinder"
    source: ClassVar[str] = "Janota, Morgado 2020"
    guarantees: ClassVar[Guarantees] = Guarantees()
    starts_from: ClassVar[tuple[Heuristic, ...]] = ("greedy", "iti")

    def __post_init__(self) -> None:
        require_solver(self.solver)
        require_booleans(isolated=self.isolated)
        if self.encoding not in get_args(Encoding):
            raise InputError(
                f"is unknown; use one of {', '.join(get_args(Encoding))}", parameter="encoding", value=self.encoding
            )
        if self.split_depth not in range(MAX_SPLIT_DEPTH + 1):
            raise InputError(
                f"is not an integer from 0 to {MAX_SPLIT_DEPTH}", parameter="split_depth", value=self.split_depth
            )
        require_n_jobs(self.n_jobs)
        if self.n_jobs != 1 and not self.isolated:
            raise InputError(f"n_jobs={self.n_jobs} needs isolated=True: solvers in one process block each other")

    def search(self, incumbent: Incumbent) -> Status:
        """Search for smaller trees, topology by topology, until there is none; see :func:`minimise_size`."""
        incumbent.constraints.require_only(self.name, "max_depth", "root", "max_nodes")
        return minimise_size(incumbent, lambda n_nodes: self._tree_of(incumbent, n_nodes))

    def _tree_of(self, incumbent: Incumbent, n_nodes: int) -> Tree | None:
        """Return a pure tree of exactly `n_nodes` nodes, or None if no topology has one."""
        problem, constraints, clock = incumbent.problem, incumbent.constraints, incumbent.clock
        n_jobs = effective_n_jobs(self.n_jobs)
        encoding = self._encode(incumbent, n_nodes, n_jobs)
        max_bytes = None if incumbent.solver_limit is None else incumbent.solver_limit // n_jobs

        def solve_layout(layout: str, oracle: Oracle) -> Tree | None:
            for block in _clauses(encoding, layout):
                oracle.add(block, clock)
            answer = oracle.solve([], clock)
            if answer is None:
                raise TimeLimitReached
            return encoding.tree(oracle.model(encoding.pool.n_vars)) if answer else None

        max_depth = min(constraints.max_depth or problem.n_features, problem.n_features)
        topologies = layouts(n_nodes, self.split_depth, max_depth)
        return first_result(
            topologies,
            solve_layout,
            n_jobs=self.n_jobs,
            solver=self.solver,
            isolated=self.isolated,
            max_bytes=max_bytes,
        )

    def _encode(self, incumbent: Incumbent, n_nodes: int, n_jobs: int) -> PathEncoding | TreeEncoding:
        """Return the encoding; raise MemoryError if the formulas of all jobs together would be too large."""
        problem, constraints = incumbent.problem, incumbent.constraints
        if self.encoding == "paths":
            incumbent.require_memory(n_jobs * PathEncoding.n_bytes(problem, n_nodes, constraints))
            return PathEncoding(problem, n_nodes, constraints=constraints)
        incumbent.require_memory(n_jobs * TreeEncoding.n_bytes(problem, n_nodes))
        return TreeEncoding(problem, n_nodes, lower=n_nodes, constraints=constraints)


def _clauses(encoding: PathEncoding | TreeEncoding, layout: str) -> Iterator[Block]:
    """Yield the clauses that describe the pure trees of a layout."""
    if isinstance(encoding, PathEncoding):
        yield from encoding.clauses(layout)
        return
    yield units(layout_literals(encoding.vars.v, layout))
    yield from encoding.structure()
    yield from encoding.purity()
