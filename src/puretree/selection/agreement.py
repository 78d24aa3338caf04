"""Selection by agreement on synthetic rows: the tree that agrees most with class probabilities from another source.

All pure trees agree on the training rows, and trees with errors on most of them. Elsewhere they differ, so a rule
without a selection set needs other rows. :func:`mix_rows` makes them, similar to mixup: each synthetic row combines two
training rows, and takes the value of every column from one of them. Each value is a real one, and most dependencies
between columns are preserved.

:class:`Consensus` takes the probabilities from the candidates themselves: it needs no selection set and no second
model. Where minimum trees disagree, the training rows do not determine the class, and the vote of all minimum trees is
the best guess that the rows support. The rule chooses the tree closest to this vote. docs/benchmarks.md compares it
with the other rules.
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
from .rules import TIME_FRACTION, Candidates, Choice, Evidence, find_top_scoring, sample_forest

Probabilities = tuple[NDArray[np.float64], bool]
"""Class probabilities of shape (n_rows, n_classes), and whether they are exact."""

N_MIXED_ROWS = 1000
SCORE_SCALE = 1000  # probabilities are rounded to multiples of 1/1000, so that equal sums compare as equal


def mix_rows(
    table: Table, n_rows: int, random: np.random.RandomState, sample_weight: NDArray[np.float64] | None = None
) -> Table:
    """Make synthetic rows, each a combination of two rows of a table.

    Parameters
    ----------
    table : Table
    n_rows : int
        The number of rows to make.
    random : RandomState
    sample_weight : ndarray of float, optional
        The weight of each row: how often it is drawn.
    """
    weights = table.row_weights if sample_weight is None else sample_weight * table.row_weights
    order = np.lexsort([column.values for column in table])  # the order and repetition of rows make no difference
    ends = np.cumsum(weights[order])
    parents = order[np.searchsorted(ends[:-1], random.random_sample((2, n_rows)) * ends[-1], side="right")]
    columns = []
    for column in table:
        from_first = random.randint(2, size=n_rows) == 1
        columns.append(replace(column, values=column.values[np.where(from_first, *parents)]))
    return Table(tuple(columns), n_rows, table.has_names)


def check_n_rows(n_rows: Any) -> None:
    """Raise an error unless a number of rows to mix is a positive integer."""
    if not isinstance(n_rows, int) or isinstance(n_rows, bool) or n_rows < 1:
        raise InputError(
            f"is not a number of rows to mix; use a positive integer such as {N_MIXED_ROWS}",
            parameter="n_rows",
            value=n_rows,
        )


def choose_by_agreement(
    candidates: Candidates, predict_proba: Callable[[Table], Probabilities], n_rows: int, evidence: Evidence
) -> Choice:
    """Choose the tree that agrees most with class probabilities on mixed rows.

    Parameters
    ----------
    candidates : Forest or TreeList
    predict_proba : callable
        Returns the class probabilities of each row, and whether they are exact.
    n_rows : int
        The number of rows to mix.
    evidence : Evidence
    """
    if candidates.count == 1:
        return Choice(candidates[0], candidates, None, True)
    training = evidence.training
    rows = mix_rows(training.table, n_rows, evidence.random, training.sample_weight)
    probabilities, is_exact = predict_proba(rows)
    top = find_top_scoring(candidates, np.rint(SCORE_SCALE * probabilities), rows, evidence)
    return Choice(top.trees[0], top.trees, top.score / SCORE_SCALE, top.is_exact and is_exact)


@dataclass(frozen=True, slots=True)
class Consensus:
    """Chooses the tree closest to the vote of all candidates.

    Parameters
    ----------
    n_rows : int, default=1000
        The number of mixed rows to vote on.
    """

    n_rows: int = N_MIXED_ROWS
    name: ClassVar[str] = "consensus"
    needs_selection: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_n_rows(self.n_rows)

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Choose by agreement with the vote; see :class:`SelectionRule`."""
        return choose_by_agreement(candidates, lambda rows: _vote(candidates, rows, evidence), self.n_rows, evidence)


def _vote(candidates: Candidates, rows: Table, evidence: Evidence) -> Probabilities:
    """Return the fraction of candidates that predict each class; of a sample, if all of them take too long."""
    if isinstance(candidates, TreeList):
        return candidates.predict_distribution(rows, clock=evidence.clock), True
    try:
        return candidates.predict_distribution(rows, time_limit=evidence.clock.part(TIME_FRACTION).left), True
    except UnfinishedError:
        return sample_forest(candidates, evidence).predict_distribution(rows, clock=evidence.clock), False
