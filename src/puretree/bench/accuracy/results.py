"""Measured and published values of the accuracy experiment, by method and data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ...datasets.paper_parts import IN_TABLE_4
from .. import published
from ..cell import Row, Values

Draws = dict[str, list[float]]
"""For each data set with at least one measurement, one value per training part."""


@dataclass(frozen=True, slots=True)
class AccuracyResults:
    """Measured values, and the published values for the same data sets.

    Parameters
    ----------
    datasets : tuple of str
        In the order of the table.
    measured : dict
        The values of each cell with the status ``done``, by method, data set and seed of the training part.
    """

    datasets: tuple[str, ...]
    measured: dict[tuple[str, str, int], Values]

    @classmethod
    def from_rows(cls, datasets: tuple[str, ...], rows: Iterable[Row]) -> AccuracyResults:
        """Collect the values of rows."""
        return cls(datasets, {_index(row): row.values for row in rows if row.status == "done"})

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
        for (first, dataset, seed), values in sorted(self.measured.items()):
            if first == method and (other, dataset, seed) in self.measured:
                difference = values[name] - self.measured[other, dataset, seed][name]
                differences.setdefault(dataset, []).append(difference)
        return differences

    def minimum_sizes(self, dataset: str, methods: Sequence[str]) -> list[float]:
        """Return the size of a minimum tree for every training part for which one of the methods proved it."""
        sizes: dict[int, float] = {}
        for (method, measured_dataset, seed), values in self.measured.items():
            if measured_dataset == dataset and method in methods and values.get("n_nodes") is not None:
                sizes[seed] = values["n_nodes"]
        return list(sizes.values())

    # Published values

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
        return set(self.datasets) == set(IN_TABLE_4)

    def _paper_accuracies(self, method: str) -> list[float] | None:
        printed = published.TABLE_4.get(method, {})
        values = [printed[dataset].accuracy for dataset in self.datasets if dataset in printed]
        accuracies = [accuracy for accuracy in values if accuracy is not None]
        return accuracies if len(accuracies) == len(self.datasets) else None


def _index(row: Row) -> tuple[str, str, int]:
    return str(row.key["method"]), str(row.key["dataset"]), int(row.key["train_seed"] or 0)
