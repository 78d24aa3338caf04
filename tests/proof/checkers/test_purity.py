"""The purity checker: it accepts fitted trees, and rejects any change to them."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.certificates import write_purity_files

from puretree.proof.checkers import purity

COLOURS = [["red", 1.0], ["red", 3.0], ["blue", 1.0], ["green", None], ["blue", 2.5]]
LIGHTS = ["stop", "go", "go", "stop", "go"]


def leaf(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the first leaf."""
    return next(node for node in tree["nodes"] if "label" in node)


CHANGES: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "a leaf's label": ("model.json", lambda tree: leaf(tree).update(label=1 - leaf(tree)["label"]), "misclassifies"),
    "a count": ("model.json", lambda tree: leaf(tree)["counts"].__setitem__(0, 7), "the numbers of rows at the nodes"),
    "a missing count": ("model.json", lambda tree: leaf(tree).pop("counts"), "not an object with the names"),
    "a cut": ("model.json", lambda tree: tree["tests"][0].update(edges=[0.0]), "not one of the features"),
    "a cut as an integer": (
        "model.json",
        lambda tree: tree["tests"][0].update(edges=[int(edge) for edge in tree["tests"][0]["edges"]]),
        "not one of the features",
    ),
    "a number instead of a Boolean": (
        "model.json",
        lambda tree: [test.update(holds_missing=int(test["holds_missing"])) for test in tree["tests"]],
        "not one of the features",
    ),
    "a child": ("model.json", lambda tree: tree["nodes"][0].update(left=2), "do not form a tree"),
    "a negative child": ("model.json", lambda tree: tree["nodes"][0].update(left=-2), "is not the index of one of the"),
    "an additional node": ("model.json", lambda tree: tree["nodes"].append(tree["nodes"][-1]), "do not form a tree"),
    "no node": ("model.json", lambda tree: tree["nodes"].clear(), "do not form a tree"),
    "the classes": ("model.json", lambda tree: tree["classes"].reverse(), "different classes"),
    "a level": ("model.json", lambda tree: tree["columns"][0]["levels"].append("x"), "differs between model.json"),
    "the number of columns": ("model.json", lambda tree: tree.update(n_columns=3), "have different columns"),
    "another version of the format": ("model.json", lambda tree: tree.update(version=2), "not a tree in the format"),
    "negative labels": (
        "model.json",
        lambda tree: [node.update(label=node["label"] - 2) for node in tree["nodes"] if "label" in node],
        "one of the 2 classes",
    ),
    "negative column indices": (
        "model.json",
        lambda tree: [column.update(index=column["index"] - 2) for column in tree["columns"]],
        "one of the 2 columns",
    ),
    "an additional name": ("model.json", lambda tree: tree.update(accuracy=1.0), "not an object with the names"),
    "the depth": ("problem.json", lambda problem: problem.update(max_depth=1), "deeper than 1"),
    "the root": ("problem.json", lambda problem: problem.update(roots=[]), "the root of the tree is not one of"),
    "an example": ("problem.json", lambda problem: problem["labels"].reverse(), "misclassifies example"),
    "an empty object": ("problem.json", lambda problem: problem.clear(), "malformed"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_any_change_is_rejected(tmp_path: Path, what: str) -> None:
    """A change to the tree or the problem is rejected with the reason."""
    name, change, message = CHANGES[what]
    write_purity_files(tmp_path, COLOURS, LIGHTS)
    assert purity.check(tmp_path)["n_rows"] == len(LIGHTS)
    data = json.loads((tmp_path / name).read_text())
    change(data)
    (tmp_path / name).write_text(json.dumps(data))
    with pytest.raises(purity.Rejected, match=message):
        purity.check(tmp_path)


def test_it_runs_without_packages(tmp_path: Path) -> None:
    """The file is a program that an isolated Python without packages runs; its exit code is the verdict."""
    write_purity_files(tmp_path, COLOURS, LIGHTS)
    command = [sys.executable, "-I", "-S", purity.__file__, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "classifies all 5 rows of problem.json correctly" in ended.stdout
    text = (tmp_path / "model.json").read_text()
    (tmp_path / "model.json").write_text(text.replace('"version": 1', '"version": 1, "version": 1'))
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "REJECTED: model.json holds an object with a repeated name\n")
    (tmp_path / "model.json").unlink()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout[:17]) == (2, "CANNOT BE CHECKED")
