"""Invalid input for every command: exit code 2, one line that names the cause, and no traceback."""

import json
import sys
from itertools import product
from pathlib import Path

import pytest
from helpers.command_line import LOANS, Puretree


def assert_rejected(puretree: Puretree, message: str, *arguments: object) -> None:
    """Check that a command exits with code 2 and prints only an error line with this message."""
    result = puretree(*arguments)
    assert result.code == 2, result
    assert result.out == ""
    assert result.err.startswith("error: ")
    assert message in result.err
    assert result.err.count("\n") == 1


MODEL_COMMANDS = {
    "show": [],
    "predict": ["{data}"],
    "export": ["--format", "text"],
    "explain": ["{data}", "--row", "0"],
}


@pytest.mark.parametrize("command", MODEL_COMMANDS)
def test_invalid_models_are_rejected(
    puretree: Puretree, run_folder: Path, loans: Path, tmp_path: Path, command: str
) -> None:
    """Missing, foreign and truncated models, folders without a run and runs without a file are rejected."""
    rest = [argument.format(data=loans) for argument in MODEL_COMMANDS[command]]
    assert_rejected(puretree, "there is no run folder or model", command, tmp_path / "nothing", *rest)
    assert_rejected(puretree, "is not a run folder: it has no model.json", command, tmp_path, *rest)
    assert_rejected(puretree, "loans.csv is not a complete puretree model", command, loans, *rest)
    model = run_folder / "model.json"
    half = tmp_path / "half.json"
    half.write_text(model.read_text()[:100])
    assert_rejected(puretree, "half.json is not a complete puretree model", command, half, *rest)
    (run_folder / "history.csv").unlink()
    assert_rejected(puretree, "it has no history.csv", command, run_folder, *rest)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model.json", "{}", "model.json is not a complete puretree model"),
        ("model.json", "[" * 100_000, "model.json is not a complete puretree model"),
        ("outcome.json", "{", "outcome.json: this is not valid or not complete JSON"),
        ("outcome.json", "{}", "'format' is missing"),
        ("outcome.json", '{"format": "puretree run 99"}', "'puretree run 99'"),
        ("certificate.json", "[]", "'tree' is missing"),
        ("certificate.json", '{"tree": "0"}', "the tree of model.json is not that of certificate.json"),
        ("data.json", '{"source": 3}', "'source' has the invalid value 3"),
        ("history.csv", "seconds,lower,upper\n1,x,\n", "is not a history of bounds"),
        ("history.csv", "", "is not a history of bounds"),
    ],
)
def test_corrupted_runs_are_rejected(
    puretree: Puretree, run_folder: Path, name: str, content: str, message: str
) -> None:
    """The error names the corrupted file or field."""
    (run_folder / name).write_text(content)
    assert_rejected(puretree, message, "show", run_folder)


INVALID_VALUES = [None, -1, "x", {"x": [1]}]


@pytest.mark.parametrize("name", ["outcome.json", "data.json", "certificate.json"])
def test_invalid_values_in_runs_never_crash(puretree: Puretree, run_folder: Path, name: str) -> None:
    """With any field replaced by an invalid value, a run is shown or rejected."""
    path = run_folder / name
    original = json.loads(path.read_text())
    for key, value in product(original, INVALID_VALUES):
        path.write_text(json.dumps(original | {key: value}))
        assert puretree("show", run_folder).code in (0, 2)
    path.write_text(json.dumps(original | {"more": float("nan")}))
    assert_rejected(puretree, "NaN is not a finite number", "show", run_folder)


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_invalid_rows_are_rejected(puretree: Puretree, run_folder: Path, tmp_path: Path, command: str) -> None:
    """Missing columns and invalid values are reported with the column and the line."""
    rest = ["--row", "0"] if command == "explain" else []
    rows = tmp_path / "rows.csv"
    assert_rejected(puretree, "there is no file", command, run_folder, rows, *rest)
    rows.write_text("")
    assert_rejected(puretree, "has no rows", command, run_folder, rows, *rest)
    rows.write_text("Income,x\n1,2\n")
    message = "has no column 'income', which the tree tests (did you mean 'Income'?)"
    assert_rejected(puretree, message, command, run_folder, rows, *rest)
    rows.write_text("income\n1\nlots\n")
    message = "rows.csv, line 3, column 'income': 'lots' is not a number"
    assert_rejected(puretree, message, command, run_folder, rows, *rest)
    assert_rejected(puretree, f"{tmp_path} is a folder; pass a CSV file", command, run_folder, tmp_path, *rest)
    rows.write_bytes(b"income\n\xff\n")
    assert_rejected(puretree, "is not UTF-8 text", command, run_folder, rows, *rest)


def test_explain_requires_a_valid_row(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """Missing rows, row numbers out of range, and values of unknown columns are rejected."""
    assert_rejected(puretree, "no row is given", "explain", run_folder)
    assert_rejected(puretree, "no row is given", "explain", run_folder, loans)
    assert_rejected(puretree, "no row is given", "explain", run_folder, "--row", "0")
    assert_rejected(puretree, "--row 6: ", "explain", run_folder, loans, "--row", "6")
    assert_rejected(puretree, "--row -1: ", "explain", run_folder, loans, "--row", "-1")
    message = "--set incom: the tree does not test this column (did you mean 'income'?)"
    assert_rejected(puretree, message, "explain", run_folder, "--set", "incom=3")
    assert_rejected(puretree, "--set income: 'x' is not a number", "explain", run_folder, "--set", "income=x")
    assert_rejected(puretree, "--set 'income' is not COLUMN=VALUE", "explain", run_folder, "--set", "income")


def test_export_requires_a_known_format_and_a_writable_file(
    puretree: Puretree, run_folder: Path, tmp_path: Path
) -> None:
    """Unknown and missing formats, JSON without a file, and files that cannot be written are rejected."""
    assert_rejected(puretree, "'svgg' is unknown; did you mean 'svg'?", "export", run_folder, "--format", "svgg")
    assert_rejected(puretree, "Missing option '--format'", "export", run_folder)
    assert_rejected(puretree, "add --out FILE", "export", run_folder, "--format", "svg", "--json")
    path = tmp_path / "no" / "tree.svg"
    message = f"{path} cannot be written: there is no folder {path.parent}; create it first"
    assert_rejected(puretree, message, "export", run_folder, "--format", "svg", "--out", path)
    assert_rejected(puretree, "Is a directory", "export", run_folder, "--format", "svg", "--out", tmp_path)


def test_binary_formats_are_not_printed_to_a_terminal(
    puretree: Puretree, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal would interpret the bytes of a picture."""
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    message = "--format png is binary and cannot be printed; use --out FILE"
    assert_rejected(puretree, message, "export", run_folder, "--format", "png")


def test_escape_sequences_in_errors_are_escaped(puretree: Puretree, loans: Path) -> None:
    """An error line contains no characters that a terminal interprets."""
    assert_rejected(puretree, r"'p\x1b]0;title\x07'", "fit", loans, "-t", "p\x1b]0;title\x07")


def test_predict_requires_a_writable_file(puretree: Puretree, run_folder: Path, loans: Path, tmp_path: Path) -> None:
    """A file that cannot be written is named."""
    path = tmp_path / "no" / "predictions.csv"
    message = f"{path} cannot be written: there is no folder {path.parent}"
    assert_rejected(puretree, message, "predict", run_folder, loans, "--out", path)


@pytest.mark.parametrize("command", ["trees", "encode"])
def test_invalid_tables_are_rejected(puretree: Puretree, loans: Path, tmp_path: Path, command: str) -> None:
    """Commands other than fit report the same errors about tables and constraints."""
    assert_rejected(puretree, "there is no file", command, tmp_path / "none.csv", "-t", "y")
    assert_rejected(puretree, "--target is missing", command, loans)
    assert_rejected(puretree, "no column 'rsk' (did you mean 'risk'?)", command, loans, "-t", "rsk")
    contradictory = tmp_path / "contradictory.csv"
    contradictory.write_text("a,y\n1,p\n1,q\n")
    message = "line 2 (p), line 3 (q)"
    assert_rejected(puretree, message, command, contradictory, "-t", "y", "--on-conflict", "raise")


@pytest.mark.parametrize("command", ["trees", "encode"])
@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--root", "incom", "(did you mean 'income'?)"),
        ("--forbidden", "incom", "(did you mean 'income'?)"),
        ("--binarize", "x", "--binarize x is unknown"),
        ("--max-depth", "0", "--max-depth 0 is not"),
    ],
)
def test_invalid_constraints_are_rejected(
    puretree: Puretree, loans: Path, command: str, option: str, value: str, message: str
) -> None:
    """The error names the option and its value."""
    assert_rejected(puretree, option, command, loans, "-t", "risk", option, value)
    assert_rejected(puretree, message, command, loans, "-t", "risk", option, value)


def test_encode_requires_a_valid_size(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """Sizes that no tree has, tables of one class, and JSON without a file are rejected."""
    assert_rejected(puretree, "--nodes 4 is not the size of a tree", "encode", loans, "-t", "risk", "--nodes", "4")
    assert_rejected(puretree, "add --out FILE", "encode", loans, "-t", "risk", "--json")
    one_class = tmp_path / "one_class.csv"
    one_class.write_text("a,y\n1,p\n2,p\n")
    assert_rejected(puretree, "all examples", "encode", one_class, "-t", "y", "--nodes", "3")
    path = tmp_path / "no" / "tree.wcnf"
    message = f"{path} cannot be written: there is no folder"
    assert_rejected(puretree, message, "encode", loans, "-t", "risk", "--out", path)


def test_trees_requires_positive_numbers(puretree: Puretree, loans: Path) -> None:
    """Numbers of trees are at least 1, and the file of selection rows exists."""
    for option in ("--list", "--sample", "--diverse"):
        assert_rejected(puretree, f"{option} 0 is not a number of trees", "trees", loans, "-t", "risk", option, "0")
    assert_rejected(puretree, "Invalid value for '--list'", "trees", loans, "-t", "risk", "--list", "all")
    assert_rejected(puretree, "--extra -1", "trees", loans, "-t", "risk", "--extra", "-1")
    assert_rejected(puretree, "there is no file none.csv", "trees", loans, "-t", "risk", "--best", "none.csv")


def test_trees_of_a_run_rejects_changed_data(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """A run whose data have changed or are missing has no trees."""
    loans.write_text(LOANS.replace("80", "81"))
    assert_rejected(puretree, "loans.csv has changed since the run", "trees", run_folder)
    loans.unlink()
    assert_rejected(puretree, "the data of the run are missing", "trees", run_folder)


def test_datasets_and_engines_reject_invalid_arguments(puretree: Puretree, tmp_path: Path) -> None:
    """Folders without data sets, and unknown options and subcommands are rejected."""
    assert_rejected(puretree, "has no MANIFEST.csv", "datasets", "list", "--data", tmp_path)
    assert_rejected(puretree, "has no MANIFEST.csv", "datasets", "table2", "--data", tmp_path)
    assert_rejected(puretree, "No such option: --all", "engines", "--all")
    message = "'puretree datasets best' is unknown; use list or table2"
    assert_rejected(puretree, message, "datasets", "best")


def test_unknown_and_incomplete_commands_are_rejected(puretree: Puretree) -> None:
    """An unknown command and a command without its arguments exit with code 2."""
    assert_rejected(puretree, "No such command 'fti'", "fti")
    for command in ("fit", "show", "trees", "predict", "export", "explain", "encode"):
        assert_rejected(puretree, "Missing", command)


def test_a_symbolic_link_to_itself_is_rejected(
    puretree: Puretree, run_folder: Path, loans: Path, tmp_path: Path
) -> None:
    """No command can read it or write to it; a run is rejected before the search for it."""
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    cannot_write = f"{loop} cannot be written: it is a symbolic link that leads to itself"
    assert_rejected(puretree, "Too many levels of symbolic links", "fit", loop, "-t", "risk")
    assert_rejected(puretree, cannot_write, "fit", loans, "-t", "risk", "--out", loop)
    assert_rejected(puretree, cannot_write, "export", run_folder, "--format", "json", "--out", loop)
    assert_rejected(puretree, cannot_write, "predict", run_folder, loans, "--out", loop)
    assert_rejected(puretree, cannot_write, "report", run_folder, "--out", loop)
    assert_rejected(puretree, "there is no run folder or model", "show", loop)
    assert loop.is_symlink()
