"""The paper's Table 4: how right the trees of each method are on rows that they were not trained on.

A part of each data set trains; the rest is split many times into rows that select a tree and rows that test it. The
parts and splits are the same for all methods, so that their differences are paired. One training part is one draw:
with several, every mean has a standard error.
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
from ..cell import Cell, Key, Row, Tell, Values, cell_id
from ..provenance import require_count, require_known, require_limits, require_some
from .methods import BASELINES, MATCHED, METHODS, MINIMUM, SEVERAL, Produced, Request, produce
from .selection import Choices, Split, TrainingPart, choose, choose_from_forest

ALLOWANCE = 30.0  # seconds to read a data set, start solvers and ask the trees


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Every method on every training part of every data set.

    Parameters
    ----------
    datasets : tuple of str
        Those of the paper's table by default.
    folder : str, optional
        Where they are; the folder in PURETREE_DATA by default.
    train_seeds : int, default=1
        How many training parts are drawn of each, by the seeds 0, 1, …
    splits : int, default=50
        How often the rest is split.
    trees : int, default=1000
        How many trees a variant of mpdt is asked for that extracts them.
    limit : float, default=8
        Seconds for each method to find its trees.
    methods : tuple of str
        All by default.
    memory : float, optional
        Bytes for each cell.
    """

    name: ClassVar[str] = "accuracy"
    datasets: tuple[str, ...] = IN_TABLE_4
    folder: str | None = None
    train_seeds: int = 1
    splits: int = 50
    trees: int = 1000
    limit: float = 8.0
    methods: tuple[str, ...] = METHODS
    memory: float | None = None

    def __post_init__(self) -> None:
        require_some("datasets", self.datasets)
        require_known("methods", self.methods, METHODS)
        for name in ("train_seeds", "splits", "trees"):
            require_count(name, getattr(self, name))
        require_limits(self.limit, self.memory)

    @property
    def n_cells(self) -> int:
        """How many cells there will be."""
        return len(self.datasets) * self.train_seeds * len(self.methods)

    def key(self, dataset: str, train_seed: int, method: str) -> Key:
        """Return what tells a cell apart."""
        return {
            "dataset": dataset,
            "train_seed": train_seed,
            "method": method,
            "trees": self.trees,
            "limit": float(self.limit),
            "splits": self.splits,
        }

    def cells(self, done: Mapping[str, Row]) -> list[Cell]:
        """Return all cells but the baselines', and of those the ones whose number of seeds and size are known."""
        parts = [(dataset, seed) for seed in range(self.train_seeds) for dataset in self.datasets]
        others = [method for method in self.methods if method not in BASELINES]
        first = [self._cell(*part, method, {}) for part in parts for method in others]
        return first + [cell for part in parts for cell in self._baselines(*part, done)]

    def _baselines(self, dataset: str, seed: int, done: Mapping[str, Row]) -> Iterator[Cell]:
        """Yield the baselines of a training part once every variant of mpdt that was asked for has a row."""
        ids = {method: cell_id(self.name, self.key(dataset, seed, method)) for method in MINIMUM}
        if any(ids[method] not in done for method in MINIMUM if method in self.methods):
            return
        values = {method: done[id].values for method, id in ids.items() if id in done and done[id].status == "done"}
        n_trees = [values[method]["n_trees"] for method in SEVERAL if method in values]
        n_nodes = [round(each["size"]) for each in values.values()]
        matched: Key = dict(zip(MATCHED, (max(n_trees, default=self.trees), min(n_nodes, default=None)), strict=True))
        yield from (self._cell(dataset, seed, method, matched) for method in self.methods if method in BASELINES)

    def _cell(self, dataset: str, train_seed: int, method: str, matched: Key) -> Cell:
        key = self.key(dataset, train_seed, method) | matched  # with other trees to match it is another cell
        return Cell(self.name, key, 2 * self.limit + ALLOWANCE, self.memory, {"folder": self.folder})


def measure(cell: Cell, tell: Tell) -> Values:
    """Let a method find trees for a training part, choose among them for each split, and test what was chosen."""
    seed, folder = _whole(cell, "train_seed"), cell.context.get("folder")
    table = binary_table(str(cell.key["dataset"]), None if folder is None else Path(folder))
    part = TrainingPart.draw(table, seed)
    splits = list(table.resplits(part.training, _whole(cell, "splits"), seed))
    request = Request(
        str(cell.key["method"]),
        _whole(cell, "trees"),
        float(cell.key["limit"] or 0),
        cell.memory,
        seed,
        *(_whole(cell, name) if cell.key.get(name) is not None else None for name in MATCHED),
    )
    produced = produce(request, part)
    tell(produced.values)  # should the choice fail, it is known what it was among
    return produced.values | _told(_choose(produced, request, part, splits))


def _choose(produced: Produced, request: Request, part: TrainingPart, splits: list[Split]) -> Choices:
    if not isinstance(produced.trees, Forest):
        return choose(produced.trees, splits)
    clock, random = Clock(request.limit), RandomState(request.seed)
    return choose_from_forest(produced.trees, part.table, splits, clock, request.memory, random)


def _told(choices: Choices) -> Values:
    return {
        "size": float(np.mean(choices.sizes)),
        "accuracy": 100 * float(np.mean(choices.accuracies)),
        "accuracy_of_split": [100 * accuracy for accuracy in choices.accuracies],
        "best_seen": 100 * float(np.mean(choices.best_seen)),
        "n_exact_splits": choices.n_exact,
    }


def _whole(cell: Cell, name: str) -> int:
    value = cell.key[name]
    assert isinstance(value, int)  # the experiment made the key
    return value
