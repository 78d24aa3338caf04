"""Cuts of a column of numbers.

A cut is rounded when it is chosen, to the fewest decimals for which no training value changes sides; between integers
it is an integer. The rounded number is both printed and compared with, so the text of a tree is exact.
"""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.tree import DecisionTreeClassifier

from ..errors import InputError
from ..table import Floats

Edges = Literal["exact", "tolerant"]


def midpoints(observed: Floats) -> Floats:
    """Return a cut between each two neighbouring values: the lower value is ≤ the cut, the higher one is above.

    If all values are integers, midpoints are rounded down.

    >>> midpoints(np.array([0.1, 0.2, 1.0])), midpoints(np.array([0.0, 1.0, 8.0]))
    (array([0.15, 0.6 ]), array([0., 4.]))
    """
    return cuts_between(observed[:-1], observed[1:], are_integers=are_integers(observed))


def cuts_between(low: Floats, high: Floats, *, are_integers: bool) -> Floats:
    """Return a cut between each two values."""
    middle = low / 2 + high / 2
    if are_integers:
        return np.floor(middle)
    middle = np.where((low <= middle) & (middle < high), middle, low)  # no float lies between low and high
    return round_cuts(middle, low, high, slack=1e-9 * (high / 2 - low / 2))


def bin_cuts(values: Floats, n_bins: int, strategy: str, edges: Edges) -> Floats:
    """Return the cuts between the nonempty bins: a value equal to a cut belongs to the bin on its right.

    The bins are those of scikit-learn's KBinsDiscretizer. An empty bin is divided between its neighbours, so that every
    number has a bin; the first and the last bin are unbounded. If all values are integers, cuts are rounded up.

    Parameters
    ----------
    values : ndarray of float64
        At least two distinct values, none missing.
    n_bins : int
        The number of bins.
    strategy : {"uniform", "quantile", "kmeans"}
        The strategy of KBinsDiscretizer.
    edges : {"exact", "tolerant"}
        "tolerant" puts a value just below an edge into the next bin, like scikit-learn up to 1.0, which the
        paper used.
    """
    cuts = _bin_edges(values, n_bins, strategy)[1:-1]
    if edges == "tolerant":
        # scikit-learn 1.0 added 1e-8 + 1e-5·|x| to x; here the edge moves instead.
        cuts = (cuts - 1e-8) / (1 + 1e-5 * np.sign(cuts - 1e-8))
    observed = np.unique(values)
    first = np.unique(np.searchsorted(observed, cuts, side="left"))
    first = first[(first > 0) & (first < len(observed))]  # the first value of each nonempty bin but the first
    low, high = observed[first - 1], observed[first]
    between = (cuts > low[:, None]) & (cuts <= high[:, None])
    middle = np.array([cuts[row].mean() for row in between])
    if are_integers(observed):
        return np.asarray(np.ceil(middle))
    width = (observed[-1] - observed[0]) / n_bins
    return round_cuts(np.clip(middle, np.nextafter(low, high), high), np.nextafter(low, high), high, width / 1000)


def are_integers(observed: Floats) -> bool:
    """Return whether all values are integers."""
    return bool((observed == np.floor(observed)).all())


def _bin_edges(values: Floats, n_bins: int, strategy: str) -> Floats:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Fewer distinct values than bins need no warning: bin_cuts divides empty bins.
        warnings.simplefilter("ignore")
        n_bins = min(n_bins, len(np.unique(values))) if strategy == "kmeans" else n_bins
        bins = KBinsDiscretizer(
            n_bins, encode="ordinal", strategy=strategy, subsample=None, quantile_method="averaged_inverted_cdf"
        )
        edges: Floats = bins.fit(values.reshape(-1, 1)).bin_edges_[0]
    if not np.isfinite(edges).all():
        raise InputError(
            f"values from {values.min():g} to {values.max():g} span a range that floats cannot divide into "
            f"{n_bins} bins; rescale the column"
        )
    return edges


def round_cuts(cuts: Floats, low: Floats, high: Floats, slack: Floats | float) -> Floats:
    """Round each cut to the fewest decimals that keep it in [low, high] and within the slack."""
    result = cuts.copy()
    pending = np.ones(len(cuts), dtype=np.bool_)
    for decimals in range(16):
        if not pending.any():
            break
        with np.errstate(over="ignore", invalid="ignore"):  # the largest floats cannot be rounded
            rounded = np.round(cuts, decimals)
        fits = pending & (np.abs(rounded - cuts) <= slack) & (low <= rounded) & (rounded <= high)
        result[fits] = rounded[fits]
        pending &= ~fits
    return result


def separating(value_codes: NDArray[np.intp], labels: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the cuts between neighbouring values that do not belong to one and the same class.

    Parameters
    ----------
    value_codes : ndarray of int
        For each row, the index of its value among the observed ones.
    labels : ndarray of int32
        The class of each row.
    """
    n_values, n_classes = value_codes.max() + 1, labels.max() + 1
    seen = np.zeros((n_values, n_classes), dtype=np.bool_)
    seen[value_codes, labels] = True
    classes_of_pair = seen[:-1] | seen[1:]
    return np.flatnonzero(classes_of_pair.sum(axis=1) > 1)


def most_informative(
    value_codes: NDArray[np.intp],
    labels: NDArray[np.int32],
    allowed: NDArray[np.intp],
    limit: int,
) -> NDArray[np.intp]:
    """Return the cuts that a best-first entropy tree on this column alone makes first.

    The tree is fitted to the indices of the allowed cuts, not to the values: scikit-learn compares in single precision.
    """
    if len(allowed) <= limit:
        return allowed
    cell = np.searchsorted(allowed, value_codes, side="left")
    n_classes = labels.max() + 1
    pairs, weights = np.unique(cell * n_classes + labels, return_counts=True)
    tree = DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=limit + 1, random_state=0)
    tree.fit((pairs // n_classes)[:, None], pairs % n_classes, sample_weight=weights)
    chosen: NDArray[np.intp] = np.unique(tree.tree_.threshold[tree.tree_.feature >= 0].astype(np.intp))
    return allowed[chosen]
