"""Reading labels."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from puretree.errors import InputError, InputTypeError
from puretree.labels import read_labels


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
def test_any_target_is_numbered_in_order(y: object) -> None:
    """Lists, arrays and series of labels give sorted classes and codes."""
    labels = read_labels(y, 3)
    assert labels.classes.tolist() == ["a", "b"]
    assert labels.codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(("y", "classes"), [([True, False], [False, True]), ([3, 1], [1, 3])])
def test_booleans_and_integers_stay_what_they_are(y: list[object], classes: list[object]) -> None:
    """Classes keep their type."""
    assert read_labels(y, 2).classes.tolist() == classes


def test_one_class_is_allowed() -> None:
    """A single class is a problem with a one-leaf solution, not an error."""
    assert read_labels(["a", "a"], 2).classes.tolist() == ["a"]


@pytest.mark.parametrize(
    ("y", "error", "match"),
    [
        (None, InputError, "requires y"),
        ([1, 2], InputError, "3 rows but y has 2 labels"),
        ([1.0, np.nan, 0.0], InputError, r"NaN or None \(rows 1\)"),
        (["a", None, "b"], InputError, r"NaN or None \(rows 1\)"),
        (pd.Series(["a", pd.NA, "b"]), InputError, r"NaN or None \(rows 1\)"),
        ([0.0, np.inf, 1.0], InputError, r"infinity \(rows 1\)"),
        ([0.5, 1.25, 3.0], ValueError, "Unknown label type"),
        (np.array([1, "a", 2], dtype=object), (InputTypeError, ValueError), "label|kinds"),
        ([[1, 2], [3, 4], [5, 6]], ValueError, "1d array"),
    ],
)
def test_bad_labels_are_refused_with_the_cause(y: object, error: type, match: str) -> None:
    """Missing, infinite, continuous, mixed or too few labels are named."""
    with pytest.raises(error, match=match):
        read_labels(y, 3)


def test_a_column_vector_is_accepted_with_scikit_learns_warning() -> None:
    """As everywhere in scikit-learn, y of shape (n, 1) is flattened and warned about."""
    with pytest.warns(DataConversionWarning):
        assert read_labels(np.array([["a"], ["b"]]), 2).codes.tolist() == [0, 1]
