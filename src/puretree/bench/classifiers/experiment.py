"""Classifiers for noisy tables, compared by repeated stratified 5-fold cross-validation.

A cell is one method trained on the training rows of one fold, and tested on the others. Folds are the same for all
methods, so differences are paired. Whatever a method chooses, such as a price for each leaf, it chooses on the training
rows alone, by an inner cross-validation: see :mod:`~puretree.bench.classifiers.method`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from math import isnan
from typing import Any, ClassVar

from ..._support.clock import Clock
from ...errors import InputError
from ..cell import Cell, Key, OnProgress, Row, Values
from ..options import require_count, require_distinct, require_known, require_limits
from .folds import N_FOLDS, LabelledRows
from .method import Run
from .methods import METHODS, installed_methods, why_missing
from .scores import scores

OVERHEAD = 300.0  # seconds allowed to read a data set and to predict, and for numba to compile on a new installation


@dataclass(frozen=True, slots=True)
class Classifiers:
    """Every method on every fold of every data set.

    Parameters
    ----------
    datasets : tuple of str
        Names in the data folder, or with a source, such as ``formula:monks-1``: see
        :func:`~puretree.bench.classifiers.folds.datasets_of`.
    folder : str, optional
        The folder of the data sets; by default the one in PURETREE_DATA.
    repetitions : int, default=1
        Number of times that the rows are divided into five folds, with the seeds 0, 1, …
    methods : tuple of str
        By default all whose packages are installed.
    time_limit : float, default=60.0
        Time limit in seconds for each method and fold, the inner cross-validation included.
    memory_limit : float, optional
        Memory limit of each cell in bytes.
    """

    name: ClassVar[str] = "classifiers"
    datasets: tuple[str, ...]
    folder: str | None = None
    repetitions: int = 1
    methods: tuple[str, ...] = field(default_factory=installed_methods)
    time_limit: float = 60.0
    memory_limit: float | None = None

    def __post_init__(self) -> None:
        require_distinct("datasets", self.datasets)
        require_known("methods", self.methods, METHODS)
        for method in self.methods:
            if reason := why_missing(method):
                raise InputError(reason, parameter="methods", value=method)
        require_count("repetitions", self.repetitions)
        require_limits(self.time_limit, self.memory_limit)

    @property
    def n_cells(self) -> int:
        """One for each data set, repetition, fold and method."""
        return len(self.datasets) * self.repetitions * N_FOLDS * len(self.methods)

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return all cells, one fold of all data sets after the other; no cell depends on another."""
        keys = product(range(self.repetitions), range(N_FOLDS), self.datasets, self.methods)
        return [
            Cell(
                self.name,
                self.key(dataset, repetition, fold, method),
                self.time_limit + OVERHEAD,
                self.memory_limit,
                {"folder": self.folder},
            )
            for repetition, fold, dataset, method in keys
        ]

    def key(self, dataset: str, repetition: int, fold: int, method: str) -> Key:
        """Return the key of a cell."""
        limit = float(self.time_limit)
        return {"dataset": dataset, "repetition": repetition, "fold": fold, "method": method, "limit": limit}


def prepare(cell: Cell) -> None:
    """Load what numba compiled for a method, which takes seconds, once for all its cells."""
    method = str(cell.key["method"])
    if "numba" in METHODS[method].modules:
        _warm_up(method)


@cache
def _warm_up(method: str) -> None:
    METHODS[method].warm_up()


def measure(cell: Cell, on_progress: OnProgress) -> Values:
    """Train a method on the training rows of a fold, and test it on the others."""
    key: dict[str, Any] = cell.key
    rows = LabelledRows.load(key["dataset"], cell.context.get("folder"))
    training, test = rows.folds(key["repetition"])[key["fold"]]
    method = METHODS[key["method"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about time limits, which are in the status, and about contradictory rows
        method.warm_up()
        clock = Clock()
        trained = method.train(training, Run(key["limit"], cell.memory, seed=key["repetition"]))
        seconds = clock.seconds
        predicted = trained.predict(test.table)
        probabilities = trained.predict_proba(test.table, test.n_classes)
    return {
        **scores(test.codes, predicted, probabilities),
        "n_nodes": trained.n_nodes,
        "seconds": seconds,
        "status": trained.status,
        "setting": None if isnan(trained.setting) else trained.setting,
    }
