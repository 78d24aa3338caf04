"""The checker of purity: it agrees with what was fitted, and with nothing else."""

import ast
import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.certificates import write_half
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
    """Numbers, names and gaps, whichever questions are asked."""
    problem = write_half(tmp_path, COLOURS, LIGHTS, binarize=binarize)
    found = purity.check(tmp_path)
    assert found["n_rows"] == found["n_table_rows"] == 5
    assert found["n_examples"] == len(problem["examples"])
    assert (found["n_left_out"], found["n_questions"]) == (0, len(problem["questions"]))
    if binarize == "thresholds":  # between any two numbers, with gaps or without
        assert found["n_cuts_not_asked"] == 0


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
    """What the checker makes of a table is what the binarisers made of it, contradictions and all."""
    (rows, labels), folder = table, tmp_path_factory.mktemp("proof")
    try:
        problem = write_half(folder, rows, labels, binarize=binarize, on_conflict=rule)
    except InputError:  # nothing is left to learn from, or nothing can be asked
        reject()
    assert purity.check(folder)["n_left_out"] == len(problem["left_out"])


def relabel(table: list[list[str]]) -> None:
    """Give a row another label."""
    table[1][-1] = "go"


CHANGES: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "a label of the table": ("table.csv", relabel, "row 0 is no example"),
    "a cell": ("table.csv", lambda table: table[2].__setitem__(1, "0.5"), "row 1 is no example"),
    "a column's name": ("table.csv", lambda table: table[0].__setitem__(0, "y"), "are not those of problem.json"),
    "the label's name": ("table.csv", lambda table: table[0].__setitem__(-1, "y"), "no column 'label'"),
    "a row that is gone": ("table.csv", lambda table: table.pop(), "example twice, or one that is no training row"),
    "a cell too many": ("table.csv", lambda table: table[1].append("x"), "different lengths"),
    "an unknown label": ("table.csv", lambda table: table[1].__setitem__(-1, "halt"), "none of the classes"),
    "a leaf's label": (
        "model.json",
        lambda tree: next(node for node in tree["nodes"] if "label" in node).update(label=1, counts=None),
        "the tree is wrong on row",
    ),
    "a cut": ("model.json", lambda tree: tree["tests"][0].update(edges=[0.0]), "wrong on row|none of the questions"),
    "a child": ("model.json", lambda tree: tree["nodes"][0].update(left=2), "not those of a tree|is wrong"),
    "a child of another": ("model.json", lambda tree: tree["nodes"][0].update(left=-2), "not those of a tree|is wrong"),
    "a node more": ("model.json", lambda tree: tree["nodes"].append(tree["nodes"][-1]), "not those of a tree"),
    "the classes": ("model.json", lambda tree: tree["classes"].reverse(), "different classes"),
    "a level": ("model.json", lambda tree: tree["columns"][0]["levels"].append("x"), "another one in model.json"),
    "an example": ("problem.json", lambda problem: problem["labels"].__setitem__(0, 0), "row . is no example"),
    "an example more": (
        "problem.json",
        lambda problem: (problem["examples"].append("1" * len(problem["questions"])), problem["labels"].append(0)),
        "no training row",
    ),
    "a row left out": ("problem.json", lambda problem: problem.update(left_out=[1]), "no row contradicts it"),
    "a row that is not there": ("problem.json", lambda problem: problem.update(rows=[0, 9]), "one of the 5 rows"),
    "a row twice": ("problem.json", lambda problem: problem.update(rows=[0, 1, 2, 3, 4, 4]), "trained twice"),
    "a row by its truth": ("problem.json", lambda problem: problem.update(rows=[0, True, 2, 3, 4]), "counted from 0"),
    "rows left out of nowhere": ("problem.json", lambda problem: problem.update(left_out=[7]), "no training rows"),
    "fewer rows": ("problem.json", lambda problem: problem.update(rows=[0, 1]), "no training row"),
    "a foreign tree": ("model.json", lambda tree: tree.update(version=2), "not a tree of the format"),
    "a label from the end": (
        "model.json",
        lambda tree: [node.update(label=node["label"] - 2) for node in tree["nodes"] if "label" in node],
        "2 classes, counted from 0",
    ),
    "a column from the end": (
        "model.json",
        lambda tree: [column.update(index=column["index"] - 2) for column in tree["columns"]],
        "columns, counted from 0",
    ),
    "edges that cancel out": (
        "model.json",
        lambda tree: [test.update(edges=[*test["edges"], 9.0, 9.0]) for test in tree["tests"]],
        "numbers in order",
    ),
    "an edge that is no number": (
        "model.json",
        lambda tree: [test.update(edges=[*test["edges"], float("nan")]) for test in tree["tests"]],
        "numbers in order",
    ),
    "a truth in words": (
        "model.json",
        lambda tree: [test.update(holds_missing="") for test in tree["tests"]],
        "true or false",
    ),
    "a number with a line in it": ("table.csv", lambda table: table[1].__setitem__(1, "1_0"), "is not a number"),
    "the depth": ("problem.json", lambda problem: problem.update(max_depth=1), "deeper than 1"),
    "the root": ("problem.json", lambda problem: problem.update(roots=[]), "the first test is not one"),
    "a question": ("problem.json", lambda problem: problem["questions"][0].update(edges=[]), "row . is no example"),
    "nonsense": ("problem.json", lambda problem: problem.update(questions=3), "broken"),
    "nothing": ("problem.json", lambda problem: problem.clear(), "broken"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_does_not_hold_is_rejected(tmp_path: Path, what: str) -> None:
    """Whatever is changed in the table, the tree or the problem, the checker tells what does not fit."""
    name, change, told = CHANGES[what]
    write_half(tmp_path, COLOURS, LIGHTS)
    path = tmp_path / name
    if name == "table.csv":
        table = list(csv.reader(path.read_text().splitlines()))
        change(table)
        path.write_text("".join(",".join(row) + "\n" for row in table))
    else:
        edit(path, change)
    with pytest.raises(purity.Rejected, match=told):
        purity.check(tmp_path)


def test_contradictions_are_counted(tmp_path: Path) -> None:
    """Of equal rows those with the rarer label may be left out, and no others."""
    rows, labels = [["a"], ["a"], ["a"], ["b"]], [1, 1, 0, 0]
    problem = write_half(tmp_path, rows, labels, on_conflict="majority")
    assert problem["left_out"] == [2]
    assert purity.check(tmp_path)["n_left_out"] == 1
    edit(tmp_path / "problem.json", lambda problem: problem.update(left_out=[]))
    with pytest.raises(purity.Rejected, match="row 2 is no example"):
        purity.check(tmp_path)


def test_cuts_that_are_not_asked_are_counted(tmp_path: Path) -> None:
    """Thresholds ask every cut between two values, bits do not: the checker tells how many are missing."""
    rows = [[float(x)] for x in range(6)]
    write_half(tmp_path, rows, [0, 1, 0, 1, 1, 0])
    assert purity.check(tmp_path)["n_cuts"] == 5
    assert purity.check(tmp_path)["n_cuts_not_asked"] == 0
    write_half(tmp_path, rows, [0, 1, 0, 1, 1, 0], binarize="bits")
    assert purity.check(tmp_path)["n_cuts_not_asked"] > 0


def test_cuts_of_columns_with_gaps_and_of_forbidden_ones(tmp_path: Path) -> None:
    """Rows without a value may be on either side of a cut, and a column that may not be asked is named."""
    rows = [[float(x) if x != 3 else None, "ab"[x % 2]] for x in range(6)]
    write_half(tmp_path, rows, [0, 1, 0, 1, 1, 0], forbidden=["x1"])
    found = purity.check(tmp_path)
    assert (found["n_cuts"], found["n_cuts_not_asked"], found["forbidden"]) == (5, 0, ["x1"])


def test_it_runs_without_anything(tmp_path: Path) -> None:
    """The file alone is a program: an isolated Python without packages runs it, and its exit code tells."""
    write_half(tmp_path, COLOURS, LIGHTS)
    command = [sys.executable, "-I", "-S", purity.__file__, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "VERIFIED: a tree of" in ended.stdout
    edit(tmp_path / "problem.json", lambda problem: problem.update(left_out=[1]))
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "REJECTED: row 1 was left out, though no row contradicts it\n")
    (tmp_path / "table.csv").unlink()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout[:17]) == (2, "CANNOT BE CHECKED")


@pytest.mark.parametrize("path", sorted(Path(purity.__file__).parent.glob("[a-z]*.py")), ids=lambda path: path.stem)
def test_checkers_import_the_standard_library_alone(path: Path) -> None:
    """No checker imports puretree, another checker or a package."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert {name.name.split(".")[0] for name in node.names} <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert str(node.module).split(".")[0] in sys.stdlib_module_names
