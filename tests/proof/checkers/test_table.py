"""The table checker: it derives the problem of any table, and rejects any other."""

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
from helpers.strategies import cell_strategies, quick_binarizer, rows_of
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from puretree.binarize import BINARIZERS, BitsBinarizer, OneHotBinarizer, ThresholdBinarizer
from puretree.errors import InputError
from puretree.proof.checkers import purity, table

COLOURS = [["red", 1.0], ["red", 3.0], ["blue", 1.0], ["green", None], ["blue", 2.5]]
LIGHTS = ["stop", "go", "go", "stop", "go"]


def edit(path: Path, change: Callable[[Any], Any]) -> None:
    """Change a JSON file."""
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


@pytest.mark.parametrize("binarize", sorted(BINARIZERS.keys() - {"guessed"}))
def test_the_problem_of_a_table_is_verified(tmp_path: Path, binarize: str) -> None:
    """The problem of numbers, names and missing values is verified for every binariser, without limitations."""
    problem = write_purity_files(tmp_path, COLOURS, LIGHTS, binarize=binarize)
    summary = table.check(tmp_path)
    assert summary["n_rows"] == summary["n_table_rows"] == 5
    assert summary["n_examples"] == len(problem["examples"])
    assert (summary["n_left_out"], summary["n_features"]) == (0, len(problem["features"]))
    assert summary["limitations"] == []


def test_guessed_cuts_are_a_limitation(tmp_path: Path) -> None:
    """The claim for guessed cuts says that it is about these cuts only, and on which columns they are."""
    rows = [[float(i), i % 4] for i in range(120)]
    problem = write_purity_files(tmp_path, rows, ["go"] * 50 + ["stop"] * 70, binarize="guessed")
    assert problem["family"] == {"name": "thresholds"}
    assert [column["cuts"] for column in problem["columns"]] == [[pytest.approx(49.0)], []]
    (limitation,) = [text for text in table.check(tmp_path)["limitations"] if "'x0'" in text]
    assert "the sender chose 1 of the 119 cuts" in limitation


@given(
    st.lists(
        st.sampled_from([cell_strategies[0], cell_strategies[1], cell_strategies[3], st.sampled_from("abc")]),
        min_size=1,
    )
    .flatmap(lambda kinds: rows_of(kinds))
    .flatmap(
        lambda rows: st.tuples(st.just(rows), st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    ),
    st.sampled_from(
        [
            *map(quick_binarizer, BINARIZERS),
            BitsBinarizer(3),
            OneHotBinarizer(4),
            ThresholdBinarizer(max_cuts=2),
            ThresholdBinarizer(cuts="separating"),
        ]
    ),
    st.sampled_from(["majority", "drop"]),
)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_table_is_verified(tmp_path_factory: pytest.TempPathFactory, data: Any, binarize: Any, rule: Any) -> None:
    """The checker derives the same problem from a table as the binarisers, including contradictory rows."""
    (rows, labels), folder = data, tmp_path_factory.mktemp("proof")
    try:
        problem = write_purity_files(folder, rows, labels, binarize=binarize, on_conflict=rule)
    except InputError:  # no row or no feature is left
        reject()
    assert table.check(folder)["n_left_out"] == len(problem["left_out"])
    assert purity.check(folder)["n_rows"] == len(rows) - len(problem["left_out"])


def relabel(cells: list[list[str]]) -> None:
    """Change the label of a row."""
    cells[1][-1] = "go"


CHANGES: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "a label of the table": ("table.csv", relabel, "row 0 is not an example"),
    "a cell": ("table.csv", lambda cells: cells[2].__setitem__(1, "0.5"), "no test of the family"),
    "a column's name": ("table.csv", lambda cells: cells[0].__setitem__(0, "y"), "are not those of problem.json"),
    "a repeated name": ("table.csv", lambda cells: cells[0].__setitem__(0, "x1"), "have the same name"),
    "the label's name": ("table.csv", lambda cells: cells[0].__setitem__(-1, "y"), "no column 'label'"),
    "a removed row": ("table.csv", lambda cells: cells.pop(), "described wrongly"),
    "an additional cell": ("table.csv", lambda cells: cells[1].append("x"), "different lengths"),
    "an unknown label": ("table.csv", lambda cells: cells[1].__setitem__(-1, "halt"), "holds 'halt', which problem"),
    "a missing label": ("table.csv", lambda cells: cells[1].__setitem__(-1, ""), "a row without a label"),
    "an unknown level": ("table.csv", lambda cells: cells[1].__setitem__(0, "pink"), "holds 'pink', which problem"),
    "a number with an underscore": ("table.csv", lambda cells: cells[1].__setitem__(1, "1_0"), "hold numbers only"),
    "numbers that differ beyond double precision": (
        "table.csv",
        lambda cells: cells[1].__setitem__(1, "3.00000000000000000001"),
        "differ only beyond double precision",
    ),
    "an example": ("problem.json", lambda problem: problem["labels"].__setitem__(0, 0), "row . is not an example"),
    "an additional example": (
        "problem.json",
        lambda problem: (
            problem["examples"].append("1" * len(problem["features"])),
            problem["labels"].append(0),
            problem["weights"].append(0),
        ),
        "not a training row",
    ),
    "a weight": ("problem.json", lambda problem: problem["weights"].__setitem__(0, 2), "the weights of problem.json"),
    "a row left out": ("problem.json", lambda problem: problem.update(left_out=[1]), "no other row contradicts it"),
    "a row that does not exist": ("problem.json", lambda problem: problem.update(rows=[0, 9]), "one of the 5 rows"),
    "a row twice": (
        "problem.json",
        lambda problem: problem.update(rows=[0, 1, 2, 3, 4, 4]),
        "lists a training row twice",
    ),
    "a Boolean row number": ("problem.json", lambda problem: problem.update(rows=[0, True, 2, 3, 4]), "is not the ind"),
    "rows left out that do not exist": (
        "problem.json",
        lambda problem: problem.update(left_out=[7]),
        "not training rows",
    ),
    "fewer rows": ("problem.json", lambda problem: problem.update(rows=[0, 1]), "described wrongly"),
    "a predicate": (
        "problem.json",
        lambda problem: problem["features"][0].update(edges=[]),
        "is no test of the family",
    ),
    "edges that cancel out": (
        "problem.json",
        lambda problem: [feature.update(edges=[*feature["edges"], 9.0, 9.0]) for feature in problem["features"]],
        "finite numbers in ascending order",
    ),
    "an edge that is not a number": (
        "problem.json",
        lambda problem: [feature.update(edges=[float("nan")]) for feature in problem["features"]],
        "finite numbers in ascending order",
    ),
    "a string instead of a Boolean": (
        "problem.json",
        lambda problem: [feature.update(holds_missing="") for feature in problem["features"]],
        "true or false",
    ),
    "a level that is missing": ("problem.json", lambda problem: problem["columns"][0]["levels"].pop(), "which problem"),
    "a level listed twice": (
        "problem.json",
        lambda problem: problem["columns"][0]["levels"].append("red"),
        "lists a value of column 'x0' twice",
    ),
    "levels of two kinds": (
        "problem.json",
        lambda problem: problem["columns"][0]["levels"].append(1),
        "are not of one kind",
    ),
    "another family": (
        "problem.json",
        lambda problem: problem.update(family={"name": "onehot", "n_bins": 8}),
        "no test of the family|lacks a test",
    ),
    "cuts of categories": (
        "problem.json",
        lambda problem: problem["columns"][0].update(cuts=[1.0]),
        "invalid list of cuts",
    ),
    "cuts outside the values": (
        "problem.json",
        lambda problem: problem["columns"][1].update(cuts=[0.0]),
        "one does not split its values",
    ),
    "an unknown family": ("problem.json", lambda problem: problem["family"].update(name="all"), "unknown family"),
    "a format": ("problem.json", lambda problem: problem.update(format="puretree problem 1"), "is not of format"),
    "an additional name": ("problem.json", lambda problem: problem.update(more=1), "not an object with the names"),
    "a number instead of a list": ("problem.json", lambda problem: problem.update(features=3), "is not a list"),
    "an empty object": ("problem.json", lambda problem: problem.clear(), "not an object with the names"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_any_change_is_rejected(tmp_path: Path, what: str) -> None:
    """A change to the table or the problem is rejected with the reason."""
    name, change, message = CHANGES[what]
    write_purity_files(tmp_path, COLOURS, LIGHTS)
    path = tmp_path / name
    if name == "table.csv":
        cells = list(csv.reader(path.read_text().splitlines()))
        change(cells)
        path.write_text("".join(",".join(row) + "\n" for row in cells))
    else:
        edit(path, change)
    with pytest.raises(table.Rejected, match=message):
        table.check(tmp_path)


def test_a_feature_that_is_left_out_is_rejected(tmp_path: Path) -> None:
    """A problem without one of the tests is rejected, even if its examples are those of the remaining features."""
    rows = [[float(x), x % 2 == 0] for x in range(6)]
    problem = write_purity_files(tmp_path, rows, [0, 1, 0, 1, 1, 0])
    last = problem["features"].pop()
    assert last["column"] == 1
    problem["examples"] = [example[:-1] for example in problem["examples"]]
    (tmp_path / "problem.json").write_text(json.dumps(problem))
    with pytest.raises(table.Rejected, match="lacks a test of the family on 'x1'"):
        table.check(tmp_path)


def test_contradictory_rows_are_counted(tmp_path: Path) -> None:
    """Contradictory rows may be left out, and this is stated."""
    rows, labels = [["a"], ["a"], ["a"], ["b"]], [1, 1, 0, 0]
    problem = write_purity_files(tmp_path, rows, labels, on_conflict="majority")
    assert problem["left_out"] == [2]
    assert table.check(tmp_path)["limitations"] == ["1 training row is left out: it contradicts others"]
    edit(tmp_path / "problem.json", lambda problem: problem.update(left_out=[]))
    with pytest.raises(table.Rejected, match="row 2 is not an example"):
        table.check(tmp_path)


def test_rows_contradict_only_if_the_whole_family_cannot_distinguish_them(tmp_path: Path) -> None:
    """Rows that a test outside the problem distinguishes cannot be left out as contradictory, not even all of them."""
    write_purity_files(tmp_path, [["a"], ["a"], ["b"]], [0, 1, 0], on_conflict="drop")
    (tmp_path / "table.csv").write_text("x0,label\na,0\nc,1\nb,0\n")
    edit(tmp_path / "problem.json", lambda problem: problem["columns"][0].update(levels=["a", "b", "c"]))
    with pytest.raises(table.Rejected, match="row 0 was left out, but no other row contradicts it"):
        table.check(tmp_path)


LIMITATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "a forbidden column": ({"forbidden": ["x1"]}, "forbidden: tests on column 'x1'"),
    "a limit on cuts": (
        {"binarize": ThresholdBinarizer(max_cuts=3)},
        "the sender chose 3 of the 5 cuts of column 'x0'",
    ),
    "separating cuts": (
        {"binarize": ThresholdBinarizer(cuts="separating")},
        "the sender chose 4 of the 5 cuts of column 'x0'",
    ),
    "a declared category": (
        {"binarize": ThresholdBinarizer(categorical_features=[0])},
        "declared a category though it holds numbers: column 'x0', which leaves out 3 of its 5 tests as numbers and "
        "adds 4",
    ),
    "a root": ({"root": "x0"}, "only trees whose root is a leaf or splits the rows by column 'x0'"),
    "a depth": ({"max_depth": 4}, "only trees of depth at most 4"),
}


@pytest.mark.parametrize("what", LIMITATIONS)
def test_limitations_are_stated(tmp_path: Path, what: str) -> None:
    """Whatever makes the family of trees smaller is stated in the last line that the program prints."""
    options, text = LIMITATIONS[what]
    rows = [[float(x), "ab"[x % 2]] for x in range(6)]
    write_purity_files(tmp_path, rows, [0, 1, 0, 1, 1, 0], **options)
    command = [sys.executable, "-I", "-S", table.__file__, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1].endswith(f"(3) Limitations of the rows and trees: {text}.")


def test_spellings_of_missing_values_are_stated(tmp_path: Path) -> None:
    """A cell that is declared to be a missing value is stated; otherwise it would be a level."""
    write_purity_files(tmp_path, [[1.0], [None], [2.0]], ["a", "b", "a"])
    (tmp_path / "table.csv").write_text("x0,label\n1.0,a\nNA,b\n2.0,a\n")
    with pytest.raises(table.Rejected, match="column 'x0' does not hold numbers only"):
        table.check(tmp_path)
    edit(tmp_path / "problem.json", lambda problem: problem["columns"][0].update(missing_values=["?", "NA"]))
    assert table.check(tmp_path)["limitations"] == ["declared missing in column 'x0': 'NA'"]


def test_it_runs_without_packages(tmp_path: Path) -> None:
    """The file is a program that an isolated Python without packages runs; its exit code is the verdict."""
    write_purity_files(tmp_path, COLOURS, LIGHTS)
    command = [sys.executable, "-I", "-S", table.__file__, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "VERIFIED: problem.json is the binary problem of the table" in ended.stdout
    edit(tmp_path / "problem.json", lambda problem: problem.update(left_out=[1]))
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "REJECTED: row 1 was left out, but no other row contradicts it\n")
    (tmp_path / "table.csv").unlink()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout[:17]) == (2, "CANNOT BE CHECKED")


@pytest.mark.parametrize("path", sorted(Path(table.__file__).parent.glob("[a-z]*.py")), ids=lambda path: path.stem)
def test_checkers_import_only_the_standard_library(path: Path) -> None:
    """No checker imports puretree, another checker or a package."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert {name.name.split(".")[0] for name in node.names} <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert str(node.module).split(".")[0] in sys.stdlib_module_names
