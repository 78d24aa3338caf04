"""What a rule is given, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ..clock import NO_LIMIT, Clock
from ..errors import UnfinishedError
from ..forest import Forest, TreeList
from ..labels import Labels, read_labels
from ..machine import MOST_BYTES
from ..reading import read_table
from ..table import Table
from ..tree import Tree

Candidates = Forest | TreeList
FEW = 500  # trees that are looked at where all of them take too much time or memory
TIME_SHARE = 0.5  # of the time left, for all of them; a sample needs some, too


@dataclass(frozen=True, slots=True)
class Rows:
    """Labelled rows.

    Parameters
    ----------
    table : Table
    labels : Labels
    numbers : ndarray of intp
        Their numbers in the table that was given.
    """

    table: Table
    labels: Labels
    numbers: NDArray[np.intp]

    @classmethod
    def read(cls, X: Any, y: Any) -> Rows:
        """Read a table and its labels from whatever holds them."""
        table = read_table(X)
        return cls(table, read_labels(y, table.n_rows), np.arange(table.n_rows))

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """Return some of the rows; they know all the labels."""
        labels = Labels(self.labels.classes, self.labels.codes[rows])
        return Rows(self.table.take(rows), labels, self.numbers[rows])


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the choice is based on.

    Parameters
    ----------
    training : Rows
        What all candidates are right on.
    selection : Rows or None
        What was kept back; only for rules that ask for it.
    random : RandomState
    clock : Clock
    n_jobs : int or None
        Of a second model.
    memory_limit : float
        In bytes.
    """

    training: Rows
    selection: Rows | None
    random: np.random.RandomState
    clock: Clock = NO_LIMIT
    n_jobs: int | None = None
    memory_limit: float = MOST_BYTES


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen tree.

    Parameters
    ----------
    tree : Tree
    among : Forest or TreeList
        All that were good enough: those that the last step chose from, or could have.
    score : float or None
        The best score per row: an accuracy, or an agreement. None where nothing was scored.
    is_exact : bool
        Whether all candidates were looked at, not a sample of them.
    """

    tree: Tree
    among: Candidates
    score: float | None
    is_exact: bool


class SelectionRule(Protocol):
    """How one tree is chosen among equally small ones."""

    @property
    def name(self) -> str:
        """What it is called."""

    needs_selection: ClassVar[bool]

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Choose one of the candidates."""


@dataclass(frozen=True, slots=True)
class Good:
    """The candidates that score best, or nearly so.

    Parameters
    ----------
    trees : Forest or TreeList
    score : float
        The best score per row.
    is_exact : bool
        Whether all candidates were looked at.
    """

    trees: Candidates
    score: float
    is_exact: bool


def best_of(
    candidates: Candidates, scores: NDArray[np.float64], rows: Table, evidence: Evidence, *, within: float = 0.0
) -> Good:
    """Find the candidates with the greatest sums of scores.

    A forest answers exactly as long as its states fit into the memory and the time; else a sample of it has to do.

    Parameters
    ----------
    candidates : Forest or TreeList
    scores : ndarray of shape (n_rows, n_classes)
        What it is worth to say each class of each row; whole numbers.
    rows : Table
    evidence : Evidence
    within : float, default=0
        How much less than the greatest sum is good enough.
    """
    if isinstance(candidates, TreeList):
        trees, score = candidates.best_for(scores, rows, within=within)
        return Good(trees, score / rows.n_rows, True)
    seconds = evidence.clock.part(TIME_SHARE).left
    try:
        best = candidates.best_for(scores, rows, within=within, time_limit=seconds, memory_limit=evidence.memory_limit)
        return Good(best.forest, best.accuracy, True)
    except UnfinishedError:
        return replace(best_of(few_of(candidates, evidence), scores, rows, evidence, within=within), is_exact=False)


def few_of(forest: Forest, evidence: Evidence) -> TreeList:
    """Draw some trees of a forest that is too large for what is asked of it."""
    return TreeList(forest.sample(min(FEW, forest.count), evidence.random))
