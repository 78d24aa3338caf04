"""The interface of selection rules: the rows they use, the choice they return, and the search for top-scoring trees.

:class:`First` is the simplest rule. The others are in :mod:`.agreement`, :mod:`.teacher` and :mod:`.holdout`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from .._support.clock import Clock
from .._support.resources import free_bytes
from .._support.text import quantity
from ..errors import InputError, UnfinishedError
from ..forest import Forest, TreeList
from ..table import Labels, Table, read_labels, read_table
from ..tree import Tree

Candidates = Forest | TreeList
SAMPLE_SIZE = 500  # trees to compare where comparing all of them takes too much time or memory
TIME_FRACTION = 0.5  # of the remaining time, to compare all trees; comparing a sample needs some, too


@dataclass(frozen=True, slots=True)
class Rows:
    """Labelled rows.

    Parameters
    ----------
    table : Table
    labels : Labels
    numbers : ndarray of intp
        Their row numbers in the original table.
    """

    table: Table
    labels: Labels
    numbers: NDArray[np.intp]

    @classmethod
    def read(cls, X: Any, y: Any) -> Rows:
        """Read a table and its labels from any supported type."""
        table = read_table(X)
        return cls(table, read_labels(y, table.n_rows), np.arange(table.n_rows))

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """Return some of the rows, with the classes of all of them."""
        labels = Labels(self.labels.classes, self.labels.codes[rows])
        return Rows(self.table.take(rows), labels, self.numbers[rows])


def split_rows(rows: Rows, selection_size: float, random_state: Any) -> tuple[Rows, Rows]:
    """Split rows into a training set and a selection set, both in the original order.

    This is line 1 of the paper's Algorithm 3. The split is stratified where possible. The row of a class with a single
    row is in the training set: otherwise no tree could predict the class.

    Parameters
    ----------
    rows : Rows
    selection_size : float
        The fraction of rows in the selection set; between 0 and 1.
    random_state : int, RandomState or None
    """
    if not 0 < selection_size < 1:
        raise InputError(
            "is not a fraction of the rows; use a number such as 0.2", parameter="selection_size", value=selection_size
        )
    codes = rows.labels.codes
    n_of_class = np.bincount(codes)
    splittable = np.flatnonzero(n_of_class[codes] > 1)
    n_selection = max(1, round(selection_size * len(codes)))
    if n_selection >= len(splittable):
        raise InputError(
            f"selection_size={selection_size} needs {quantity(n_selection, 'row')} for the selection set, but only "
            f"{len(splittable)} of {len(codes)} rows have a class with other rows; use a smaller fraction, or a rule "
            "without a selection set: selection='consensus'"
        )
    n_classes = len(np.unique(codes[splittable]))
    can_stratify = min(n_selection, len(splittable) - n_selection) >= n_classes
    strata = codes[splittable] if can_stratify else None
    _, selection = train_test_split(splittable, test_size=n_selection, random_state=random_state, stratify=strata)
    return rows.take(np.setdiff1d(np.arange(len(codes)), selection)), rows.take(np.sort(selection))


@dataclass(frozen=True, slots=True)
class Evidence:
    """The data and limits of a selection.

    Parameters
    ----------
    training : Rows
        The training rows, which all candidates classify correctly.
    selection : Rows or None
        The selection set; only for rules with ``needs_selection``.
    random : RandomState
    clock : Clock
    n_jobs : int or None
        For a teacher.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    """

    training: Rows
    selection: Rows | None
    random: np.random.RandomState
    clock: Clock = field(default_factory=Clock)
    n_jobs: int | None = None
    memory_limit: float | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The tree that a rule chose.

    Parameters
    ----------
    tree : Tree
    top_scoring : Forest or TreeList
        All candidates that the rule scored as good enough; ``tree`` is one of them.
    score : float or None
        The best score per row: an accuracy, or an agreement. None if the rule does not score.
    is_exact : bool
        Whether all candidates were compared, not only a sample. A choice that is neither exact nor scored was not made:
        a limit was reached first.
    """

    tree: Tree
    top_scoring: Candidates
    score: float | None
    is_exact: bool


class SelectionRule(Protocol):
    """A rule that chooses one tree among equally small ones.

    When the clock of the evidence reaches its limit, it may raise TimeLimitReached or UnfinishedError.
    """

    @property
    def name(self) -> str:
        """The name of the rule."""

    needs_selection: ClassVar[bool]

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Choose one of the candidates."""


@dataclass(frozen=True, slots=True)
class First:
    """Chooses the first candidate, without scoring, as the paper's mpdt-1."""

    name: ClassVar[str] = "first"
    needs_selection: ClassVar[bool] = False

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Choose the first candidate; see :class:`SelectionRule`."""
        return Choice(candidates[0], candidates, None, True)


@dataclass(frozen=True, slots=True)
class TopScoring:
    """The candidates with the best score, or nearly the best.

    Parameters
    ----------
    trees : Forest or TreeList
    score : float
        The best score per row.
    is_exact : bool
        Whether all candidates were compared.
    """

    trees: Candidates
    score: float
    is_exact: bool


def find_top_scoring(
    candidates: Candidates, scores: NDArray[np.float64], rows: Table, evidence: Evidence, *, within: float = 0.0
) -> TopScoring:
    """Find the candidates with the greatest sums of scores.

    For a forest the result is exact if the dynamic programme fits into the time and memory limits; otherwise a sample
    of the trees is compared. TimeLimitReached is raised if there is no time for that either.

    Parameters
    ----------
    candidates : Forest or TreeList
    scores : ndarray of shape (n_rows, n_classes)
        The score of predicting each class for each row; integers.
    rows : Table
    evidence : Evidence
    within : float, default=0
        Also return candidates whose sum is at most this much below the greatest.
    """
    if isinstance(candidates, TreeList):
        trees, score = candidates.best_for(scores, rows, within=within, clock=evidence.clock)
        return TopScoring(trees, score / rows.n_rows, True)
    seconds, n_bytes = evidence.clock.part(TIME_FRACTION).left, free_bytes(evidence.memory_limit)
    try:
        best = candidates.best_for(scores, rows, within=within, time_limit=seconds, memory_limit=n_bytes)
        return TopScoring(best.forest, best.accuracy, True)
    except UnfinishedError:
        sample = sample_forest(candidates, evidence)
        return replace(find_top_scoring(sample, scores, rows, evidence, within=within), is_exact=False)


def sample_forest(forest: Forest, evidence: Evidence) -> TreeList:
    """Sample trees of a forest that is too large to compare all of them, as many as half of the time allows."""
    evidence.clock.require_time()
    seconds = evidence.clock.part(TIME_FRACTION).left
    return TreeList(forest.sample(min(SAMPLE_SIZE, forest.count), evidence.random, time_limit=seconds))
