"""Threshold features."""

import math

import numpy as np
import pandas as pd
import pytest
from helpers.oracles.brute_force import minimum_inner_nodes

from puretree import ThresholdBinarizer

# Six rows whose minimum pure tree needs a cut between two values of the same class.
SIX_ROWS = np.array([[0, 1], [2, 4], [4, 3], [2, 0], [1, 4], [3, 0]], dtype=float)
SIX_LABELS = ["a", "a", "a", "a", "b", "b"]


def feature_names(binarizer: ThresholdBinarizer) -> list[str]:
    """Return the predicates as text."""
    names: list[str] = binarizer.get_feature_names_out().tolist()
    return names


@pytest.mark.parametrize(("cuts", "minimum"), [("all", 3), ("separating", 4)])
def test_class_separating_cuts_can_cost_a_node(cuts: str, minimum: int) -> None:
    """By brute force: with all midpoints 3 inner nodes are enough, with class-separating ones 4 are needed."""
    X = ThresholdBinarizer(cuts=cuts).fit_transform(SIX_ROWS, SIX_LABELS)
    assert minimum_inner_nodes(X.tolist(), SIX_LABELS) == minimum


def test_every_kind_of_column_has_its_predicates() -> None:
    """Numbers and ordered levels have "≤" predicates, other levels "is", columns with missing values "is missing"."""
    X = pd.DataFrame(
        {
            "age": [30.0, 40.0, None],
            "colour": ["red", "blue", "green"],
            "sex": ["f", "m", "f"],
            "size": pd.Categorical(["S", "L", "S"], ["S", "M", "L", "XL"], ordered=True),
            "known": [None, "yes", "yes"],
        }
    )
    assert feature_names(ThresholdBinarizer().fit(X)) == [
        "age ≤ 35",
        "age is missing",
        "colour is blue",
        "colour is green",
        "colour is red",
        "sex is m",
        "size ≤ S",
        "known is missing",
    ]


def test_declared_levels_without_rows_are_ordered() -> None:
    """A declared level without training rows is compared by its position in the order."""
    dtype = pd.CategoricalDtype(["XS", "S", "M", "L"], ordered=True)
    train = pd.DataFrame({"size": pd.Categorical(["S", "L"], dtype=dtype)})
    binarizer = ThresholdBinarizer().fit(train)
    assert feature_names(binarizer) == ["size ≤ S"]
    other = pd.DataFrame({"size": pd.Categorical(["XS", "S", "M", "L"], dtype=dtype)})
    assert binarizer.transform(other)[:, 0].tolist() == [True, True, False, False]


def test_max_cuts_keeps_the_best_cuts() -> None:
    """max_cuts limits every column, including ordered ones, and keeps the cuts that separate the classes best."""
    X = pd.DataFrame(
        {
            "x": np.arange(100.0),
            "level": pd.Categorical(np.arange(100) // 10, categories=range(10), ordered=True),
        }
    )
    y = (np.arange(100) >= 70).astype(int)
    binarizer = ThresholdBinarizer(max_cuts=1).fit(X, y)
    assert feature_names(binarizer) == ["x ≤ 69", "level ≤ 6"]


def test_missing_values_do_not_hide_cuts() -> None:
    """Missing values are ignored when cuts are chosen, and have their own feature."""
    X = [[1.0], [math.nan], [2.0], [3.0]]
    binarizer = ThresholdBinarizer(cuts="separating").fit(X, [0, 1, 0, 1])
    assert feature_names(binarizer) == ["x0 ≤ 2", "x0 is missing"]


def test_a_column_with_at_most_one_value() -> None:
    """A column of one value has one feature if values are missing, a column of missing values has none."""
    assert feature_names(ThresholdBinarizer().fit([[1.0], [None]])) == ["x0 is missing"]
    assert feature_names(ThresholdBinarizer().fit([[None], [None]])) == []


def test_integers_have_integer_cuts_and_bits_are_named() -> None:
    """Integers read "≤ 0", whatever their type; a column of 0 and 1 reads "= 1", and other numbers stay as they are."""
    X = pd.DataFrame({"children": [0, 1, 4], "rooms": [2.0, 3.0, 8.0], "F8": [0, 1, 1], "width": [0.5, 1.0, 2.0]})
    binarizer = ThresholdBinarizer().fit(X)
    assert feature_names(binarizer) == [
        "children ≤ 0", "children ≤ 2", "rooms ≤ 2", "rooms ≤ 5", "F8 = 1", "width ≤ 0.75", "width ≤ 1.5",
    ]  # fmt: skip
    assert binarizer.transform(X)[:, 4].tolist() == [False, True, True]
    assert [column.domain for column in binarizer.columns_] == ["integer", "integer", "binary", "real"]


def test_missing_values_decide_which_bit_is_named() -> None:
    """With missing values, which satisfy no threshold, the feature of 0 and 1 is "= 0", as for all other numbers."""
    binarizer = ThresholdBinarizer().fit([[0], [1], [None]])
    assert feature_names(binarizer) == ["x0 = 0", "x0 is missing"]
    assert binarizer.transform([[0], [1], [None]])[:, 0].tolist() == [True, False, False]


def test_values_that_a_column_of_integers_did_not_have() -> None:
    """The printed number is compared with: 0.5 is not ≤ 0. In a column of 0 and 1, numbers above 0 count as 1."""
    binarizer = ThresholdBinarizer().fit([[0, 0], [1, 1], [2, 1]])
    assert feature_names(binarizer) == ["x0 ≤ 0", "x0 ≤ 1", "x1 = 1"]
    new = [[0.5, 0.5], [-1, -1], [3, 3], [None, None]]
    assert binarizer.transform(new).astype(int).tolist() == [[0, 1, 1], [1, 1, 0], [0, 0, 1], [0, 0, 0]]
