"""The paper's binary encoding."""

import math

import numpy as np
import pytest

from puretree import BitsBinarizer


@pytest.mark.parametrize("n_values", [1, 2, 3, 4, 5, 8, 9, 16, 17, 100])
def test_the_number_of_bits_is_the_logarithm(n_values: int) -> None:
    """D values take ⌈log2 d⌉ features."""
    X = [[f"{i:03}"] for i in range(n_values)]
    binarizer = BitsBinarizer().fit(X)
    assert len(binarizer.features_) == math.ceil(math.log2(n_values))
    numbers = binarizer.transform(X) @ (1 << np.arange(len(binarizer.features_))[::-1])
    assert numbers.tolist() == list(range(n_values))


def test_missing_is_the_last_value() -> None:
    """A gap is numbered after all levels."""
    binarizer = BitsBinarizer().fit([["a"], ["b"], [None], ["c"]])
    assert binarizer.transform([[None]]).tolist() == [[True, True]]
    assert binarizer.get_feature_names_out().tolist() == [
        "x0 in {c, missing}",
        "x0 in {b, missing}",
    ]


def test_a_bit_is_said_as_the_intervals_it_stands_for() -> None:
    """Never "bit 2 of column 5"."""
    names = BitsBinarizer(n_bins=4).fit([[0.0], [1.0], [2.0], [3.0], [4.0]]).get_feature_names_out()
    assert names.tolist() == ["x0 ≥ 2", "x0 in [1, 2) or ≥ 3"]


def test_ordered_levels_keep_their_order() -> None:
    """Declared order, not the alphabet, numbers ordered categories; undeclared ones are unseen."""
    pd = pytest.importorskip("pandas")
    sizes = pd.Categorical(["S", "M", "L"], categories=["XS", "S", "M", "L"], ordered=True)
    binarizer = BitsBinarizer().fit(pd.DataFrame({"size": sizes}))
    assert binarizer.get_feature_names_out().tolist() == ["size > M", "S < size ≤ M"]
