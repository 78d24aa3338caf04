"""Explanations: the path and the nearest flip."""

import json
import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.strategies import readable_trees
from hypothesis import given, settings

from puretree import InputError, InputTypeError, Tree, minimum_tree
from puretree.binarize.predicate import Predicate, columns_of
from puretree.binarize.region import Region
from puretree.table import Column
from puretree.tree import explain

WIDTH, LENGTH = Column("petal width", 0, "number"), Column("petal length", 1, "number")
QUESTIONS = [
    Predicate(WIDTH, Region.at_most(0.8)),
    Predicate(WIDTH, Region.at_most(1.75)),
    Predicate(LENGTH, Region.at_most(4.95)),
]
IRIS = Tree.from_nested((0, (1, "virginica", (2, "virginica", "versicolor")), "setosa")).with_predicates(QUESTIONS, 2)


def candidates(tree: Tree, column: Column) -> list[Any]:
    """Return values of a column that stand for all values the tree tells apart."""
    if column.kind != "number":
        unseen = [] if isinstance(column.levels[0], bool) else [column.decode(-1.0)]
        return [*column.levels, *unseen, None]
    edges = [edge for p in (tree.predicates or {}).values() if p.column == column for edge in p.region.edges]
    return [None, *edges, *(math.nextafter(edge, -math.inf) for edge in edges)]


def labels_within(tree: Tree, row: list[Any], n_changes: int) -> set[Any]:
    """Return the labels that changes of so many columns lead to, by trying them all."""
    columns = columns_of(list((tree.predicates or {}).values()))
    rows = [row]
    for chosen in combinations(columns, n_changes):
        for values in product(*(candidates(tree, column) for column in chosen)):
            changed = list(row)
            for column, value in zip(chosen, values, strict=True):
                changed[column.index] = value
            rows.append(changed)
    return {tree.predict([changed])[0] for changed in rows[:3000]}


@settings(max_examples=60)
@given(readable_trees())
def test_a_flip_flips_and_none_changes_fewer_columns(drawn: tuple[Tree, Any, Any]) -> None:
    """The path is the tree's, the flip leads to its label, and no change of fewer columns leads to another."""
    tree, _, others = drawn
    for row in others[:3]:
        told = explain(tree, row)
        assert [told.label] == tree.predict([row]).tolist()
        json.dumps(told.to_dict(), allow_nan=False)
        assert len(str(told).splitlines()) == len(told.path) + (2 if told.path else 1)
        if told.flip is None:
            assert labels_within(tree, row, 1) == {told.label}
            continue
        changed = list(row)
        for change in told.flip.changes:
            changed[change.condition.column.index] = change.nearest
            assert change.condition(change.nearest)
        assert tree.predict([changed]).tolist() == [told.flip.label]
        assert told.flip.label != told.label
        if len(told.flip.changes) > 1:
            assert labels_within(tree, row, len(told.flip.changes) - 1) == {told.label}


def test_it_reads_well() -> None:
    """Questions, answers, values, and the nearest change in words."""
    assert str(explain(IRIS, [1.6, 4.5])).splitlines() == [
        "versicolor, because:",
        "  petal width ≤ 0.8? no (it is 1.6)",
        "  petal width ≤ 1.75? yes (it is 1.6)",
        "  petal length ≤ 4.95? yes (it is 4.5)",
        "Nearest change: if petal width > 1.75 (it is 1.6): virginica",
    ]
    assert repr(explain(IRIS, [1.6, 4.5])) == "<Explanation: versicolor by 3 questions>"
    assert str(explain(Tree.leaf(0, ("a",)), [1, 2])) == "a, always"


def test_of_equally_many_columns_the_smaller_change_wins() -> None:
    """A number's change counts by its column's range, or by its size where the range is not known."""
    assert str(explain(IRIS, [1.0, 4.94]).flip) == "if petal length > 4.95 (it is 4.94): virginica"
    assert str(explain(IRIS, [1.74, 4.0]).flip) == "if petal width > 1.75 (it is 1.74): virginica"
    assert str(explain(IRIS, [1.7, 4.9], {"petal length": 0.1}).flip) == "if petal width > 1.75 (it is 1.7): virginica"
    assert str(explain(IRIS, [1.7, 4.9], {"petal width": 0.1}).flip) == "if petal length > 4.95 (it is 4.9): virginica"


def test_every_form_of_a_row() -> None:
    """Lists, arrays, dictionaries, rows of pandas and tables of one row are one row."""
    frame = pd.DataFrame({"other": ["x", "y"], "petal length": [4.5, 1.0], "petal width": [1.6, 0.2]})
    rows = [
        [1.6, 4.5],
        (1.6, 4.5),
        np.array([1.6, 4.5]),
        np.array([[1.6, 4.5]]),
        [[1.6, 4.5]],
        {"petal width": 1.6, "petal length": 4.5, "note": "?"},
        frame.iloc[0],
        frame.iloc[[0]],
        pl.DataFrame({"petal length": [4.5], "petal width": [1.6]}),
    ]
    assert {str(explain(IRIS, row)) for row in rows} == {str(explain(IRIS, [1.6, 4.5]))}
    assert explain(Tree.from_nested((1, "a", "b")), [0, 1]).label == "b"


def test_gaps_and_unseen_levels_are_said() -> None:
    """What was missing or never seen is told as such, and a flip prefers values that exist."""
    tree = minimum_tree([["red"], ["blue"], ["green"], [None]], ["a", "b", "c", "d"]).tree
    assert tree is not None
    assert "(it is missing)" in str(explain(tree, [None]))
    assert "(it is grey, which training did not have)" in str(explain(tree, ["grey"]))
    assert str(explain(tree, ["red"]).flip) == "if x0 is blue (it is red): b"
    only_gap = Tree.from_nested((0, "a", "b")).with_predicates([Predicate(WIDTH, Region.missing())], 1)
    told = explain(only_gap, [math.inf])
    assert told.to_dict()["path"][0]["value"] == "inf"
    assert told.flip is not None
    assert told.flip.changes[0].nearest is None


def test_no_other_label_is_said() -> None:
    """Leaves that nothing reaches are no flips."""
    tree = Tree.from_nested((0, "a", (0, "never", "a"))).with_predicates(QUESTIONS, 2)
    told = explain(tree, [1.0, 1.0])
    assert told.flip is None
    assert str(told).endswith("No change leads to another label.")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1.0], "the row has 1 values, but the tree was made for 2 columns"),
        ({"petal widht": 1.0, "petal length": 2.0}, r"lacks .*'petal width' \(it has 'petal widht'\)"),
        ("1.6", "not str"),
        (3, "not int"),
        ([[1.0, 2.0], [3.0, 4.0]], "one row, got 2"),
        (pd.DataFrame({"petal width": [1, 2], "petal length": [1, 2]}), "one row, got a table of 2"),
    ],
)
def test_bad_rows_are_refused(row: Any, message: str) -> None:
    """The error names what is wrong with the row and what to give instead."""
    with pytest.raises(InputError, match=message):
        explain(IRIS, row)


def test_text_for_a_number_is_refused() -> None:
    """As when predicting: nothing is reinterpreted."""
    with pytest.raises(InputTypeError, match="'petal width' held numbers"):
        explain(IRIS, {"petal width": "wide", "petal length": 1.0})
