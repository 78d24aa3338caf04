"""Binarisers that give each value of a column a code: bits and one-hot."""

import math

import numpy as np
import pytest
from sklearn.preprocessing import OneHotEncoder

from puretree import BitsBinarizer, OneHotBinarizer


@pytest.mark.parametrize("n_values", [1, 2, 3, 4, 5, 8, 9, 16, 17, 100])
def test_the_number_of_bits_is_the_logarithm(n_values: int) -> None:
    """D values take ⌈log2 d⌉ features."""
    X = [[f"{i:03}"] for i in range(n_values)]
    binarizer = BitsBinarizer().fit(X)
    assert len(binarizer.features_) == math.ceil(math.log2(n_values))
    numbers = binarizer.transform(X) @ (1 << np.arange(len(binarizer.features_))[::-1])
    assert numbers.tolist() == list(range(n_values))


def test_bits_number_missing_last() -> None:
    """Missing is numbered after all levels."""
    binarizer = BitsBinarizer().fit([["a"], ["b"], [None], ["c"]])
    assert binarizer.transform([[None]]).tolist() == [[True, True]]
    assert binarizer.get_feature_names_out().tolist() == [
        "x0 in {c, missing}",
        "x0 in {b, missing}",
    ]


def test_bits_are_described_by_intervals() -> None:
    """A bit is described by the values for which it is 1, not as "bit 2 of column 5"."""
    names = BitsBinarizer(n_bins=4).fit([[0.0], [1.0], [2.0], [3.0], [4.0]]).get_feature_names_out()
    assert names.tolist() == ["x0 ≥ 2", "x0 in [1, 2) or ≥ 3"]


def test_bits_number_ordered_levels_in_order() -> None:
    """Ordered levels are numbered in their declared order, not alphabetically; levels without rows are skipped."""
    pd = pytest.importorskip("pandas")
    sizes = pd.Categorical(["S", "M", "L"], categories=["XS", "S", "M", "L"], ordered=True)
    binarizer = BitsBinarizer().fit(pd.DataFrame({"size": sizes}))
    assert binarizer.get_feature_names_out().tolist() == ["size > M", "S < size ≤ M"]


@pytest.mark.parametrize("n_values", [1, 2, 3, 10])
def test_one_hot_agrees_with_scikit_learn(n_values: int) -> None:
    """There is one feature per value, one for two values, none for one: scikit-learn's drop="if_binary"."""
    X = [[f"level {i}"] for i in range(n_values)]
    binary = OneHotBinarizer().fit_transform(X)
    if n_values == 1:
        assert binary.shape == (1, 0)
    else:
        theirs = OneHotEncoder(drop="if_binary", sparse_output=False).fit_transform(X)
        np.testing.assert_array_equal(binary, theirs)


def test_one_hot_bins_numbers() -> None:
    """Each nonempty bin is a feature, described as an interval."""
    names = OneHotBinarizer(n_bins=4).fit([[0.0], [1.0], [4.0]]).get_feature_names_out()
    assert names.tolist() == ["x0 < 1", "1 ≤ x0 < 3", "x0 ≥ 3"]


def test_one_hot_has_a_feature_for_missing() -> None:
    """Missing has its own feature."""
    names = OneHotBinarizer().fit([["a"], [None], ["b"]]).get_feature_names_out()
    assert names.tolist() == ["x0 is a", "x0 is b", "x0 is missing"]
