"""Rows to predict are read with the column kinds of the training table."""

from pathlib import Path

import numpy as np
import pytest

from puretree import InputError, MissingValuesWarning
from puretree.datasets.prediction_rows import read_cell, read_rows
from puretree.table import Column

AGE = Column("age", 0, "number")
CODE = Column("code", 1, "category", ("007", "12"))
SMOKER = Column("smoker", 2, "category", (False, True))
SIZE = Column("size", 3, "category", (1, 2, 3))


def test_columns_keep_their_kind(tmp_path: Path) -> None:
    """Digits are names, numbers or Booleans as in training; other columns are ignored, in any order."""
    path = tmp_path / "rows.csv"
    path.write_text("note,smoker,code,age,size\nx,True,12,3,1\ny,0,,,3\n")
    table = read_rows(path, [AGE, CODE, SMOKER, SIZE])
    columns = table.to_dict()
    assert table.names == ("age", "code", "smoker", "size")
    np.testing.assert_array_equal(columns["age"], [3, np.nan])
    assert columns["code"].tolist() == ["12", None]
    assert columns["smoker"].tolist() == [True, False]
    assert columns["size"].tolist() == [1, 3]


def test_missing_values_are_spelled_as_in_training(tmp_path: Path) -> None:
    """Given spellings are missing values without a warning, the usual ones with one; a level is never missing."""
    path = tmp_path / "rows.csv"
    path.write_text("age,code,state\n-9,NA,NA\n1,12,?\n")
    state = Column("state", 4, "category", ("BW", "NA"))
    columns = read_rows(path, [AGE, CODE, state], ("-9", "?")).to_dict()
    np.testing.assert_array_equal(columns["age"], [np.nan, 1])
    assert columns["code"].tolist() == ["NA", "12"]
    assert columns["state"].tolist() == ["NA", None]
    with pytest.warns(MissingValuesWarning, match=r"in 'code', 'state': 'NA' \(1\), '\?' \(1\)|'\?' \(1\), 'NA' \(1\)"):
        columns = read_rows(path, [AGE, CODE, state]).to_dict()
    assert columns["age"].tolist() == [-9, 1]
    assert columns["code"].tolist() == [None, "12"]
    assert columns["state"].tolist() == ["NA", None]
    assert read_cell(AGE, "NA") is None
    with pytest.raises(ValueError, match="'NA' is not a number"):
        read_cell(AGE, "NA", ())


def test_a_blank_line_of_a_file_with_one_column_is_a_row(tmp_path: Path) -> None:
    """With one column, a blank line is an empty cell; with more columns it is skipped, as before the header."""
    path = tmp_path / "rows.csv"
    path.write_text("\nage\n1\n\n3\n\n")
    np.testing.assert_array_equal(read_rows(path, [AGE]).to_dict()["age"], [1, np.nan, 3, np.nan])
    path.write_text("age,code\n1,12\n\n3,12\n")
    assert read_rows(path, [AGE]).n_rows == 2


def test_a_single_leaf_needs_no_columns(tmp_path: Path) -> None:
    """For a tree without tests only the number of rows matters."""
    path = tmp_path / "rows.csv"
    path.write_text("a\n1\n2\n")
    assert read_rows(path, []).n_rows == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Age,code\n1,2\n", r"no column 'age', which the tree tests \(did you mean 'Age'\?\)"),
        ("age,code\n1,2\n\nold,2\n", "line 4, column 'age': 'old' is not a number, unlike in training"),
        ("age,code\ninf,2\n", "line 2, column 'age': 'inf' is not a number"),
    ],
)
def test_errors_name_line_and_column(tmp_path: Path, text: str, message: str) -> None:
    """An invalid value or a missing column is reported with its position."""
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_rows(path, [AGE, CODE])


def test_read_cell() -> None:
    """Single values are read with the kind of their column."""
    assert [read_cell(AGE, "1e3"), read_cell(CODE, "new"), read_cell(SMOKER, "TRUE"), read_cell(AGE, "")] == [
        1000.0,
        "new",
        True,
        None,
    ]
    with pytest.raises(ValueError, match="'maybe' is neither true nor false"):
        read_cell(SMOKER, "maybe")
