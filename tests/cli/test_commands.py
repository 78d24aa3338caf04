"""``puretree show``, ``predict``, ``explain``, ``export``, ``trees``, ``encode``, ``engines``: what they print."""

import csv
import json
import re
import warnings
from pathlib import Path

import pytest
from helpers.command_line import LOANS, Puretree

from puretree import ConflictWarning, PureTreeClassifier, Tree, minimum_trees
from puretree.datasets import load, read_csv
from puretree.engines import ENGINES
from puretree.export import FORMATS
from puretree.formula import read_wcnf
from puretree.selection import RULES

# show


def test_show_draws_the_tree_and_its_status(puretree: Puretree, run_folder: Path) -> None:
    """A run is shown as it was when it was made."""
    out = puretree("show", run_folder).out
    assert "income ≤ 42.5?" in out
    assert "5 nodes, proved minimum; 2 trees of this size" in out


def test_show_tells_the_wishes(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """Without them a smaller tree may be right, so they stand beside the proof."""
    wishes = ["--max-depth", 3, "--root", "owns", "--forbidden", "code"]
    assert puretree("fit", loans, "-t", "risk", *wishes, "--out", tmp_path / "run").code == 0
    assert (
        "at most 3 tests on a path · the first about owns · none about code" in puretree("show", tmp_path / "run").out
    )


def test_a_choice_that_was_not_made_is_told(puretree: Puretree, tmp_path: Path) -> None:
    """Where all smallest trees were not found in time, nobody is to think that there was one alone."""
    ended = puretree("fit", "formula:monks-2", "--binarize", "bits", "--time-limit", 0, "--out", tmp_path / "run")
    assert ended.code == 10
    assert "not chosen: the others were not found within the limits" in ended.out


def test_a_fit_is_repeated_unless_chance_is_asked_for(puretree: Puretree, loans: Path) -> None:
    """Twice the same command, twice the same tree, by a number that is kept with the run."""
    told = [json.loads(puretree("fit", loans, "-t", "risk", "--json").out) for _ in range(2)]
    assert told[0]["tree"] == told[1]["tree"]
    assert told[0]["parameters"]["random_state"] == 0


def test_numbers_that_are_read_as_names_are_told(puretree: Puretree, tmp_path: Path) -> None:
    """In a line on standard error that names the cell."""
    rows = [f"{number},{'a' if number < 10 else 'b'}\n" for number in range(20)]
    (tmp_path / "table.csv").write_text("x,y\n" + "".join(rows).replace("3,a", "NA,a", 1))
    ended = puretree("fit", tmp_path / "table.csv", "-t", "y", "--quiet")
    assert ended.code == 0
    assert "warning: " in ended.err
    assert "'NA' in line 5" in ended.err


def test_show_rules(puretree: Puretree, run_folder: Path) -> None:
    """One line for each leaf."""
    assert "IF income ≤ 42.5 THEN high (2)\n" in puretree("show", run_folder, "--rules").out


def test_show_a_model_alone(puretree: Puretree, run_folder: Path) -> None:
    """A model without a run has no proof to tell of."""
    out = puretree("show", run_folder / "model.json").out
    assert "5 nodes, depth 2" in out
    assert "proved" not in out


def test_show_as_json(puretree: Puretree, run_folder: Path) -> None:
    """The run, its tree and its rules are one document."""
    told = json.loads(puretree("show", run_folder, "--json").out)
    assert told["n_nodes"] == Tree.from_dict(told["tree"]).n_nodes == 5
    assert len(told["rules"]) == 3
    assert "tree" in json.loads(puretree("show", run_folder / "model.json", "--json").out)


# predict


def test_predict_prints_csv_in_order(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """The training rows get their labels back, one a line."""
    predicted = list(csv.DictReader(puretree("predict", run_folder, loans).out.splitlines()))
    assert [row["prediction"] for row in predicted] == read_csv(loans, target="risk").target.tolist()


def test_predict_reads_columns_as_training_did(puretree: Puretree, tmp_path: Path) -> None:
    """Codes that look like numbers among the new rows are still the names that the tree knows."""
    table, rows = tmp_path / "table.csv", tmp_path / "rows.csv"
    table.write_text("code,y\n12,p\nx7,q\n12,p\n")
    rows.write_text("other,code\n1,12\n2,13\n")
    assert puretree("fit", table, "-t", "y", "--out", tmp_path / "run").code == 0
    assert puretree("predict", tmp_path / "run", rows).out.splitlines()[:2] == ["prediction", "p"]


def test_predict_probabilities_and_files(puretree: Puretree, run_folder: Path, loans: Path, tmp_path: Path) -> None:
    """--proba adds a column for each class, --out writes a file and leaves standard output empty."""
    ended = puretree("predict", run_folder / "model.json", loans, "--proba", "--out", tmp_path / "said.csv")
    assert ended.out == ""
    assert "6 rows predicted" in ended.err
    assert (tmp_path / "said.csv").read_text().splitlines()[:2] == ["prediction,p(high),p(low)", "high,1,0"]
    told = json.loads(puretree("predict", run_folder, loans, "--proba", "--json").out)
    assert told["classes"] == ["high", "low"]
    assert told["probabilities"][0] == [1.0, 0.0]


@pytest.mark.parametrize("on_conflict", ["majority", "drop"])
def test_predict_tells_the_shares_of_the_classifier(puretree: Puretree, tmp_path: Path, on_conflict: str) -> None:
    """Rows that a majority overruled make a leaf less sure; a model without its run does not know of them."""
    table, run = tmp_path / "table.csv", tmp_path / "run"
    table.write_text("a,b,y\n1,0,p\n1,0,p\n1,0,q\n2,0,q\n2,1,p\n")
    data = read_csv(table, target="y")
    with warnings.catch_warnings(action="ignore", category=ConflictWarning):
        model = PureTreeClassifier(on_conflict=on_conflict).fit(data.table, data.target)
        assert puretree("fit", table, "-t", "y", "--on-conflict", on_conflict, "--out", run).code == 0
    told = json.loads(puretree("predict", run, table, "--proba", "--json").out)
    assert told["probabilities"] == model.predict_proba(data.table).tolist()
    alone = json.loads(puretree("predict", run / "model.json", table, "--proba", "--json").out)
    assert set(alone["probabilities"][0]) == {0, 1}
    assert on_conflict == "drop" or told["probabilities"][0] == [2 / 3, 1 / 3]


# explain


def test_explain_a_row(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """The way through the tree and the nearest change are told."""
    out = puretree("explain", run_folder, loans, "--row", 0).out
    assert out.startswith("high, because:")
    assert "income" in out
    assert "Nearest change" in out


def test_explain_values(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """Values can be given, also in place of those of a row; what is not given is missing."""
    assert puretree("explain", run_folder, "--set", "income=99").out.startswith("low, because:")
    assert puretree("explain", run_folder, loans, "--row", 0, "--set", "income=99").out.startswith("low, because:")
    whole = puretree("explain", run_folder, "--set", "income=99", "--set", "code=0012", "--set", "owns=yes")
    assert whole.out == puretree("explain", run_folder, "--set", "income=99").out  # no test is about the others
    told = json.loads(puretree("explain", run_folder, "--set", "income=", "--json").out)
    assert told["label"] == "high"


def test_what_is_taken_as_missing_is_told(puretree: Puretree, tmp_path: Path) -> None:
    """Values that were not given change the answer, so they are named; those of a row in a file are its own."""
    table = tmp_path / "table.csv"
    table.write_text("a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    assert puretree("fit", table, "-t", "y", "--out", tmp_path / "run").code == 0
    assert "taken as missing, since not given: b" in puretree("explain", tmp_path / "run", "--set", "a=1").err
    assert "missing" not in puretree("explain", tmp_path / "run", "--set", "a=1", "--set", "b=0").err
    assert "missing" not in puretree("explain", tmp_path / "run", table, "--row", 0).err


# export


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("png", "onnx")])
def test_export_prints_text(puretree: Puretree, run_folder: Path, name: str) -> None:
    """Every format of text can be printed."""
    ended = puretree("export", run_folder, "--format", name)
    assert (ended.code, ended.err) == (0, "")
    assert "income" in ended.out


def test_export_to_a_file_is_checked(puretree: Puretree, run_folder: Path, tmp_path: Path) -> None:
    """A run whose data are still there is checked on them; and the file is what was asked for."""
    ended = puretree("export", run_folder, "--format", "svg", "--out", tmp_path / "tree.svg")
    assert "checked on the training rows" in ended.err
    assert "<svg" in (tmp_path / "tree.svg").read_text()
    told = json.loads(puretree("export", run_folder, "-f", "json", "-o", tmp_path / "tree.json", "--json").out)
    assert told["checked"] is True
    assert Tree.from_json((tmp_path / "tree.json").read_text()).n_nodes == 5


def test_export_after_the_data_changed(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """Without the training rows the export is made all the same, and a note says that it is not checked."""
    loans.write_text(LOANS + "1,clerk,no,0012,low\n")
    ended = puretree("export", run_folder, "--format", "text")
    assert ended.code == 0
    assert "not checked on the training rows" in ended.err
    assert "changed since the run" in ended.err


# trees


def test_trees_are_counted(puretree: Puretree, loans: Path) -> None:
    """The number and the size of all smallest trees, and what they have in common."""
    out = puretree("trees", loans, "-t", "risk").out
    assert "2 trees of 5 nodes, proved minimum" in out
    assert "asked in every one: income ≤ 42.5" in out


def test_trees_of_a_run(puretree: Puretree, run_folder: Path) -> None:
    """A run knows its data, and what it predicts of them; another target is refused, not passed over."""
    assert "2 trees of 5 nodes" in puretree("trees", run_folder).out
    assert puretree("trees", run_folder, "--target", "risk").code == 0
    ended = puretree("trees", run_folder, "--target", "owns")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "error: --target 'owns': the run knows that it predicts 'risk'; leave --target out\n"


def test_trees_of_a_run_keep_its_wishes(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """What the run was asked for counts for the other trees, too."""
    wishes = ["--root", "job [red]", "--forbidden", "owns"]
    puretree("fit", loans, "-t", "risk", *wishes, "--out", tmp_path / "run")
    table = read_csv(loans, target="risk")
    expected = minimum_trees(table.table, table.target, root="job [red]", forbidden=["owns"])
    told = json.loads(puretree("trees", tmp_path / "run", "--json").out)
    assert (told["n_trees"], told["n_nodes"]) == (expected.count, expected.n_nodes)


def test_trees_listed_drawn_and_spread(puretree: Puretree) -> None:
    """Some trees are shown with their ranks, as many as there are at most."""
    out = puretree("trees", "formula:mux6", "--list", 1, "--sample", 99, "--diverse", 2, "--random-state", 0).out
    assert out.count("tree 0 (") >= 2
    assert "tree 0 (first; counted from 0)" in out


def test_trees_layouts_features_and_the_best(puretree: Puretree, tmp_path: Path) -> None:
    """JSON holds what the forest says, in full."""
    iris = load("sklearn:iris")
    forest = minimum_trees(iris.table, iris.target)
    selection = tmp_path / "selection.csv"
    columns = iris.table.to_dict()
    lines = [",".join([*columns, iris.target_name])]
    lines += [",".join([*(str(values[row]) for values in columns.values()), iris.target[row]]) for row in (0, 70, 149)]
    selection.write_text("\n".join(lines))
    told = json.loads(puretree("trees", "sklearn:iris", "--layouts", "--features", "--best", selection, "--json").out)
    assert told["n_trees"] == forest.count
    assert [each["n_trees"] for each in told["layouts"]] == [layout.n_trees for layout in forest.layouts()]
    assert [each["question"] for each in told["features"]] == [str(usage.predicate) for usage in forest.features()]
    assert told["best"]["accuracy"] == 1.0
    assert told["best"]["n_trees"] == forest.count
    out = puretree("trees", "sklearn:iris", "--layouts", "--features", "--best", selection).out
    assert "… and" in out
    assert "best on" in out


def test_larger_trees(puretree: Puretree, loans: Path) -> None:
    """--extra counts the trees of each size."""
    told = json.loads(puretree("trees", loans, "-t", "risk", "--extra", 1, "--json").out)
    assert list(told["n_trees_of_size"]) == ["5", "7"]


# encode


def test_encode_writes_a_formula(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """Both styles can be read back; the size is that of the heuristic tree, or as asked."""
    out = tmp_path / "tree.wcnf"
    told = json.loads(puretree("encode", loans, "-t", "risk", "--out", out, "--json").out)
    assert read_wcnf(out).n_hard == told["n_hard"]
    assert told["n_nodes"] == 5
    assert puretree("encode", loans, "-t", "risk", "--nodes", 7, "--old-style", "--out", out).out == ""
    assert "\np wcnf " in out.read_text()
    assert len(read_wcnf(out).soft) == 4


def test_encode_prints_a_formula(puretree: Puretree, loans: Path) -> None:
    """Without --out it goes to standard output, and nothing else does."""
    ended = puretree("encode", loans, "-t", "risk")
    assert ended.out.startswith("c n_vars ")
    assert "trees of up to 5 nodes" in ended.err


# engines, and the help


def test_engines_are_those_of_the_registry(puretree: Puretree) -> None:
    """Each has a line, and its options."""
    out = puretree("engines").out
    assert all(name in out for name in ENGINES)
    told = json.loads(puretree("engines", "--json").out)
    assert [each["name"] for each in told] == list(ENGINES)


def test_the_help_knows_what_the_registries_know(puretree: Puretree) -> None:
    """Names of engines, rules and formats in the help are those that are taken."""
    out = " ".join(puretree("fit", "--help").out.replace("│", " ").split())
    smallest = {name for name, make in ENGINES.items() if make().guarantees.aim == "nodes"}
    assert smallest | set(RULES) <= set(re.findall(r"[\w-]+", out))
    assert all(name in puretree("export", "--help").out for name in FORMATS)


def test_version_and_help(puretree: Puretree) -> None:
    """Nothing given is a question for help."""
    assert puretree("--version").out.startswith("puretree ")
    assert puretree().out == puretree("--help").out
    assert "Exit codes" in puretree().out
