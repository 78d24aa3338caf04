"""The output of ``puretree show``, ``predict``, ``explain``, ``export``, ``trees``, ``encode`` and ``engines``."""

import csv
import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from helpers.command_line import LOANS, Puretree

from puretree import ConflictWarning, Forest, OptimalTreeClassifier, PureTreeClassifier, Tree, minimum_trees
from puretree._support.strict_json import read_integer
from puretree.cli import main
from puretree.cli.show import describe_selection
from puretree.datasets import load, read_csv
from puretree.datasets.csv_file import MISSING_VALUES
from puretree.engines import ENGINES
from puretree.export import FORMATS
from puretree.formula import read_wcnf
from puretree.selection import RULES

# show


def test_show_says_what_is_proved_of_a_tree_with_errors(puretree: Puretree, tmp_path: Path) -> None:
    """The fewest errors of its size are proved, not a minimum size."""
    rows, labels = [[i, i % 7] for i in range(30)], [i % 7 > 2 or i > 25 for i in range(30)]
    model = OptimalTreeClassifier(max_leaf_nodes=2, alpha=0.01, binarize="thresholds").fit(rows, labels)
    model.save(tmp_path / "model.json")
    shown = puretree("show", tmp_path / "model.json").out
    assert "3 nodes, 2 errors, proved optimal for its size; 1 tree of this size and cost" in shown
    text = model.to_json().replace('"status": "optimal"', '"status": "time_limit"')
    (tmp_path / "model.json").write_text(text.replace('"lower_bound": 2', '"lower_bound": 0'))
    shown = puretree("show", tmp_path / "model.json").out
    assert "3 nodes, 2 errors, not proved: the minimum errors of this size lies between 0 and 2" in shown


def test_show_prints_the_tree_and_its_status(puretree: Puretree, run_folder: Path) -> None:
    """A saved run is shown as after the fit."""
    out = puretree("show", run_folder).out
    assert "income ≤ 42?" in out
    assert "5 nodes, proved minimum; 2 trees of this size" in out


def test_show_prints_the_constraints(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """The constraints are shown with the proof, since a smaller tree may violate them."""
    constraints = ["--max-depth", 3, "--max-leaf-nodes", 9, "--root", "owns", "--forbidden", "code"]
    assert puretree("fit", loans, "-t", "risk", *constraints, "--out", tmp_path / "run").code == 0
    assert "max depth 3 · at most 9 leaves · root owns · without code" in puretree("show", tmp_path / "run").out


def test_a_limit_before_the_selection_is_shown(puretree: Puretree, tmp_path: Path) -> None:
    """If other minimum trees were not found in time, the output says that there was no choice."""
    result = puretree("fit", "formula:monks-2", "--binarize", "bits", "--time-limit", 0, "--out", tmp_path / "run")
    assert result.code == 10
    assert "no choice: a limit was reached before other minimum trees were found" in result.out


def test_trees_not_proved_farthest_are_shown() -> None:
    """The number of diverse trees without proof is part of the description of the choice, if there are any."""
    selection = {"rule": "holdout", "score": 0.9, "n_candidates": 5}
    for without in (selection, selection | {"n_unproved": 0}, selection | {"n_unproved": None}):
        assert describe_selection(without) == "chosen by holdout (90.0% accuracy)"
    unproved = describe_selection(selection | {"n_unproved": 1})
    assert unproved == "chosen by holdout (90.0% accuracy); 1 tree not proved farthest"


def test_a_fit_is_reproducible_by_default(puretree: Puretree, loans: Path) -> None:
    """The same command gives the same tree; the seed is recorded in the run."""
    runs = [json.loads(puretree("fit", loans, "-t", "risk", "--json").out) for _ in range(2)]
    assert runs[0]["tree"] == runs[1]["tree"]
    assert runs[0]["parameters"]["random_state"] == 0


def test_mixed_columns_are_a_warning(puretree: Puretree, tmp_path: Path) -> None:
    """A column of numbers that is read as categories is a warning that names the first other cell."""
    rows = [f"{number},{'a' if number < 10 else 'b'}\n" for number in range(20)]
    (tmp_path / "table.csv").write_text("x,y\n" + "".join(rows).replace("3,a", "no,a", 1))
    result = puretree("fit", tmp_path / "table.csv", "-t", "y", "--quiet")
    assert result.code == 0
    assert "warning: " in result.err
    assert "'no' in line 5" in result.err


def test_show_rules(puretree: Puretree, run_folder: Path) -> None:
    """Each leaf is a line with its rule."""
    assert "IF income ≤ 42 THEN high (2)\n" in puretree("show", run_folder, "--rules").out


def test_show_a_model_without_a_run(puretree: Puretree, run_folder: Path) -> None:
    """A model without a run is shown without a proof."""
    out = puretree("show", run_folder / "model.json").out
    assert "5 nodes, depth 2" in out
    assert "proved" not in out


def test_show_as_json(puretree: Puretree, run_folder: Path) -> None:
    """JSON contains the run, its tree and its rules."""
    shown = json.loads(puretree("show", run_folder, "--json").out)
    assert shown["n_nodes"] == Tree.from_dict(shown["tree"]).n_nodes == 5
    assert len(shown["rules"]) == 3
    assert "tree" in json.loads(puretree("show", run_folder / "model.json", "--json").out)


# predict


def test_predict_prints_csv_in_order(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """The training rows are predicted correctly, one per line."""
    predicted = list(csv.DictReader(puretree("predict", run_folder, loans).out.splitlines()))
    assert [row["prediction"] for row in predicted] == read_csv(loans, target="risk").target.tolist()


def test_predict_reads_columns_as_training_did(puretree: Puretree, tmp_path: Path) -> None:
    """A column that was categorical in training is categorical in prediction, also if all its values are numbers."""
    table, rows = tmp_path / "table.csv", tmp_path / "rows.csv"
    table.write_text("code,y\n12,p\nx7,q\n12,p\n")
    rows.write_text("other,code\n1,12\n2,13\n")
    assert puretree("fit", table, "-t", "y", "--out", tmp_path / "run").code == 0
    assert puretree("predict", tmp_path / "run", rows).out.splitlines()[:2] == ["prediction", "p"]


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """Write a table in which a third of the numbers is NA and 0 stands for an unknown colour."""
    path = tmp_path / "survey.csv"
    rows = [
        f"{'NA' if n % 3 == 0 else n},{'0' if n % 4 == 0 else 'red'},{'p' if n % 3 == 0 else 'q'}" for n in range(18)
    ]
    path.write_text("\n".join(["n,colour,y", *rows, ""]))
    return path


def test_missing_values_of_a_file_are_named_once(puretree: Puretree, survey: Path, tmp_path: Path) -> None:
    """NA makes no categories of a column of numbers; fit says so, and the other commands read the data as fit did."""
    run = tmp_path / "run"
    fitted = puretree("fit", survey, "-t", "y", "--out", run)
    assert fitted.err.count("cells read as missing values") == 1
    assert f"warning: {survey}: cells read as missing values in 'n': 'NA' (6); --missing-values changes" in fitted.err
    assert "n is missing?" in fitted.out
    assert json.loads((run / "data.json").read_text())["missing_values"] == list(MISSING_VALUES)
    predicted = puretree("predict", run, survey)
    assert predicted.out.split()[1:] == read_csv(survey, target="y", missing_values=("NA",)).target.tolist()
    for command in (("trees", run), ("explain", run, survey, "--row", 0), ("show", run)):
        result = puretree(*command)
        assert (result.code, "cells" in result.err) == (0, False)
    report = puretree("report", run, "--test", survey, "--json")
    assert (report.code, "cells" in report.err) == (0, False)
    assert "n is missing? yes" in puretree("explain", run, "--set", "n=NA").out
    for command in ("compare", "encode"):
        out = ("--out", tmp_path / "tree.wcnf") if command == "encode" else ("--engines", "search")
        assert puretree(command, survey, "-t", "y", *out).err.count("cells read as missing values") == 1


def test_missing_values_can_be_chosen(puretree: Puretree, survey: Path, tmp_path: Path) -> None:
    """--missing-values replaces the usual spellings, also in predict on the run; '' is for empty cells only."""
    run = tmp_path / "run"
    assert "cells" not in puretree("fit", survey, "-t", "y", "--missing-values", "0,NA", "--out", run).err
    assert json.loads((run / "data.json").read_text())["missing_values"] == ["0", "NA"]
    rows = tmp_path / "rows.csv"
    rows.write_text("n\nNA\n\n7\n0\n")
    assert puretree("predict", run, rows).out.split()[1:] == ["p", "p", "q", "p"]
    named = puretree("predict", run / "model.json", rows)
    assert named.out.split()[1:] == ["p", "p", "q", "q"]
    assert "cells read as missing values in 'n': 'NA' (1)" in named.err
    assert puretree("predict", run / "model.json", rows, "--missing-values", "NA").err == ""
    text = puretree("fit", survey, "-t", "y", "--missing-values", "", "--json").out
    assert json.loads(text)["data"]["missing_values"] == []
    assert "n is NA" in puretree("fit", survey, "-t", "y", "--missing-values", "").out
    for command in (("fit", "formula:monks-1"), ("trees", run)):
        result = puretree(*command, "--missing-values", "x")
        assert result.code == 2
        assert "omit --missing-values" in result.err
    label = puretree("fit", survey, "-t", "n")
    assert label.code == 2
    assert "line 2: the label 'NA' in column 'n' is read as a missing value" in label.err
    assert "use --missing-values" in label.err


def test_predict_probabilities_and_files(puretree: Puretree, run_folder: Path, loans: Path, tmp_path: Path) -> None:
    """--proba adds a column for each class; --out writes a file, and standard output is empty."""
    result = puretree("predict", run_folder / "model.json", loans, "--proba", "--out", tmp_path / "predictions.csv")
    assert result.out == ""
    assert "6 rows predicted" in result.err
    assert (tmp_path / "predictions.csv").read_text().splitlines()[:2] == ["prediction,p(high),p(low)", "high,1,0"]
    result = json.loads(puretree("predict", run_folder, loans, "--proba", "--json").out)
    assert result["classes"] == ["high", "low"]
    assert result["probabilities"][0] == [1.0, 0.0]


def test_predict_escapes_formulas(puretree: Puretree, tmp_path: Path) -> None:
    """With --escape-formulas no text begins as a formula does; without it labels, and always numbers, are unchanged."""
    table, run = tmp_path / "table.csv", tmp_path / "run"
    labels = ["=1+1", "+a", "-b", "@c", "a=b", "\t=1"]
    table.write_text("x,y\n" + "".join(f"{x},{label}\n" for x, label in enumerate(labels)))
    assert puretree("fit", table, "-t", "y", "--out", run).code == 0
    assert list(csv.reader(puretree("predict", run, table).out.splitlines()))[1:] == [[label] for label in labels]
    escaped = puretree("predict", run, table, "--proba", "--escape-formulas").out
    header, *rows = list(csv.reader(escaped.splitlines()))
    assert [row[0] for row in rows] == [label if label == "a=b" else f"'{label}" for label in labels]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for row in (header, *rows) for cell in row)
    table.write_text("x,y\n0,-1\n1,1\n")
    assert puretree("fit", table, "-t", "y", "--out", run, "--force").code == 0
    numbers = puretree("predict", run, table, "--escape-formulas").out
    assert numbers == puretree("predict", run, table).out
    assert numbers.splitlines()[1].startswith("-1")


@pytest.mark.parametrize("on_conflict", ["majority", "drop"])
def test_predict_gives_the_probabilities_of_the_classifier(
    puretree: Puretree, tmp_path: Path, on_conflict: str
) -> None:
    """Class frequencies include the contradictory rows of a majority; a model without its run does not have them."""
    table, run = tmp_path / "table.csv", tmp_path / "run"
    table.write_text("a,b,y\n1,0,p\n1,0,p\n1,0,q\n2,0,q\n2,1,p\n")
    data = read_csv(table, target="y")
    with warnings.catch_warnings(action="ignore", category=ConflictWarning):
        model = PureTreeClassifier(on_conflict=on_conflict).fit(data.table, data.target)
        assert puretree("fit", table, "-t", "y", "--on-conflict", on_conflict, "--out", run).code == 0
    result = json.loads(puretree("predict", run, table, "--proba", "--json").out)
    assert result["probabilities"] == model.predict_proba(data.table).tolist()
    alone = json.loads(puretree("predict", run / "model.json", table, "--proba", "--json").out)
    assert set(alone["probabilities"][0]) == {0, 1}
    assert on_conflict == "drop" or result["probabilities"][0] == [2 / 3, 1 / 3]


# explain


def test_explain_a_row(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """The path through the tree and the nearest change are printed."""
    out = puretree("explain", run_folder, loans, "--row", 0).out
    assert out.startswith("high, because:")
    assert "income" in out
    assert "Nearest change" in out


def test_explain_values(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """--set gives values or replaces those of a row; other values are missing."""
    assert puretree("explain", run_folder, "--set", "income=99").out.startswith("low, because:")
    assert puretree("explain", run_folder, loans, "--row", 0, "--set", "income=99").out.startswith("low, because:")
    complete = puretree("explain", run_folder, "--set", "income=99", "--set", "code=0012", "--set", "owns=yes")
    assert (
        complete.out == puretree("explain", run_folder, "--set", "income=99").out
    )  # the tree does not test the others
    explanation = json.loads(puretree("explain", run_folder, "--set", "income=", "--json").out)
    assert explanation["label"] == "high"


def test_values_treated_as_missing_are_named(puretree: Puretree, tmp_path: Path) -> None:
    """A note names tested columns without a value, except for a row of a file."""
    table = tmp_path / "table.csv"
    table.write_text("a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    assert puretree("fit", table, "-t", "y", "--out", tmp_path / "run").code == 0
    assert "treated as missing: b" in puretree("explain", tmp_path / "run", "--set", "a=1").err
    assert "missing" not in puretree("explain", tmp_path / "run", "--set", "a=1", "--set", "b=0").err
    assert "missing" not in puretree("explain", tmp_path / "run", table, "--row", 0).err


# export


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("png", "onnx")])
def test_export_prints_text(puretree: Puretree, run_folder: Path, name: str) -> None:
    """Every text format can be printed."""
    result = puretree("export", run_folder, "--format", name)
    assert (result.code, result.err) == (0, "")
    assert "income" in result.out


def test_export_to_a_file_is_checked(puretree: Puretree, run_folder: Path, tmp_path: Path) -> None:
    """If the data of the run are available, the exported tree is checked on them."""
    result = puretree("export", run_folder, "--format", "svg", "--out", tmp_path / "tree.svg")
    assert "checked on the training rows" in result.err
    assert "<svg" in (tmp_path / "tree.svg").read_text()
    result = json.loads(puretree("export", run_folder, "-f", "json", "-o", tmp_path / "tree.json", "--json").out)
    assert result["checked"] is True
    assert Tree.from_json((tmp_path / "tree.json").read_text()).n_nodes == 5


def test_export_after_the_data_changed(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """Without the training rows the tree is exported, and a note says that it was not checked."""
    loans.write_text(LOANS + "1,clerk,no,0012,low\n")
    result = puretree("export", run_folder, "--format", "text")
    assert result.code == 0
    assert "not checked on the training rows" in result.err
    assert "has changed since the run" in result.err


def test_onnx_without_the_training_rows(puretree: Puretree, run_folder: Path, loans: Path) -> None:
    """The error names what is missing and the remedy: a tree alone has no rows, and a run may have lost them."""
    loans.unlink()
    for model in (run_folder, run_folder / "model.json"):
        result = puretree("export", model, "--format", "onnx")
        assert result.code == 2
        assert f"--format onnx needs the training rows, and those of {model} are not available; use" in result.err


def test_export_of_a_model_says_that_it_is_not_checked(puretree: Puretree, run_folder: Path, tmp_path: Path) -> None:
    """The model of a run and a saved classifier have no training rows: a note says so."""
    PureTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).save(tmp_path / "saved.json")
    for model in (run_folder / "model.json", tmp_path / "saved.json"):
        result = puretree("export", model, "--format", "sql")
        assert result.code == 0
        assert "not checked on the training rows: the model" in result.err


# trees


def test_trees_are_counted(puretree: Puretree, loans: Path) -> None:
    """The number and the size of all minimum trees are printed, and the features that all of them test."""
    out = puretree("trees", loans, "-t", "risk").out
    assert "2 trees of 5 nodes, proved minimum" in out
    assert "tested by every tree: income ≤ 42" in out


def test_trees_of_a_run(puretree: Puretree, run_folder: Path) -> None:
    """The data and the target are those of the run; another target is rejected."""
    assert "2 trees of 5 nodes" in puretree("trees", run_folder).out
    assert puretree("trees", run_folder, "--target", "risk").code == 0
    result = puretree("trees", run_folder, "--target", "owns")
    assert (result.code, result.out) == (2, "")
    assert result.err == "error: --target 'owns': the target of the run is 'risk'; omit --target\n"


def test_trees_of_a_run_satisfy_its_constraints(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """The parameters of the run are the defaults; options on the command line replace them."""
    run = tmp_path / "run"
    puretree("fit", loans, "-t", "risk", "--root", "job [red]", "--forbidden", "owns", "--out", run)
    table = read_csv(loans, target="risk")
    expected = minimum_trees(table.table, table.target, root="job [red]", forbidden=["owns"])
    result = json.loads(puretree("trees", run, "--json").out)
    assert (result["n_trees"], result["n_nodes"]) == (expected.count, expected.n_nodes)
    other = minimum_trees(table.table, table.target, root="income", forbidden=["owns"])
    result = json.loads(puretree("trees", run, "--root", "income", "--json").out)
    assert (result["n_trees"], result["n_nodes"]) == (other.count, other.n_nodes)
    assert other.n_nodes != expected.n_nodes


@pytest.mark.parametrize(
    ("option", "value", "parameter"),
    [
        ("--binarize", "bits", {"binarize": "bits"}),
        ("--feature-costs", "income=9", {"feature_costs": {"income": 9}}),
        ("--on-conflict", "drop", {"on_conflict": "drop"}),
    ],
)
def test_trees_of_a_run_use_its_parameters(
    puretree: Puretree, loans: Path, tmp_path: Path, option: str, value: object, parameter: dict[str, Any]
) -> None:
    """Every parameter that defines the set of minimum trees is that of the run."""
    run = tmp_path / "run"
    assert puretree("fit", loans, "-t", "risk", option, value, "--out", run).code == 0
    table = read_csv(loans, target="risk")
    expected = minimum_trees(table.table, table.target, **parameter)
    result = json.loads(puretree("trees", run, "--json").out)
    assert (result["n_trees"], result["n_nodes"]) == (expected.count, expected.n_nodes)


def test_trees_are_listed_with_their_ranks(puretree: Puretree) -> None:
    """The first, random and diverse trees are shown with their ranks, at most as many as there are."""
    out = puretree("trees", "formula:mux6", "--list", 1, "--sample", 99, "--diverse", 2, "--random-state", 0).out
    assert out.count("tree 0 (") >= 2
    assert "tree 0 (first; ranks start at 0)" in out


def test_trees_layouts_features_and_the_best(puretree: Puretree, tmp_path: Path) -> None:
    """JSON contains all layouts and features of the forest; printed tables are shortened."""
    iris = load("sklearn:iris")
    forest = minimum_trees(iris.table, iris.target)
    selection = tmp_path / "selection.csv"
    columns = iris.table.to_dict()
    lines = [",".join([*columns, iris.target_name])]
    lines += [",".join([*(str(values[row]) for values in columns.values()), iris.target[row]]) for row in (0, 70, 149)]
    selection.write_text("\n".join(lines))
    result = json.loads(puretree("trees", "sklearn:iris", "--layouts", "--features", "--best", selection, "--json").out)
    assert result["n_trees"] == forest.count
    assert [entry["n_trees"] for entry in result["layouts"]] == [layout.n_trees for layout in forest.layouts()]
    assert [entry["feature"] for entry in result["features"]] == [str(usage.predicate) for usage in forest.features()]
    assert result["best"]["accuracy"] == 1.0
    assert result["best"]["n_trees"] == forest.count
    out = puretree("trees", "sklearn:iris", "--layouts", "--features", "--best", selection).out
    assert "… and" in out
    assert "best on" in out


def test_trees_larger_than_the_minimum(puretree: Puretree, loans: Path) -> None:
    """--extra counts the trees of each size."""
    result = json.loads(puretree("trees", loans, "-t", "risk", "--extra", 1, "--json").out)
    assert list(result["n_trees_of_size"]) == ["5", "7"]


# encode


def test_encode_writes_a_formula(puretree: Puretree, loans: Path, tmp_path: Path) -> None:
    """Both styles can be read; the size is that of a heuristic tree, or the given one."""
    out = tmp_path / "tree.wcnf"
    summary = json.loads(puretree("encode", loans, "-t", "risk", "--out", out, "--json").out)
    assert read_wcnf(out).n_hard == summary["n_hard"]
    assert summary["n_nodes"] == 5
    assert puretree("encode", loans, "-t", "risk", "--nodes", 7, "--old-style", "--out", out).out == ""
    assert "\np wcnf " in out.read_text()
    assert len(read_wcnf(out).soft) == 4


def test_encode_prints_a_formula(puretree: Puretree, loans: Path) -> None:
    """Without --out the formula is printed to standard output, and nothing else."""
    result = puretree("encode", loans, "-t", "risk")
    assert result.out.startswith("c n_vars ")
    assert "trees of up to 5 nodes" in result.err


# engines, and the help


def test_engines_lists_the_registry(puretree: Puretree) -> None:
    """Every engine has a line, and its options are listed."""
    out = puretree("engines").out
    assert all(name in out for name in ENGINES)
    engines = json.loads(puretree("engines", "--json").out)
    assert [entry["name"] for entry in engines] == list(ENGINES)


def test_the_help_names_all_choices(puretree: Puretree) -> None:
    """The help names all engines that minimise the size, all selection rules and all export formats."""
    out = " ".join(puretree("fit", "--help").out.replace("│", " ").split())
    engines = {name for name, make in ENGINES.items() if make().guarantees.aim == "nodes"}
    assert engines | set(RULES) <= set(re.findall(r"[\w-]+", out))
    assert all(name in puretree("export", "--help").out for name in FORMATS)


def test_version_and_help(puretree: Puretree) -> None:
    """Without arguments, the help is printed."""
    assert puretree("--version").out.startswith("puretree ")
    assert puretree().out == puretree("--help").out
    assert "Exit codes" in puretree().out


def test_more_trees_than_python_converts_to_text(
    loans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command prints a number of trees of more than 4,300 digits, rounded for people and exact in JSON."""
    monkeypatch.setattr(Forest, "count", property(lambda self: 7**6000))
    monkeypatch.setattr(Forest, "counts", property(lambda self: {self.n_nodes: 7**6000}))
    monkeypatch.setattr(Forest, "rank", lambda self, tree: 7**6000 - 1)
    run, people = str(tmp_path / "run"), "about 3.87e5070 trees"

    def output(*arguments: str) -> str:
        assert main([*arguments]) == 0
        return capsys.readouterr().out

    assert people in output("fit", str(loans), "-t", "risk", "--out", run)
    assert people in output("show", run)
    assert people in output("trees", run, "--list", "1", "--features", "--layouts")
    for arguments in (["show", run], ["trees", run, "--list", "1"], ["report", run]):
        assert read_integer(json.loads(output(*arguments, "--json"))["n_trees"]) == 7**6000
    assert people in (tmp_path / "run" / "report" / "card.md").read_text()
