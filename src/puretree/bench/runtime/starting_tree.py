"""A common upper bound for all engines: the tree of ITI, as in the paper's comparison of anytime engines.

By default, engines start from the best tree of several heuristics, and some without a tree. A comparison of upper
bounds would then compare the heuristics. Every engine knows the tree; with a warm start, its SAT solver does as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...bounds.upper import Heuristic
from ...engines import Engine
from ...engines.base import Guarantees
from ...engines.incumbent import Incumbent
from ...outcome import Status
from ...tree import Tree


@dataclass(frozen=True, slots=True)
class EngineWithTree:
    """An engine that starts from a given tree instead of its own heuristics.

    Parameters
    ----------
    engine : Engine
    tree : Tree
        The tree of ITI, computed before the clock starts: with a time limit, a busy machine would give other trees.
    starts_from : tuple of str
        No heuristics.
    """

    engine: Engine
    tree: Tree
    starts_from: tuple[Heuristic, ...] = ()

    @property
    def name(self) -> str:
        """The name of the engine."""
        return self.engine.name

    @property
    def source(self) -> str:
        """The reference for the engine."""
        return self.engine.source

    @property
    def guarantees(self) -> Guarantees:
        """The guarantees of the engine."""
        return self.engine.guarantees

    def search(self, incumbent: Incumbent) -> Status:
        """Run the engine with the tree as incumbent, unless the lower bound proves the tree optimal."""
        with incumbent.credit("iti"):
            incumbent.offer(self.tree)
        if incumbent.upper == incumbent.lower:
            incumbent.prove()
            return "optimal"
        return self.engine.search(incumbent)
