"""One feature per value: the encoding most people know, and the one whose tests read best for categories."""

from __future__ import annotations

from ..region import Region
from .values import ColumnValues, ValueBinarizer


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
