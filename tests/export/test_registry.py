"""The formats by name."""

from typing import Any

import pytest
from helpers.strategies import readable_trees
from hypothesis import given, settings

from puretree import InputError, PuretreeError, Tree, minimum_tree
from puretree.export import FORMATS, export_tree, to_records
from puretree.export.check import require_same_answers

ROWS = [["red", 1.0], ["red", 3.0], ["blue", 1.0], [None, 2.0]]
LABELS = ["stop", "go", "go", "stop"]


@pytest.fixture(scope="module")
def tree() -> Tree:
    """Give a small tree."""
    found = minimum_tree(ROWS, LABELS).tree
    assert found is not None
    return found


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"onnx"}))
def test_every_format_is_written_and_checked(name: str, tree: Tree) -> None:
    """With and without rows, the same is written."""
    if name == "png":
        pytest.importorskip("matplotlib")
    written = export_tree(tree, name, ROWS, LABELS)
    assert len(written) > 20
    assert type(written) is type(export_tree(tree, name))


@settings(max_examples=30)
@given(readable_trees())
def test_json_is_read_back(drawn: tuple[Tree, Any, Any]) -> None:
    """The check of JSON is a tree read back."""
    tree, rows, _ = drawn
    text = export_tree(tree, "json", rows, tree.predict(rows))
    assert Tree.from_json(str(text)) == tree


def test_unknown_formats_are_refused(tree: Tree) -> None:
    """The error names those that are known, and the one that was meant."""
    with pytest.raises(InputError, match=r"'pyton' is not known; did you mean 'python'\? known are json, text"):
        export_tree(tree, "pyton")


def test_wrong_rows_are_refused(tree: Tree) -> None:
    """A tree is only checked on rows that it is right on."""
    with pytest.raises(InputError, match=r"rows 0.*on_conflict"):
        export_tree(tree, "sql", ROWS, ["go", "go", "go", "stop"])
    with pytest.raises(InputError, match="y is None"):
        export_tree(tree, "sql", ROWS)


def test_a_wrong_export_is_caught(tree: Tree) -> None:
    """The check can fail."""
    with pytest.raises(PuretreeError, match=r"sql export answers otherwise .* 1 rows \(rows 3\)"):
        require_same_answers(tree, ROWS, ["stop", "go", "go", "go"], "sql")


def test_records_tell_every_node(tree: Tree) -> None:
    """One dictionary per node, parents before children, ready for a data frame."""
    records = to_records(tree)
    assert [record["node"] for record in records] == list(range(tree.n_nodes))
    assert records[0]["parent"] is None
    assert records[0]["rows"] == 4
    assert sum(sum(record["rows_by_class"]) for record in records if record["label"] is not None) == 4
    assert all((record["question"] is None) == (record["label"] is not None) for record in records)
    assert {record["answer"] for record in records[1:]} <= {"yes", "no", "no or missing"}
