"""MinDT: is there a pure tree of exactly n nodes? Asked anew for each n, downwards from the upper bound.

Narodytska, Ignatiev, Pereira, Marques-Silva, *Learning Optimal Decision Trees with SAT*, IJCAI 2018: the approach that
the paper extends and compares with. Each question is a formula of its own, encoded afresh and solved from nothing.
That there is none of n nodes proves that there is none of fewer: ``by_size.py`` says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..clock import TimeIsOver
from ..encoding import TreeEncoding
from ..machine import MOST_BYTES
from ..outcome import Status
from ..record import Record
from ..sat import make_oracle
from ..tree import Tree
from .base import Promise
from .by_size import ask_by_size
from .sat_engine import SatEngine


@dataclass(frozen=True, slots=True)
class MinDt(SatEngine):
    """Minimum pure trees through a sequence of SAT questions.

    Parameters
    ----------
    solver, isolated
        As for :class:`SatEngine`.
    """

    name: ClassVar[str] = "mindt"
    source: ClassVar[str] = "Narodytska, Ignatiev, Pereira, Marques-Silva 2018"
    promise: ClassVar[Promise] = Promise()

    def search(self, record: Record) -> Status:
        """Ask for smaller trees until there is none; upwards from the lower bound where no tree is known."""
        record.steering.require_only(self.name, "max_depth", "root", "max_nodes")
        return ask_by_size(record, lambda n_nodes: self._tree_of(record, n_nodes))

    def _tree_of(self, record: Record, n_nodes: int) -> Tree | None:
        """Return a pure tree of exactly so many nodes, or None if there is none."""
        if TreeEncoding.n_bytes(record.problem, n_nodes) > MOST_BYTES:
            raise MemoryError
        encoding = TreeEncoding(record.problem, n_nodes, lower=n_nodes, steering=record.steering)
        oracle = make_oracle(self.solver, isolated=self.isolated)
        try:
            for block in encoding.structure():
                oracle.add(block, record.clock)
            for block in encoding.purity():
                oracle.add(block, record.clock)
            answer = oracle.solve([], record.clock)
            if answer is None:
                raise TimeIsOver
            return encoding.tree(oracle.model(encoding.pool.n_vars)) if answer else None
        finally:
            oracle.close()
