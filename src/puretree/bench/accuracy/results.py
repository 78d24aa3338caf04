"""Measured and published values of the accuracy experiment, by method and data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from ...datasets.paper_parts import IN_TABLE_4
from .. import published
from ..cell import Row, Values
from ..published import Published
from .methods import BASELINES, MINIMUM

Draws = dict[str, list[float]]
"""For each data set with at least one measurement, one value per training part."""

Index = tuple[str, str, int]
"""A cell: method, data set and seed of the training part."""


@dataclass(frozen=True, slots=True)
class AccuracyResults:
    """Measured values, and the published values for the same data sets.

    Parameters
    ----------
    datasets : tuple of str
        In the order of the table.
    measured : dict
        The values of each cell with the status ``done``, by method, data set and seed of the training part.
    is_published : bool, default=True
        Whether published values are comparable: there are none for other features than the paper's bits.
    """

    datasets: tuple[str, ...]
    measured: dict[Index, Values]
    is_published: bool = True

    @classmethod
    def from_rows(cls, datasets: tuple[str, ...], rows: Iterable[Row], *, is_published: bool = True) -> AccuracyResults:
        """Collect the values of rows."""
        return cls(datasets, {_index(row): row.values for row in rows if row.status == "done"}, is_published)

    def draws(self, method: str, name: str) -> Draws:
        """Return a value of a method for every data set and training part measured."""
        values_of_dataset = {dataset: self.of_dataset(method, dataset, name) for dataset in self.datasets}
        return {dataset: values for dataset, values in values_of_dataset.items() if values}

    def of_dataset(self, method: str, dataset: str, name: str) -> list[float]:
        """Return a value of a method on a data set, for every training part where it was measured."""
        seeds = sorted(seed for *names, seed in self.measured if names == [method, dataset])
        values = [self.measured[method, dataset, seed].get(name) for seed in seeds]
        return [value for value in values if value is not None]

    def differences(self, method: str, other: str, name: str) -> Draws:
        """Return the paired differences, method minus other, for the training parts where both were measured."""
        differences: Draws = {}
        for cell, cell_of_other in self.pairs(method, other):
            difference = self.measured[cell][name] - self.measured[cell_of_other][name]
            differences.setdefault(cell[1], []).append(difference)
        return differences

    def pairs(self, method: str, other: str) -> list[tuple[Index, Index]]:
        """Return the cells of two methods for the training parts where both were measured."""
        pairs = [(cell, (other, *cell[1:])) for cell in sorted(self.indices(method))]
        return [pair for pair in pairs if pair[1] in self.measured]

    def indices(self, method: str, dataset: str | None = None) -> list[Index]:
        """Return the measured cells of a method, on one data set or on all."""
        return [cell for cell in self.measured if cell[0] == method and dataset in (None, cell[1])]

    def cells(self, method: str) -> list[Values]:
        """Return the values of all measured cells of a method."""
        return [self.measured[cell] for cell in self.indices(method)]

    def with_several_trees(self, method: str) -> AccuracyResults:
        """Return the results of the training parts in which a method has at least two trees, without published ones."""
        parts = {cell[1:] for cell in self.indices(method) if self.measured[cell]["n_trees"] > 1}
        measured = {cell: values for cell, values in self.measured.items() if cell[1:] in parts}
        return AccuracyResults(self.datasets, measured, is_published=False)

    def is_proved(self, cell: Index) -> bool:
        """Return whether a cell depends only on proved optima: its own, and for lsk the minimum size, which it has."""
        method, dataset, seed = cell
        if method == "lsk":
            of_part = (self.measured.get((minimum, dataset, seed), {}) for minimum in MINIMUM)
            return any(values.get("n_nodes") is not None for values in of_part)
        return method in BASELINES or self.measured[cell]["status"] == "optimal"

    def smallest(self, dataset: str, methods: Sequence[str]) -> tuple[list[float], bool]:
        """Return the size of the smallest tree for every training part, and whether each is proved to be a minimum."""
        sizes: dict[int, float] = {}
        proved: set[int] = set()
        for (method, measured_dataset, seed), values in self.measured.items():
            if measured_dataset == dataset and method in methods:
                sizes[seed] = min(values["upper_bound"], sizes.get(seed, inf))
                if values["n_nodes"] is not None:
                    proved.add(seed)
        return list(sizes.values()), proved == set(sizes)

    # Published values

    def paper_values(self, method: str, dataset: str) -> Published | None:
        """Return the published values of a method on a data set."""
        return published.TABLE_4.get(method, {}).get(dataset) if self.is_published else None

    def paper_minimum(self, dataset: str) -> int | None:
        """Return the published size of a minimum tree."""
        return published.TABLE_4_OPT.get(dataset) if self.is_published else None

    def paper_mean(self, method: str) -> float | None:
        """Return the published mean accuracy: as printed for the paper's data sets, else computed for these."""
        if self._has_all and method in published.TABLE_4_MEAN:
            return published.TABLE_4_MEAN[method]
        accuracies = self._paper_accuracies(method)
        return None if accuracies is None else float(np.mean(accuracies))

    def paper_median(self, method: str) -> float | None:
        """Return the published median accuracy; see :meth:`paper_mean`."""
        if self._has_all and method in published.TABLE_4_MEDIAN:
            return published.TABLE_4_MEDIAN[method]
        accuracies = self._paper_accuracies(method)
        return None if accuracies is None else float(np.median(accuracies))

    def paper_best_seen(self, method: str) -> float | None:
        """Return the published mean of the best seen accuracies, which exists only for all data sets together."""
        return published.BEST_SEEN.get(method) if self._has_all else None

    def paper_difference(self, method: str, other: str) -> float | None:
        """Return the published difference of mean accuracies; see :meth:`paper_mean`."""
        if self._has_all and (method, other) in published.DIFFERENCES:
            return published.DIFFERENCES[method, other]
        means = self.paper_mean(method), self.paper_mean(other)
        return None if means[0] is None or means[1] is None else means[0] - means[1]

    @property
    def _has_all(self) -> bool:
        return self.is_published and set(self.datasets) == set(IN_TABLE_4)

    def _paper_accuracies(self, method: str) -> list[float] | None:
        values = [self.paper_values(method, dataset) for dataset in self.datasets]
        accuracies = [value.accuracy for value in values if value is not None]
        return accuracies if len(accuracies) == len(self.datasets) else None


def _index(row: Row) -> Index:
    return str(row.key["method"]), str(row.key["dataset"]), int(row.key["train_seed"] or 0)
