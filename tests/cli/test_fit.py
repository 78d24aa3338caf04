"""``puretree fit``."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from helpers.command_line import Puretree

from puretree import Tree
from puretree.datasets import load


def test_fit_prints_the_tree_and_its_status(puretree: Puretree, loans: Path) -> None:
    """The tree and its status are printed to standard output, and nothing to standard error."""
    result = puretree("fit", loans, "--target", "risk")
    assert result.code == 0
    assert "income ≤ 42?" in result.out
    assert "✔ 5 nodes, proved minimum; 2 trees of this size" in result.out
    assert result.err == ""


def test_a_data_set_by_name_needs_no_target(puretree: Puretree) -> None:
    """Iris has 5,616 minimum trees of 15 nodes."""
    result = puretree("fit", "sklearn:iris", "--random-state", 0)
    assert result.code == 0
    assert "15 nodes, proved minimum; 5,616 trees of this size" in result.out


def test_a_run_folder_is_complete_and_consistent(run_folder: Path, loans: Path) -> None:
    """Model, outcome, history, certificate and data record agree with each other."""
    tree = Tree.from_json((run_folder / "model.json").read_text())
    outcome, certificate, data = (
        json.loads((run_folder / f"{name}.json").read_text()) for name in ("outcome", "certificate", "data")
    )
    history = list(csv.DictReader((run_folder / "history.csv").read_text().splitlines()))
    assert (outcome["status"], outcome["n_nodes"], outcome["n_trees"]) == ("optimal", tree.n_nodes, 2)
    assert outcome["parameters"]["random_state"] == 0
    assert certificate["tree"] == tree.digest
    assert (history[-1]["lower"], history[-1]["upper"]) == ("5", "5")
    assert data["source"] == str(loans)
    assert data["columns"] == ["income", "job [red]", "owns", "code"]


def test_json_is_one_document(puretree: Puretree, loans: Path) -> None:
    """With --json, standard output is one JSON document that contains the tree."""
    summary = json.loads(puretree("fit", loans, "-t", "risk", "--json").out)
    assert summary["status"] == "optimal"
    assert Tree.from_dict(summary["tree"]).n_nodes == summary["n_nodes"] == 5


def test_verbose_prints_every_bound_to_standard_error(puretree: Puretree, loans: Path) -> None:
    """Every improved bound is a line, also without a terminal."""
    result = puretree("fit", loans, "-t", "risk", "--verbose")
    assert "5 nodes, proved minimum" in result.err
    assert "proved minimum · " not in result.out


def test_constraints_are_satisfied(puretree: Puretree, loans: Path) -> None:
    """The tree satisfies constraints on its root and columns, and has the lowest cost; the constraints are printed."""
    summary = json.loads(puretree("fit", loans, "-t", "risk", "--root", "job [red]", "--json").out)
    tree = Tree.from_dict(summary["tree"])
    assert tree.predicate(int(tree.feature[0])).column.name == "job [red]"
    result = puretree("fit", loans, "-t", "risk", "--root", "code", "--forbidden", "owns", "--forbidden", "job [red]")
    assert result.code == 0
    assert result.out.startswith("code is")
    drawing, _, status = result.out.partition("\n\n")
    assert "owns" not in drawing
    assert "job [red]" not in drawing
    assert "root code · without owns, job [red]" in status
    summary = json.loads(puretree("fit", loans, "-t", "risk", "--feature-costs", "income=7", "--json").out)
    assert (summary["n_nodes"], summary["cost"], summary["minimised"]) == (5, 14, "nodes-then-cost")


@pytest.mark.parametrize("selection", ["first", "teacher", "holdout"])
def test_selection_rules(puretree: Puretree, selection: str) -> None:
    """A selection rule is given by its name, and recorded."""
    options = ["--selection", selection, "--random-state", 1, "--n-jobs", 1]
    summary = json.loads(puretree("fit", "formula:monks-1", *options, "--json").out)
    assert summary["selection"]["rule"] == selection


def test_the_best_tree_is_kept_at_the_time_limit(puretree: Puretree, tmp_path: Path) -> None:
    """When the time limit is reached, both bounds are printed, and the exit code is 10."""
    result = puretree("fit", "sklearn:breast-cancer", "--time-limit", 0, "--out", tmp_path / "run")
    assert result.code == 10
    assert "not proved: the minimum lies between" in result.out
    assert "time limit reached" in result.out
    assert "not proved" in puretree("show", tmp_path / "run").out


def test_infeasible_constraints_exit_with_code_20(puretree: Puretree, loans: Path) -> None:
    """If it is proved that no pure tree satisfies the constraints, the exit code is 20."""
    result = puretree("fit", loans, "-t", "risk", "--max-depth", 1)
    assert result.code == 20
    assert result.out == ""
    assert "error: there is no pure tree with at most 1 test on every path" in result.err


def test_a_run_is_replaced_only_with_force(puretree: Puretree, loans: Path, run_folder: Path) -> None:
    """Without --force an existing run is an error before the search begins."""
    before = (run_folder / "outcome.json").read_bytes()
    result = puretree("fit", loans, "-t", "risk", "--out", run_folder)
    assert result.code == 2
    assert result.out == ""
    assert "already holds a run; use another folder, or --force" in result.err
    assert (run_folder / "outcome.json").read_bytes() == before
    assert puretree("fit", loans, "-t", "risk", "--out", run_folder, "--force", "--max-depth", 3).code == 0
    assert json.loads((run_folder / "outcome.json").read_text())["parameters"]["max_depth"] == 3


def test_the_same_seed_writes_the_same_model(puretree: Puretree, tmp_path: Path) -> None:
    """Two fits with one seed write equal model files, byte for byte."""
    for name in ("one", "two"):
        puretree("fit", "formula:monks-1", "--random-state", 7, "--out", tmp_path / name, "-q")
    assert (tmp_path / "one" / "model.json").read_bytes() == (tmp_path / "two" / "model.json").read_bytes()


@pytest.fixture
def contradictory(tmp_path: Path) -> Path:
    """Write a table with contradictory rows in lines 3 and 5."""
    path = tmp_path / "table.csv"
    path.write_text("a,b,y\n\n1,1,p\n2,2,p\n1,1,q\n")
    return path


def test_contradictory_rows_are_a_warning(puretree: Puretree, contradictory: Path) -> None:
    """By default one warning names the lines of the file, blank lines counted, and the majority label is kept."""
    result = puretree("fit", contradictory, "-t", "y")
    assert result.code == 0
    assert result.err.startswith(f"warning: {contradictory}: 2 rows are contradictory")
    assert "line 3 (p), line 5 (q)" in result.err
    assert result.err.count("\n") == 1
    assert "1 contradictory row dropped" in result.out


@pytest.mark.parametrize("selection", ["first", "teacher", "holdout"])
def test_contradictory_rows_are_one_warning(puretree: Puretree, tmp_path: Path, selection: str) -> None:
    """Selection rules that use rows again do not repeat the warning, and held-out rows do not change line numbers."""
    path = tmp_path / "table.csv"
    rows = [f"{number},{'p' if number < 10 else 'q'}\n" for number in range(20)]
    path.write_text("a,y\n" + "".join(rows) + "0,p\n0,q\n" * 9)
    result = puretree("fit", path, "-t", "y", "--selection", selection, "--n-jobs", 1)
    assert result.code == 0
    assert result.err.count("warning: ") == result.err.count("\n") == 1
    lines = path.read_text().splitlines()
    named = re.findall(r"line (\d+) \((\w)\)", result.err)
    assert {label for _, label in named} == {"p", "q"}
    assert all(lines[int(number) - 1] == f"0,{label}" for number, label in named)


def test_contradictory_rows_are_an_error_on_request(puretree: Puretree, contradictory: Path) -> None:
    """With --on-conflict raise the exit code is 2, and the error names the lines and the remedy."""
    result = puretree("fit", contradictory, "-t", "y", "--on-conflict", "raise")
    assert (result.code, result.out) == (2, "")
    assert "line 3 (p), line 5 (q)" in result.err
    assert "--on-conflict majority or drop" in result.err


@pytest.mark.parametrize(("rule", "n_dropped"), [("majority", 1), ("drop", 2)])
def test_contradictory_rows_are_dropped_without_a_warning(
    puretree: Puretree, contradictory: Path, rule: str, n_dropped: int
) -> None:
    """The rules majority and drop print no warning, but the number of dropped rows."""
    result = puretree("fit", contradictory, "-t", "y", "--on-conflict", rule)
    assert (result.code, result.err) == (0, "")
    assert f"{n_dropped} contradictory row" in result.out


def test_contradictory_rows_are_a_warning_also_if_the_fit_fails(puretree: Puretree, tmp_path: Path) -> None:
    """An error after the warning does not suppress it: the constraints may be infeasible because of these rows."""
    path = tmp_path / "table.csv"
    path.write_text("a,b,y\n0,0,p\n0,1,q\n1,0,q\n1,1,p\n1,1,q\n")
    result = puretree("fit", path, "-t", "y", "--max-depth", 1)
    assert (result.code, result.out) == (20, "")
    warning, error = result.err.splitlines()
    assert "line 5 (p), line 6 (q)" in warning
    assert error.startswith("error: there is no pure tree")


def test_one_class_is_a_single_leaf(puretree: Puretree, tmp_path: Path) -> None:
    """The minimum tree of a table with one label is a leaf, which is proved."""
    path = tmp_path / "table.csv"
    path.write_text("a,y\n1,p\n2,p\n")
    result = puretree("fit", path, "-t", "y", "--out", tmp_path / "run", "-q")
    assert result.code == 0
    assert "1 node, proved minimum; 1 tree of this size" in result.out
    assert puretree("predict", tmp_path / "run", path).out == "prediction\np\np\n"


FILES = {
    "none.csv": None,
    "empty.csv": b"",
    "header.csv": b"a,y\n",
    "short.csv": b"a,b,y\n1,2,p\n1,2\n",
    "unlabelled.csv": b"a,y\n1,p\n2,\n",
    "twice.csv": b"a,a,y\n1,2,p\n",
    "latin.csv": "a,y\né,p\n".encode("latin-1"),
    "zeros.csv": b'a,y\n\x00\x00,p\n"x',
    "semicolons.csv": b"a;y\n1;p\n",
    "lonely.csv": b"y\np\n",
    "infinite.csv": b"a,y\n1,p\n\n1e400,q\n",
}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.csv", "there is no file"),
        ("empty.csv", "has no rows"),
        ("header.csv", "has no rows"),
        ("short.csv", "line 3: 2 values, but the header has 3 columns"),
        ("unlabelled.csv", "line 3: no label in column 'y'"),
        ("twice.csv", "columns with the same name: a"),
        ("latin.csv", "is not UTF-8 text"),
        ("zeros.csv", "line 3: this is not a CSV file"),
        ("semicolons.csv", "seems to be separated by ';'"),
        ("lonely.csv", "has no column other than the label"),
        ("infinite.csv", "line 4, column 'a': '1e400' is infinite, but the other values are numbers; replace it"),
    ],
)
def test_invalid_files_are_rejected(puretree: Puretree, tmp_path: Path, name: str, message: str) -> None:
    """The error names the file, the line and the column."""
    content = FILES[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    result = puretree("fit", tmp_path / name, "--target", "y")
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("error: ")
    assert name in result.err
    assert message in result.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--target is missing; name the column to predict"),
        (["-t", "rsk"], "no column 'rsk' (did you mean 'risk'?)"),
        (["-t", "risk", "--feature-costs", "code"], "--feature-costs 'code' is not COLUMN=INT"),
        (["-t", "risk", "--feature-costs", "code=-1"], "--feature-costs 'code=-1' is not COLUMN=INT"),
        (["-t", "risk", "--engine", "best"], "--engine best is unknown; use one of auto, search, maxsat, mindt"),
        (["-t", "risk", "--binarize", "x"], "--binarize x is unknown; use one of"),
        (["-t", "risk", "--selection", "x"], "--selection x is unknown; use one of consensus, teacher"),
        (["-t", "risk", "--selection", "holdout", "--selection-size", "2"], "--selection-size 2.0 is not a fraction"),
        (["-t", "risk", "--selection", "holdout", "--delta", "2"], "--delta 2.0 is not a fraction"),
        (["-t", "risk", "--diversity", "x"], "--diversity x is unknown"),
        (["-t", "risk", "--layout-depth", "0"], "--layout-depth 0 is not an integer of at least 1"),
        (["-t", "risk", "--n-trees", "many"], "--n-trees many is not a number of trees"),
        (["-t", "risk", "--on-conflict", "x"], "--on-conflict x is unknown"),
        (["-t", "risk", "--max-depth", "0"], "--max-depth 0 is not an integer of at least 1"),
        (["-t", "risk", "--max-leaf-nodes", "0"], "--max-leaf-nodes 0 is not an integer of at least 1"),
        (["-t", "risk", "--min-samples-leaf", "0"], "--min-samples-leaf 0 is not an integer of at least 1"),
        (["-t", "risk", "--time-limit", "-1"], "--time-limit -1 is not a number of seconds"),
        (
            ["-t", "risk", "--time-limit", "soon"],
            "--time-limit soon is not a number of seconds; use 0 or more, or none",
        ),
        (["-t", "risk", "--memory-limit", "lots"], "--memory-limit lots is not an amount of memory"),
        (["-t", "risk", "--memory-limit", "1.2.3GB"], "--memory-limit 1.2.3GB is not an amount of memory"),
        (["-t", "risk", "--n-jobs", "0"], "--n-jobs 0 is not a number of jobs"),
        (["-t", "risk", "--random-state", "-1"], "'--random-state'"),
        (["-t", "risk", "--colour", "red"], "No such option: --colour"),
        (["-t", "risk", "--forbid", "owns"], "No such option: --forbid"),
        (["-t", "risk", "--cost", "code=3"], "No such option: --cost"),
    ],
)
def test_invalid_options_exit_with_code_2(puretree: Puretree, loans: Path, options: list[str], message: str) -> None:
    """The error names the option, its value and the remedy."""
    result = puretree("fit", loans, *options)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("error: ")
    assert message in result.err


@pytest.mark.parametrize(
    ("option", "value", "similar"),
    [("--root", "incom", "income"), ("--forbidden", "Owns", "owns"), ("--feature-costs", "cod=3", "code")],
)
def test_unknown_columns_exit_with_code_2(
    puretree: Puretree, loans: Path, option: str, value: str, similar: str
) -> None:
    """The error names the option and suggests a similar column."""
    result = puretree("fit", loans, "-t", "risk", option, value)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error: {option} ")
    assert f"(did you mean '{similar}'?)" in result.err


def test_unusable_output_folders_are_rejected(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """A file, a folder with other files and a missing parent folder are rejected, also with --force."""
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"")
    for place, message in (
        (loans, "is a file"),
        (tmp_path / "photos", "holds cat.jpg, which is not part of a run"),
        (tmp_path / "a" / "b", "there is no folder"),
    ):
        result = puretree("fit", loans, "-t", "risk", "--out", place, "--force")
        assert result.code == 2
        assert message in result.err
    assert (tmp_path / "photos" / "cat.jpg").exists()


def test_the_current_folder_cannot_be_a_run(
    puretree: Puretree, loans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current folder is rejected before the search: a shell in the folder would be left in a deleted one."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    result = puretree("fit", loans, "-t", "risk", "--out", ".")
    assert (result.code, result.out) == (2, "")
    assert "error: . is the current folder" in result.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sklearn:irs", "sklearn has no data set 'irs'; it has iris"),
        ("nowhere:iris", "source 'nowhere' is unknown"),
        ("irs", "there is no file irs, and there is no data set 'irs'"),
    ],
)
def test_unknown_data_sets_are_rejected(puretree: Puretree, name: str, message: str) -> None:
    """The error names the unknown data set, and known ones."""
    result = puretree("fit", name)
    assert result.code == 2
    assert message in result.err


def test_folders_and_other_targets_of_data_sets_are_rejected(puretree: Puretree, tmp_path: Path) -> None:
    """A folder is not a table, and the target of a data set cannot be changed."""
    assert "is a folder; give a file" in puretree("fit", tmp_path).err
    assert f"'{load('sklearn:iris').target_name}'" in puretree("fit", "sklearn:iris", "-t", "petal").err


def test_noisy_labels_are_one_line_with_lines_of_the_file(puretree: Puretree, tmp_path: Path) -> None:
    """The warning names lines of the CSV file, and a command that allows errors."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (400, 12))
    labels = np.where(rows[:, 0], rows[:, 1], rows[:, 2]) ^ (rng.random(400) < 0.1)
    path = tmp_path / "noisy.csv"
    lines = [",".join(map(str, [*row, label])) for row, label in zip(rows, labels, strict=True)]
    path.write_text("\n".join([",".join([*(f"x{i}" for i in range(12)), "y"]), *lines]))
    result = puretree("fit", path, "-t", "y", "--quiet", "--n-trees", 1, "--on-conflict", "majority")
    (line,) = result.err.splitlines()
    assert line.startswith("warning: the labels look noisy: the tree has ")
    assert "; check for example lines " in line
    assert "puretree fit --alpha cv" in line


# --tree


def favourite(tree: dict[str, object], note: str) -> str:
    """Return favourites with a single tree."""
    return json.dumps({"format": "puretree-favourites", "version": 1, "trees": [{"tree": tree, "note": note}]})


def test_a_favourite_is_adopted(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """The run has the tree, the rule and the note; other commands show both, with control characters escaped."""
    shown = json.loads(puretree("trees", loans, "-t", "risk", "--list", 2, "--json").out)["first"]
    for index, item in enumerate(shown):
        file, run = tmp_path / "favourite.json", tmp_path / f"run{index}"
        file.write_text(favourite(item["tree"], "as the\nguideline \x1b[31m<b>says</b>"))
        result = puretree("fit", loans, "-t", "risk", "--tree", file, "--out", run)
        assert result.code == 0
        assert "chosen by hand: as the guideline \\x1b[31m<b>says</b>" in result.out
        found = json.loads(puretree("show", run, "--json").out)
        assert found["tree"]["nodes"] == item["tree"]["nodes"]
        assert found["status"] == "optimal"
        assert (found["selection"]["rule"], found["selection"]["n_candidates"]) == ("adopted", 2)
        assert puretree("predict", run, loans).code == 0
        assert puretree("report", run).code == 0
        card = (run / "report" / "card.md").read_text()
        assert "chosen by hand among trees of its size" in card
        assert "<b>" not in card
    plain = tmp_path / "tree.json"
    plain.write_text(json.dumps(shown[1]["tree"]))
    found = json.loads(puretree("fit", loans, "-t", "risk", "--tree", plain, "--json").out)
    assert (found["selection"]["rule"], found["selection"]["note"]) == ("adopted", "")


def test_a_tree_with_errors_is_adopted(puretree: Puretree, tmp_path: Path) -> None:
    """Of the trees of a point, any can be adopted."""
    options = ["sklearn:iris", "--max-nodes", 7, "--binarize", "thresholds"]
    shown = json.loads(puretree("trees", *options, "--sample", 3, "--json").out)["sample"]
    for item in shown:
        file = tmp_path / "favourite.json"
        file.write_text(favourite(item["tree"], "good"))
        found = json.loads(puretree("fit", *options, "--tree", file, "--json").out)
        assert found["tree"]["nodes"] == item["tree"]["nodes"]
        assert found["selection"]["note"] == "good"


def test_a_tree_that_is_not_as_good_is_refused(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """The error says why, with exit code 2, and nothing is saved; a bad file is found before the fit."""
    larger = json.loads(puretree("trees", loans, "-t", "risk", "--extra", 1, "--json", "--sample", 99).out)["sample"]
    file, run = tmp_path / "favourite.json", tmp_path / "run"
    file.write_text(favourite(next(item["tree"] for item in larger if len(item["tree"]["nodes"]) == 7), ""))
    result = puretree("fit", loans, "-t", "risk", "--tree", file, "--out", run)
    assert (result.code, result.out) == (2, "")
    assert "the tree cannot be adopted: it has 7 nodes, the fitted tree 5" in result.err
    assert not run.exists()
    file.write_text("{}")
    result = puretree("fit", loans, "-t", "risk", "--tree", file)
    assert (result.code, result.out) == (2, "")
    assert "contains neither a tree nor favourites" in result.err
