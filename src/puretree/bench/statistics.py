"""Means with standard errors, and paired differences between methods.

Each training part is one draw. The standard error over training parts describes the variation between draws for these
data sets. The variation between data sets is a separate, larger error.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.stats import rankdata, wilcoxon

from .result_table import Estimate

DIGITS = 9  # beyond these, sums of fractions differ only by rounding


@dataclass(frozen=True, slots=True)
class Difference:
    """A paired difference between two methods, in the units of the measurement.

    Parameters
    ----------
    n_pairs : int
        Number of training parts on which both methods were measured.
    mean : Estimate
        Mean over data sets of the mean over training parts, with its standard error over training parts.
    error_of_datasets : float or None
        Standard error over data sets; None if there is only one.
    n_wins, n_ties, n_losses : int
        Number of data sets on which the first method is better, equal, worse.
    p : float or None
        p-value of the Wilcoxon signed-rank test over data sets; None if all differences are zero.
    """

    n_pairs: int
    mean: Estimate
    error_of_datasets: float | None
    n_wins: int
    n_ties: int
    n_losses: int
    p: float | None


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of draws, with its standard error if there is more than one.

    >>> estimate([1.0, 3.0])
    Estimate(mean=2.0, error=1.0)
    """
    return Estimate(float(np.mean(values)), _standard_error(values))


def mean_of_datasets(draws: Mapping[str, Sequence[float]]) -> Estimate:
    """Return the mean over data sets of their means over training parts, with its standard error over training parts.

    Parameters
    ----------
    draws : mapping of str to sequence of float
        For each data set, one value per training part. Training parts of different data sets are drawn independently,
        so their variances add. The error is None if a data set has only one training part.
    """
    errors = [_standard_error(values) for values in draws.values()]
    defined = [error for error in errors if error is not None]
    error = sqrt(sum(error**2 for error in defined)) / len(errors) if len(defined) == len(errors) else None
    return Estimate(float(np.mean([np.mean(values) for values in draws.values()])), error)


def paired_difference(draws: Mapping[str, Sequence[float]]) -> Difference | None:
    """Summarise the differences between two methods; None if there are none.

    Parameters
    ----------
    draws : mapping of str to sequence of float
        For each data set, the paired differences of the training parts on which both were measured.
    """
    draws = {dataset: values for dataset, values in draws.items() if values}
    if not draws:
        return None
    means = np.round([np.mean(values) for values in draws.values()], DIGITS)
    return Difference(
        n_pairs=sum(map(len, draws.values())),
        mean=mean_of_datasets(draws),
        error_of_datasets=_standard_error(means.tolist()),
        n_wins=int((means > 0).sum()),
        n_ties=int((means == 0).sum()),
        n_losses=int((means < 0).sum()),
        p=_signed_rank(means[means != 0].tolist()),
    )


def mean_ranks(scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the mean rank of each method over data sets, 1 for the highest score; equal scores share their ranks.

    Parameters
    ----------
    scores : mapping of str to sequence of float
        For each method, one score per data set, in the same order; methods without scores have no rank.

    Examples
    --------
    >>> mean_ranks({"a": [9.0, 3.0], "b": [7.0, 3.0], "c": []})
    {'a': 1.25, 'b': 1.75}
    """
    scores = {method: values for method, values in scores.items() if values}
    if not scores:
        return {}
    ranks = rankdata(-np.round(list(scores.values()), DIGITS), axis=0).mean(axis=1)
    return dict(zip(scores, ranks.tolist(), strict=True))


def _signed_rank(differences: Sequence[float]) -> float | None:
    """Return the p-value of the Wilcoxon signed-rank test of nonzero differences."""
    if not differences:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns about small samples; the table shows the number of data sets
        return float(wilcoxon(differences).pvalue)


def _standard_error(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) / sqrt(len(values)) if len(values) > 1 else None
