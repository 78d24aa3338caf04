"""Bad input for every command: exit code 2, one line that names the culprit, and never a traceback."""

import json
import sys
from itertools import product
from pathlib import Path

import pytest
from helpers.command_line import LOANS, Puretree


def refused(puretree: Puretree, told: str, *arguments: object) -> None:
    """Check that a command is refused with these words."""
    ended = puretree(*arguments)
    assert ended.code == 2, ended
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    assert told in ended.err
    assert ended.err.count("\n") == 1


MODEL_COMMANDS = {
    "show": [],
    "predict": ["{data}"],
    "export": ["--format", "text"],
    "explain": ["{data}", "--row", "0"],
}


@pytest.mark.parametrize("command", MODEL_COMMANDS)
def test_what_is_no_model(puretree: Puretree, run_folder: Path, loans: Path, tmp_path: Path, command: str) -> None:
    """A model that is not there, not one, or not all of it; a folder that is no run; a run with a file missing."""
    rest = [argument.format(data=loans) for argument in MODEL_COMMANDS[command]]
    refused(puretree, "there is no run folder and no model", command, tmp_path / "nothing", *rest)
    refused(puretree, "is not a run folder: it has no model.json", command, tmp_path, *rest)
    refused(puretree, "loans.csv is not a complete puretree model", command, loans, *rest)
    model = run_folder / "model.json"
    half = tmp_path / "half.json"
    half.write_text(model.read_text()[:100])
    refused(puretree, "half.json is not a complete puretree model", command, half, *rest)
    (run_folder / "history.csv").unlink()
    refused(puretree, "it has no history.csv", command, run_folder, *rest)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("model.json", "{}", "model.json is not a complete puretree model"),
        ("model.json", "[" * 100_000, "model.json is not a complete puretree model"),
        ("outcome.json", "{", "outcome.json: this is not valid or not complete JSON"),
        ("outcome.json", "{}", "'format' is not there"),
        ("outcome.json", '{"format": "puretree run 99"}', "'puretree run 99'"),
        ("certificate.json", "[]", "'tree' is not there"),
        ("certificate.json", '{"tree": "0"}', "does not hold the tree that certificate.json speaks of"),
        ("data.json", '{"source": 3}', "'source' cannot be 3"),
        ("history.csv", "seconds,lower,upper\n1,x,\n", "is not a history of bounds"),
        ("history.csv", "", "is not a history of bounds"),
    ],
)
def test_broken_runs(puretree: Puretree, run_folder: Path, name: str, content: str, told: str) -> None:
    """The file that is broken is named."""
    (run_folder / name).write_text(content)
    refused(puretree, told, "show", run_folder)


ODD = [None, -1, "x", {"x": [1]}]


@pytest.mark.parametrize("name", ["outcome.json", "data.json", "certificate.json"])
def test_runs_with_odd_values(puretree: Puretree, run_folder: Path, name: str) -> None:
    """Whatever stands in the place of a value, a run is shown or refused, and never a reason to crash."""
    path = run_folder / name
    whole = json.loads(path.read_text())
    for key, odd in product(whole, ODD):
        path.write_text(json.dumps(whole | {key: odd}))
        assert puretree("show", run_folder).code in (0, 2)
    path.write_text(json.dumps(whole | {"more": float("nan")}))
    refused(puretree, "NaN is not a finite number", "show", run_folder)


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_rows_that_do_not_fit(puretree: Puretree, run_folder: Path, tmp_path: Path, command: str) -> None:
    """A file without the column, or with a word in a column of numbers, is told by column and line."""
    rest = ["--row", "0"] if command == "explain" else []
    rows = tmp_path / "rows.csv"
    refused(puretree, "there is no file", command, run_folder, rows, *rest)
    rows.write_text("")
    refused(puretree, "has no rows", command, run_folder, rows, *rest)
    rows.write_text("Income,x\n1,2\n")
    refused(
        puretree,
        "has no column 'income', which the tree tests (did you mean 'Income'?)",
        command,
        run_folder,
        rows,
        *rest,
    )
    rows.write_text("income\n1\nlots\n")
    refused(puretree, "rows.csv, line 3, column 'income': 'lots' is not a number", command, run_folder, rows, *rest)
    refused(puretree, f"{tmp_path} is a folder; pass a CSV file", command, run_folder, tmp_path, *rest)
    rows.write_bytes(b"income\n\xff\n")
    refused(puretree, "is not UTF-8 text", command, run_folder, rows, *rest)


def test_explain_what(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """A row must be said, and be there; a value must be of a column that is asked about."""
    refused(puretree, "say which row", "explain", run_folder)
    refused(puretree, "say which row", "explain", run_folder, loans)
    refused(puretree, "say which row", "explain", run_folder, "--row", "0")
    refused(puretree, "--row 6: ", "explain", run_folder, loans, "--row", "6")
    refused(puretree, "--row -1: ", "explain", run_folder, loans, "--row", "-1")
    refused(
        puretree,
        "--set incom: no test is about this column (did you mean 'income'?)",
        "explain",
        run_folder,
        "--set",
        "incom=3",
    )
    refused(puretree, "--set income: 'x' is not a number", "explain", run_folder, "--set", "income=x")
    refused(puretree, "--set 'income' is not COLUMN=VALUE", "explain", run_folder, "--set", "income")


def test_export_how_and_where(puretree: Puretree, run_folder: Path, tmp_path: Path) -> None:
    """An unknown format, no format, and a place where nothing can be written."""
    refused(puretree, "format 'svgg' is unknown; did you mean 'svg'?", "export", run_folder, "--format", "svgg")
    refused(puretree, "Missing option '--format'", "export", run_folder)
    refused(puretree, "give --out FILE as well", "export", run_folder, "--format", "svg", "--json")
    where = tmp_path / "no" / "tree.svg"
    told = f"{where} cannot be written: there is no folder {where.parent}; create it first"
    refused(puretree, told, "export", run_folder, "--format", "svg", "--out", where)
    refused(puretree, "Is a directory", "export", run_folder, "--format", "svg", "--out", tmp_path)


def test_pictures_are_not_for_terminals(puretree: Puretree, run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of bytes would only ring the bell of a terminal."""
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    refused(puretree, "--format png is not for a terminal; give --out FILE", "export", run_folder, "--format", "png")


def test_escape_sequences_are_told_by_number(puretree: Puretree, loans: Path) -> None:
    """An error never hands a terminal what it would obey."""
    refused(puretree, r"'p\x1b]0;title\x07'", "fit", loans, "-t", "p\x1b]0;title\x07")


def test_predict_where(puretree: Puretree, run_folder: Path, loans: Path, tmp_path: Path) -> None:
    """A place where nothing can be written is named."""
    where = tmp_path / "no" / "said.csv"
    told = f"{where} cannot be written: there is no folder {where.parent}"
    refused(puretree, told, "predict", run_folder, loans, "--out", where)


@pytest.mark.parametrize("command", ["trees", "encode"])
def test_tables_that_cannot_be_used(puretree: Puretree, loans: Path, tmp_path: Path, command: str) -> None:
    """The same words as for fit."""
    refused(puretree, "there is no file", command, tmp_path / "none.csv", "-t", "y")
    refused(puretree, "--target is missing", command, loans)
    refused(puretree, "no column 'rsk' (did you mean 'risk'?)", command, loans, "-t", "rsk")
    refused(puretree, "--root names 'incom'", command, loans, "-t", "risk", "--root", "incom")
    refused(puretree, "--forbid names 'incom'", command, loans, "-t", "risk", "--forbidden", "incom")
    refused(puretree, "--binarize x is unknown", command, loans, "-t", "risk", "--binarize", "x")
    refused(puretree, "--max-depth 0 is not", command, loans, "-t", "risk", "--max-depth", "0")
    same = tmp_path / "same.csv"
    same.write_text("a,y\n1,p\n1,q\n")
    refused(puretree, "line 2 (p), line 3 (q)", command, same, "-t", "y")


def test_encode_what(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """Sizes that no tree has, a table that needs none, JSON of nothing."""
    refused(puretree, "--nodes 4 is not the size of a tree", "encode", loans, "-t", "risk", "--nodes", "4")
    refused(puretree, "give --out FILE as well", "encode", loans, "-t", "risk", "--json")
    same = tmp_path / "same.csv"
    same.write_text("a,y\n1,p\n2,p\n")
    refused(puretree, "all examples are of one class", "encode", same, "-t", "y", "--nodes", "3")
    where = tmp_path / "no" / "tree.wcnf"
    refused(puretree, f"{where} cannot be written: there is no folder", "encode", loans, "-t", "risk", "--out", where)


def test_trees_how_many(puretree: Puretree, loans: Path) -> None:
    """Numbers of trees must be numbers of trees, selection rows must be there and labelled."""
    for option in ("--list", "--sample", "--diverse"):
        refused(puretree, f"{option} 0 is not a number of trees", "trees", loans, "-t", "risk", option, "0")
    refused(puretree, "Invalid value for '--list'", "trees", loans, "-t", "risk", "--list", "all")
    refused(puretree, "--extra -1", "trees", loans, "-t", "risk", "--extra", "-1")
    refused(puretree, "there is no file none.csv", "trees", loans, "-t", "risk", "--best", "none.csv")


def test_trees_after_the_data_changed(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """A run answers for the data it was made of, and for no others."""
    loans.write_text(LOANS.replace("80", "81"))
    refused(puretree, "loans.csv changed since the run", "trees", run_folder)
    loans.unlink()
    refused(puretree, "the data of the run are gone", "trees", run_folder)


def test_datasets_and_engines(puretree: Puretree, tmp_path: Path) -> None:
    """A folder that has no data sets, an option that is none."""
    refused(puretree, "has no MANIFEST.csv", "datasets", "list", "--data", tmp_path)
    refused(puretree, "has no MANIFEST.csv", "datasets", "table2", "--data", tmp_path)
    refused(puretree, "No such option: --all", "engines", "--all")
    refused(puretree, "'puretree datasets' knows list and table2, not 'best'", "datasets", "best")


def test_commands_that_are_none(puretree: Puretree) -> None:
    """A command that is unknown, and one without what it needs."""
    refused(puretree, "No such command 'fti'", "fti")
    for command in ("fit", "show", "trees", "predict", "export", "explain", "encode"):
        refused(puretree, "Missing", command)
