"""Binarisers that first list the values of a column, then give each value a code.

The values of a category are its levels; numbers are put into bins first; missing is a value of its own, the last.
What code a value gets is all that tells the paper's bits from one-hot.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from ..table import Floats, Labels, TableColumn
from .base import Binarizer, CategoricalFeatures
from .cuts import Edges, bin_cuts
from .region import Region


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """The values of a column as cells of the real line, and missing after them if it occurs."""

    cuts: Floats
    cells: NDArray[np.intp]
    has_missing: bool

    def __len__(self) -> int:
        return len(self.cells) + self.has_missing

    def region(self, chosen: NDArray[np.bool_]) -> Region:
        """Return the region of the chosen values."""
        inside = np.zeros(len(self.cuts) + 1, dtype=np.bool_)
        inside[self.cells[chosen[: len(self.cells)]]] = True
        missing = self.has_missing and bool(chosen[-1])
        return Region.from_cells(self.cuts, inside, holds_missing=missing)

    def each(self) -> list[Region]:
        """Return the region of each value; of one only where there are two, of none where there is one."""
        ends = [-math.inf, *self.cuts.tolist(), math.inf]
        regions = [
            Region(tuple(filter(math.isfinite, ends[cell : cell + 2])), starts_inside=bool(cell == 0))
            for cell in self.cells.tolist()
        ]
        regions += [Region.missing()] * self.has_missing
        return regions if len(regions) > 2 else regions[1:]


def list_levels(column: TableColumn) -> ColumnValues:
    """List the levels that occur in a column of categories."""
    cells = column.observed().astype(np.intp) + 1  # cell 0 is left to unseen levels
    return ColumnValues(np.arange(len(column.levels) + 1.0), cells, column.has_missing)


class ValueBinarizer(Binarizer):
    """Base of the binarisers that give each value a code."""

    n_bins: int
    strategy: str
    edges: Edges

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Binarizer._parameter_constraints,
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "strategy": [StrOptions({"uniform", "quantile", "kmeans"})],
        "edges": [StrOptions({"exact", "tolerant"})],
    }

    def __init__(
        self,
        n_bins: int = 8,
        *,
        strategy: str = "uniform",
        edges: Edges = "exact",
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.n_bins = n_bins
        self.strategy = strategy
        self.edges = edges
        self.categorical_features = categorical_features

    def _regions(self, values: TableColumn, labels: Labels | None) -> list[Region]:
        listed = list_levels(values) if values.kind != "number" else self._list_bins(values)
        return self._code(listed)

    def _list_bins(self, column: TableColumn) -> ColumnValues:
        numbers = column.values[~np.isnan(column.values)]
        cuts = np.empty(0)
        if len(column.observed()) > 1:
            cuts = bin_cuts(numbers, self.n_bins, self.strategy, self.edges)
        n_cells = len(cuts) + 1 if len(numbers) else 0
        return ColumnValues(cuts, np.arange(n_cells), column.has_missing)

    @staticmethod
    @abstractmethod
    def _code(values: ColumnValues) -> list[Region]:
        """Give each value a code: return the region of each place of the code."""


# The paper's binary encoding: d values in ⌈log2 d⌉ columns.
#
# The fewest columns of all, which is what the size of the MaxSAT encoding grows with (Alòs, Ansótegui, Torres 2022,
# section 5): continuous columns go into 8 uniform bins, values are numbered in order, and each bit of the number is a
# feature. A bit is said as the set of values it stands for.


class BitsBinarizer(ValueBinarizer):
    """Number the values of each column and make a feature of each bit.

    Parameters
    ----------
    n_bins : int, default=8
        Bins for columns of numbers.
    strategy : {"uniform", "quantile", "kmeans"}, default="uniform"
        How the bins are placed.
    edges : {"exact", "tolerant"}, default="exact"
        "tolerant" counts a value just below an edge as reaching it, as scikit-learn up to 1.0 did.
    categorical_features : "from_dtype", "all" or list of columns, default="from_dtype"
        Columns of numbers to read as categories.

    Examples
    --------
    >>> binarizer = BitsBinarizer().fit([["red"], ["green"], ["blue"]])
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 is red', 'x0 is green']
    """

    @staticmethod
    def _code(values: ColumnValues) -> list[Region]:
        numbers = np.arange(len(values))
        n_bits = max(len(values) - 1, 0).bit_length()
        return [values.region((numbers >> bit & 1).astype(np.bool_)) for bit in reversed(range(n_bits))]


# One feature per value: the encoding most people know, and the one whose tests read best for categories.


class OneHotBinarizer(ValueBinarizer):
    """Make a feature of each value of each column.

    Parameters
    ----------
    n_bins : int, default=8
        Bins for columns of numbers.
    strategy : {"uniform", "quantile", "kmeans"}, default="uniform"
        How the bins are placed.
    edges : {"exact", "tolerant"}, default="exact"
        "tolerant" counts a value just below an edge as reaching it, as scikit-learn up to 1.0 did.
    categorical_features : "from_dtype", "all" or list of columns, default="from_dtype"
        Columns of numbers to read as categories.

    Examples
    --------
    >>> binarizer = OneHotBinarizer().fit([["red", "yes"], ["green", "no"], ["blue", "no"]])
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 is blue', 'x0 is green', 'x0 is red', 'x1 is yes']
    """

    @staticmethod
    def _code(values: ColumnValues) -> list[Region]:
        return values.each()
