"""The purity checker: it accepts fitted trees, and rejects any change to them."""

import ast
import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.certificates import write_purity_files
from helpers.strategies import cell_strategies, rows_of
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from puretree.binarize import BINARIZERS
from puretree.errors import InputError
from puretree.proof.checkers import purity

COLOURS = [["red", 1.0], ["red", 3.0], ["blue", 1.0], ["green", None], ["blue", 2.5]]
LIGHTS = ["stop", "go", "go", "stop", "go"]


def edit(path: Path, change: Callable[[Any], Any]) -> None:
    """Change a JSON file."""
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


@pytest.mark.parametrize("binarize", BINARIZERS)
def test_a_fitted_tree_is_verified(tmp_path: Path, binarize: str) -> None:
    """Trees on numbers, names and missing values are verified for every binariser."""
    problem = write_purity_files(tmp_path, COLOURS, LIGHTS, binarize=binarize)
    summary = purity.check(tmp_path)
    assert summary["n_rows"] == summary["n_table_rows"] == 5
    assert summary["n_examples"] == len(problem["examples"])
    assert (summary["n_left_out"], summary["n_features"]) == (0, len(problem["questions"]))
    if binarize == "thresholds":  # every cut between two numbers is a threshold, with missing values or without
        assert summary["n_uncovered_cuts"] == 0


@given(
    st.lists(
        st.sampled_from([cell_strategies[0], cell_strategies[1], cell_strategies[3], st.sampled_from("abc")]),
        min_size=1,
    )
    .flatmap(lambda kinds: rows_of(kinds))
    .flatmap(
        lambda rows: st.tuples(st.just(rows), st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    ),
    st.sampled_from(list(BINARIZERS)),
    st.sampled_from(["majority", "drop"]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_table_is_verified(tmp_path_factory: pytest.TempPathFactory, table: Any, binarize: str, rule: Any) -> None:
    """The checker derives the same problem from a table as the binarisers, including contradictory rows."""
    (rows, labels), folder = table, tmp_path_factory.mktemp("proof")
    try:
        problem = write_purity_files(folder, rows, labels, binarize=binarize, on_conflict=rule)
    except InputError:  # no row or no feature is left
        reject()
    assert purity.check(folder)["n_left_out"] == len(problem["left_out"])


def relabel(table: list[list[str]]) -> None:
    """Change the label of a row."""
    table[1][-1] = "go"


CHANGES: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "a label of the table": ("table.csv", relabel, "row 0 is not an example"),
    "a cell": ("table.csv", lambda table: table[2].__setitem__(1, "0.5"), "row 1 is not an example"),
    "a column's name": ("table.csv", lambda table: table[0].__setitem__(0, "y"), "are not those of problem.json"),
    "the label's name": ("table.csv", lambda table: table[0].__setitem__(-1, "y"), "no column 'label'"),
    "a removed row": ("table.csv", lambda table: table.pop(), "example twice, or one that is not a training row"),
    "an additional cell": ("table.csv", lambda table: table[1].append("x"), "different lengths"),
    "an unknown label": ("table.csv", lambda table: table[1].__setitem__(-1, "halt"), "not one of the classes"),
    "a leaf's label": (
        "model.json",
        lambda tree: next(node for node in tree["nodes"] if "label" in node).update(label=1, counts=None),
        "the tree misclassifies row",
    ),
    "a cut": (
        "model.json",
        lambda tree: tree["tests"][0].update(edges=[0.0]),
        "misclassifies row|not one of the predicates",
    ),
    "a child": ("model.json", lambda tree: tree["nodes"][0].update(left=2), "do not form a tree|misclassifies"),
    "a negative child": (
        "model.json",
        lambda tree: tree["nodes"][0].update(left=-2),
        "do not form a tree|misclassifies",
    ),
    "an additional node": ("model.json", lambda tree: tree["nodes"].append(tree["nodes"][-1]), "do not form a tree"),
    "the classes": ("model.json", lambda tree: tree["classes"].reverse(), "different classes"),
    "a level": ("model.json", lambda tree: tree["columns"][0]["levels"].append("x"), "differs between model.json"),
    "an example": ("problem.json", lambda problem: problem["labels"].__setitem__(0, 0), "row . is not an example"),
    "an additional example": (
        "problem.json",
        lambda problem: (problem["examples"].append("1" * len(problem["questions"])), problem["labels"].append(0)),
        "not a training row",
    ),
    "a row left out": ("problem.json", lambda problem: problem.update(left_out=[1]), "no other row contradicts it"),
    "a row that does not exist": ("problem.json", lambda problem: problem.update(rows=[0, 9]), "one of the 5 rows"),
    "a row twice": (
        "problem.json",
        lambda problem: problem.update(rows=[0, 1, 2, 3, 4, 4]),
        "lists a training row twice",
    ),
    "a Boolean row number": ("problem.json", lambda problem: problem.update(rows=[0, True, 2, 3, 4]), "counted from 0"),
    "rows left out that do not exist": (
        "problem.json",
        lambda problem: problem.update(left_out=[7]),
        "not training rows",
    ),
    "fewer rows": ("problem.json", lambda problem: problem.update(rows=[0, 1]), "not a training row"),
    "another version of the format": ("model.json", lambda tree: tree.update(version=2), "not a tree in the format"),
    "negative labels": (
        "model.json",
        lambda tree: [node.update(label=node["label"] - 2) for node in tree["nodes"] if "label" in node],
        "2 classes, counted from 0",
    ),
    "negative column indices": (
        "model.json",
        lambda tree: [column.update(index=column["index"] - 2) for column in tree["columns"]],
        "columns, counted from 0",
    ),
    "edges that cancel out": (
        "model.json",
        lambda tree: [test.update(edges=[*test["edges"], 9.0, 9.0]) for test in tree["tests"]],
        "finite numbers in ascending order",
    ),
    "an edge that is not a number": (
        "model.json",
        lambda tree: [test.update(edges=[*test["edges"], float("nan")]) for test in tree["tests"]],
        "finite numbers in ascending order",
    ),
    "a string instead of a Boolean": (
        "model.json",
        lambda tree: [test.update(holds_missing="") for test in tree["tests"]],
        "true or false",
    ),
    "a number with an underscore": ("table.csv", lambda table: table[1].__setitem__(1, "1_0"), "is not a number"),
    "the depth": ("problem.json", lambda problem: problem.update(max_depth=1), "deeper than 1"),
    "the root": ("problem.json", lambda problem: problem.update(roots=[]), "violates the root constraint"),
    "a predicate": (
        "problem.json",
        lambda problem: problem["questions"][0].update(edges=[]),
        "row . is not an example",
    ),
    "a number instead of a list": ("problem.json", lambda problem: problem.update(questions=3), "malformed"),
    "an empty object": ("problem.json", lambda problem: problem.clear(), "malformed"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_any_change_is_rejected(tmp_path: Path, what: str) -> None:
    """A change to the table, the tree or the problem is rejected with the reason."""
    name, change, message = CHANGES[what]
    write_purity_files(tmp_path, COLOURS, LIGHTS)
    path = tmp_path / name
    if name == "table.csv":
        table = list(csv.reader(path.read_text().splitlines()))
        change(table)
        path.write_text("".join(",".join(row) + "\n" for row in table))
    else:
        edit(path, change)
    with pytest.raises(purity.Rejected, match=message):
        purity.check(tmp_path)


def test_contradictory_rows_are_counted(tmp_path: Path) -> None:
    """Contradictory rows may be left out, and the number is reported."""
    rows, labels = [["a"], ["a"], ["a"], ["b"]], [1, 1, 0, 0]
    problem = write_purity_files(tmp_path, rows, labels, on_conflict="majority")
    assert problem["left_out"] == [2]
    assert purity.check(tmp_path)["n_left_out"] == 1
    edit(tmp_path / "problem.json", lambda problem: problem.update(left_out=[]))
    with pytest.raises(purity.Rejected, match="row 2 is not an example"):
        purity.check(tmp_path)


def test_cuts_that_are_not_features_are_counted(tmp_path: Path) -> None:
    """Thresholds cover every cut between two values, bits do not: the checker counts the uncovered ones."""
    rows = [[float(x)] for x in range(6)]
    write_purity_files(tmp_path, rows, [0, 1, 0, 1, 1, 0])
    assert purity.check(tmp_path)["n_cuts"] == 5
    assert purity.check(tmp_path)["n_uncovered_cuts"] == 0
    write_purity_files(tmp_path, rows, [0, 1, 0, 1, 1, 0], binarize="bits")
    assert purity.check(tmp_path)["n_uncovered_cuts"] > 0


def test_cuts_with_missing_values_and_forbidden_columns(tmp_path: Path) -> None:
    """Rows with a missing value may be on either side of a cut, and forbidden columns are named."""
    rows = [[float(x) if x != 3 else None, "ab"[x % 2]] for x in range(6)]
    write_purity_files(tmp_path, rows, [0, 1, 0, 1, 1, 0], forbidden=["x1"])
    summary = purity.check(tmp_path)
    assert (summary["n_cuts"], summary["n_uncovered_cuts"], summary["forbidden"]) == (5, 0, ["x1"])


def test_it_runs_without_packages(tmp_path: Path) -> None:
    """The file is a program that an isolated Python without packages runs; its exit code is the verdict."""
    write_purity_files(tmp_path, COLOURS, LIGHTS)
    command = [sys.executable, "-I", "-S", purity.__file__, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "VERIFIED: a tree of" in ended.stdout
    edit(tmp_path / "problem.json", lambda problem: problem.update(left_out=[1]))
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "REJECTED: row 1 was left out, but no other row contradicts it\n")
    (tmp_path / "table.csv").unlink()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout[:17]) == (2, "CANNOT BE CHECKED")


@pytest.mark.parametrize("path", sorted(Path(purity.__file__).parent.glob("[a-z]*.py")), ids=lambda path: path.stem)
def test_checkers_import_only_the_standard_library(path: Path) -> None:
    """No checker imports puretree, another checker or a package."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert {name.name.split(".")[0] for name in node.names} <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert str(node.module).split(".")[0] in sys.stdlib_module_names
