"""The paper's Table 4: the test accuracy of each method.

A training part of each data set trains; the held-out rows are split repeatedly into a selection part and a test part.
Parts and splits are the same for all methods, so differences are paired. Each training part is one draw: with several,
every mean has a standard error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.random import RandomState

from ..._support.clock import Clock
from ...datasets.paper import BinaryEncoding
from ...datasets.paper_parts import IN_TABLE_4, binary_table
from ...engines import make_engine
from ...engines.dtmax import DtMax, EncodingName
from ...errors import InputError
from ...extraction import Pace
from ...forest import Forest
from ...selection.candidates import Plan
from ..cell import Cell, Key, OnProgress, Row, Values, cell_id
from ..options import require_count, require_distinct, require_known, require_limits
from ..published import TABLE_4_OPT, published_n_trees
from .evaluation import Split, SplitScores, TrainingPart, select_and_test, select_from_forest
from .methods import (
    BASELINES,
    DEPTHS,
    DIVERSE,
    EXTRACTING,
    MATCHED,
    METHODS,
    MINIMUM,
    SEVERAL,
    MethodResult,
    MethodSettings,
    run_method,
)

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
    n_trees : int or "paper", default=1000
        Number of trees of the methods that produce several; "paper": the published number of the method and data set,
        or that of ``mpdt`` if there is none.
    time_limit : float, default=8
        Time limit in seconds for each method to find its trees.
    methods : tuple of str
        By default all.
    engine : str, default="auto"
        Proves the minimum; ``maxsat`` is the paper's.
    backend : str, default="linear"
        The MaxSAT solver of DT(max); the paper used Loandra, ``hermax:Loandra``.
    dtmax_encoding : {"complete", "layout"}, default="complete"
        The formula of DT(max): ours, or after Hu et al., whose system the paper used.
    binarize : {"bits", "onehot"}, default="bits"
        The features: those of the paper's table, or the one-hot encoding of the same bins and levels.
    pace : {"prove", "share"}, default="prove"
        Diverse trees: each is proved to be the farthest before the next, or all get a share of the time.
    memory_limit : float, optional
        Memory limit of each cell in bytes.
    """

    name: ClassVar[str] = "accuracy"
    datasets: tuple[str, ...] = IN_TABLE_4
    folder: str | None = None
    train_seeds: int = 1
    splits: int = 50
    n_trees: int | Literal["paper"] = 1000
    time_limit: float = 8.0
    methods: tuple[str, ...] = METHODS
    engine: str = "auto"
    backend: str = "linear"
    dtmax_encoding: EncodingName = "complete"
    binarize: BinaryEncoding = "bits"
    pace: Pace = "prove"
    memory_limit: float | None = None

    def __post_init__(self) -> None:
        require_distinct("datasets", self.datasets)
        require_known("methods", self.methods, METHODS)
        require_known("binarize", (self.binarize,), get_args(BinaryEncoding))
        require_known("pace", (self.pace,), get_args(Pace))
        require_known("dtmax_encoding", (self.dtmax_encoding,), get_args(EncodingName))
        require_count("train_seeds", self.train_seeds)
        require_count("splits", self.splits)
        if self.n_trees == "paper":
            self._require_published()
        else:
            require_count("n_trees", self.n_trees)
        require_limits(self.time_limit, self.memory_limit)
        Plan(make_engine(self.engine))  # raises InputError for engines that do not minimise the size
        DtMax(backend=self.backend)

    def _require_published(self) -> None:
        unpublished = [dataset for dataset in self.datasets if dataset not in TABLE_4_OPT]
        if unpublished:
            raise InputError(
                f"is for the data sets of the paper's Table 4, without {unpublished[0]}",
                parameter="n_trees",
                value="paper",
                use={"n_trees": 1000},
            )

    @property
    def n_cells(self) -> int:
        """One for each data set, training part and method."""
        return len(self.datasets) * self.train_seeds * len(self.methods)

    def key(self, dataset: str, train_seed: int, method: str) -> Key:
        """Return the key of a cell, with those options that its method has; baselines also have those in MATCHED."""
        options: dict[str, tuple[Iterable[str], str | int]] = {
            "engine": (MINIMUM, self.engine),
            "trees": (SEVERAL, self._n_trees(dataset, method)),
            "pace": (DIVERSE, self.pace),
            "backend": (DEPTHS, self.backend),
            "dtmax_encoding": (DEPTHS, self.dtmax_encoding),
        }
        return {
            "dataset": dataset,
            "train_seed": train_seed,
            "method": method,
            "binarize": self.binarize,
            **{name: value for name, (methods, value) in options.items() if method in methods},
            "limit": float(self.time_limit),
            "splits": self.splits,
        }

    def _n_trees(self, dataset: str, method: str) -> int:
        return published_n_trees(method, dataset) if self.n_trees == "paper" else self.n_trees

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return all cells except baselines, and the baselines whose number of seeds and size are known."""
        parts = [(dataset, seed) for seed in range(self.train_seeds) for dataset in self.datasets]
        others = [method for method in self.methods if method not in BASELINES]
        first = [self._cell(*part, method, {}) for part in parts for method in others]
        return first + [cell for part in parts for cell in self._baselines(*part, done)]

    def _baselines(self, dataset: str, seed: int, done: Mapping[str, Row]) -> Iterator[Cell]:
        """Yield the baselines of a training part once every mpdt method of this experiment has a row."""
        minimum = [method for method in MINIMUM if method in self.methods]
        ids = {method: cell_id(self.name, self.key(dataset, seed, method)) for method in minimum}
        if not all(id in done for id in ids.values()):
            return
        values = {method: done[id].values for method, id in ids.items() if done[id].status == "done"}
        n_trees = [values[method]["n_trees"] for method in EXTRACTING if method in values]
        n_nodes = [round(measured["size"]) for measured in values.values()]
        n_seeds = max(n_trees, default=self._n_trees(dataset, "mpdt"))
        matched: Key = dict(zip(MATCHED, (n_seeds, min(n_nodes, default=None)), strict=True))
        yield from (self._cell(dataset, seed, method, matched) for method in self.methods if method in BASELINES)

    def _cell(self, dataset: str, train_seed: int, method: str, matched: Key) -> Cell:
        key = self.key(dataset, train_seed, method) | matched  # a baseline that matches other trees is another cell
        return Cell(self.name, key, 2 * self.time_limit + OVERHEAD, self.memory_limit, {"folder": self.folder})


def measure(cell: Cell, on_progress: OnProgress) -> Values:
    """Run a method on a training part, select a tree for each split, and test it."""
    key: dict[str, Any] = cell.key
    folder = cell.context.get("folder")
    table = binary_table(key["dataset"], None if folder is None else Path(folder), key["binarize"])
    part = TrainingPart.draw(table, key["train_seed"])
    splits = list(table.resplits(part.training, key["splits"], key["train_seed"]))
    settings = _settings(cell)
    result = run_method(settings, part)
    on_progress(result.values)  # kept even if the selection below fails
    return result.values | _summarise(_select(result, settings, part, splits))


def _settings(cell: Cell) -> MethodSettings:
    """Return the settings of a cell's method; options that its key does not have keep their defaults."""
    names = {"train_seed": "seed", "trees": "n_trees"}
    shared = ("dataset", "binarize", "splits")
    options: dict[str, Any] = {names.get(name, name): value for name, value in cell.key.items() if name not in shared}
    return MethodSettings(**options, memory=cell.memory)


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
