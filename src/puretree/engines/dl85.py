"""DL8.5: the tree with fewest errors up to a depth, by branch and bound over itemsets with a cache.

Aglin, Nijssen, Schaus, *Learning Optimal Decision Trees Using Caching Branch-and-Bound Search*, AAAI 2020. Guarantees
the best training accuracy at the depth, if it ends in time; says nothing of purity or size. Their package is optional:
``pip install "puretree[peers]"`` builds it from source, which takes a C++ compiler and some minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from ..bounds.upper import Start
from ..outcome import Status
from ..record import Record
from .base import Promise
from .peer import ask_peer, require_depth


@dataclass(frozen=True, slots=True)
class Dl85:
    """Best training accuracy at a depth, by pydl8.5.

    Parameters
    ----------
    depth : int, default=2
        The most tests on a path.

    Notes
    -----
    ``optimal`` repeats the claim of pydl8.5: only the errors of its tree are counted anew.
    """

    depth: int = 2
    name: ClassVar[str] = "dl85"
    source: ClassVar[str] = "Aglin, Nijssen, Schaus 2020"
    package: ClassVar[str] = "dl85Optimizer"
    starts_from: ClassVar[tuple[Start, ...]] = ()

    def __post_init__(self) -> None:
        require_depth(self.depth, inf)

    @property
    def promise(self) -> Promise:
        """Fewest errors at the depth."""
        return Promise(aim="errors", max_depth=self.depth)

    def search(self, record: Record) -> Status:
        """Ask pydl8.5; see :class:`~puretree.engines.base.Engine`."""
        return ask_peer(self.name, self.package, "pydl8.5", record, self.depth)
