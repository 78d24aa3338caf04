"""``puretree fit``."""

import csv
import json
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree import Tree
from puretree.datasets import load


def test_a_tree_with_its_proof(puretree: Puretree, loans: Path) -> None:
    """The tree and its status go to standard output, and nothing to standard error of a pipe."""
    ended = puretree("fit", loans, "--target", "risk")
    assert ended.code == 0
    assert "income ≤ 42.5?" in ended.out
    assert "✔ 5 nodes, proved minimum; 2 trees of this size" in ended.out
    assert ended.err == ""


def test_a_data_set_by_name_needs_no_target(puretree: Puretree) -> None:
    """Iris has 5,616 smallest trees of 15 nodes."""
    ended = puretree("fit", "sklearn:iris", "--random-state", 0)
    assert ended.code == 0
    assert "15 nodes, proved minimum; 5,616 trees of this size" in ended.out


def test_a_run_folder_holds_everything(run_folder: Path, loans: Path) -> None:
    """Model, outcome, history, certificate and data are there, and tell the same story."""
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
    """With --json standard output is JSON, with the tree in it."""
    told = json.loads(puretree("fit", loans, "-t", "risk", "--json").out)
    assert told["status"] == "optimal"
    assert Tree.from_dict(told["tree"]).n_nodes == told["n_nodes"] == 5


def test_verbose_tells_every_bound_on_standard_error(puretree: Puretree, loans: Path) -> None:
    """One line for each improvement, also where there is no terminal."""
    ended = puretree("fit", loans, "-t", "risk", "--verbose")
    assert "nodes 5 ≤ min ≤ 5" in ended.err
    assert "nodes 5 ≤ min" not in ended.out


def test_wishes_are_kept(puretree: Puretree, loans: Path) -> None:
    """Root, forbidden columns and costs shape the tree."""
    told = json.loads(puretree("fit", loans, "-t", "risk", "--root", "job [red]", "--json").out)
    tree = Tree.from_dict(told["tree"])
    assert tree.predicate(int(tree.feature[0])).column.name == "job [red]"
    ended = puretree("fit", loans, "-t", "risk", "--root", "code", "--forbidden", "owns", "--forbidden", "job [red]")
    assert ended.code == 0
    assert ended.out.startswith("code is")
    drawn, _, told_below = ended.out.partition("\n\n")
    assert "owns" not in drawn
    assert "job [red]" not in drawn
    assert "the first about code · none about owns, job [red]" in told_below
    told = json.loads(puretree("fit", loans, "-t", "risk", "--feature-costs", "income=7", "--json").out)
    assert (told["n_nodes"], told["cost"], told["minimised"]) == (5, 14, "nodes-then-cost")


@pytest.mark.parametrize("selection", ["first", "teacher", "holdout"])
def test_rules_of_selection(puretree: Puretree, selection: str) -> None:
    """A rule is taken by its name, and told."""
    options = ["--selection", selection, "--random-state", 1, "--n-jobs", 1]
    told = json.loads(puretree("fit", "formula:monks-1", *options, "--json").out)
    assert told["selection"]["rule"] == selection


def test_no_time_keeps_the_best_tree(puretree: Puretree, tmp_path: Path) -> None:
    """When the time is over, the exit code is 10, and the bounds tell what is known."""
    ended = puretree("fit", "sklearn:breast-cancer", "--time-limit", 0, "--out", tmp_path / "run")
    assert ended.code == 10
    assert "not proved: the minimum lies between" in ended.out
    assert "the time was over" in ended.out
    assert "not proved" in puretree("show", tmp_path / "run").out


def test_no_tree_exits_20(puretree: Puretree, loans: Path) -> None:
    """What is proved to be impossible has an exit code of its own."""
    ended = puretree("fit", loans, "-t", "risk", "--max-depth", 1)
    assert ended.code == 20
    assert ended.out == ""
    assert "error: there is no pure tree with at most 1 tests" in ended.err


def test_an_older_run_stays_unless_forced(puretree: Puretree, loans: Path, run_folder: Path) -> None:
    """A run is replaced only with --force, and it is told before the search begins."""
    before = (run_folder / "outcome.json").read_bytes()
    ended = puretree("fit", loans, "-t", "risk", "--out", run_folder)
    assert ended.code == 2
    assert ended.out == ""
    assert "already holds a run; use another folder, or --force" in ended.err
    assert (run_folder / "outcome.json").read_bytes() == before
    assert puretree("fit", loans, "-t", "risk", "--out", run_folder, "--force", "--max-depth", 3).code == 0
    assert json.loads((run_folder / "outcome.json").read_text())["parameters"]["max_depth"] == 3


def test_the_same_seed_writes_the_same_model(puretree: Puretree, tmp_path: Path) -> None:
    """Byte for byte."""
    for name in ("one", "two"):
        puretree("fit", "formula:monks-1", "--random-state", 7, "--out", tmp_path / name, "-q")
    assert (tmp_path / "one" / "model.json").read_bytes() == (tmp_path / "two" / "model.json").read_bytes()


def test_rows_that_contradict_each_other_are_told_by_line(puretree: Puretree, tmp_path: Path) -> None:
    """Line numbers are those of the file, blank lines counted; the remedy is an option."""
    path = tmp_path / "table.csv"
    path.write_text("a,b,y\n\n1,1,p\n2,2,p\n1,1,q\n")
    ended = puretree("fit", path, "-t", "y")
    assert ended.code == 2
    assert "line 3 (p), line 5 (q)" in ended.err
    assert "--on-conflict majority or drop" in ended.err
    assert "2 contradictory rows left out" in puretree("fit", path, "-t", "y", "--on-conflict", "drop").out


def test_one_class_is_one_leaf(puretree: Puretree, tmp_path: Path) -> None:
    """A table with one label is answered by a leaf, and that is proved."""
    path = tmp_path / "table.csv"
    path.write_text("a,y\n1,p\n2,p\n")
    ended = puretree("fit", path, "-t", "y", "--out", tmp_path / "run", "-q")
    assert ended.code == 0
    assert "1 node, proved minimum; 1 tree of this size" in ended.out
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
    ("name", "told"),
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
def test_files_that_cannot_be_read(puretree: Puretree, tmp_path: Path, name: str, told: str) -> None:
    """Every defect of a file is told with the file, the line and the column."""
    content = FILES[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    ended = puretree("fit", tmp_path / name, "--target", "y")
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    assert name in ended.err
    assert told in ended.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "--target is missing: which column to predict?"),
        (["-t", "rsk"], "no column 'rsk' (did you mean 'risk'?)"),
        (
            ["-t", "risk", "--root", "incom"],
            "--root names 'incom', which the table does not have (did you mean 'income",
        ),
        (
            ["-t", "risk", "--forbidden", "Owns"],
            "--forbid names 'Owns', which the table does not have (did you mean 'own",
        ),
        (
            ["-t", "risk", "--feature-costs", "cod=3"],
            "--cost names 'cod', which the table does not have (did you mean 'code'",
        ),
        (["-t", "risk", "--feature-costs", "code"], "--cost 'code' is not COLUMN=INT"),
        (["-t", "risk", "--feature-costs", "code=-1"], "--cost 'code=-1' is not COLUMN=INT"),
        (["-t", "risk", "--engine", "best"], "--engine best is unknown; use one of auto, search, maxsat, mindt"),
        (["-t", "risk", "--binarize", "x"], "--binarize x is unknown; use one of"),
        (["-t", "risk", "--selection", "x"], "--selection x is unknown; use one of consensus, teacher"),
        (["-t", "risk", "--selection", "holdout", "--selection-size", "2"], "--selection-size 2.0 is not a fraction"),
        (["-t", "risk", "--selection", "holdout", "--delta", "2"], "--delta 2.0 is not a fraction"),
        (["-t", "risk", "--diversity", "x"], "--diversity x is unknown"),
        (["-t", "risk", "--n-trees", "many"], "--n-trees many is not a number of trees"),
        (["-t", "risk", "--on-conflict", "x"], "--on-conflict x is unknown"),
        (["-t", "risk", "--max-depth", "0"], "--max-depth 0 is not a whole number of at least 1"),
        (["-t", "risk", "--time-limit", "-1"], "--time-limit -1.0 is not a number of seconds"),
        (["-t", "risk", "--time-limit", "soon"], "Invalid value for '--time-limit'"),
        (["-t", "risk", "--memory-limit", "lots"], "--memory-limit lots is not an amount of memory"),
        (["-t", "risk", "--memory-limit", "1.2.3GB"], "--memory-limit 1.2.3GB is not an amount of memory"),
        (["-t", "risk", "--n-jobs", "0"], "--n-jobs 0 is not a number of processors"),
        (["-t", "risk", "--random-state", "-1"], "'--random-state'"),
        (["-t", "risk", "--colour", "red"], "No such option: --colour"),
    ],
)
def test_options_that_cannot_be_kept(puretree: Puretree, loans: Path, options: list[str], told: str) -> None:
    """Every bad value is told with its option and the remedy."""
    ended = puretree("fit", loans, *options)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    assert told in ended.err


def test_places_where_no_run_can_be(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """A file, a folder of other things and a folder in nowhere are refused, forced or not."""
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"")
    for place, told in (
        (loans, "is a file"),
        (tmp_path / "photos", "holds cat.jpg, which is not part of a run"),
        (tmp_path / "a" / "b", "there is no folder"),
    ):
        ended = puretree("fit", loans, "-t", "risk", "--out", place, "--force")
        assert ended.code == 2
        assert told in ended.err
    assert (tmp_path / "photos" / "cat.jpg").exists()


def test_the_current_folder_is_no_place_for_a_run(
    puretree: Puretree, loans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told before the search; the shell would be left in a deleted folder."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    ended = puretree("fit", loans, "-t", "risk", "--out", ".")
    assert (ended.code, ended.out) == (2, "")
    assert "error: . is the current folder" in ended.err


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("sklearn:irs", "sklearn has no data set 'irs'; it has iris"),
        ("nowhere:iris", "source 'nowhere' is unknown"),
        ("irs", "there is no file irs, and there is no data set 'irs'"),
    ],
)
def test_data_sets_that_are_none(puretree: Puretree, name: str, told: str) -> None:
    """A name that is unknown is told, with those that are."""
    ended = puretree("fit", name)
    assert ended.code == 2
    assert told in ended.err


def test_a_folder_is_no_table_and_a_data_set_knows_its_target(puretree: Puretree, tmp_path: Path) -> None:
    """Both mistakes are named."""
    assert "is a folder; give a CSV file" in puretree("fit", tmp_path).err
    assert f"'{load('sklearn:iris').target_name}'" in puretree("fit", "sklearn:iris", "-t", "petal").err
