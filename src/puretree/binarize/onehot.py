"""One feature per value: the encoding most people know, and the one whose tests read best for categories."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .values import ValueBinarizer


def one_hot_codes(n_values: int) -> NDArray[np.bool_]:
    """Return a feature per value; one feature for two values, none for a constant."""
    codes = np.eye(n_values, dtype=np.bool_)
    return codes if n_values > 2 else codes[:, 1:]


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

    _codes = staticmethod(one_hot_codes)
