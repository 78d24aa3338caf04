"""Distillation: the minimum tree that agrees most with a teacher, a larger model trained on the same rows.

A random forest of hundreds of trees generalises better than any single tree, but it is not readable. As a teacher it
needs no selection set: it predicts class probabilities for mixed rows, and the rule chooses the minimum tree that
agrees most with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from ..errors import InputError
from ..table import Table
from .agreement import N_MIXED_ROWS, Probabilities, check_n_rows, choose_by_agreement
from .rules import TIME_FRACTION, Candidates, Choice, Evidence

Model = Literal["random-forest", "extra-trees"]

TREES_PER_STEP = 10  # of a teacher, between two looks at the clock
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
        The number of mixed rows that it predicts.
    """

    model: Model | Any = "random-forest"
    n_rows: int = N_MIXED_ROWS
    needs_selection: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The name of the rule."""
        return "teacher-extra-trees" if self.model == "extra-trees" else "teacher"

    def __post_init__(self) -> None:
        check_n_rows(self.n_rows)
        if isinstance(self.model, str) and self.model not in get_args(Model):
            raise InputError(
                f"is not a known teacher; use one of {', '.join(get_args(Model))}", parameter="model", value=self.model
            )

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Choose by agreement with the teacher; see :class:`SelectionRule`."""

        def predict_proba(rows: Table) -> Probabilities:
            evidence.clock.require_time()
            model, is_complete = self._fit(as_numbers(evidence.training.table), evidence)
            probabilities = np.zeros((rows.n_rows, len(candidates.classes)))
            probabilities[:, model.classes_] = model.predict_proba(as_numbers(rows))
            return probabilities, is_complete

        return choose_by_agreement(candidates, predict_proba, self.n_rows, evidence)

    def _fit(self, X: NDArray[np.float64], evidence: Evidence) -> tuple[Any, bool]:
        """Fit the teacher to the training rows; return it, and whether the time sufficed for all of it."""
        y, weights = evidence.training.labels.codes, evidence.training.weights
        options = {} if weights is None else {"sample_weight": weights}
        if not isinstance(self.model, str):
            return clone(self.model).fit(X, y, **options), True
        model_class = RandomForestClassifier if self.model == "random-forest" else ExtraTreesClassifier
        seed = evidence.random.randint(np.iinfo(np.int32).max)
        model = model_class(random_state=seed, n_jobs=evidence.n_jobs, warm_start=True)
        clock, n_trees = evidence.clock.part(TIME_FRACTION), model.n_estimators
        for n_grown in range(TREES_PER_STEP, n_trees + 1, TREES_PER_STEP):  # the same trees as those of a single fit
            model.set_params(n_estimators=n_grown).fit(X, y, **options)
            if clock.is_over:
                return model, n_grown == n_trees
        return model, True


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
