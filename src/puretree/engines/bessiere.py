"""Bessiere et al.: one SAT formula with slots for the upper bound, solved with more and more useless slots.

Bessiere, Hebrard and O'Sullivan, *Minimising Decision Tree Size as Combinatorial Optimisation*, CP 2009: the first
minimum pure trees by SAT. Starting from a known tree, one incremental solver is called repeatedly with at least one
more useless slot required, until the formula is unsatisfiable. This proves that the last tree has minimum size.

>>> from puretree.engines import solve
>>> from puretree.problem import BinaryProblem
>>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
>>> solve(xor, Bessiere(isolated=False)).n_nodes
7
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from .._support.clock import TimeLimitReached
from ..encoding import SlotEncoding
from ..errors import SolverError
from ..maxsat import LinearSearch
from ..outcome import Status
from ..sat import make_oracle
from .base import Guarantees
from .incumbent import Incumbent
from .sat_engine import SatEngine

Answer = Literal["optimal", "unsatisfiable", "time_limit", "memory_limit", "interrupted"]

FIRST_GUESS = 15  # nodes, where no heuristic finds a tree that satisfies the constraints


@dataclass(frozen=True, slots=True)
class Bessiere(SatEngine):
    """Minimum pure trees by incremental SAT with more and more useless nodes.

    Parameters
    ----------
    solver, isolated
        As for :class:`SatEngine`.
    """

    name: ClassVar[str] = "bessiere"
    source: ClassVar[str] = "Bessiere, Hebrard, O'Sullivan 2009"
    guarantees: ClassVar[Guarantees] = Guarantees()

    def search(self, incumbent: Incumbent) -> Status:
        """Require more useless nodes until there is no such tree; if no tree is known, add slots until there is one."""
        incumbent.constraints.require_only(self.name, "max_depth", "root", "max_nodes")
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
