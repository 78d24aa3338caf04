"""Reading tables: every container, every kind of column, every way to be wrong."""

import datetime
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from puretree.errors import InputError, InputTypeError
from puretree.predicate import Column
from puretree.reading import read_columns, read_known, read_table, sort_levels


def kinds(X: object) -> list[str]:
    """Return the kinds of the columns."""
    return [column.kind for column in read_table(X)]


def test_all_containers_read_the_same() -> None:
    """pandas, polars, an object array and a list of rows give the same columns."""
    columns = {"n": [1.5, None, 3.0], "s": ["b", "a", None], "b": [True, False, True]}
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    tables = [
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        np.array(rows, dtype=object),
        rows,
        read_columns(columns),
    ]
    for X in tables:
        table = read_table(X)
        assert [column.kind for column in table] == ["number", "category", "category"]
        np.testing.assert_array_equal(table.columns[0].values, [1.5, math.nan, 3.0])
        np.testing.assert_array_equal(table.columns[1].values, [1, 0, math.nan])
        assert table.columns[1].levels == ("a", "b")
        assert table.columns[2].levels == (False, True)
        assert table.columns[2].values.tolist() == [1, 0, 1]


def test_pandas_dtypes() -> None:
    """Nullable, categorical and ordered dtypes keep their meaning."""
    frame = pd.DataFrame(
        {
            "Int64": pd.array([1, None, 3], dtype="Int64"),
            "boolean": pd.array([True, None, False], dtype="boolean"),
            "category": pd.Categorical(["x", None, "y"]),
            "numbers": pd.Categorical([3, 1, 3]),
            "ordered": pd.Categorical(["lo", "hi", "lo"], ["lo", "mid", "hi"], ordered=True),
            "float32": np.array([0.1, 0.2, 0.3], dtype=np.float32),
        }
    )
    table = read_table(frame)
    assert [column.kind for column in table] == [
        "number", "category", "category", "category", "ordered", "number",
    ]  # fmt: skip
    by_name = dict(zip(table.names, table, strict=True))
    assert np.isnan(by_name["Int64"].values[1])
    assert np.isnan(by_name["boolean"].values[1])
    assert by_name["numbers"].levels == (1, 3)
    assert by_name["ordered"].levels == ("lo", "mid", "hi")
    assert by_name["ordered"].values.tolist() == [0, 2, 0]
    assert by_name["float32"].values.dtype == np.float64


def test_polars_enum_is_ordered_and_categorical_is_not() -> None:
    """An Enum brings its order; a Categorical has none."""
    frame = pl.DataFrame(
        {
            "enum": pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "mid", "hi"])),
            "cat": pl.Series(["lo", "hi"], dtype=pl.Categorical),
        }
    )
    table = read_table(frame)
    assert table.columns[0].kind == "ordered"
    assert table.columns[0].levels == ("lo", "mid", "hi")
    assert table.columns[1].kind == "category"


def test_strings_that_look_like_numbers_stay_categories() -> None:
    """Nothing is silently reinterpreted; but such levels are ordered as numbers."""
    column = read_table([["10"], ["9"]]).columns[0]
    assert column.kind == "category"
    assert column.levels == ("9", "10")
    assert sort_levels({"nan", "1"}) == ("1", "nan")


@pytest.mark.parametrize(
    ("X", "error", "match"),
    [
        (np.zeros(3), ValueError, "Expected 2D array"),
        ([1, 2, 3], ValueError, "Expected 2D array"),
        (np.zeros((2, 2, 2)), ValueError, "dim 3"),
        (np.zeros((0, 3)), ValueError, "0 sample"),
        (np.zeros((3, 0)), ValueError, "0 feature"),
        ([], ValueError, "Expected 2D array"),
        (pd.DataFrame({"a": []}), InputError, "0 sample"),
        (pd.DataFrame(index=[1, 2]), InputError, "0 feature"),
        ([[1, 2], [3]], InputError, "not equally long"),
        ([["a"], [1]], InputTypeError, r"'x0' holds str \(row 0\), int \(row 1\)"),
        ([[1.0], [True]], InputTypeError, "float.*bool"),
        ([["a"], [{}]], InputTypeError, "dict"),
        ([[datetime.date(2020, 1, 1)]], InputTypeError, "date"),
        (pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}), InputTypeError, "'when' holds Datetime"),
        (pl.DataFrame({"l": [[1], [2]]}), InputTypeError, "'l' holds List"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), InputError, "duplicated column names: 'a'"),
        (np.array([[2**53 + 1]]), InputError, "beyond 2"),
        ([[2**60], [1]], InputError, "'x0' holds integers beyond 2"),
        (pl.DataFrame({"id": [2**60, 1]}), InputError, "'id' holds integers beyond 2"),
        (np.array([[1 + 2j]]), ValueError, "Complex"),
        (sparse.csr_matrix(np.eye(2)), TypeError, "[Ss]parse"),
        ({"a": [1]}, ValueError, "2D array"),
        ("text", ValueError, "2D array"),
        (None, ValueError, "2D array"),
        (pl.LazyFrame({"a": [1]}), ValueError, "collect"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused_with_the_cause(X: object, error: type, match: str) -> None:
    """Each way of being wrong has an error that names the column, the row or the shape."""
    with pytest.raises(error, match=match):
        read_table(X)


def test_large_integers_that_floats_hold_are_accepted() -> None:
    """2**53 itself is exact."""
    assert read_table([[2**53], [0]]).columns[0].values[0] == 2**53


def test_known_columns_are_read_by_name_or_by_place() -> None:
    """A frame may have its columns in any order and others besides; an array may not."""
    wanted = [Column("b", 1, "number")]
    frame = pd.DataFrame({"b": [1.0], "extra": [datetime.date(2020, 1, 1)], "a": [2.0]})
    values, n_rows = read_known(frame, wanted, 2)
    assert values[0].tolist() == [1.0]
    assert n_rows == 1
    assert read_known(np.array([[5.0, 6.0]]), wanted, 2)[0][0].tolist() == [6.0]
    with pytest.raises(InputError, match="lacks the columns 'b'"):
        read_known(frame[["a"]], wanted, 2)
    with pytest.raises(InputError, match="has 3 columns, but the tree was made for 2"):
        read_known(np.zeros((1, 3)), wanted, 2)


def test_tables_round_trip_through_dictionaries() -> None:
    """to_dict and from_dict are inverse, gaps included."""
    table = read_table([["a", 1.0], [None, math.nan], ["b", 2.0]])
    again = read_columns(table.to_dict())
    for before, after in zip(table, again, strict=True):
        assert (before.name, before.kind, before.levels) == (after.name, after.kind, after.levels)
        np.testing.assert_array_equal(before.values, after.values)
