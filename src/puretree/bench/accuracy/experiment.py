"""The paper's Table 4: the test accuracy of each method.

A training part of each data set trains; the held-out rows are split repeatedly into a selection part and a test part.
Parts and splits are the same for all methods, so differences are paired. Each training part is one draw: with several,
every mean has a standard error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.random import RandomState

from ..._support.clock import Clock
from ...datasets.paper_parts import IN_TABLE_4, binary_table
from ...forest import Forest
from ..cell import Cell, Key, OnProgress, Row, Values, cell_id
from ..options import require_count, require_distinct, require_known, require_limits
from .evaluation import Split, SplitScores, TrainingPart, select_and_test, select_from_forest
from .methods import BASELINES, EXTRACTING, MATCHED, METHODS, MINIMUM, MethodResult, MethodSettings, run_method

OVERHEAD = 30.0  # seconds allowed to read a data set, start solvers and predict


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Every method on every training part of every data set.

    Parameters
    ----------
    datasets : tuple of str
        By default those of the paper's table.
    folder : str, optional
        The folder of the data sets; by default the one in PURETREE_DATA.
    train_seeds : int, default=1
        Number of training parts drawn from each data set, with the seeds 0, 1, …
    splits : int, default=50
        Number of splits of the held-out rows.
    n_trees : int, default=1000
        Number of trees to extract, for the mpdt methods that extract several.
    time_limit : float, default=8
        Time limit in seconds for each method to find its trees.
    methods : tuple of str
        By default all.
    memory_limit : float, optional
        Memory limit of each cell in bytes.
    """

    name: ClassVar[str] = "accuracy"
    datasets: tuple[str, ...] = IN_TABLE_4
    folder: str | None = None
    train_seeds: int = 1
    splits: int = 50
    n_trees: int = 1000
    time_limit: float = 8.0
    methods: tuple[str, ...] = METHODS
    memory_limit: float | None = None

    def __post_init__(self) -> None:
        require_distinct("datasets", self.datasets)
        require_known("methods", self.methods, METHODS)
        for name in ("train_seeds", "splits", "n_trees"):
            require_count(name, getattr(self, name))
        require_limits(self.time_limit, self.memory_limit)

    @property
    def n_cells(self) -> int:
        """One for each data set, training part and method."""
        return len(self.datasets) * self.train_seeds * len(self.methods)

    def key(self, dataset: str, train_seed: int, method: str) -> Key:
        """Return the key of a cell; the keys of baselines also have the entries in MATCHED."""
        return {
            "dataset": dataset,
            "train_seed": train_seed,
            "method": method,
            "trees": self.n_trees,
            "limit": float(self.time_limit),
            "splits": self.splits,
        }

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return all cells except baselines, and the baselines whose number of seeds and size are known."""
        parts = [(dataset, seed) for seed in range(self.train_seeds) for dataset in self.datasets]
        others = [method for method in self.methods if method not in BASELINES]
        first = [self._cell(*part, method, {}) for part in parts for method in others]
        return first + [cell for part in parts for cell in self._baselines(*part, done)]

    def _baselines(self, dataset: str, seed: int, done: Mapping[str, Row]) -> Iterator[Cell]:
        """Yield the baselines of a training part once every mpdt method of this experiment has a row."""
        ids = {method: cell_id(self.name, self.key(dataset, seed, method)) for method in MINIMUM}
        if any(ids[method] not in done for method in MINIMUM if method in self.methods):
            return
        values = {method: done[id].values for method, id in ids.items() if id in done and done[id].status == "done"}
        n_trees = [values[method]["n_trees"] for method in EXTRACTING if method in values]
        n_nodes = [round(measured["size"]) for measured in values.values()]
        matched: Key = dict(zip(MATCHED, (max(n_trees, default=self.n_trees), min(n_nodes, default=None)), strict=True))
        yield from (self._cell(dataset, seed, method, matched) for method in self.methods if method in BASELINES)

    def _cell(self, dataset: str, train_seed: int, method: str, matched: Key) -> Cell:
        key = self.key(dataset, train_seed, method) | matched  # a baseline that matches other trees is another cell
        return Cell(self.name, key, 2 * self.time_limit + OVERHEAD, self.memory_limit, {"folder": self.folder})


def measure(cell: Cell, on_progress: OnProgress) -> Values:
    """Run a method on a training part, select a tree for each split, and test it."""
    seed, folder = _integer(cell, "train_seed"), cell.context.get("folder")
    table = binary_table(str(cell.key["dataset"]), None if folder is None else Path(folder))
    part = TrainingPart.draw(table, seed)
    splits = list(table.resplits(part.training, _integer(cell, "splits"), seed))
    settings = MethodSettings(
        str(cell.key["method"]),
        _integer(cell, "trees"),
        float(cell.key["limit"] or 0),
        cell.memory,
        seed,
        *(_integer(cell, name) if cell.key.get(name) is not None else None for name in MATCHED),
    )
    result = run_method(settings, part)
    on_progress(result.values)  # kept even if the selection below fails
    return result.values | _summarise(_select(result, settings, part, splits))


def _select(result: MethodResult, settings: MethodSettings, part: TrainingPart, splits: list[Split]) -> SplitScores:
    if not isinstance(result.trees, Forest):
        return select_and_test(result.trees, splits)
    clock, random = Clock(settings.limit), RandomState(settings.seed)
    return select_from_forest(result.trees, part.table, splits, clock, settings.memory, random)


def _summarise(scores: SplitScores) -> Values:
    return {
        "size": float(np.mean(scores.sizes)),
        "accuracy": 100 * float(np.mean(scores.accuracies)),
        "accuracy_of_split": [100 * accuracy for accuracy in scores.accuracies],
        "best_seen": 100 * float(np.mean(scores.best_seen)),
        "n_exact_splits": scores.n_exact,
    }


def _integer(cell: Cell, name: str) -> int:
    value = cell.key[name]
    assert isinstance(value, int)  # set by the experiment
    return value
