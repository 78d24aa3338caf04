"""Where to cut a column of numbers.

Every cut is a number a person can read, and it is the number that is compared with: a cut is rounded when it is
chosen, as far as no training value changes sides, and never again when it is printed.
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
    """Return the cut between each two neighbouring values: below or at it on the left, above it on the right.

    >>> midpoints(np.array([0.1, 0.2, 1.0]))
    array([0.15, 0.6 ])
    """
    low, high = observed[:-1], observed[1:]
    middle = low / 2 + high / 2
    middle = np.where((low <= middle) & (middle < high), middle, low)  # neighbouring floats
    return tidy(middle, low, high, slack=1e-9 * (high / 2 - low / 2))


def bin_cuts(values: Floats, n_bins: int, strategy: str, edges: Edges) -> Floats:
    """Return the cuts between the bins that hold values: below the cut on the left, at or above it on the right.

    Bins as scikit-learn's KBinsDiscretizer makes them. A bin without values is shared between its neighbours, so
    that every number has a bin, and the first and last are open to the outside.

    Parameters
    ----------
    values : ndarray of float64
        Without missing values, at least two different ones.
    n_bins : int
        How many bins to make.
    strategy : {"uniform", "quantile", "kmeans"}
        How KBinsDiscretizer places them.
    edges : {"exact", "tolerant"}
        Whether a value just below an edge counts as reaching it, as in scikit-learn up to 1.0, which the
        paper used.
    """
    cuts = _bin_edges(values, n_bins, strategy)[1:-1]
    if edges == "tolerant":
        # scikit-learn 1.0 added 1e-8 + 1e-5·|x| to x; here the edge moves instead.
        cuts = (cuts - 1e-8) / (1 + 1e-5 * np.sign(cuts - 1e-8))
    observed = np.unique(values)
    first = np.unique(np.searchsorted(observed, cuts, side="left"))
    first = first[(first > 0) & (first < len(observed))]  # each begins a bin that holds values
    low, high = observed[first - 1], observed[first]
    between = (cuts > low[:, None]) & (cuts <= high[:, None])
    middle = np.array([cuts[row].mean() for row in between])
    width = (observed[-1] - observed[0]) / n_bins
    return tidy(np.clip(middle, np.nextafter(low, high), high), np.nextafter(low, high), high, width / 1000)


def _bin_edges(values: Floats, n_bins: int, strategy: str) -> Floats:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Fewer distinct values than bins is nothing to warn about: empty bins are shared out below.
        warnings.simplefilter("ignore")
        n_bins = min(n_bins, len(np.unique(values))) if strategy == "kmeans" else n_bins
        bins = KBinsDiscretizer(
            n_bins, encode="ordinal", strategy=strategy, subsample=None, quantile_method="averaged_inverted_cdf"
        )
        edges: Floats = bins.fit(values.reshape(-1, 1)).bin_edges_[0]
    if not np.isfinite(edges).all():
        raise InputError(
            f"values from {values.min():g} to {values.max():g} span more than floats can divide into "
            f"{n_bins} bins; rescale the column"
        )
    return edges


def tidy(cuts: Floats, low: Floats, high: Floats, slack: Floats | float) -> Floats:
    """Round each cut to the fewest decimals that keep it in [low, high] and within the slack."""
    tidied = cuts.copy()
    rough = np.ones(len(cuts), dtype=np.bool_)
    for decimals in range(16):
        with np.errstate(over="ignore", invalid="ignore"):  # the largest floats cannot be rounded
            rounded = np.round(cuts, decimals)
        good = rough & (np.abs(rounded - cuts) <= slack) & (low <= rounded) & (rounded <= high)
        tidied[good] = rounded[good]
        rough &= ~good
    return tidied


def separating(observed_places: NDArray[np.intp], labels: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the cuts whose two neighbouring values do not share a single class.

    Parameters
    ----------
    observed_places : ndarray of int
        For each row, the place of its value among the observed ones.
    labels : ndarray of int32
        The class of each row.
    """
    n_values, n_classes = observed_places.max() + 1, labels.max() + 1
    seen = np.zeros((n_values, n_classes), dtype=np.bool_)
    seen[observed_places, labels] = True
    together = seen[:-1] | seen[1:]
    return np.flatnonzero(together.sum(axis=1) > 1)


def most_informative(
    observed_places: NDArray[np.intp],
    labels: NDArray[np.int32],
    allowed: NDArray[np.intp],
    limit: int,
) -> NDArray[np.intp]:
    """Keep the cuts that a best-first entropy tree on this column alone would make first.

    The tree works on the allowed cuts' numbers, not on the values: scikit-learn compares in single precision.
    """
    if len(allowed) <= limit:
        return allowed
    cell = np.searchsorted(allowed, observed_places, side="left")
    n_classes = labels.max() + 1
    pairs, weights = np.unique(cell * n_classes + labels, return_counts=True)
    tree = DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=limit + 1, random_state=0)
    tree.fit((pairs // n_classes)[:, None], pairs % n_classes, sample_weight=weights)
    chosen: NDArray[np.intp] = np.unique(tree.tree_.threshold[tree.tree_.feature >= 0].astype(np.intp))
    return allowed[chosen]
