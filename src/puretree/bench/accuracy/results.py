"""Measured and published values of the accuracy experiment, by method and data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from ...datasets.paper_parts import IN_TABLE_4
from .. import published
from ..cell import Row
from ..method_results import Index, MethodResults
from ..published import Published
from .methods import BASELINES, MINIMUM


@dataclass(frozen=True, slots=True)
class AccuracyResults(MethodResults):
    """Measured values, and the published values for the same data sets.

    Parameters
    ----------
    datasets, measured
        See :class:`MethodResults`; the number of a training part is its seed.
    is_published : bool, default=True
        Whether published values are comparable: there are none for other features than the paper's bits.
    """

    is_published: bool = True

    @classmethod
    def from_rows(cls, datasets: tuple[str, ...], rows: Iterable[Row], *, is_published: bool = True) -> AccuracyResults:
        """Collect the values of rows."""
        return cls(datasets, {_index(row): row.values for row in rows if row.status == "done"}, is_published)

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
