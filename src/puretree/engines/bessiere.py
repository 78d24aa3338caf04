"""Bessiere et al.: one SAT formula with room for the upper bound, and ever more of that room useless.

Bessiere, Hebrard and O'Sullivan, *Minimising Decision Tree Size as Combinatorial Optimisation*, CP 2009: the first
minimum pure trees by SAT. A tree is known first; then the question is asked again and again with at least one more
useless node, of one solver that keeps what it has learnt, until there is no such tree. That is the proof: the tree is
pure and of minimum size.

>>> from puretree.engines import solve
>>> from puretree.problem import BinaryProblem
>>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
>>> solve(xor, Bessiere(isolated=False)).n_nodes
7
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ..clock import TimeIsOver
from ..encoding import SlotEncoding
from ..errors import SolverError
from ..machine import MOST_BYTES
from ..maxsat import LinearSearch
from ..outcome import Status
from ..record import Record
from ..sat import make_oracle
from .base import Promise
from .sat_engine import SatEngine

Answer = Literal["optimal", "unsatisfiable", "time_limit", "memory_limit", "interrupted"]

FIRST_GUESS = 15  # nodes, where no heuristic finds a tree that keeps to the wishes


@dataclass(frozen=True, slots=True)
class Bessiere(SatEngine):
    """Minimum pure trees through SAT questions with ever more useless nodes.

    Parameters
    ----------
    solver, isolated
        As for :class:`SatEngine`.
    """

    name: ClassVar[str] = "bessiere"
    source: ClassVar[str] = "Bessiere, Hebrard, O'Sullivan 2009"
    promise: ClassVar[Promise] = Promise()

    def search(self, record: Record) -> Status:
        """Ask for more useless nodes until there cannot be more; with more slots first where no tree is known."""
        record.steering.require_only(self.name, "max_depth", "root", "max_nodes")
        most = record.steering.most_nodes(record.problem)
        n_nodes = max(FIRST_GUESS, record.lower) if record.tree is None else record.tree.n_nodes
        while True:
            n_nodes = min(n_nodes, most)
            if n_nodes < record.lower:
                raise record.steering.refuse()
            answer = self._minimise(record, n_nodes)
            if answer == "optimal":
                record.prove()
            if answer != "unsatisfiable":
                return answer
            if record.tree is not None:
                raise SolverError(f"{self.solver} says that there is no tree of at most {n_nodes} nodes; there is one")
            record.raise_lower(n_nodes + 2)
            n_nodes = 2 * n_nodes + 1

    def _minimise(self, record: Record, n_nodes: int) -> Answer:
        """Minimise over the trees of at most so many nodes."""
        if SlotEncoding.n_bytes(record.problem, n_nodes // 2) > MOST_BYTES:
            return "memory_limit"
        lower = record.lower // 2
        encoding = SlotEncoding(record.problem, n_nodes // 2, lower=lower, steering=record.steering)
        oracle = make_oracle(self.solver, isolated=self.isolated)
        try:
            search = LinearSearch(
                oracle,
                [encoding.objective],
                encoding.pool,
                lower=lower,
                on_model=lambda model: record.offer(encoding.tree(model)),
            )
            for block in encoding.clauses():
                oracle.add(block, record.clock)
            if record.tree is not None and record.tree.n_nodes <= n_nodes:
                search.start_from(encoding.literals(record.tree), record.clock)
            return search.run(record.clock)
        except TimeIsOver:
            return "time_limit"
        finally:
            oracle.close()
