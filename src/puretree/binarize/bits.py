"""The paper's binary encoding: d values in ⌈log2 d⌉ columns.

The fewest columns of all, which is what the size of the MaxSAT encoding grows with (Alòs, Ansótegui, Torres 2022,
section 5): continuous columns go into 8 uniform bins, values are numbered in order, and each bit of the number is a
feature. A bit is said as the set of values it stands for.
"""

from __future__ import annotations

import numpy as np

from ..region import Region
from .values import ColumnValues, ValueBinarizer


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
