"""One feature per value."""

import numpy as np
import pytest
from sklearn.preprocessing import OneHotEncoder

from puretree import OneHotBinarizer


@pytest.mark.parametrize("n_values", [1, 2, 3, 10])
def test_two_values_share_a_feature(n_values: int) -> None:
    """D values take d features, two take one, one takes none: as scikit-learn with drop="if_binary"."""
    X = [[f"level {i}"] for i in range(n_values)]
    answers = OneHotBinarizer().fit_transform(X)
    if n_values == 1:
        assert answers.shape == (1, 0)
    else:
        theirs = OneHotEncoder(drop="if_binary", sparse_output=False).fit_transform(X)
        np.testing.assert_array_equal(answers, theirs)


def test_numbers_are_binned_first() -> None:
    """Each bin that holds values is a feature, said as an interval."""
    names = OneHotBinarizer(n_bins=4).fit([[0.0], [1.0], [4.0]]).get_feature_names_out()
    assert names.tolist() == ["x0 < 1", "1 ≤ x0 < 2.5", "x0 ≥ 2.5"]


def test_missing_is_a_value() -> None:
    """A gap has its own feature."""
    names = OneHotBinarizer().fit([["a"], [None], ["b"]]).get_feature_names_out()
    assert names.tolist() == ["x0 is a", "x0 is b", "x0 is missing"]
