"""What a rule is given, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from .._support.clock import NO_LIMIT, Clock
from .._support.resources import MOST_BYTES
from ..errors import InputError, UnfinishedError
from ..forest import Forest, TreeList
from ..table import Labels, Table, read_labels, read_table
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
class TopScoring:
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
) -> TopScoring:
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
        return TopScoring(trees, score / rows.n_rows, True)
    seconds = evidence.clock.part(TIME_SHARE).left
    try:
        best = candidates.best_for(scores, rows, within=within, time_limit=seconds, memory_limit=evidence.memory_limit)
        return TopScoring(best.forest, best.accuracy, True)
    except UnfinishedError:
        return replace(best_of(few_of(candidates, evidence), scores, rows, evidence, within=within), is_exact=False)


def few_of(forest: Forest, evidence: Evidence) -> TreeList:
    """Draw some trees of a forest that is too large for what is asked of it."""
    return TreeList(forest.sample(min(FEW, forest.count), evidence.random))


# No choice at all: the first tree that was found, as the paper's mpdt-1 does.


@dataclass(frozen=True, slots=True)
class First:
    """The first candidate."""

    name: ClassVar[str] = "first"
    needs_selection: ClassVar[bool] = False

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Take the first; see :class:`SelectionRule`."""
        return Choice(candidates[0], candidates, None, True)


# Which labelled rows train, and which are kept back to choose among the trees: line 1 of the paper's Algorithm 3.


def split_rows(rows: Rows, selection_size: float, random_state: Any) -> tuple[Rows, Rows]:
    """Return the rows that train and the rows that select, both in their order.

    Classes keep their shares where that is possible. A class of a single row trains: no tree could say it otherwise.

    Parameters
    ----------
    rows : Rows
    selection_size : float
        The share of rows that select; between 0 and 1.
    random_state : int, RandomState or None
    """
    if not 0 < selection_size < 1:
        raise InputError(f"selection_size={selection_size!r} is not a share of the rows; use a number such as 0.2")
    codes = rows.labels.codes
    n_of_class = np.bincount(codes)
    free = np.flatnonzero(n_of_class[codes] > 1)
    n_selecting = max(1, round(selection_size * len(codes)))
    if n_selecting >= len(free):
        raise InputError(
            f"selection_size={selection_size} keeps {n_selecting} rows back, but only {len(free)} of {len(codes)} are "
            "of a class with other rows; use a smaller share, or a rule without a selection set: selection='consensus'"
        )
    n_classes = len(np.unique(codes[free]))
    can_stratify = min(n_selecting, len(free) - n_selecting) >= n_classes
    _, selecting = train_test_split(
        free, test_size=n_selecting, random_state=random_state, stratify=codes[free] if can_stratify else None
    )
    return rows.take(np.setdiff1d(np.arange(len(codes)), selecting)), rows.take(np.sort(selecting))
