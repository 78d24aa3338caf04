"""The minimum tree that agrees most with a larger model trained on the same rows.

A forest of hundreds of trees generalises better than any single tree, but nobody can read it. As a teacher it needs no
rows kept back: it says what it thinks of mixed rows, and the one minimum tree that agrees most is taken.
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
from .agreement import MIXED_ROWS, Shares, choose_nearest, require_rows
from .rules import Candidates, Choice, Evidence

Model = Literal["random-forest", "extra-trees"]

LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True)
class Teacher:
    """Nearest to what a teacher says.

    Parameters
    ----------
    model : {"random-forest", "extra-trees"} or scikit-learn classifier, default="random-forest"
        The teacher, with scikit-learn's defaults if given by name. It gets the table as numbers: a column of 0 and 1
        for each level of a category, NaN where a number is missing.
    n_rows : int, default=1000
        Mixed rows to ask it about.
    """

    model: Model | Any = "random-forest"
    n_rows: int = MIXED_ROWS
    needs_selection: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The name of the rule."""
        return "teacher-extra-trees" if self.model == "extra-trees" else "teacher"

    def __post_init__(self) -> None:
        require_rows(self.n_rows)
        if isinstance(self.model, str) and self.model not in get_args(Model):
            raise InputError(f"there is no teacher {self.model!r}; use one of {', '.join(get_args(Model))}")

    def choose(self, candidates: Candidates, evidence: Evidence) -> Choice:
        """Choose by agreement with the teacher; see :class:`SelectionRule`."""

        def says(rows: Table) -> Shares:
            model = self._make(evidence).fit(_as_numbers(evidence.training.table), evidence.training.labels.codes)
            said = np.zeros((rows.n_rows, len(candidates.classes)))
            said[:, model.classes_] = model.predict_proba(_as_numbers(rows))
            return said, True

        return choose_nearest(candidates, says, self.n_rows, evidence)

    def _make(self, evidence: Evidence) -> Any:
        if not isinstance(self.model, str):
            return clone(self.model)
        kind = RandomForestClassifier if self.model == "random-forest" else ExtraTreesClassifier
        seed = evidence.random.randint(np.iinfo(np.int32).max)
        return kind(random_state=seed, n_jobs=evidence.n_jobs)


def _as_numbers(table: Table) -> NDArray[np.float64]:
    """Return a table as numbers; no order is made up for levels that have none."""
    columns = []
    for column in table:
        if column.kind == "category":
            columns += [column.values == place for place in range(len(column.levels))]
        else:
            columns.append(column.values)
    # scikit-learn's forests take single precision, and refuse what is beyond it.
    return np.clip(np.column_stack(columns).astype(np.float64), -LARGEST, LARGEST)
