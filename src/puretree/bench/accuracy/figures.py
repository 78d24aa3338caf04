"""What was measured and what the paper printed, looked up by method and data set: what accuracy tables are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ...datasets.paper_parts import IN_TABLE_4
from .. import published
from ..cell import Row, Values

Draws = dict[str, list[float]]
"""For each data set that has any, a value for each training part."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured, and what the paper printed.

    Parameters
    ----------
    datasets : tuple of str
        In the order of the table.
    done : dict
        The values of each cell that is done, by method, data set and seed of the training part.
    """

    datasets: tuple[str, ...]
    done: dict[tuple[str, str, int], Values]

    @classmethod
    def of(cls, datasets: tuple[str, ...], rows: Iterable[Row]) -> Figures:
        """Read them out of rows."""
        done = {_place(row): row.values for row in rows if row.status == "done"}
        return cls(datasets, done)

    def draws(self, method: str, name: str) -> Draws:
        """Return a value of a method for every training part that is done."""
        found = {dataset: self.of_dataset(method, dataset, name) for dataset in self.datasets}
        return {dataset: values for dataset, values in found.items() if values}

    def of_dataset(self, method: str, dataset: str, name: str) -> list[float]:
        """Return a value of a method on a data set, for every training part that is done and has it."""
        seeds = sorted(seed for each, of, seed in self.done if (each, of) == (method, dataset))
        values = [self.done[method, dataset, seed].get(name) for seed in seeds]
        return [value for value in values if value is not None]

    def differences(self, method: str, other: str, name: str) -> Draws:
        """Return how much greater a value of one method is than the other's, where both are done."""
        found: Draws = {}
        for (each, dataset, seed), values in sorted(self.done.items()):
            if each == method and (other, dataset, seed) in self.done:
                found.setdefault(dataset, []).append(values[name] - self.done[other, dataset, seed][name])
        return found

    def minimum(self, dataset: str, methods: Sequence[str]) -> list[float]:
        """Return the size of minimum trees for every training part for which some method proved it."""
        sizes: dict[int, float] = {}
        for (method, of, seed), values in self.done.items():
            if of == dataset and method in methods and values.get("n_nodes") is not None:
                sizes[seed] = values["n_nodes"]
        return list(sizes.values())

    # The paper's, for the same data sets

    def paper_mean(self, method: str) -> float | None:
        """Return the paper's mean accuracy: as printed for all its data sets, else counted anew for these."""
        if self._has_all and method in published.TABLE_4_MEAN:
            return published.TABLE_4_MEAN[method]
        accuracies = self._paper_accuracies(method)
        return None if accuracies is None else float(np.mean(accuracies))

    def paper_median(self, method: str) -> float | None:
        """Return the paper's median accuracy; as :meth:`paper_mean`."""
        if self._has_all and method in published.TABLE_4_MEDIAN:
            return published.TABLE_4_MEDIAN[method]
        accuracies = self._paper_accuracies(method)
        return None if accuracies is None else float(np.median(accuracies))

    def paper_best_seen(self, method: str) -> float | None:
        """Return the paper's mean of the best accuracies seen, which it tells for all data sets together."""
        return published.BEST_SEEN.get(method) if self._has_all else None

    def paper_difference(self, method: str, other: str) -> float | None:
        """Return the paper's difference of mean accuracies; as :meth:`paper_mean`."""
        if self._has_all and (method, other) in published.DIFFERENCES:
            return published.DIFFERENCES[method, other]
        means = self.paper_mean(method), self.paper_mean(other)
        return None if means[0] is None or means[1] is None else means[0] - means[1]

    @property
    def _has_all(self) -> bool:
        return set(self.datasets) == set(IN_TABLE_4)

    def _paper_accuracies(self, method: str) -> list[float] | None:
        printed = published.TABLE_4.get(method, {})
        found = [printed[dataset].accuracy for dataset in self.datasets if dataset in printed]
        known = [accuracy for accuracy in found if accuracy is not None]
        return known if len(known) == len(self.datasets) else None


def _place(row: Row) -> tuple[str, str, int]:
    return str(row.key["method"]), str(row.key["dataset"]), int(row.key["train_seed"] or 0)
