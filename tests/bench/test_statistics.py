"""Means with standard errors, and paired differences, compared with values computed by hand."""

from math import sqrt

import pytest

from puretree.bench.result_table import Estimate
from puretree.bench.statistics import estimate, mean_of_datasets, mean_ranks, paired_difference


def test_one_draw_has_no_error() -> None:
    """A standard error needs at least two draws."""
    assert estimate([3.5]) == Estimate(3.5, None)
    assert estimate([1.0, 2.0, 6.0]) == Estimate(3.0, pytest.approx(sqrt(7) / sqrt(3)))  # variance (4+1+9)/2


def test_variances_of_datasets_add() -> None:
    """The error of a mean over n data sets is the root of the sum of their squared errors, divided by n."""
    mean = mean_of_datasets({"a": [1.0, 3.0], "b": [4.0, 10.0]})  # errors 1 and 3
    assert mean == Estimate(4.5, pytest.approx(sqrt(1 + 9) / 2))


def test_no_error_if_a_dataset_has_one_training_part() -> None:
    """The error of a data set with a single draw is undefined, so that of the mean is, too."""
    assert mean_of_datasets({"a": [1.0, 3.0], "b": [4.0]}) == Estimate(3.0, None)


def test_a_paired_difference() -> None:
    """Differences 1, 2, 3, 4, −5 and 0: the negative ranks sum to 5, and 10 of the 32 sign patterns to at most 5."""
    draws = {"a": [0.5, 1.5], "b": [2.0, 2.0], "c": [3.0, 3.0], "d": [4.0, 4.0], "e": [-5.0, -5.0], "f": [-1.0, 1.0]}
    difference = paired_difference(draws)
    assert difference is not None
    assert (difference.n_pairs, difference.n_wins, difference.n_ties, difference.n_losses) == (12, 4, 1, 1)
    assert difference.mean == Estimate(pytest.approx(5 / 6), pytest.approx(sqrt(0.25 + 1) / 6))
    squares = sum((value - 5 / 6) ** 2 for value in (1, 2, 3, 4, -5, 0))
    assert difference.error_of_datasets == pytest.approx(sqrt(squares / 5) / sqrt(6))
    # Subsets of {1, …, 5} that sum to at most 5: {}, 1, 2, 3, 4, 5, 12, 13, 14, 23. The test is two-sided.
    assert difference.p == pytest.approx(2 * 10 / 32)


def test_equal_methods_have_no_p_value() -> None:
    """Without differences there is no test; rounding errors are not differences."""
    difference = paired_difference({"a": [0.0], "b": [1e-13]})
    assert difference is not None
    assert (difference.n_wins, difference.n_ties, difference.n_losses, difference.p) == (0, 2, 0, None)


def test_equal_differences_raise_no_warning() -> None:
    """Tied ranks make the test less precise, but raise no warning (warnings are errors here)."""
    difference = paired_difference({name: [1.0] for name in "abcdefghijklmnopqrst"})
    assert difference is not None
    assert difference.p is not None
    assert difference.p < 0.001


def test_data_sets_without_pairs_do_not_count() -> None:
    """A data set without pairs is left out; without any pairs there is no difference."""
    assert paired_difference({"a": [], "b": []}) is None
    difference = paired_difference({"a": [], "b": [2.0]})
    assert difference is not None
    assert (difference.n_pairs, difference.mean, difference.error_of_datasets) == (1, Estimate(2.0, None), None)


def test_mean_ranks() -> None:
    """Equal scores share their ranks, rounding errors are no differences, and methods without scores have no rank."""
    scores = {"a": [90.0, 1 / 3, 5.0], "b": [80.0, 1 - 2 / 3, 6.0], "c": [70.0, 0.1, 7.0], "d": []}
    assert mean_ranks(scores) == {"a": (1 + 1.5 + 3) / 3, "b": (2 + 1.5 + 2) / 3, "c": (3 + 3 + 1) / 3}
    assert mean_ranks({"d": []}) == {}
