"""Reading labels."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from puretree.errors import InputError, InputTypeError
from puretree.table import label_array, read_labels


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"]),
        pd.Series(["b", "a", "b"], index=[7, 8, 9]),
        pd.Series(["b", "a", "b"], dtype="category"),
        pl.Series(["b", "a", "b"]),
    ],
)
def test_every_container_is_encoded_in_sorted_order(y: object) -> None:
    """Lists, arrays and series of labels give sorted classes and codes."""
    labels = read_labels(y, 3)
    assert labels.classes == ("a", "b")
    assert labels.codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(("y", "classes"), [([True, False], [False, True]), ([3, 1], [1, 3])])
def test_booleans_and_integers_keep_their_type(y: list[object], classes: list[object]) -> None:
    """Classes keep their type."""
    assert read_labels(y, 2).classes == tuple(classes)


def test_one_class_is_allowed() -> None:
    """A single class is a problem with a one-leaf solution, not an error."""
    assert read_labels(["a", "a"], 2).classes == ("a",)


@pytest.mark.parametrize(
    ("y", "error", "match"),
    [
        (None, InputError, "requires y"),
        ([1, 2], InputError, "3 rows but y has 2 labels"),
        ([1.0, np.nan, 0.0], InputError, r"NaN or None \(rows 1\)"),
        (["a", None, "b"], InputError, r"NaN or None \(rows 1\)"),
        (pd.Series(["a", pd.NA, "b"]), InputError, r"NaN or None \(rows 1\)"),
        ([0.0, np.inf, 1.0], InputError, r"infinity \(rows 1\)"),
        ([0.5, 1.25, 3.0], InputError, "Unknown label type: continuous .row 0 is 0.5"),
        (np.array([0.5, 1.25, 3.0]), InputError, "Unknown label type"),
        ([1, "a", 2], InputTypeError, r"y holds number \(row 0\), string \(row 1\)"),
        (np.array([1, "a", 2], dtype=object), InputTypeError, "string"),
        (["1", 1, "a"], InputTypeError, "string.*number"),
        ([True, 1, 0], InputTypeError, r"number \(row 1\), boolean \(row 0\)"),
        (["a", np.nan, "b"], InputError, r"NaN or None \(rows 1\)"),
        (np.array(["2020-01-01", "NaT", "2020-01-02"], dtype="M8[D]"), InputTypeError, "something else"),
        (np.array(["2020-01-01"] * 3, dtype="M8[D]"), InputTypeError, "something else"),
        (np.array(["2020-01-01"] * 3, dtype="M8[ns]"), InputTypeError, "something else"),
        (np.ma.array([1, 2, 1], mask=[0, 1, 0]), InputError, r"masked \(rows 1\)"),
        ([[1, 2], [3, 4], [5, 6]], InputError, "1d array"),
        ("target", InputError, "got a str"),
    ],
)
def test_invalid_labels_raise_with_the_cause(y: object, error: type, match: str) -> None:
    """Missing, infinite, continuous, mixed or too few labels raise an error that says so."""
    with pytest.raises(error, match=match):
        read_labels(y, 3)


def test_a_column_vector_is_accepted_with_scikit_learns_warning() -> None:
    """As in scikit-learn, y of shape (n, 1) is flattened with a warning."""
    with pytest.warns(DataConversionWarning):
        assert read_labels(np.array([["a"], ["b"]]), 2).codes.tolist() == [0, 1]


@pytest.mark.parametrize(
    "y",
    [
        pd.Series([2**53, 2**53 + 1, 1], dtype="Int64"),
        [2**53, 2**53 + 1, 1],
        np.array([2**64 - 1, 2**64 - 2, 5], dtype=np.uint64),
        ["a", "a\0", "b"],
    ],
)
def test_labels_that_numpy_would_merge_stay_distinct(y: Any) -> None:
    """Three different labels are three classes, and are decoded unchanged."""
    labels = read_labels(y, 3)
    assert len(labels.classes) == 3
    assert [labels.classes[code] for code in labels.codes] == list(y)
    assert label_array(labels.classes).tolist() == list(labels.classes)


def test_nullable_booleans_stay_booleans() -> None:
    """Pandas' boolean dtype is not read as numbers."""
    assert read_labels(pd.array([True, False, True], dtype="boolean"), 3).classes == (False, True)


def test_labels_are_read_once() -> None:
    """Labels that were read already are returned unchanged if their number is right."""
    labels = read_labels(["a", "b"], 2)
    assert read_labels(labels, 2) is labels
    with pytest.raises(InputError, match="3 rows but y has 2"):
        read_labels(labels, 3)
