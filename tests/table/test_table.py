"""Tables as puretree holds them."""

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from puretree.errors import InputError, InputTypeError
from puretree.table import UNSEEN, Column, read_table


def test_infinite_values_name_column_and_row() -> None:
    """Infinite numbers are found where training would use them."""
    with pytest.raises(InputError, match=r"'x1' holds infinite values \(rows 1\)"):
        read_table([[1.0, 2.0], [1.0, -math.inf]]).require_finite()


def test_known_levels_are_numbered_as_in_training() -> None:
    """Levels keep their training places, others are unseen, gaps stay gaps."""
    column = Column("c", 0, "category", ("red", "blue"))
    values = read_table([["blue"], ["pink"], [None], ["red"]]).columns[0].as_known(column)
    np.testing.assert_array_equal(values, [1, UNSEEN, math.nan, 0])


def test_a_column_that_changed_its_kind_is_refused() -> None:
    """Strings for numbers, or numbers for strings, are an error, never a guess."""
    with pytest.raises(InputTypeError, match="'x0' held numbers in training and holds strings now"):
        read_table([["1"]]).columns[0].as_known(Column("x0", 0, "number"))
    with pytest.raises(InputTypeError, match="'x0' held strings in training and holds numbers now"):
        read_table([[1]]).columns[0].as_known(Column("x0", 0, "category", ("1",)))


def test_a_column_of_gaps_fits_any_kind() -> None:
    """A column that is all missing at prediction time has no kind of its own."""
    gaps = read_table([[None], [None]]).columns[0]
    for column in (Column("x0", 0, "number"), Column("x0", 0, "category", ("a",))):
        assert np.isnan(gaps.as_known(column)).all()


def test_rows_can_be_taken() -> None:
    """Some rows of a table are a table."""
    table = read_table([["a", 1.0], ["b", 2.0], ["c", 3.0]]).take([2, 0])
    assert len(table) == 2
    assert table.to_dict()["x0"].tolist() == ["c", "a"]


def test_numbers_can_be_read_as_categories() -> None:
    """Numbers may be names; whole ones are written without a point."""
    column = read_table([[3.0], [1.5], [math.nan], [1e300]]).columns[0].as_category()
    assert column.kind == "category"
    assert [repr(level) for level in column.levels] == ["1.5", "3", "1e+300"]
    np.testing.assert_array_equal(column.values, [1, 0, math.nan, 2])
    assert column.as_category() is column


NUMBERS = pd.DataFrame({"c": [10.0, 20.0, np.nan]})
SAME_NUMBERS = [NUMBERS, NUMBERS.astype("Int64"), NUMBERS.astype("category"), pl.DataFrame({"c": [10, 20, None]})]
WORDS = pd.DataFrame({"c": ["10", "20", None]})
SAME_WORDS = [WORDS, WORDS.astype("category"), pl.DataFrame({"c": ["10", "20", None]})]


@pytest.mark.parametrize("given", SAME_NUMBERS)
@pytest.mark.parametrize("trained", SAME_NUMBERS)
@pytest.mark.parametrize("as_categories", [False, True])
def test_numbers_are_the_same_numbers_in_every_dtype(trained: Any, given: Any, as_categories: bool) -> None:
    """Integers, floats and categoricals of numbers, whichever was trained on, stand for the same values."""
    known = read_table(trained).columns[0]
    known = known.as_category() if as_categories else known
    column = Column("c", 0, known.kind, known.levels)
    np.testing.assert_array_equal(read_table(given).columns[0].as_known(column), known.values)


@pytest.mark.parametrize("given", SAME_WORDS)
@pytest.mark.parametrize("trained", SAME_WORDS)
def test_words_are_the_same_words_in_every_dtype(trained: Any, given: Any) -> None:
    """Strings and categoricals of strings stand for the same levels."""
    known = read_table(trained).columns[0]
    column = Column("c", 0, known.kind, known.levels)
    np.testing.assert_array_equal(read_table(given).columns[0].as_known(column), known.values)


@pytest.mark.parametrize(("trained", "given"), [(NUMBERS, WORDS), (WORDS, NUMBERS), (NUMBERS > 10, WORDS)])
def test_words_are_never_numbers(trained: Any, given: Any) -> None:
    """Strings where training had numbers or booleans, and the other way round, are refused."""
    known = read_table(trained).columns[0]
    column = Column("c", 0, known.kind, known.levels)
    with pytest.raises(InputTypeError, match=r"'c' held (numbers|strings|booleans) in training and holds"):
        read_table(given).columns[0].as_known(column)


def test_booleans_and_their_numbers_agree() -> None:
    """A column of booleans may come as 0 and 1 later, and the other way round."""
    booleans, bits = read_table([[True], [False]]).columns[0], read_table([[1], [0]]).columns[0]
    assert bits.as_known(Column("x0", 0, "category", (False, True))).tolist() == [1, 0]
    assert booleans.as_known(Column("x0", 0, "number")).tolist() == [1, 0]
