"""The interface of selection rules: the rows they use, the choice they return, and the search for top-scoring trees.

:class:`First` is the simplest rule. The others are in :mod:`.agreement`, :mod:`.teacher` and :mod:`.holdout`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from .._support.clock import Clock
from .._support.resources import free_bytes
from .._support.text import quantity
from ..errors import InputError, UnfinishedError
from ..forest import Forest, TreeList
from ..problem import Prepared, PreparedCosts, SampleWeights
from ..table import Labels, Table, read_labels, read_table
from ..tree import Tree

Candidates = Forest | TreeList
SAMPLE_SIZE = 500  # trees to compare where comparing all of them takes too much time or memory
MAX_WEIGHT_TO_DRAW = 10**9  # the limit of NumPy's hypergeometric distribution
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
    sample_weight : ndarray of float, optional
        The weight of each row, positive; 1 by default.
    """

    table: Table
    labels: Labels
    numbers: NDArray[np.intp]
    sample_weight: NDArray[np.float64] | None = None

    @classmethod
    def read(cls, X: Any, y: Any, sample_weight: Any = None) -> Rows:
        """Read a table, its labels and the weights of its rows from any supported type; leave out rows of weight 0."""
        table = read_table(X)
        rows = cls(table, read_labels(y, table.n_rows), np.arange(table.n_rows))
        if sample_weight is None:
            return rows
        read = SampleWeights.read(sample_weight, table.row_weights)
        return replace(rows.take(read.rows), sample_weight=read.weights)

    @classmethod
    def of(cls, prepared: Prepared | PreparedCosts) -> Rows:
        """Return the rows of a problem."""
        return cls(prepared.table, prepared.labels, prepared.row_numbers, prepared.sample_weight)

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """Return some of the rows, with the classes of all of them."""
        labels = Labels(self.labels.classes, self.labels.codes[rows])
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        return Rows(self.table.take(rows), labels, self.numbers[rows], weights)

    @property
    def weights(self) -> NDArray[Any] | None:
        """The sample weight of each row times the number of rows of the source; None if there are no weights."""
        if self.sample_weight is None:
            return self.table.weights
        return self.sample_weight * self.table.row_weights

    def with_weights(self, weights: NDArray[np.int64]) -> Rows:
        """Return the rows with other weights, without those of weight 0."""
        return replace(self, table=replace(self.table, weights=weights)).take(np.flatnonzero(weights))


def split_rows(rows: Rows, selection_size: float, random_state: Any) -> tuple[Rows, Rows]:
    """Split rows into a training set and a selection set, both in the original order.

    Of rows with weights, each weight is divided, as if equal rows were drawn one by one: a row may be in both sets.

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
    codes, weights = rows.labels.codes, rows.table.row_weights
    n_of_class = np.zeros(len(rows.labels.classes), dtype=np.int64)
    np.add.at(n_of_class, codes, weights)
    splittable = np.flatnonzero(n_of_class[codes] > 1)
    n_selection, n_splittable = max(1, round(selection_size * int(weights.sum()))), int(weights[splittable].sum())
    if n_selection >= n_splittable:
        raise InputError(
            f"selection_size={selection_size} needs {quantity(n_selection, 'row')} for the selection set, but only "
            f"{n_splittable} of {weights.sum()} rows have a class with other rows; use a smaller fraction, or a rule "
            "without a selection set: selection='consensus'"
        )
    n_classes = len(np.unique(codes[splittable]))
    can_stratify = min(n_selection, n_splittable - n_selection) >= n_classes
    strata = codes[splittable] if can_stratify else None
    if rows.table.weights is not None:
        drawn = np.zeros(len(codes), dtype=np.int64)
        drawn[splittable] = _draw_weights(weights[splittable], strata, n_selection, check_random_state(random_state))
        return rows.with_weights(weights - drawn), rows.with_weights(drawn)
    _, selection = train_test_split(splittable, test_size=n_selection, random_state=random_state, stratify=strata)
    return rows.take(np.setdiff1d(np.arange(len(codes)), selection)), rows.take(np.sort(selection))


def _draw_weights(
    weights: NDArray[np.int64], strata: NDArray[np.int32] | None, n_drawn: int, random: np.random.RandomState
) -> NDArray[np.int64]:
    """Return how many of the equal rows that each row stands for are drawn, without replacement.

    Parameters
    ----------
    weights : ndarray of int64
    strata : ndarray of int32 or None
        The class of each row, if the classes are to be drawn in proportion.
    n_drawn : int
        The number of drawn rows in total.
    random : RandomState
    """
    if weights.sum() >= MAX_WEIGHT_TO_DRAW:
        raise InputError(
            f"a selection set cannot be drawn from {weights.sum():,} rows; use a rule without one: "
            "selection='consensus', or pass selection rows to reselect"
        )
    generator = np.random.default_rng(random.randint(np.iinfo(np.int32).max))
    groups = np.zeros(len(weights), dtype=np.intp) if strata is None else np.unique(strata, return_inverse=True)[1]
    sizes = np.zeros(groups.max() + 1, dtype=np.int64)
    np.add.at(sizes, groups, weights)
    n_of_group = generator.multivariate_hypergeometric(sizes, n_drawn) if strata is None else _shares(sizes, n_drawn)
    drawn = np.zeros(len(weights), dtype=np.int64)
    for group, n_rows in enumerate(n_of_group.tolist()):
        members = np.flatnonzero(groups == group)
        drawn[members] = generator.multivariate_hypergeometric(weights[members], n_rows)
    return drawn


def _shares(sizes: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Divide a number in proportion to sizes, by largest remainders; some of every size is left.

    >>> _shares(np.array([80, 18, 2]), 20).tolist()
    [16, 4, 0]
    """
    exact = sizes * (total / sizes.sum())
    shares: NDArray[np.int64] = np.minimum(np.floor(exact).astype(np.int64), sizes - 1)
    while shares.sum() < total:
        remainders = np.where(shares < sizes - 1, exact - shares, -np.inf)
        shares[remainders.argmax()] += 1
    return shares


@dataclass(frozen=True, slots=True)
class Evidence:
    """The data and limits of a selection.

    Parameters
    ----------
    training : Rows
        The training rows. All candidates classify as many of them correctly; pure trees, all of them.
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
        The score of predicting each class for each row; integers. Weights of rows are included.
    rows : Table
    evidence : Evidence
    within : float, default=0
        Also return candidates whose sum is at most this much below the greatest.
    """
    if isinstance(candidates, TreeList):
        trees, score = candidates.best_for(scores, rows, within=within, clock=evidence.clock)
        return TopScoring(trees, score / rows.total_weight, True)
    seconds, n_bytes = evidence.clock.part(TIME_FRACTION).left, free_bytes(evidence.memory_limit)
    try:
        best = candidates.best_for(scores, rows, within=within, time_limit=seconds, memory_limit=n_bytes)
        return TopScoring(best.forest, best.score / rows.total_weight, True)
    except UnfinishedError:
        sample = sample_forest(candidates, evidence)
        return replace(find_top_scoring(sample, scores, rows, evidence, within=within), is_exact=False)


def sample_forest(forest: Forest, evidence: Evidence) -> TreeList:
    """Sample trees of a forest that is too large to compare all of them, as many as half of the time allows."""
    evidence.clock.require_time()
    seconds = evidence.clock.part(TIME_FRACTION).left
    return TreeList(forest.sample(min(SAMPLE_SIZE, forest.count), evidence.random, time_limit=seconds))
