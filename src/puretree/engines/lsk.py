"""lsk, limited scikit-learn: greedy growth, best split first, until the tree has as many nodes as it may.

The second baseline of the paper's accuracy table: what scikit-learn makes of the size that a minimum pure tree has.
Guarantees that size and nothing of the rows that are wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..bounds.upper import Start
from ..errors import InputError
from ..outcome import Status
from ..record import Record
from .base import Promise, solve
from .search import Search
from .sklearn_trees import WISHES, GrownTree, most_nodes, require_seeds

SEARCH_SHARE = 0.5  # of the time left, where the size is to be found first


@dataclass(frozen=True, slots=True)
class Lsk:
    """The most accurate of some trees that scikit-learn grows to a number of nodes.

    Parameters
    ----------
    n_nodes : int, optional
        The most nodes. By default those of the smallest pure tree that the exact search finds in half of the time
        (without a time limit: of the minimum), as the paper takes the size that its own system reports.
    n_seeds : int, default=1
        How many trees are grown.
    seed : int, default=0
        Of the first; the others have the next ones.
    """

    n_nodes: int | None = None
    n_seeds: int = 1
    seed: int = 0
    name: ClassVar[str] = "lsk"
    source: ClassVar[str] = "scikit-learn"
    starts_from: ClassVar[tuple[Start, ...]] = ()

    def __post_init__(self) -> None:
        require_seeds(self.seed, self.n_seeds)
        is_number = isinstance(self.n_nodes, int | np.integer) and not isinstance(self.n_nodes, bool)
        if self.n_nodes is not None and (not is_number or self.n_nodes < 1):
            raise InputError(f"n_nodes={self.n_nodes!r} is not a whole number of at least 1")

    @property
    def promise(self) -> Promise:
        """Few errors, in so many nodes."""
        return Promise(aim="errors", proves=False, max_nodes=self.n_nodes)

    def search(self, record: Record) -> Status:
        """Grow a tree for each seed; see :class:`~puretree.engines.base.Engine`."""
        record.steering.require_only(self.name, *WISHES)
        n_nodes = _size_to_match(record) if self.n_nodes is None else self.n_nodes
        for seed in range(self.seed, self.seed + self.n_seeds):
            if record.tree is not None and record.clock.is_over:
                return "time_limit"
            grown = GrownTree.grow(record.problem, seed=seed, max_depth=record.steering.max_depth)
            record.offer(grown.tree(min(n_nodes, most_nodes(record.steering, grown))))
        return "unproved"


def _size_to_match(record: Record) -> int:
    """Return the nodes of the smallest pure tree that the exact search finds in its share of the time."""
    outcome = solve(record.problem, Search(), clock=record.clock.part(SEARCH_SHARE))
    if outcome.status == "interrupted":
        raise KeyboardInterrupt
    assert outcome.n_nodes is not None  # it begins with a greedy tree
    return outcome.n_nodes
