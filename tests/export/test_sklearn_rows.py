"""Training rows as scikit-learn takes them."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.strategies import named_table, readable_trees
from hypothesis import given, settings

from puretree import Tree
from puretree.export import sklearn_tree
from puretree.export.sklearn_tree import can_choose_by_name, rows_by_name, rows_by_place
from puretree.table import read_table


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame_says_what_the_table_says(library: str) -> None:
    """Text, numbers, booleans and gaps come back under their names; a tree answers them alike."""

    @settings(max_examples=20)
    @given(readable_trees())
    def check(drawn: tuple[Tree, Any, Any]) -> None:
        tree, rows, _ = drawn
        table = named_table(tree, rows)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sklearn_tree, "LIBRARIES", (library,))
            frame = rows_by_name(table, table)
        assert type(frame).__module__.startswith(library)
        assert list(frame.columns) == list(table.names)
        assert tree.predict(frame).tolist() == tree.predict(table).tolist()

    check()


def test_rows_that_have_no_names_get_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays and lists stay what they are, and without a library of data frames so does a table."""
    rows = [["a", 1.0], [None, 2.0]]
    named = read_table(pd.DataFrame(rows, columns=["x", "y"]))
    array = np.array(rows, dtype=object)
    assert rows_by_name(array, read_table(array)) is array
    assert rows_by_name(rows, read_table(rows)).tolist() == rows
    assert rows_by_name(read_table(rows), read_table(rows)).tolist() == rows
    assert rows_by_place(named).tolist() == rows
    monkeypatch.setattr(sklearn_tree, "find_spec", lambda library: None)
    assert rows_by_name(named, named).tolist() == rows


def test_names_that_scikit_learn_can_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are strings; and before 1.8, those of pandas."""
    assert not can_choose_by_name(np.zeros((1, 1)))
    assert not can_choose_by_name(pd.DataFrame({0: [1.0]}))
    for version, takes_polars in (("1.7.2", False), ("1.8.0", True), ("1.10.0", True)):
        monkeypatch.setattr(sklearn_tree.sklearn, "__version__", version)
        assert can_choose_by_name(pd.DataFrame({"a": [1.0]}))
        assert can_choose_by_name(pl.DataFrame({"a": [1.0]})) == takes_polars
