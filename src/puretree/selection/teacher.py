"""Distillation: the tree that agrees most with a teacher, a larger model trained on the same rows.

A random forest of hundreds of trees generalises better than any single tree, but it is not readable. As a teacher it
needs no selection set: it predicts class probabilities for mixed rows, and the rule chooses the minimum tree that
agrees most with them.

Where errors are allowed, a teacher does more than to choose among trees with as few errors: by its soft labels, for the
training rows and for mixed ones, it says what labels cost. A training row counts with the prediction of those trees of
the forest that have not seen it. Noise in its label then costs little, and the tree of least cost is another one.

Buciluǎ, Caruana and Niculescu-Mizil, *Model Compression*, KDD 2006.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from .._support.clock import Clock
from ..errors import InputError
from ..problem import SoftLabels, quantise
from ..problem.constraints import require_positive_integer
from ..table import Table
from .agreement import N_MIXED_ROWS, Probabilities, check_n_rows, choose_by_agreement, mix_rows
from .rules import TIME_FRACTION, Candidates, Choice, Evidence, Rows

Model = Literal["random-forest", "extra-trees"]

TREES_PER_STEP = 10  # of a teacher, between two looks at the clock
N_PARTS = 5  # of the training rows, each predicted by a teacher that has not seen it
DECIMALS = 12  # of probabilities: rounding errors depend on the order in which threads add
MAX_FLOAT32 = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True)
class Teacher:
    """Chooses the tree that agrees most with a teacher.

    Parameters
    ----------
    model : {"random-forest", "extra-trees"} or scikit-learn classifier, default="random-forest"
        The teacher; a name stands for a classifier with scikit-learn's defaults. It is fitted to the table as numbers:
        categorical columns are one-hot encoded, and missing numbers are NaN. When half of the remaining time is over,
        a teacher with a name stays as large as it is; the time of another classifier is not limited.
    n_rows : int, default=1000
        The number of mixed rows by which it chooses among trees.
    mixed_multiple : float, default=1.0
        The number of mixed rows by which it says what labels cost where errors are allowed, as a multiple of the number
        of training rows; 0 for none.
    n_levels : int, default=8
        What labels cost is a multiple of one by this number: few levels make the search fast.
    """

    model: Model | Any = "random-forest"
    n_rows: int = N_MIXED_ROWS
    mixed_multiple: float = 1.0
    n_levels: int = 8
    needs_selection: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The name of the rule."""
        return "teacher-extra-trees" if self.model == "extra-trees" else "teacher"

    def __post_init__(self) -> None:
        check_n_rows(self.n_rows)
        is_number = isinstance(self.mixed_multiple, Real) and not isinstance(self.mixed_multiple, bool)
        if not is_number or not 0 <= self.mixed_multiple < float("inf"):
            raise InputError("is not a number of at least 0", parameter="mixed_multiple", value=self.mixed_multiple)
        require_positive_integer("n_levels", self.n_levels)
        if isinstance(self.model, str) and self.model not in get_args(Model):
            raise InputError(
                f"is not a known teacher; use one of {', '.join(get_args(Model))}", parameter="model", value=self.model
            )

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Choose by agreement with the teacher; see :class:`SelectionRule`."""

        def predict_proba(rows: Table) -> Probabilities:
            evidence.clock.require_time()
            clock = evidence.clock.part(TIME_FRACTION)
            model, is_complete = self._fit(evidence.training, clock, evidence.random, evidence.n_jobs)
            return _probabilities(model, rows, len(candidates.classes)), is_complete

        return choose_by_agreement(candidates, predict_proba, self.n_rows, evidence)

    def teach(self, rows: Rows, clock: Clock, random: np.random.RandomState, n_jobs: int | None = None) -> SoftLabels:
        """Return what the teacher says about training rows that it has not seen, and about mixed rows.

        Parameters
        ----------
        rows : Rows
            The training rows.
        clock : Clock
            When it reaches its limit, the teacher stays as large as it is.
        random : RandomState
        n_jobs : int, optional
        """
        n_classes = len(rows.labels.classes)
        model, _ = self._fit(rows, clock, random, n_jobs, bootstrap=True)
        mixed = self._mix(rows, random)
        is_forest = isinstance(self.model, str)
        of_rows = _of_unseen_trees(model, rows, n_classes) if is_forest else self._of_parts(rows, random)
        of_mixed = _probabilities(model, mixed, n_classes)
        return SoftLabels(quantise(of_rows, self.n_levels), mixed, quantise(of_mixed, self.n_levels))

    def _mix(self, rows: Rows, random: np.random.RandomState) -> Table:
        """Return mixed rows; if rows stand for several equal ones, so does each mixed row."""
        total = rows.table.total_weight
        multiple = max(1, round(total / rows.table.n_rows))
        mixed = mix_rows(rows.table, round(self.mixed_multiple * total / multiple), random, rows.sample_weight)
        return mixed if multiple == 1 else replace(mixed, weights=np.full(mixed.n_rows, multiple))

    def _of_parts(self, rows: Rows, random: np.random.RandomState) -> NDArray[np.float64]:
        """Return the class probabilities of the rows of each part, by a teacher that is fitted to the other parts."""
        n_classes, n_rows = len(rows.labels.classes), rows.table.n_rows
        probabilities = np.eye(n_classes)[rows.labels.codes]
        part = random.permutation(np.arange(n_rows) % N_PARTS)
        for index in range(min(N_PARTS, n_rows) if n_rows > 1 else 0):
            others, unseen = np.flatnonzero(part != index), np.flatnonzero(part == index)
            model, _ = self._fit(rows.take(others), Clock(), random, None)
            probabilities[unseen] = _probabilities(model, rows.table.take(unseen), n_classes)
        return probabilities

    def _fit(
        self, rows: Rows, clock: Clock, random: np.random.RandomState, n_jobs: int | None, **options: Any
    ) -> tuple[Any, bool]:
        """Fit the teacher to rows; return it, and whether the time sufficed for all of it."""
        X, y, weights = as_numbers(rows.table), rows.labels.codes, rows.weights
        fit_options = {} if weights is None else {"sample_weight": weights}
        if not isinstance(self.model, str):
            return clone(self.model).fit(X, y, **fit_options), True
        model_class = RandomForestClassifier if self.model == "random-forest" else ExtraTreesClassifier
        seed = random.randint(np.iinfo(np.int32).max)
        model = model_class(random_state=seed, n_jobs=n_jobs, warm_start=True, **options)
        n_trees = model.n_estimators
        for n_grown in range(TREES_PER_STEP, n_trees + 1, TREES_PER_STEP):  # the same trees as those of a single fit
            model.set_params(n_estimators=n_grown).fit(X, y, **fit_options)
            if clock.is_over:
                return model, n_grown == n_trees
        return model, True


def _probabilities(model: Any, table: Table, n_classes: int) -> NDArray[np.float64]:
    """Return the probability of each class; 0 for those that the training rows of the model lack."""
    probabilities = np.zeros((table.n_rows, n_classes))
    if table.n_rows:
        predicted = model.predict_proba(as_numbers(table))
        probabilities[:, model.classes_] = np.round(predicted, DECIMALS)
    return probabilities


def _of_unseen_trees(model: Any, rows: Rows, n_classes: int) -> NDArray[np.float64]:
    """Return for each row the mean prediction of the trees of a forest that have not seen it; of all if all have.

    scikit-learn's ``oob_score`` does the same, anew whenever the forest grows.
    """
    X, classes = as_numbers(rows.table).astype(np.float32), model.classes_
    sums, n_trees = np.zeros((len(X), n_classes)), np.zeros((len(X), 1))
    for tree, seen in zip(model.estimators_, model.estimators_samples_, strict=True):
        unseen = np.setdiff1d(np.arange(len(X)), seen)
        if len(unseen):
            sums[np.ix_(unseen, classes)] += tree.predict_proba(X[unseen])
            n_trees[unseen] += 1
    means = np.divide(sums, n_trees, out=np.zeros_like(sums), where=n_trees > 0)
    return np.where(n_trees > 0, means, _probabilities(model, rows.table, n_classes))


def as_numbers(table: Table) -> NDArray[np.float64]:
    """Return a table as numbers, with categorical columns one-hot encoded: their levels have no order."""
    columns = []
    for column in table:
        if column.kind == "category":
            columns += [column.values == code for code in range(len(column.levels))]
        else:
            columns.append(column.values)
    # scikit-learn's forests use single precision, and raise an error for numbers beyond its range.
    return np.clip(np.column_stack(columns).astype(np.float64), -MAX_FLOAT32, MAX_FLOAT32)
