"""The minimum tree that agrees most with all minimum trees: no row is given away, no second model is needed.

Where minimum trees disagree, the training rows leave the answer open, and the vote of all of them is the best guess
that they support. The rule takes the one tree that is nearest to this vote on mixed rows. Figures beside the other
rules are in docs/benchmarks.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..errors import UnfinishedError
from ..forest import TreeList
from ..table import Table
from .agreement import MIXED_ROWS, Shares, choose_nearest, require_rows
from .choice import TIME_SHARE, Candidates, Choice, Evidence, few_of


@dataclass(frozen=True, slots=True)
class Consensus:
    """Nearest to the vote of all candidates.

    Parameters
    ----------
    n_rows : int, default=1000
        Mixed rows to vote on.
    """

    n_rows: int = MIXED_ROWS
    name: ClassVar[str] = "consensus"
    needs_selection: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require_rows(self.n_rows)

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Choose by agreement with the vote; see :class:`SelectionRule`."""
        return choose_nearest(candidates, lambda rows: _vote(candidates, rows, evidence), self.n_rows, evidence)


def _vote(candidates: Candidates, rows: Table, evidence: Evidence) -> Shares:
    """Return the share of the candidates that say each class; of some of them, if all take too long."""
    if isinstance(candidates, TreeList):
        return candidates.predict_distribution(rows), True
    try:
        return candidates.predict_distribution(rows, time_limit=evidence.clock.part(TIME_SHARE).left), True
    except UnfinishedError:
        return few_of(candidates, evidence).predict_distribution(rows), False
