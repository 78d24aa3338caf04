"""The JSON format of trees."""

import copy
import json
from typing import Any

import numpy as np
import pytest
from helpers.strategies import fitted_binarizer, nested_trees, tables
from hypothesis import given
from hypothesis import strategies as st

from puretree import FormatError, Tree
from puretree.binarize import BINARIZERS

labels = st.sampled_from([["a", "b"], [0, 1, 2], [False, True], [0.5, 1.5], ["<b>", "é\n"]])


@given(tables(), st.sampled_from(sorted(BINARIZERS)), labels, st.data())
def test_json_round_trips_exactly(rows: list[list[Any]], name: str, classes: list[Any], data: st.DataObject) -> None:
    """A tree read from its JSON text has the same tests, predicates and counts, and the same text."""
    binarizer = fitted_binarizer(name, rows)
    n_features = len(binarizer.features_)
    nested = data.draw(nested_trees(n_features, classes) if n_features else st.sampled_from(classes))
    tree = Tree.from_nested(nested, classes).with_predicates(binarizer.features_, binarizer.n_features_in_)
    tree = tree.with_counts(rows, np.zeros(len(rows), dtype=np.int32))
    text = json.dumps(tree.to_dict(), allow_nan=False)
    copied = Tree.from_dict(json.loads(text))
    assert copied == tree
    assert copied.predicates == tree.predicates
    assert json.dumps(copied.to_dict()) == text
    assert copied.to_text() == tree.to_text()


@given(nested_trees(100, [0, 1]))
def test_trees_without_predicates_round_trip(nested: Any) -> None:
    """A tree without predicates is read without predicates."""
    tree = Tree.from_nested(nested, [0, 1])
    copied = Tree.from_dict(json.loads(json.dumps(tree.to_dict())))
    assert copied == tree
    assert copied.predicates is None


def small() -> dict[str, Any]:
    """Return a valid tree as JSON values."""
    binarizer = BINARIZERS["thresholds"]().fit([[1.0, "x"], [2.0, "y"], [3.0, None]])
    tree = Tree.from_nested((0, "a", (3, "b", "a"))).with_predicates(binarizer.features_, 2)
    return tree.to_dict()


@pytest.mark.parametrize(
    ("path", "value", "match"),
    [
        ("format", "other", "not a tree"),
        ("version", 2, "version 2 is not supported"),
        ("classes", "ab", "'classes' must be a list"),
        ("classes.0", None, "classes"),
        ("classes.0", float("nan"), "classes"),
        ("columns.0.kind", "date", "kind"),
        ("columns.0.index", -1, "index"),
        ("columns.0.name", 3, "name"),
        ("tests.0.column", 9, "column"),
        ("tests.0.edges", [2.0, 1.0], "ascending"),
        ("tests.0.edges", [float("inf")], "finite"),
        ("tests.0.edges", ["1"], "finite numbers"),
        ("tests.0.feature", 3, "twice"),
        ("tests.0.starts_inside", 1, "true or false"),
        ("nodes.0.test", 5, "test"),
        ("nodes.0.left", 2**40, "left"),
        ("nodes.1.label", True, "label"),
        ("nodes.2", [], "object"),
        ("nodes.1.counts", [1], "count per class"),
        ("n_columns", "many", "n_columns"),
        ("n_columns", None, "n_columns"),
        ("n_columns", 1, "n_columns"),
        ("version", True, "version True"),
        ("classes.1", "a", "distinct"),
        ("classes.1", 1, "all strings"),
        ("columns.0.index", 7, "n_columns"),
        ("columns.1.index", 0, "distinct indices"),
        ("columns.0.levels", ["a"], "empty for numbers"),
        ("columns.1.levels", ["x", "x"], "distinct"),
        ("columns.0.domain", "complex", "'columns\\[0\\].domain' must be one of real, integer, binary"),
        ("columns.1.domain", "integer", "absent for categories"),
        ("tests.0.edges", [1], "decimal point"),
        ("tests.0.edges", [10**400], "decimal point"),
        ("nodes.1.label", 7, "index into classes"),
        ("nodes.0.left", 3, "breadth first"),
    ],
)
def test_an_invalid_field_raises_with_its_name(path: str, value: Any, match: str) -> None:
    """An invalid field raises a FormatError that says what is wrong."""
    data = small()
    *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    target: Any = data
    for key in parents:
        target = target[key]
    target[last] = value
    with pytest.raises(FormatError, match=match):
        Tree.from_dict(data)


@pytest.mark.parametrize("text", ["", "{", "nope", "[" * 100_000, "[]", '{"format": "other"}'])
def test_text_that_is_not_a_tree_raises(text: str) -> None:
    """Malformed, unrelated and deeply nested JSON text raises FormatError."""
    with pytest.raises(FormatError, match=r"JSON|not a tree"):
        Tree.from_json(text)


def test_json_text_is_readable() -> None:
    """The text is indented and can be read back."""
    tree = Tree.from_dict(small())
    assert Tree.from_json(tree.to_json()) == tree
    assert "\n" in tree.to_json()


@pytest.mark.parametrize("data", [None, [], "tree", 3, {}])
def test_values_that_are_not_a_tree_raise(data: Any) -> None:
    """Values of other types raise FormatError."""
    with pytest.raises(FormatError, match="not a tree"):
        Tree.from_dict(data)


def every_path(data: Any) -> list[list[Any]]:
    """Return the keys that lead to every value of nested JSON."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [[], *([key, *rest] for key, value in items for rest in every_path(value))]


@given(st.data(), st.sampled_from([None, -1, 0, 7, 2**70, "x", [], {}, True, 0.5]))
def test_any_single_change_raises_or_gives_a_tree(data: st.DataObject, value: Any) -> None:
    """Replacing any one value raises FormatError or gives a tree that predicts."""
    damaged = copy.deepcopy(small())
    path = data.draw(st.sampled_from([path for path in every_path(damaged) if path]))
    target: Any = damaged
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    try:
        tree = Tree.from_dict(damaged)
    except FormatError:
        return
    assert Tree.from_dict(tree.to_dict()) == tree
    rows = [[1.0, "x"], [None, None]]
    width = tree.n_columns
    assert width is None or len(tree.predict([row[:width] + [0.0] * (width - 2) for row in rows])) == 2


def test_domains_are_written_unless_real() -> None:
    """The domain of a column is read back; without one, as in files of earlier releases, numbers are real."""
    rows = [[0, 0, 0.5], [1, 1, 1.0], [1, 2, 3.0]]
    binarizer = BINARIZERS["thresholds"]().fit(rows)
    tree = Tree.from_nested((0, "a", (1, (3, "b", "a"), "a"))).with_predicates(binarizer.features_, 3)
    data = tree.to_dict()
    assert [column.get("domain") for column in data["columns"]] == ["binary", "integer", None]
    assert Tree.from_dict(data).to_text().splitlines()[0] == "x0 = 1?"
    del data["columns"][0]["domain"]
    earlier = Tree.from_dict(data)
    assert earlier.to_text().splitlines()[0] == "x0 > 0?"
    assert earlier.predict(rows).tolist() == tree.predict(rows).tolist()
