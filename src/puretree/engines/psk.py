"""psk, pure scikit-learn: greedy growth until every example is right.

The first baseline of the paper's accuracy table, where its trees have up to two and a half times as many nodes as
minimum ones. Guarantees a pure tree and nothing of its size; with a limit to the depth or the nodes there may be none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..bounds.upper import Start
from ..outcome import Status
from ..record import Record
from .base import Promise
from .sklearn_trees import WISHES, GrownTree, require_seeds


@dataclass(frozen=True, slots=True)
class Psk:
    """The smallest of some pure trees of scikit-learn.

    Parameters
    ----------
    n_seeds : int, default=1
        How many trees are grown. The paper grows as many as it has minimum trees.
    seed : int, default=0
        Of the first; the others have the next ones.
    """

    n_seeds: int = 1
    seed: int = 0
    name: ClassVar[str] = "psk"
    source: ClassVar[str] = "scikit-learn"
    promise: ClassVar[Promise] = Promise(proves=False)
    starts_from: ClassVar[tuple[Start, ...]] = ()

    def __post_init__(self) -> None:
        require_seeds(self.seed, self.n_seeds)

    def search(self, record: Record) -> Status:
        """Grow a tree for each seed; see :class:`~puretree.engines.base.Engine`."""
        record.steering.require_only(self.name, *WISHES)
        for seed in range(self.seed, self.seed + self.n_seeds):
            if record.tree is not None and record.clock.is_over:
                return "time_limit"
            tree = GrownTree.grow(
                record.problem, seed=seed, max_depth=record.steering.max_depth, order="path by path"
            ).tree()
            if record.problem.is_pure(tree) and record.steering.allows(tree, record.problem):
                record.offer(tree)
        return "unproved"
