"""Explanations: the path and the nearest counterfactual."""

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
PREDICATES = [
    Predicate(WIDTH, Region.at_most(0.8)),
    Predicate(WIDTH, Region.at_most(1.75)),
    Predicate(LENGTH, Region.at_most(4.95)),
]
IRIS = Tree.from_nested((0, (1, "virginica", (2, "virginica", "versicolor")), "setosa")).with_predicates(PREDICATES, 2)


def candidates(tree: Tree, column: Column) -> list[Any]:
    """Return one value of a column for each set of values that the tree treats alike."""
    if column.kind != "number":
        unseen = [] if isinstance(column.levels[0], bool) else [column.decode(-1.0)]
        return [*column.levels, *unseen, None]
    edges = [edge for p in (tree.predicates or {}).values() if p.column == column for edge in p.region.edges]
    return [None, *edges, *(math.nextafter(edge, -math.inf) for edge in edges)]


def labels_within(tree: Tree, row: list[Any], n_changes: int) -> set[Any]:
    """Return the labels that changes of ``n_changes`` columns lead to, by brute force."""
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
def test_the_counterfactual_is_valid_and_changes_the_fewest_columns(drawn: tuple[Tree, Any, Any]) -> None:
    """The label is the tree's, the changes lead to another label, and changes of fewer columns do not."""
    tree, _, others = drawn
    for row in others[:3]:
        explanation = explain(tree, row)
        assert [explanation.label] == tree.predict([row]).tolist()
        json.dumps(explanation.to_dict(), allow_nan=False)
        assert len(str(explanation).splitlines()) == len(explanation.path) + (2 if explanation.path else 1)
        if explanation.counterfactual is None:
            assert labels_within(tree, row, 1) == {explanation.label}
            continue
        changed = list(row)
        for change in explanation.counterfactual.changes:
            changed[change.condition.column.index] = change.nearest
            assert change.condition(change.nearest)
        assert tree.predict([changed]).tolist() == [explanation.counterfactual.label]
        assert explanation.counterfactual.label != explanation.label
        if len(explanation.counterfactual.changes) > 1:
            assert labels_within(tree, row, len(explanation.counterfactual.changes) - 1) == {explanation.label}


def test_explanations_as_text() -> None:
    """The text shows the splits, the answers, the values and the nearest change."""
    assert str(explain(IRIS, [1.6, 4.5])).splitlines() == [
        "versicolor, because:",
        "  petal width ≤ 0.8? no (it is 1.6)",
        "  petal width ≤ 1.75? yes (it is 1.6)",
        "  petal length ≤ 4.95? yes (it is 4.5)",
        "Nearest change: if petal width > 1.75 (it is 1.6): virginica",
    ]
    assert repr(explain(IRIS, [1.6, 4.5])) == "<Explanation: versicolor by 3 splits>"
    assert str(explain(Tree.leaf(0, ("a",)), [1, 2])) == "a, always"


def test_the_smallest_relative_change_wins() -> None:
    """The change of a number is relative to the range of its column, or to its size if the range is unknown."""
    assert str(explain(IRIS, [1.0, 4.94]).counterfactual) == "if petal length > 4.95 (it is 4.94): virginica"
    assert str(explain(IRIS, [1.74, 4.0]).counterfactual) == "if petal width > 1.75 (it is 1.74): virginica"
    assert (
        str(explain(IRIS, [1.7, 4.9], {"petal length": 0.1}).counterfactual)
        == "if petal width > 1.75 (it is 1.7): virginica"
    )
    assert (
        str(explain(IRIS, [1.7, 4.9], {"petal width": 0.1}).counterfactual)
        == "if petal length > 4.95 (it is 4.9): virginica"
    )


def test_every_form_of_a_row() -> None:
    """Lists, arrays, dictionaries, pandas rows and tables of one row give the same explanation."""
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


def test_missing_values_and_unseen_levels() -> None:
    """The text marks missing values and unseen levels; a counterfactual prefers levels of training."""
    tree = minimum_tree([["red"], ["blue"], ["green"], [None]], ["a", "b", "c", "d"]).tree
    assert tree is not None
    assert "(it is missing)" in str(explain(tree, [None]))
    assert "(it is grey, which training did not have)" in str(explain(tree, ["grey"]))
    assert str(explain(tree, ["red"]).counterfactual) == "if x0 is blue (it is red): b"
    is_missing = Tree.from_nested((0, "a", "b")).with_predicates([Predicate(WIDTH, Region.missing())], 1)
    explanation = explain(is_missing, [math.inf])
    assert explanation.to_dict()["path"][0]["value"] == "inf"
    assert explanation.counterfactual is not None
    assert explanation.counterfactual.changes[0].nearest is None


def test_no_counterfactual() -> None:
    """A leaf that no row reaches is no counterfactual, and the text says that there is none."""
    tree = Tree.from_nested((0, "a", (0, "never", "a"))).with_predicates(PREDICATES, 2)
    explanation = explain(tree, [1.0, 1.0])
    assert explanation.counterfactual is None
    assert str(explanation).endswith("No change leads to another label.")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1.0], "the row has 1 value, but the training table had 2 columns"),
        ({"petal widht": 1.0, "petal length": 2.0}, r"lacks .*'petal width' \(it has 'petal widht'\)"),
        ("1.6", "not str"),
        (3, "not int"),
        ([[1.0, 2.0], [3.0, 4.0]], "one row, got 2"),
        (pd.DataFrame({"petal width": [1, 2], "petal length": [1, 2]}), "one row, got a table of 2"),
    ],
)
def test_invalid_rows_raise(row: Any, message: str) -> None:
    """The message says what is wrong with the row and what to pass instead."""
    with pytest.raises(InputError, match=message):
        explain(IRIS, row)


def test_text_instead_of_a_number_raises() -> None:
    """As in predict, text is not converted to a number."""
    with pytest.raises(InputTypeError, match="'petal width' held numbers"):
        explain(IRIS, {"petal width": "wide", "petal length": 1.0})


def test_counterfactuals_of_integers_are_integers() -> None:
    """In columns of integers and of 0 and 1, the nearest value is an integer, and the text names the bit."""
    table = pd.DataFrame({"children": [0, 0, 3, 3], "F8": [0, 1, 0, 1]})
    tree = minimum_tree(table, ["a", "b", "a", "c"]).tree
    assert tree is not None
    explanation = explain(tree, {"children": 0, "F8": 1})
    assert "F8 = 1? yes (it is 1)" in str(explanation)
    changes = {
        (change["condition"], change["nearest"])
        for children, bit in product([0, 3], [0, 1])
        for change in explain(tree, {"children": children, "F8": bit}).to_dict()["counterfactual"]["changes"]
    }
    assert changes == {("F8 = 0", 0.0), ("F8 = 1", 1.0), ("children ≤ 1", 1.0)}
    only_children = minimum_tree(table[["children"]], ["a", "a", "c", "c"]).tree
    assert only_children is not None
    (change,) = explain(only_children, {"children": 0}).to_dict()["counterfactual"]["changes"]
    assert (change["condition"], change["nearest"]) == ("children > 1", 2.0)
    (change,) = explain(only_children, {"children": 3}).to_dict()["counterfactual"]["changes"]
    assert (change["condition"], change["nearest"]) == ("children ≤ 1", 1.0)
