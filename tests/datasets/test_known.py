"""Rows to predict are read as training read its table."""

from pathlib import Path

import numpy as np
import pytest

from puretree import InputError
from puretree.datasets.known import read_cell, read_rows
from puretree.table import Column

AGE = Column("age", 0, "number")
CODE = Column("code", 1, "category", ("007", "12"))
SMOKER = Column("smoker", 2, "category", (False, True))
SIZE = Column("size", 3, "category", (1, 2, 3))


def test_columns_keep_the_kind_of_training(tmp_path: Path) -> None:
    """Digits are names, numbers or truths by what the tree knows; other columns are passed over, in any order."""
    path = tmp_path / "rows.csv"
    path.write_text("note,smoker,code,age,size\nx,True,12,3,1\ny,0,,,3\n")
    table = read_rows(path, [AGE, CODE, SMOKER, SIZE])
    columns = table.to_dict()
    assert table.names == ("age", "code", "smoker", "size")
    np.testing.assert_array_equal(columns["age"], [3, np.nan])
    assert columns["code"].tolist() == ["12", None]
    assert columns["smoker"].tolist() == [True, False]
    assert columns["size"].tolist() == [1, 3]


def test_a_tree_that_asks_nothing_needs_rows_only(tmp_path: Path) -> None:
    """The number of rows is all that counts for a single leaf."""
    path = tmp_path / "rows.csv"
    path.write_text("a\n1\n2\n")
    assert read_rows(path, []).n_rows == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Age,code\n1,2\n", r"no column 'age', which the tree asks about \(did you mean 'Age'\?\)"),
        ("age,code\n1,2\n\nold,2\n", "line 4, column 'age': 'old' is not a number, as it was in training"),
        ("age,code\ninf,2\n", "line 2, column 'age': 'inf' is not a number"),
    ],
)
def test_what_does_not_fit_is_told_by_line_and_column(tmp_path: Path, text: str, message: str) -> None:
    """The message names the place and the remedy."""
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_rows(path, [AGE, CODE])


def test_one_cell() -> None:
    """Single values are read alike."""
    assert [read_cell(AGE, "1e3"), read_cell(CODE, "new"), read_cell(SMOKER, "TRUE"), read_cell(AGE, "")] == [
        1000.0,
        "new",
        True,
        None,
    ]
    with pytest.raises(ValueError, match="'maybe' is neither true nor false"):
        read_cell(SMOKER, "maybe")
