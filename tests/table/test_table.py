"""Tables and their columns."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from puretree.errors import InputError, InputTypeError
from puretree.table import UNSEEN, Column, read_columns, read_table


def test_infinite_values_name_column_and_row() -> None:
    """The message names the column and the rows of infinite numbers."""
    with pytest.raises(InputError, match=r"'x1' holds infinite values \(rows 1\)"):
        read_table([[1.0, 2.0], [1.0, -math.inf]]).require_finite()


def test_levels_are_encoded_as_in_training() -> None:
    """Training levels keep their codes, other levels are UNSEEN, missing values stay missing."""
    column = Column("c", 0, "category", ("red", "blue"))
    values = read_table([["blue"], ["pink"], [None], ["red"]]).columns[0].encoded_as(column)
    np.testing.assert_array_equal(values, [1, UNSEEN, math.nan, 0])


def test_a_column_with_another_type_raises() -> None:
    """Strings instead of numbers, or numbers instead of strings, raise InputTypeError."""
    with pytest.raises(InputTypeError, match="'x0' held numbers in training and holds strings now"):
        read_table([["1"]]).columns[0].encoded_as(Column("x0", 0, "number"))
    with pytest.raises(InputTypeError, match="'x0' held strings in training and holds numbers now"):
        read_table([[1]]).columns[0].encoded_as(Column("x0", 0, "category", ("1",)))


def test_a_column_of_missing_values_fits_any_type() -> None:
    """A column that is all missing at prediction time is accepted for any training type."""
    missing = read_table([[None], [None]]).columns[0]
    for column in (Column("x0", 0, "number"), Column("x0", 0, "category", ("a",))):
        assert np.isnan(missing.encoded_as(column)).all()


def test_rows_can_be_taken() -> None:
    """Take returns the table of some rows, in the requested order."""
    table = read_table([["a", 1.0], ["b", 2.0], ["c", 3.0]]).take([2, 0])
    assert len(table) == 2
    assert table.to_dict()["x0"].tolist() == ["c", "a"]


def test_numbers_can_be_read_as_categories() -> None:
    """The levels are the numbers; integers are written without a decimal point."""
    column = read_table([[3.0], [1.5], [math.nan], [1e300]]).columns[0].as_category()
    assert column.kind == "category"
    assert [repr(level) for level in column.levels] == ["1.5", "3", "1e+300"]
    np.testing.assert_array_equal(column.values, [1, 0, math.nan, 2])
    assert column.as_category() is column


NUMBERS = pd.DataFrame({"c": [10.0, 20.0, np.nan]})
SAME_NUMBERS = [NUMBERS, NUMBERS.astype("Int64"), NUMBERS.astype("category"), pl.DataFrame({"c": [10, 20, None]})]
STRINGS = pd.DataFrame({"c": ["10", "20", None]})
SAME_STRINGS = [STRINGS, STRINGS.astype("category"), pl.DataFrame({"c": ["10", "20", None]})]


@pytest.mark.parametrize("new", SAME_NUMBERS)
@pytest.mark.parametrize("trained", SAME_NUMBERS)
@pytest.mark.parametrize("as_categories", [False, True])
def test_numbers_are_encoded_the_same_in_every_dtype(trained: Any, new: Any, as_categories: bool) -> None:
    """Integers, floats and categoricals of numbers have the same encoding, whichever was used in training."""
    fitted = read_table(trained).columns[0]
    fitted = fitted.as_category() if as_categories else fitted
    column = Column("c", 0, fitted.kind, fitted.levels)
    np.testing.assert_array_equal(read_table(new).columns[0].encoded_as(column), fitted.values)


@pytest.mark.parametrize("new", SAME_STRINGS)
@pytest.mark.parametrize("trained", SAME_STRINGS)
def test_strings_are_encoded_the_same_in_every_dtype(trained: Any, new: Any) -> None:
    """Strings and categoricals of strings have the same encoding."""
    fitted = read_table(trained).columns[0]
    column = Column("c", 0, fitted.kind, fitted.levels)
    np.testing.assert_array_equal(read_table(new).columns[0].encoded_as(column), fitted.values)


@pytest.mark.parametrize(("trained", "new"), [(NUMBERS, STRINGS), (STRINGS, NUMBERS), (NUMBERS > 10, STRINGS)])
def test_strings_are_never_numbers(trained: Any, new: Any) -> None:
    """Strings where training had numbers or booleans, and vice versa, raise InputTypeError."""
    fitted = read_table(trained).columns[0]
    column = Column("c", 0, fitted.kind, fitted.levels)
    with pytest.raises(InputTypeError, match=r"'c' held (numbers|strings|booleans) in training and holds"):
        read_table(new).columns[0].encoded_as(column)


def test_booleans_and_their_numbers_agree() -> None:
    """A column of booleans may be 0 and 1 at prediction time, and vice versa."""
    booleans, bits = read_table([[True], [False]]).columns[0], read_table([[1], [0]]).columns[0]
    assert bits.encoded_as(Column("x0", 0, "category", (False, True))).tolist() == [1, 0]
    assert booleans.encoded_as(Column("x0", 0, "number")).tolist() == [1, 0]


def test_a_column_of_booleans_holds_no_other_numbers() -> None:
    """Numbers other than 0 and 1 in a column of booleans raise an error with column and rows."""
    smoker = Column("smoker", 0, "category", (False, True))
    for cells in ([1.0, 0.5, math.nan, 2.0], pd.Categorical([1, 0.5, None, 2])):
        with pytest.raises(InputError, match=r"'smoker' held booleans in training and holds 0.5 now \(rows 1, 3\)"):
            read_table(pd.DataFrame({"smoker": cells})).columns[0].encoded_as(smoker)
    values = read_table(pd.DataFrame({"smoker": [1.0, 0.0, math.nan]})).columns[0].encoded_as(smoker)
    np.testing.assert_array_equal(values, [1, 0, math.nan])


def test_weights_count_the_rows_of_the_source() -> None:
    """Rows that are taken keep their weights; repeated, they are the rows of the source."""
    table = replace(read_columns({"a": np.array([1.0, 2.0, 3.0])}), weights=np.array([2, 1, 4]))
    part = table.take([0, 2])
    assert (table.total_weight, part.total_weight) == (7, 6)
    assert part.row_weights.tolist() == [2, 4]
    assert part.repeated().columns[0].values.tolist() == [1, 1, 3, 3, 3, 3]
    assert part.repeated().weights is None
    unweighted = read_columns({"a": np.array([1.0, 2.0])})
    assert unweighted.repeated() is unweighted
    assert unweighted.row_weights.tolist() == [1, 1]
    assert unweighted.total_weight == 2


def test_rows_of_two_tables_are_joined() -> None:
    """The rows of the second table follow; a row without a weight has weight 1."""
    first, second = read_table([[1.0, 2.0], [3.0, 4.0]]), read_table([[5.0, 6.0]])
    joined = first.joined(second)
    assert [column.values.tolist() for column in joined] == [[1, 3, 5], [2, 4, 6]]
    assert (joined.n_rows, joined.weights) == (3, None)
    assert replace(first, weights=np.array([2, 5])).joined(second).row_weights.tolist() == [2, 5, 1]
