"""Rows that nobody measured but that look like the table's: where minimum trees can disagree, and a choice can be made.

All pure trees say the same of the training rows. Off them they differ, so a rule without a selection set needs rows of
its own. Each is made of two training rows: every column takes its value from one of them. So each value is real, and
most of what belongs together stays together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, UnfinishedError
from ..forest import TreeList
from ..table import Table
from .rules import TIME_SHARE, Candidates, Choice, Evidence, best_of, few_of


def mix_rows(table: Table, n_rows: int, random: np.random.RandomState) -> Table:
    """Make rows, each of two rows of a table.

    Parameters
    ----------
    table : Table
    n_rows : int
        How many to make.
    random : RandomState
    """
    parents = random.randint(table.n_rows, size=(2, n_rows))
    columns = []
    for column in table:
        of_first = random.randint(2, size=n_rows) == 1
        columns.append(replace(column, values=column.values[np.where(of_first, *parents)]))
    return Table(tuple(columns), n_rows, table.has_names)


# The tree that agrees most with what somebody says of mixed rows: what consensus and teacher have in common.

Shares = tuple[NDArray[np.float64], bool]

MIXED_ROWS = 1000
VOTES = 1000  # shares become whole numbers of votes, so that equal sums are equal


def require_rows(n_rows: Any) -> None:
    """Refuse to mix what is not a number of rows."""
    if not isinstance(n_rows, int) or isinstance(n_rows, bool) or n_rows < 1:
        raise InputError(f"n_rows={n_rows!r} is not a number of rows to mix; use a whole number such as {MIXED_ROWS}")


def choose_nearest(candidates: Candidates, says: Callable[[Table], Shares], n_rows: int, evidence: Evidence) -> Choice:
    """Choose the tree that agrees most.

    Parameters
    ----------
    candidates : Forest or TreeList
    says : callable
        Returns for each row how sure somebody is of each class, in shares; and whether that is exact.
    n_rows : int
        How many rows to mix.
    evidence : Evidence
    """
    if candidates.count == 1:
        return Choice(candidates[0], candidates, None, True)
    rows = mix_rows(evidence.training.table, n_rows, evidence.random)
    shares, is_exact = says(rows)
    good = best_of(candidates, np.rint(VOTES * shares), rows, evidence)
    return Choice(good.trees[0], good.trees, good.score / VOTES, good.is_exact and is_exact)


# The minimum tree that agrees most with all minimum trees: no row is given away, no second model is needed.
#
# Where minimum trees disagree, the training rows leave the answer open, and the vote of all of them is the best guess
# that they support. The rule takes the one tree that is nearest to this vote on mixed rows. Figures beside the other
# rules are in docs/benchmarks.md.


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
