"""Measured values of an experiment that trains methods on parts of data sets, by method, data set and training part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from .cell import Values

Draws = dict[str, list[float]]
"""For each data set with at least one measurement, one value per training part."""

Index = tuple[str, str, int]
"""A cell: method, data set and number of the training part."""


@dataclass(frozen=True, slots=True)
class MethodResults:
    """Measured values.

    Parameters
    ----------
    datasets : tuple of str
        In the order of the tables.
    measured : dict
        The values of each cell with the status ``done``, by method, data set and number of the training part.
    """

    datasets: tuple[str, ...]
    measured: dict[Index, Values]

    def draws(self, method: str, name: str) -> Draws:
        """Return a value of a method for every data set and training part measured."""
        values_of_dataset = {dataset: self.of_dataset(method, dataset, name) for dataset in self.datasets}
        return {dataset: values for dataset, values in values_of_dataset.items() if values}

    def of_dataset(self, method: str, dataset: str, name: str) -> list[float]:
        """Return a value of a method on a data set, for every training part where it was measured."""
        parts = sorted(part for *names, part in self.measured if names == [method, dataset])
        values = [self.measured[method, dataset, part].get(name) for part in parts]
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

    def common_to(self, methods: Sequence[str]) -> Self:
        """Return the results of the training parts where all of some methods were measured."""
        n_methods = Counter(cell[1:] for cell in self.measured if cell[0] in methods)
        measured = {cell: values for cell, values in self.measured.items() if n_methods[cell[1:]] == len({*methods})}
        return replace(self, measured=measured)

    @property
    def measured_datasets(self) -> set[str]:
        """The data sets with at least one measurement."""
        return {dataset for _, dataset, _ in self.measured}

    def means(self, method: str, name: str) -> list[float]:
        """Return the mean of a value of a method for every data set measured."""
        return [float(np.mean(values)) for values in self.draws(method, name).values()]

    def points(self, method: str, x: str, y: str) -> list[tuple[float, float]]:
        """Return the means of two values of a method for every data set measured."""
        return list(zip(self.means(method, x), self.means(method, y), strict=True))
