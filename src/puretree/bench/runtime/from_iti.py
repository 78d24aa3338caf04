"""Any engine from the same start: the tree of ITI, as in the paper's race of anytime engines.

By themselves engines begin with the best tree that heuristics find, and some with none. Where it is counted who has the
smallest tree, that would be a race of heuristics.
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
class FromIti:
    """An engine that begins with the tree of ITI, whatever it would begin with itself.

    Parameters
    ----------
    engine : Engine
    tree : Tree
        What ITI found, before the clock was started: with a share of the time for it, a busy machine would hand out
        other trees.
    starts_from : tuple of str
        No heuristic besides.
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
        """Who thought of the engine."""
        return self.engine.source

    @property
    def guarantees(self) -> Guarantees:
        """What the engine promises."""
        return self.engine.guarantees

    def search(self, incumbent: Incumbent) -> Status:
        """Let the engine go on from there, unless nothing smaller can be."""
        incumbent.offer(self.tree)
        if incumbent.upper == incumbent.lower:
            incumbent.prove()
            return "optimal"
        return self.engine.search(incumbent)
