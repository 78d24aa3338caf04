"""Export to Python source."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.strategies import readable_trees
from hypothesis import given, settings

from puretree import Tree, minimum_tree
from puretree.export.python_source import predict_with_python, to_python


def compile_predict(source: str) -> Any:
    """Return the ``predict`` function of a source."""
    module: dict[str, Any] = {}
    exec(source, module)
    return module["predict"]


@settings(max_examples=50)
@given(readable_trees())
def test_predictions_equal_those_of_the_tree(drawn: tuple[Tree, Any, Any]) -> None:
    """For any names, missing values and unseen levels, lists and dictionaries are predicted as by the tree."""
    tree, rows, others = drawn
    predict = compile_predict(to_python(tree))
    for table in (rows, others):
        expected = tree.predict(table).tolist()
        assert [predict(row) for row in table] == expected
        assert list(predict_with_python(to_python(tree), tree, table)) == expected


def test_all_kinds_of_missing_values() -> None:
    """None, NaN, NA and NaT are missing values; infinite numbers are numbers."""
    tree = minimum_tree([[1.0], [2.0], [None]], ["a", "b", "c"]).tree
    assert tree is not None
    predict = compile_predict(to_python(tree))
    missing = [None, math.nan, np.float32("nan"), pd.NA, pd.NaT]
    assert [predict([value]) for value in missing] == ["c"] * 5
    assert [predict([-math.inf]), predict({"x0": math.inf})] == ["a", "b"]
    assert predict(pd.Series({"x0": 1.0, "other": 3.0})) == "a"


@pytest.mark.parametrize("depth", [39, 40, 41, 50, 101, 1000])
def test_deep_tree_compiles(depth: int) -> None:
    """Trees deeper than Python's limit of 100 indentation levels compile and predict correctly."""
    nested: Any = "end"
    for feature in range(depth):
        nested = (feature, nested, "out") if feature % 2 else (feature, "out", nested)
    tree = Tree.from_nested(nested)
    rows = np.random.default_rng(0).integers(0, 2, size=(5, depth))
    path = [[1 - feature % 2 for feature in range(depth)]]
    rows = np.concatenate([rows, path])
    assert list(predict_with_python(to_python(tree), tree, rows)) == tree.predict(rows).tolist()


def test_source_is_readable() -> None:
    """The source is nested tests, each with its predicate as a comment."""
    tree = minimum_tree(pd.DataFrame({"petal width": [0.2, 1.4, 2.0]}), ["a", "b", "c"]).tree
    assert tree is not None
    assert to_python(tree).splitlines()[5:15] == [
        "    x0 = _value(row, 'petal width', 0)",
        "    if x0 is not None and x0 <= 0.8:  # petal width ≤ 0.8",
        "        return 'a'",
        "    else:",
        "        if x0 is not None and x0 <= 1.7:  # petal width ≤ 1.7",
        "            return 'b'",
        "        else:",
        "            return 'c'",
        "",
        "",
    ]
