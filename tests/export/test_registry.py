"""The export formats by name."""

import re
from typing import Any

import pandas as pd
import pytest
from helpers.strategies import readable_trees
from hypothesis import given, settings

from puretree import InputError, PuretreeError, Tree, minimum_tree
from puretree.export import FORMATS, export_tree, to_records
from puretree.export.check import require_same_predictions

ROWS = [["red", 1.0], ["red", 3.0], ["blue", 1.0], [None, 2.0]]
LABELS = ["stop", "go", "go", "stop"]


@pytest.fixture(scope="module")
def tree() -> Tree:
    """Return a small tree."""
    tree = minimum_tree(ROWS, LABELS).tree
    assert tree is not None
    return tree


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"onnx"}))
def test_every_format_is_written_and_checked(name: str, tree: Tree) -> None:
    """Every format is written with and without rows, with the same type of result."""
    if name == "png":
        pytest.importorskip("matplotlib")
    written = export_tree(tree, name, ROWS, LABELS)
    assert len(written) > 20
    assert type(written) is type(export_tree(tree, name))


@settings(max_examples=30)
@given(readable_trees())
def test_json_is_loaded_again(drawn: tuple[Tree, Any, Any]) -> None:
    """The JSON export of any tree passes its check and loads as an equal tree."""
    tree, rows, _ = drawn
    text = export_tree(tree, "json", rows, tree.predict(rows))
    assert Tree.from_json(str(text)) == tree


def test_unknown_format_is_rejected(tree: Tree) -> None:
    """The error names the known formats and the closest one."""
    with pytest.raises(InputError, match=r"'pyton' is unknown; did you mean 'python'\? use one of json, text"):
        export_tree(tree, "pyton")


def test_misclassified_rows_are_rejected(tree: Tree) -> None:
    """Rows that the tree misclassifies, and rows without labels, raise an error."""
    with pytest.raises(InputError, match=r"rows 0.*on_conflict"):
        export_tree(tree, "sql", ROWS, ["go", "go", "go", "stop"])
    with pytest.raises(InputError, match="y is None"):
        export_tree(tree, "sql", ROWS)


def test_wrong_export_is_detected(tree: Tree) -> None:
    """An export that predicts a row differently raises an error that names the row."""
    with pytest.raises(PuretreeError, match=r"the sql export differ from those of the tree on 1 row \(rows 3\)"):
        require_same_predictions(tree, ROWS, ["stop", "go", "go", "go"], "sql")


def test_records_describe_every_node(tree: Tree) -> None:
    """There is one dictionary per node, parents before children, with consistent row counts."""
    records = to_records(tree)
    assert [record["node"] for record in records] == list(range(tree.n_nodes))
    assert records[0]["parent"] is None
    assert records[0]["rows"] == 4
    assert sum(sum(record["rows_by_class"]) for record in records if record["label"] is not None) == 4
    assert all((record["question"] is None) == (record["label"] is not None) for record in records)
    assert {record["answer"] for record in records[1:]} <= {"yes", "no", "no or missing"}


@pytest.mark.parametrize("name", ["text", "dot", "svg", "python", "sql"])
def test_integers_and_bits_read_naturally(name: str) -> None:
    """No output shows half a child, and a column of 0 and 1 is shown by its value."""
    rows = [[children, bit] for children in (0, 1, 2) for bit in (0, 1)] * 2
    table = pd.DataFrame(rows, columns=["children", "F8"])
    labels = ["a" if children > 0 else "b" if bit else "c" for children, bit in rows]
    tree = minimum_tree(table, labels).tree
    assert tree is not None
    written = str(export_tree(tree, name, table, labels))
    shown = written.replace("\N{NO-BREAK SPACE}", " ")
    assert not re.search(r"[≤<>=] \d+\.5", shown)
    expected = {"sql": ['"children" <= 0.0', '"F8" > 0.0'], "python": ["# children ≤ 0", "# F8 = 1"]}
    for words in expected.get(name, ["children ≤ 0?", "F8 = 1?"]):
        assert words in shown
