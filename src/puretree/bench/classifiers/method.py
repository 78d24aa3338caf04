"""How a method is trained: features, the choice of its setting by an inner cross-validation, and the final fit.

The price of a leaf, or whatever controls the size of a method's trees, is chosen on the training rows alone: in each of
five inner folds features are learned, and the trees of all settings fitted and compared. A method that takes a time
limit divides its time evenly: each inner fold and the final fit get the same share, and within a fold each setting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from ..._support.clock import Clock
from ...table import Table
from .folds import N_FOLDS, Codes, LabelledRows

Probabilities = NDArray[np.float64]
Transform = Callable[[Table], Any]

MIN_SECONDS = 0.01  # for a single fit, as some peers read 0 as no limit


@dataclass(frozen=True, slots=True)
class Run:
    """What one fit of a method depends on, besides its training rows.

    Parameters
    ----------
    seconds : float
        Time limit, for methods that take one.
    memory : float or None
        Memory limit in bytes, for methods that take one.
    seed : int
        Random state.
    setting : float, default=nan
        The value of the grid, for methods that have one.
    """

    seconds: float
    memory: float | None
    seed: int
    setting: float = nan


def fit_nothing(_: LabelledRows) -> Transform:
    """Return a function that returns the table itself."""
    return lambda table: table


def unproved(_: Any) -> str:
    """Return the status of methods that prove nothing."""
    return "unproved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A way to train a classifier.

    Parameters
    ----------
    make : callable
        Returns an unfitted classifier with the interface of scikit-learn for a :class:`Run`.
    n_nodes : callable
        Returns the number of nodes of a fitted classifier.
    features : callable
        Learns features from training rows; returns the function that computes them. By default the raw table.
    grid : callable, optional
        Returns the settings to choose from by cross-validation, for the training rows as features, their labels, and a
        seed; those of the smallest trees first, which win ties.
    predict : callable
        Returns the predictions of a fitted classifier.
    predict_proba : callable
        Returns its probabilities.
    status : callable
        Returns what a fitted classifier proves: ``optimal``, ``time_limit``, ``unproved`` or another status of an
        outcome.
    modules : tuple of str, default=()
        Optional modules that it needs.
    extra : str, default=""
        The extra of puretree that installs them.
    """

    make: Callable[[Run], Any]
    n_nodes: Callable[[Any], int]
    features: Callable[[LabelledRows], Transform] = fit_nothing
    grid: Callable[[Any, Codes, int], Sequence[float]] | None = None
    predict: Callable[[Any, Any], NDArray[Any]] = lambda model, X: model.predict(X)
    predict_proba: Callable[[Any, Any], Probabilities] = lambda model, X: model.predict_proba(X)
    status: Callable[[Any], str] = unproved
    modules: tuple[str, ...] = ()
    extra: str = ""

    def train(self, rows: LabelledRows, run: Run) -> Trained:
        """Choose the setting, if there is a choice, and fit to all training rows.

        Parameters
        ----------
        rows : LabelledRows
        run : Run
            Its time limit is for all fits together.
        """
        clock = Clock(run.seconds)
        part = Part.of(self, rows)
        if self.grid is not None:
            settings = self.grid(part.X, part.y, run.seed)
            run = replace(run, setting=self._choose_setting(settings, rows, run, clock))
        return self._fit(part, replace(run, seconds=clock.left))

    def warm_up(self) -> None:
        """Fit to a tiny table: no import, and no compilation by numba, is then part of the time of a method."""
        rows = LabelledRows.load("formula:corral", None)
        part = Part.of(self, rows)
        setting = nan if self.grid is None else self.grid(part.X, part.y, 0)[0]
        self._fit(part, Run(seconds=1.0, memory=None, seed=0, setting=setting))

    def _choose_setting(self, settings: Sequence[float], rows: LabelledRows, run: Run, clock: Clock) -> float:
        """Return the setting with the most correct predictions in all inner folds together."""
        n_correct = np.zeros(len(settings), dtype=np.intp)
        for fold, (training, test) in enumerate(rows.folds(run.seed)):
            of_fold = clock.part(1 / (N_FOLDS + 1 - fold))
            part = Part.of(self, training)
            X_test = part.transform(test.table)
            for index, setting in enumerate(settings):
                seconds = of_fold.part(1 / (len(settings) - index)).left
                trained = self._fit(part, replace(run, seconds=seconds, setting=setting))
                n_correct[index] += trained.n_correct(X_test, test.codes)
        return settings[int(n_correct.argmax())]

    def _fit(self, part: Part, run: Run) -> Trained:
        model = self.make(replace(run, seconds=max(run.seconds, MIN_SECONDS)))
        return Trained(self, part, model.fit(part.X, part.y), run.setting)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Training rows as a method takes them.

    Parameters
    ----------
    transform : callable
        Returns the features of a table.
    X : array or Table
        The features of the training rows.
    y : ndarray of shape (n_rows,)
        Their labels, 0, 1, … without gaps, since some peers require it.
    classes : ndarray of int32
        The class of each label.
    """

    transform: Transform
    X: Any
    y: Codes
    classes: Codes

    @classmethod
    def of(cls, method: Method, rows: LabelledRows) -> Part:
        """Learn the features of a method."""
        transform = method.features(rows)
        classes, y = np.unique(rows.codes, return_inverse=True)
        return cls(transform, transform(rows.table), y.astype(np.int32), classes)


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A fitted classifier, and the setting that was chosen."""

    method: Method
    part: Part
    model: Any
    setting: float

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return int(self.method.n_nodes(self.model))

    @property
    def status(self) -> str:
        """What is proved."""
        return self.method.status(self.model)

    def predict(self, table: Table) -> Codes:
        """Return the predicted class of each row."""
        return self._predict(self.part.transform(table))

    def predict_proba(self, table: Table, n_classes: int) -> Probabilities:
        """Return the probability of each class; classes without training rows have none."""
        probabilities = np.zeros((table.n_rows, n_classes))
        probabilities[:, self.part.classes] = self.method.predict_proba(self.model, self.part.transform(table))
        return probabilities

    def n_correct(self, X: Any, codes: Codes) -> int:
        """Return the number of correct predictions, 0 if the classifier found no tree within its time limit."""
        try:
            return int((self._predict(X) == codes).sum())
        except NotFittedError:
            return 0

    def _predict(self, X: Any) -> Codes:
        return self.part.classes[np.asarray(self.method.predict(self.model, X)).astype(np.intp)]
