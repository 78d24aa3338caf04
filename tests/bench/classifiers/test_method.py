"""The training of a method, with classifiers that record it: features, inner cross-validation, and the final fit."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from puretree.bench.classifiers.folds import N_FOLDS, LabelledRows
from puretree.bench.classifiers.method import MIN_SECONDS, Method, Run

MONKS = LabelledRows.load("formula:monks-1", None)
RUN = Run(seconds=60.0, memory=None, seed=3)


@dataclass
class Constant:
    """A classifier that predicts one label, and records how it was made and fitted."""

    run: Run
    label: int = 0
    n_rows: int = 0
    n_labels: int = 0

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Record the size of the training part; the setting is the label to predict."""
        self.n_rows, self.n_labels = len(X), len(np.unique(y))
        self.label = 0 if np.isnan(self.run.setting) else round(self.run.setting)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label; the label -1 stands for a classifier without a tree."""
        if self.label < 0:
            raise NotFittedError
        return np.full(len(X), self.label)

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Predict the label with certainty."""
        return np.eye(self.n_labels)[self.predict(X)]


@dataclass
class Recorder:
    """Makes classifiers, and keeps them."""

    models: list[Constant] = field(default_factory=list)

    def make(self, run: Run) -> Constant:
        """Make a classifier."""
        self.models.append(Constant(run))
        return self.models[-1]


def method_with(grid: tuple[float, ...]) -> tuple[Method, Recorder]:
    """Return a method with a grid, and the recorder of its classifiers."""
    recorder = Recorder()
    return Method(make=recorder.make, n_nodes=lambda model: 1, grid=lambda X, y, seed: grid), recorder


def imbalanced(n_zeros: int) -> LabelledRows:
    """Return rows of which the first few have class 0 and all others class 1."""
    codes = (np.arange(MONKS.table.n_rows) >= n_zeros).astype(np.int32)
    return LabelledRows(MONKS.table, codes, 2)


def test_the_setting_with_the_best_inner_accuracy_is_chosen() -> None:
    """Each setting is fitted in five inner folds, and the best one once more to all training rows."""
    method, recorder = method_with((0.0, 1.0))
    rows = imbalanced(100)
    trained = method.train(rows, RUN)
    assert trained.setting == 1.0
    assert [model.run.setting for model in recorder.models] == [0.0, 1.0] * N_FOLDS + [1.0]
    assert recorder.models[-1].n_rows == rows.table.n_rows
    assert {model.n_rows for model in recorder.models[:-1]} <= {345, 346}
    assert {model.run.seed for model in recorder.models} == {3}


def test_ties_go_to_the_first_setting() -> None:
    """Settings that are equally accurate in all inner folds together are equally good: the smaller tree wins."""
    for grid in ((0.0, 1.0), (1.0, 0.0)):
        method, _ = method_with(grid)
        assert method.train(imbalanced(MONKS.table.n_rows // 2), RUN).setting == grid[0]


def test_a_setting_without_a_tree_is_never_the_best() -> None:
    """A search that finds no tree within its time is not an error, as long as another setting has one."""
    method, _ = method_with((-1.0, 0.0))
    assert method.train(imbalanced(100), RUN).setting == 0.0


def test_the_time_is_shared_evenly() -> None:
    """Each inner fold and the final fit have a sixth of the time, and each setting its share of it; nothing is lost."""
    method, recorder = method_with((0.0, 1.0))
    method.train(MONKS, replace(RUN, seconds=600.0))
    seconds = [model.run.seconds for model in recorder.models]
    assert seconds[0] == pytest.approx(600 / 6 / 2, rel=0.01)
    assert seconds[1] == pytest.approx(600 / 6, rel=0.01)  # the first setting took none
    assert seconds[-1] == pytest.approx(600, rel=0.01)


def test_no_time_is_not_no_limit() -> None:
    """At the end of the time a fit has a little, since some classifiers read 0 as no limit."""
    method, recorder = method_with((0.0,))
    method.train(MONKS, replace(RUN, seconds=0.0))
    assert {model.run.seconds for model in recorder.models} == {MIN_SECONDS}


def test_a_method_without_a_grid_is_fitted_once() -> None:
    """There is no inner cross-validation without a choice."""
    recorder = Recorder()
    trained = Method(make=recorder.make, n_nodes=lambda model: 5).train(MONKS, RUN)
    assert len(recorder.models) == 1
    assert np.isnan(trained.setting)
    assert (trained.n_nodes, trained.status) == (5, "unproved")


def test_classes_without_training_rows_have_no_probability() -> None:
    """Labels are numbered without gaps for the classifier, and translated back."""
    rows = LabelledRows(MONKS.table, 2 * MONKS.codes, 4)
    method = Method(make=lambda run: Constant(replace(run, setting=1.0)), n_nodes=lambda model: 1)
    trained = method.train(rows, RUN)
    assert set(trained.predict(rows.table).tolist()) == {2}
    assert trained.predict_proba(rows.table, 4)[0].tolist() == [0, 0, 1, 0]


def test_features_are_learned_from_training_rows_alone() -> None:
    """They are learned once for the final fit and once in each inner fold, from the rows that train there."""
    n_rows = []

    def features(rows: LabelledRows) -> Any:
        n_rows.append(rows.table.n_rows)
        return lambda table: table

    method, _ = method_with((0.0, 1.0))
    replace(method, features=features).train(MONKS, RUN)
    assert n_rows[0] == 432
    assert sorted(n_rows[1:]) == [345, 345, 346, 346, 346]
