"""Means with their errors, and paired differences, against values computed by hand."""

from math import sqrt

import pytest

from puretree.bench.accuracy.statistics import estimate, mean_of_datasets, paired_difference
from puretree.bench.cell import Estimate


def test_one_draw_has_no_error() -> None:
    """A standard error is told of two draws or more only."""
    assert estimate([3.5]) == Estimate(3.5, None)
    assert estimate([1.0, 2.0, 6.0]) == Estimate(3.0, pytest.approx(sqrt(7) / sqrt(3)))  # variance (4+1+9)/2


def test_errors_of_datasets_add_up() -> None:
    """The error of a mean over data sets is the root of the sum of squared errors, by the number of data sets."""
    found = mean_of_datasets({"a": [1.0, 3.0], "b": [4.0, 10.0]})  # errors 1 and 3
    assert found == Estimate(4.5, pytest.approx(sqrt(1 + 9) / 2))


def test_no_error_where_a_dataset_has_one_part() -> None:
    """One data set with a single draw says nothing of its error, so nothing is said of the mean's."""
    assert mean_of_datasets({"a": [1.0, 3.0], "b": [4.0]}) == Estimate(3.0, None)


def test_a_paired_difference() -> None:
    """Differences 1, 2, 3, 4, −5 and 0: the ranks of minus add up to 5, and 10 of 32 choices of signs to no more."""
    draws = {"a": [0.5, 1.5], "b": [2.0, 2.0], "c": [3.0, 3.0], "d": [4.0, 4.0], "e": [-5.0, -5.0], "f": [-1.0, 1.0]}
    found = paired_difference(draws)
    assert found is not None
    assert (found.n_pairs, found.n_wins, found.n_ties, found.n_losses) == (12, 4, 1, 1)
    assert found.mean == Estimate(pytest.approx(5 / 6), pytest.approx(sqrt(0.25 + 1) / 6))
    squares = sum((value - 5 / 6) ** 2 for value in (1, 2, 3, 4, -5, 0))
    assert found.error_of_datasets == pytest.approx(sqrt(squares / 5) / sqrt(6))
    # Subsets of {1, …, 5} that sum to at most 5: {}, 1, 2, 3, 4, 5, 12, 13, 14, 23. Both sides count.
    assert found.p == pytest.approx(2 * 10 / 32)


def test_equal_methods_have_no_p_value() -> None:
    """Where nothing differs there is nothing to test; rounding is no difference."""
    found = paired_difference({"a": [0.0], "b": [1e-13]})
    assert found is not None
    assert (found.n_wins, found.n_ties, found.n_losses, found.p) == (0, 2, 0, None)


def test_equal_differences_raise_no_warning() -> None:
    """Ties of ranks make the test coarse, not noisy: warnings would be errors here."""
    found = paired_difference({name: [1.0] for name in "abcdefghijklmnopqrst"})
    assert found is not None
    assert found.p is not None
    assert found.p < 0.001


def test_data_sets_without_pairs_do_not_count() -> None:
    """A data set where one of the two is missing is left out; without any there is no difference."""
    assert paired_difference({"a": [], "b": []}) is None
    found = paired_difference({"a": [], "b": [2.0]})
    assert found is not None
    assert (found.n_pairs, found.mean, found.error_of_datasets) == (1, Estimate(2.0, None), None)
