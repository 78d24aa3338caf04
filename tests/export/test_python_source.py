"""Trees as Python functions."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.strategies import readable_trees
from hypothesis import given, settings

from puretree import Tree, minimum_tree
from puretree.export.python_source import python_answers, to_python


def compiled(source: str) -> Any:
    """Return the function of a source."""
    module: dict[str, Any] = {}
    exec(source, module)
    return module["predict"]


@settings(max_examples=50)
@given(readable_trees())
def test_the_function_answers_as_the_tree(drawn: tuple[Tree, Any, Any]) -> None:
    """Any tree, any names, gaps and unseen levels: the function of rows and of dictionaries says what the tree says."""
    tree, rows, others = drawn
    predict = compiled(to_python(tree))
    for table in (rows, others):
        expected = tree.predict(table).tolist()
        assert [predict(row) for row in table] == expected
        assert list(python_answers(to_python(tree), tree, table)) == expected


def test_every_missing_value_is_missing() -> None:
    """None, NaN and what pandas calls NA are all gaps; infinite numbers are numbers."""
    tree = minimum_tree([[1.0], [2.0], [None]], ["a", "b", "c"]).tree
    assert tree is not None
    predict = compiled(to_python(tree))
    gaps = [None, math.nan, np.float32("nan"), pd.NA, pd.NaT]
    assert [predict([gap]) for gap in gaps] == ["c"] * 5
    assert [predict([-math.inf]), predict({"x0": math.inf})] == ["a", "b"]
    assert predict(pd.Series({"x0": 1.0, "other": 3.0})) == "a"


@pytest.mark.parametrize("depth", [39, 40, 41, 50, 101, 1000])
def test_a_deep_tree_compiles(depth: int) -> None:
    """Python takes 100 levels of indentation; trees may have more."""
    nested: Any = "end"
    for feature in range(depth):
        nested = (feature, nested, "out") if feature % 2 else (feature, "out", nested)
    tree = Tree.from_nested(nested)
    rows = np.random.default_rng(0).integers(0, 2, size=(5, depth))
    path = [[1 - feature % 2 for feature in range(depth)]]
    rows = np.concatenate([rows, path])
    assert list(python_answers(to_python(tree), tree, rows)) == tree.predict(rows).tolist()


def test_it_reads_well() -> None:
    """Nested questions with their words beside them."""
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
