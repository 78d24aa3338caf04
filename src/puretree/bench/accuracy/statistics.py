"""Means that come with how sure they are, and differences between methods that were measured on the same parts.

One training part is one draw: what another would have given is told by the standard error over training parts, for
the data sets at hand. What other data sets would have given is another question, and its error is larger.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.stats import wilcoxon

from ..cell import Estimate

DIGITS = 9  # beyond these, sums of shares differ by rounding alone


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better one method is than another, in the units of what was measured.

    Parameters
    ----------
    n_pairs : int
        How often both were measured on the same part of the same data set.
    mean : Estimate
        Over data sets, each with the mean over its training parts; with the standard error over training parts.
    error_of_datasets : float or None
        The standard error over data sets; None if there is but one.
    n_wins, n_ties, n_losses : int
        Data sets where it is better, equal, worse.
    p : float or None
        Of the Wilcoxon signed-rank test over data sets; None if they are equal on all.
    """

    n_pairs: int
    mean: Estimate
    error_of_datasets: float | None
    n_wins: int
    n_ties: int
    n_losses: int
    p: float | None


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of draws, and its standard error if there is more than one.

    >>> estimate([1.0, 3.0])
    Estimate(mean=2.0, error=1.0)
    """
    return Estimate(float(np.mean(values)), _error(values))


def mean_of_datasets(draws: Mapping[str, Sequence[float]]) -> Estimate:
    """Return the mean over data sets of their means over training parts, and its standard error over training parts.

    Parameters
    ----------
    draws : mapping of str to sequence of float
        For each data set, at least one, a value for each training part. Parts are drawn in each data set apart, so
        their variances add up. No error is told if some data set has but one.
    """
    errors = [_error(values) for values in draws.values()]
    known = [error for error in errors if error is not None]
    error = sqrt(sum(each**2 for each in known)) / len(errors) if len(known) == len(errors) else None
    return Estimate(float(np.mean([np.mean(values) for values in draws.values()])), error)


def paired_difference(draws: Mapping[str, Sequence[float]]) -> Difference | None:
    """Return what the differences between two methods add up to; None if there are none.

    Parameters
    ----------
    draws : mapping of str to sequence of float
        For each data set, one method's value minus the other's for each training part that has both.
    """
    draws = {dataset: values for dataset, values in draws.items() if values}
    if not draws:
        return None
    means = np.round([np.mean(values) for values in draws.values()], DIGITS)
    return Difference(
        n_pairs=sum(map(len, draws.values())),
        mean=mean_of_datasets(draws),
        error_of_datasets=_error(means.tolist()),
        n_wins=int((means > 0).sum()),
        n_ties=int((means == 0).sum()),
        n_losses=int((means < 0).sum()),
        p=_signed_rank(means[means != 0].tolist()),
    )


def _signed_rank(differences: Sequence[float]) -> float | None:
    """Return the p-value of the Wilcoxon signed-rank test, ties left out."""
    if not differences:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that few data sets make a coarse test is seen by their number
        return float(wilcoxon(differences).pvalue)


def _error(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) / sqrt(len(values)) if len(values) > 1 else None
