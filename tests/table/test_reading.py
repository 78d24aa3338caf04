"""Reading tables: every container, every kind of column, every invalid input."""

import datetime
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from puretree import PureTreeClassifier
from puretree.datasets import load
from puretree.errors import InputError, InputTypeError
from puretree.table import Column, read_columns, read_fitted_columns, read_table, sort_levels


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
    """An Enum is ordered, a Categorical is not."""
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
    """Strings are not read as numbers, but such levels are sorted by number."""
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
        ([[1, 2], [3]], InputError, "differ in length"),
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
        ({"a": [1]}, InputError, "got dict; make a data frame"),
        ([{"a": 1}], InputError, "got list; make a data frame"),
        ("data.csv", InputError, "got str; make a data frame"),
        (None, InputError, "got NoneType"),
        (load("formula:mux6"), InputError, "pass its .table"),
        (np.array([["2020-01-01"]], dtype="M8[ns]"), InputTypeError, "dates or times"),
        (np.array([[1]], dtype="m8[ns]"), InputTypeError, "dates or times"),
        ([[10**400], [1]], InputError, "beyond 2"),
        (pd.DataFrame({0: [1], "0": [2]}), InputError, "duplicated column names: '0'"),
        (pd.DataFrame({"c": pd.Categorical(pd.to_datetime(["2020-01-01"]))}), InputTypeError, "Timestamp"),
        (np.array([[1 + np.longdouble(1e-19)], [np.longdouble(1)]]), InputError, "double precision"),
    ],
)  # fmt: skip
def test_invalid_tables_raise_with_the_cause(X: object, error: type, match: str) -> None:
    """Each invalid table raises an error that names the column, the row or the shape."""
    with pytest.raises(error, match=match):
        read_table(X)


def test_large_integers_that_floats_represent_are_accepted() -> None:
    """2**53 itself is exact."""
    assert read_table([[2**53], [0]]).columns[0].values[0] == 2**53


def test_fitted_columns_are_read_by_name_or_by_position() -> None:
    """A frame may have its columns in any order and additional ones; an array may not."""
    wanted = [Column("b", 1, "number")]
    frame = pd.DataFrame({"b": [1.0], "extra": [datetime.date(2020, 1, 1)], "a": [2.0]})
    values, n_rows = read_fitted_columns(frame, wanted, 2)
    assert values[0].tolist() == [1.0]
    assert n_rows == 1
    assert read_fitted_columns(np.array([[5.0, 6.0]]), wanted, 2)[0][0].tolist() == [6.0]
    with pytest.raises(InputError, match="lacks columns that the tree uses: 'b'"):
        read_fitted_columns(frame[["a"]], wanted, 2)
    with pytest.raises(InputError, match="has 3 columns, but the training table had 2"):
        read_fitted_columns(np.zeros((1, 3)), wanted, 2)


def test_tables_round_trip_through_dictionaries() -> None:
    """Numbers, unordered strings and missing values survive a round trip through to_dict."""
    table = read_table([["a", 1.0], [None, math.nan], ["b", 2.0]])
    copy = read_columns(table.to_dict())
    for before, after in zip(table, copy, strict=True):
        assert (before.name, before.kind, before.levels) == (after.name, after.kind, after.levels)
        np.testing.assert_array_equal(before.values, after.values)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(np.array([[1.0, 2.0], [3.0, 4.0]])),
        pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])),
        pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=[0, "b"]),
    ],
)
def test_columns_need_not_be_named_by_strings(frame: pd.DataFrame) -> None:
    """Frames with integer names or a MultiIndex are read, with their names as text."""
    table = read_table(frame)
    assert [column.values.tolist() for column in table] == [[1.0, 3.0], [2.0, 4.0]]
    assert table.names == tuple(map(str, frame.columns))


def test_every_form_of_missing_value() -> None:
    """NaN among booleans, masked cells and columns of null are missing values."""
    booleans = read_table(pd.DataFrame({"a": [True, np.nan, False]})).columns[0]
    np.testing.assert_array_equal(booleans.values, [1, math.nan, 0])
    masked = read_table(np.ma.array([[1.0], [2.0]], mask=[[0], [1]])).columns[0]
    np.testing.assert_array_equal(masked.values, [1, math.nan])
    assert np.isnan(read_table(pl.DataFrame({"a": [None, None]})).columns[0].values).all()


def test_intervals_are_ordered_categories() -> None:
    """The intervals of pandas.cut become ordered levels, as text."""
    column = read_table(pd.DataFrame({"a": pd.cut([1, 5, 9, np.nan], 3)})).columns[0]
    assert column.kind == "ordered"
    assert column.levels == ("(0.992, 3.667]", "(3.667, 6.333]", "(6.333, 9.0]")


def test_intervals_beside_missing_values_keep_their_level() -> None:
    """A missing value makes pandas print the integer bounds of intervals as floats; their levels stay the same."""
    column = read_table(pd.DataFrame({"a": pd.cut(np.array([1, 5, np.nan, 9]), [0, 3, 6, 10])})).columns[0]
    assert column.levels == ("(0, 3]", "(3, 6]", "(6, 10]")
    np.testing.assert_array_equal(column.values, [0, 1, math.nan, 2])


def test_pyarrow_is_read_by_name() -> None:
    """A Table and a RecordBatch of pyarrow have the names and values of the data frame, in fit, predict and explain."""
    pa = pytest.importorskip("pyarrow")
    columns = {"colour": ["red", "blue", None, "red"], "n": [1, None, 3, 4], "is_new": [True, False, None, True]}
    rows, y = pa.table(columns), ["a", "b", "c", "d"]
    expected = read_table(pl.DataFrame(columns))
    for X in (rows, rows.to_batches()[0]):
        table = read_table(X)
        for column, other in zip(table, expected, strict=True):
            assert (column.name, column.kind, column.levels) == (other.name, other.kind, other.levels)
            np.testing.assert_array_equal(column.values, other.values)
        model = PureTreeClassifier(random_state=0).fit(X, y)
        assert model.feature_names_in_.tolist() == list(columns)
        assert model.predict(rows.slice(1)).tolist() == y[1:]
        assert model.predict(rows.slice(2).to_batches()[0]).tolist() == y[2:]
        assert model.explain(rows.slice(3)).label == "d"
        assert model.explain(rows.slice(3).to_batches()[0]).label == "d"
    with pytest.raises(InputError, match="duplicated column names: 'a'"):
        read_table(pa.table([[1], [2]], names=["a", "a"]))


def test_numbers_beyond_double_precision_are_rejected() -> None:
    """Decimals and long doubles that would be rounded to equal floats raise an error with column and row."""
    near = [Decimal("1"), Decimal("1.00000000000000000001"), None]
    tables = [
        [[cell] for cell in near],
        np.array(near, dtype=object)[:, None],
        pd.DataFrame({"x0": near}),
        pl.DataFrame({"x0": pl.Series(near, dtype=pl.Decimal(30, 20))}),
        [[Decimal(1)], [Decimal("1e400")]],
        [[Decimal(1)], [Decimal("1e-400")]],
        [[np.longdouble(1)], [np.nextafter(np.longdouble(1), np.longdouble(2))]],
    ]
    if np.finfo(np.longdouble).precision == np.finfo(np.float64).precision:
        tables.pop()
    for X in tables:
        with pytest.raises(InputError, match=r"'x0' holds numbers with more digits .* in row 1; round them"):
            read_table(X)


def test_pyarrow_decimals_beyond_double_precision_are_rejected() -> None:
    """Decimals of pyarrow are checked as those of Python, in its tables and in pandas."""
    pa = pytest.importorskip("pyarrow")
    cells = pa.array([Decimal("1.5"), None, Decimal("1.00000000000000000001")])
    in_pandas = pd.DataFrame({"a": pd.Series(cells, dtype=pd.ArrowDtype(cells.type))})
    for X in (pa.table({"a": cells}), in_pandas):
        with pytest.raises(InputError, match=r"'a' holds numbers with more digits .* in row 2"):
            read_table(X)
    np.testing.assert_array_equal(read_table(pa.table({"a": cells[:2]})).columns[0].values, [1.5, math.nan])


def test_numbers_beside_the_missing_value_of_pandas() -> None:
    """Among cells with pandas' NA, large floats are numbers, large integers are rejected, decimal NaN is missing."""
    large = read_table(np.array([[pd.NA], [1e300]], dtype=object)).columns[0]
    np.testing.assert_array_equal(large.values, [math.nan, 1e300])
    missing = read_table([[pd.NA], [Decimal("NaN")], [Decimal("sNaN")], [Decimal(10)]]).columns[0]
    np.testing.assert_array_equal(missing.values, [math.nan, math.nan, math.nan, 10])
    for integer in (2**60, 10**400, -(10**400)):
        with pytest.raises(InputError, match="integers beyond 2"):
            read_table([[pd.NA], [integer]])


def test_decimals_are_numbers() -> None:
    """Decimals are read as numbers, from Python and from polars."""
    assert read_table([[Decimal("1.5")], [Decimal("2")]]).columns[0].values.tolist() == [1.5, 2.0]
    assert read_table([[Decimal("0.10")], [Decimal("123456789.123456")]]).columns[0].values[0] == 0.1
    frame = pl.DataFrame({"a": pl.Series(["1.5", "2"]).cast(pl.Decimal(10, 2))})
    assert read_table(frame).columns[0].values.tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    "cells",
    [
        np.array([1.0, 2.0], dtype=">f8"),
        np.array([1, 2], dtype=">i4"),
        np.frombuffer(b"\0" + np.array([1.0, 2.0], dtype=np.float32).tobytes(), dtype="u1")[1:].view(np.float32),
        np.array([9.0, 2.0, 9.0, 1.0])[::-2],
    ],
    ids=["big-endian", "big-endian integers", "misaligned", "backwards"],
)
def test_numbers_in_any_memory_layout(cells: np.ndarray) -> None:
    """Byte order, alignment and stride do not matter."""
    assert read_table(cells.reshape(2, 1)).columns[0].values.tolist() == [1.0, 2.0]


def test_a_table_does_not_change_with_the_callers_array() -> None:
    """A table holds a copy of the data."""
    X = np.array([[1.0], [2.0]])
    table = read_table(X)
    X[0, 0] = 99.0
    assert table.columns[0].values.tolist() == [1.0, 2.0]


def test_columns_must_have_the_same_length() -> None:
    """No columns, or columns of different lengths, raise InputError."""
    with pytest.raises(InputError, match="no columns"):
        read_columns({})
    with pytest.raises(InputError, match="same length, got 1, 2"):
        read_columns({"a": [1.0], "b": ["x", "y"]})


def test_columns_of_an_array_are_read_from_a_frame_by_position() -> None:
    """Generated names need not occur in a frame; the message suggests a similar name."""
    unnamed = [Column("x1", 1, "number")]
    assert read_fitted_columns(pd.DataFrame({"a": [1.0], "b": [2.0]}), unnamed, 2)[0][0].tolist() == [2.0]
    assert read_fitted_columns(pd.DataFrame({"x1": [1.0], "x0": [2.0]}), unnamed, 2)[0][0].tolist() == [1.0]
    with pytest.raises(InputError, match="has 3 columns, but the training table had 2"):
        read_fitted_columns(pd.DataFrame({"a": [1.0], "b": [2.0], "c": [3.0]}), unnamed, 2)
    with pytest.raises(InputError, match=r"'income' \(it has 'Income'\)"):
        read_fitted_columns(pd.DataFrame({"Income": [1.0]}), [Column("income", 0, "number")], 1)


def test_lazy_frames_are_computed() -> None:
    """A lazy frame of polars gives the same table and the same model as its rows."""
    frame = pl.DataFrame({"n": [1, 2, 3, 4], "s": ["x", "y", "x", "y"], "y": ["no", "yes", "yes", "no"]})
    lazy = frame.lazy().filter(pl.col("n") > 0)
    X, y = frame.drop("y"), frame["y"]
    assert kinds(lazy) == ["number", "category", "category"]
    model = PureTreeClassifier(random_state=0).fit(lazy.drop("y"), lazy.select("y"))
    assert model.tree_ == PureTreeClassifier(random_state=0).fit(X, y).tree_
    assert model.feature_names_in_.tolist() == ["n", "s"]
    assert model.predict(lazy.drop("y")).tolist() == y.to_list()
    assert model.tree_.predict(lazy.drop("y")).tolist() == y.to_list()
    with pytest.raises(InputError, match="y should have one column, got a lazy frame of 3"):
        PureTreeClassifier().fit(lazy.drop("y"), lazy)
    with pytest.raises(InputError, match="the table is empty: 0 sample"):
        read_table(lazy.filter(pl.col("n") > 9))


def test_dask_frames_are_computed() -> None:
    """Frames and series of Dask give the same model as their rows."""
    dask = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"n": [1, 2, 3, 4], "s": ["x", "y", "x", "y"], "y": ["no", "yes", "yes", "no"]})
    lazy = dask.from_pandas(frame, npartitions=2)
    expected = PureTreeClassifier(random_state=0).fit(frame[["n", "s"]], frame["y"])
    for y in (lazy["y"], lazy[["y"]], frame["y"]):
        model = PureTreeClassifier(random_state=0).fit(lazy[["n", "s"]], y)
        assert model.tree_ == expected.tree_
    assert model.predict(lazy[["n", "s"]]).tolist() == frame["y"].tolist()
