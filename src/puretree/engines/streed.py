"""STreeD: the tree with fewest errors up to a depth, by dynamic programming with a fast end for the last two levels.

Van der Linden, de Weerdt, Demirović, *Necessary and Sufficient Conditions for Optimal Decision Trees using Dynamic
Programming*, NeurIPS 2023. Guarantees the best training accuracy at the depth, if it ends in time; says nothing of
purity or size. Their package is optional: ``pip install "puretree[peers]"``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..bounds.upper import Start
from ..outcome import Status
from ..record import Record
from .base import Promise
from .peer import ask_peer, require_depth

DEEPEST = 20  # pystreed refuses more


@dataclass(frozen=True, slots=True)
class Streed:
    """Best training accuracy at a depth, by pystreed.

    Parameters
    ----------
    depth : int, default=2
        The most tests on a path, up to 20.

    Notes
    -----
    ``optimal`` repeats the claim of pystreed: only the errors of its tree are counted anew.
    """

    depth: int = 2
    name: ClassVar[str] = "streed"
    source: ClassVar[str] = "van der Linden, de Weerdt, Demirović 2023"
    package: ClassVar[str] = "pystreed"
    starts_from: ClassVar[tuple[Start, ...]] = ()

    def __post_init__(self) -> None:
        require_depth(self.depth, DEEPEST)

    @property
    def promise(self) -> Promise:
        """Fewest errors at the depth."""
        return Promise(aim="errors", max_depth=self.depth)

    def search(self, record: Record) -> Status:
        """Ask pystreed; see :class:`~puretree.engines.base.Engine`."""
        return ask_peer(self.name, self.package, "pystreed", record, self.depth)
