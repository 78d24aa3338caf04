"""MinDT: decide whether there is a pure tree of exactly n nodes, for each n downwards from the upper bound.

Narodytska, Ignatiev, Pereira, Marques-Silva, *Learning Optimal Decision Trees with SAT*, IJCAI 2018: the approach that
the paper extends and compares with. Each size has its own formula, encoded and solved from scratch. If there is no pure
tree of n nodes, there is none of fewer nodes; :func:`~puretree.engines.sat_engine.minimise_size` explains why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .._support.clock import TimeLimitReached
from ..encoding import TreeEncoding
from ..outcome import Status
from ..sat import make_oracle
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent
from .sat_engine import SatEngine, minimise_size


@dataclass(frozen=True, slots=True)
class MinDt(SatEngine):
    """Minimum pure trees by a sequence of SAT formulas, one per size.

    Parameters
    ----------
    solver, isolated
        As for :class:`SatEngine`.
    """

    name: ClassVar[str] = "mindt"
    source: ClassVar[str] = "Narodytska, Ignatiev, Pereira, Marques-Silva 2018"
    guarantees: ClassVar[Guarantees] = Guarantees()

    def search(self, incumbent: Incumbent) -> Status:
        """Search for smaller trees until there is none; see :func:`~puretree.engines.sat_engine.minimise_size`."""
        incumbent.constraints.require_only(self.name, "max_depth", "root", "max_nodes")
        return minimise_size(incumbent, lambda n_nodes: self._tree_of(incumbent, n_nodes))

    def _tree_of(self, incumbent: Incumbent, n_nodes: int) -> Tree | None:
        """Return a pure tree of exactly `n_nodes` nodes, or None if there is none."""
        incumbent.require_memory(TreeEncoding.n_bytes(incumbent.problem, n_nodes))
        encoding = TreeEncoding(incumbent.problem, n_nodes, lower=n_nodes, constraints=incumbent.constraints)
        oracle = make_oracle(self.solver, isolated=self.isolated, max_bytes=incumbent.solver_limit)
        try:
            for block in encoding.structure():
                oracle.add(block, incumbent.clock)
            for block in encoding.purity():
                oracle.add(block, incumbent.clock)
            answer = oracle.solve([], incumbent.clock)
            if answer is None:
                raise TimeLimitReached
            return encoding.tree(oracle.model(encoding.pool.n_vars)) if answer else None
        finally:
            oracle.close()
