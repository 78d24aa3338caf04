"""Binarisers that list the values of a column and give each value a binary code: the paper's bits, and one-hot.

The values of a category are its levels, the values of a column of numbers its bins; missing, if it occurs, is the last
value. The two binarisers differ only in the code.
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
from .base import Binarizer, CategoricalFeatures, ColumnBinarizer
from .cuts import Edges, bin_cuts
from .region import Region


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """The values of a column as cells of the real line, followed by missing if it occurs."""

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

    def one_hot(self) -> list[Region]:
        """Return one region per value; of two values only the second, of a single value none."""
        ends = [-math.inf, *self.cuts.tolist(), math.inf]
        regions = [
            Region(tuple(filter(math.isfinite, ends[cell : cell + 2])), starts_inside=bool(cell == 0))
            for cell in self.cells.tolist()
        ]
        regions += [Region.missing()] * self.has_missing
        return regions if len(regions) > 2 else regions[1:]


def list_levels(column: TableColumn) -> ColumnValues:
    """List the levels that occur in a column of categories."""
    cells = column.observed.astype(np.intp) + 1  # cell 0 is for unseen levels
    return ColumnValues(np.arange(len(column.levels) + 1.0), cells, column.has_missing)


class ValueBinarizer(ColumnBinarizer):
    """Base class of the binarisers that give each value a code."""

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
        column_values = list_levels(values) if values.kind != "number" else self._list_bins(values)
        return self._code(column_values)

    def _list_bins(self, column: TableColumn) -> ColumnValues:
        numbers = column.values[~np.isnan(column.values)]
        cuts = np.empty(0)
        if len(column.observed) > 1:
            cuts = bin_cuts(numbers, self.n_bins, self.strategy, self.edges)
        n_cells = len(cuts) + 1 if len(numbers) else 0
        return ColumnValues(cuts, np.arange(n_cells), column.has_missing)

    @staticmethod
    @abstractmethod
    def _code(values: ColumnValues) -> list[Region]:
        """Return one region per binary digit of the code: the values whose digit is 1."""


class BitsBinarizer(ValueBinarizer):
    """Number the values of each column and make one feature per bit: ⌈log2 d⌉ features for d values.

    This is the paper's encoding (Alòs, Ansótegui, Torres 2022, section 5): it has the fewest features, and the size of
    the MaxSAT encoding grows with their number. Numbers go into 8 uniform bins, values are numbered in order, and a bit
    is described by the set of values for which it is 1.

    Parameters
    ----------
    n_bins : int, default=8
        The number of bins for columns of numbers.
    strategy : {"uniform", "quantile", "kmeans"}, default="uniform"
        The strategy of scikit-learn's KBinsDiscretizer.
    edges : {"exact", "tolerant"}, default="exact"
        "tolerant" puts a value just below an edge into the next bin, as scikit-learn up to 1.0 did.
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


class OneHotBinarizer(ValueBinarizer):
    """Make one feature per value of each column: for categories the encoding with the most readable splits.

    Parameters
    ----------
    n_bins : int, default=8
        The number of bins for columns of numbers.
    strategy : {"uniform", "quantile", "kmeans"}, default="uniform"
        The strategy of scikit-learn's KBinsDiscretizer.
    edges : {"exact", "tolerant"}, default="exact"
        "tolerant" puts a value just below an edge into the next bin, as scikit-learn up to 1.0 did.
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
        return values.one_hot()
