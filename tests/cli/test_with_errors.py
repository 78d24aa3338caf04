"""``puretree fit`` and the commands on its runs, where errors are allowed."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree import OptimalTreeClassifier, PureTreeClassifier, Tree
from puretree.datasets import load
from puretree.errors import FormatError


@pytest.fixture
def noisy_run(puretree: Puretree, tmp_path: Path) -> Path:
    """Fit iris with the size chosen by cross-validation, and return the run folder."""
    folder = tmp_path / "run"
    result = puretree("fit", "sklearn:iris", "--alpha", "cv", "--out", folder, "--quiet")
    assert (result.code, result.err) == (0, "")
    return folder


def test_cross_validation_chooses_the_size(puretree: Puretree, noisy_run: Path) -> None:
    """The output says what is proved, and how the size was chosen; the run has the front and the scores."""
    shown = puretree("show", noisy_run).out
    assert "7 nodes, 3 errors, proved optimal for its size; 12 trees of this size and cost" in shown
    assert "size chosen by 5-fold cross-validation (accuracy 94.7% ± 4.5%)" in shown
    front = json.loads((noisy_run / "outcome.json").read_text())["front"]
    assert [(point["n_nodes"], point["errors"]) for point in front["points"]][:4] == [(1, 100), (3, 50), (5, 6), (7, 3)]
    assert front["chosen"] == 7
    assert front["n_folds"] == 5


@pytest.mark.parametrize(
    ("options", "n_nodes", "n_errors"),
    [
        (["--max-errors", 2], 9, 2),
        (["--max-nodes", 6], 5, 6),
        (["--max-nodes", 9, "--max-errors", 4], 7, 3),
        (["--alpha", 0.2], 5, 6),
        (["--max-leaf-nodes", 3, "--alpha", "cv"], 5, 6),
        (["--class-weight", "balanced", "--rule", "one-se", "--cv", 3], 5, 6),
    ],
)
def test_each_option_selects_a_point(puretree: Puretree, options: list[object], n_nodes: int, n_errors: int) -> None:
    """A number of errors or of nodes, a price, and cross-validation with a limit of the size or weights."""
    result = puretree("fit", "sklearn:iris", *options, "--json", "--quiet")
    assert result.code == 0
    summary = json.loads(result.out)
    assert (summary["n_nodes"], summary["n_errors"]) == (n_nodes, n_errors)
    assert Tree.from_dict(summary["tree"]).n_nodes == n_nodes
    assert summary["parameters"]["binarize"] == "guessed"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "maxsat"], "--engine maxsat is not for trees with errors: the exact search finds the front"),
        (["--on-conflict", "drop"], "--on-conflict drop is not for trees with errors: contradictory rows need no rule"),
        (["--feature-costs", "petal width=2"], "--feature-costs petal width=2 is not for trees with errors"),
        (["--n-trees", 5], "--n-trees 5 is not for trees with errors"),
        (["--selection", "holdout"], "holdout"),
        (["--selection-size", 0.3], "--selection-size 0.3 is not for trees with errors: no rows are held out"),
        (["--rule", "best"], "--rule best is only for --alpha cv"),
        (["--alpha", 0.1], "--alpha 0.1 contradicts"),
        (["--alpha", "much"], "--alpha much is neither a price nor cv"),
        (["--max-leaf-nodes", 3, "--max-nodes", 5], "--max-leaf-nodes 3 says the same as --max-nodes"),
        (["--max-nodes", 0], "--max-nodes 0 is not a size"),
        (["--class-weight", "x"], "--class-weight x is unknown; use balanced"),
    ],
)
def test_options_without_a_meaning_are_refused(puretree: Puretree, options: list[object], message: str) -> None:
    """The message names the option and the reason; nothing is solved."""
    result = puretree("fit", "sklearn:iris", "--max-errors", 3, *options)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_one_fold_is_refused(puretree: Puretree) -> None:
    """There are at least two."""
    result = puretree("fit", "sklearn:iris", "--alpha", "cv", "--cv", 1)
    assert (result.code, result.out) == (2, "")
    assert "--cv" in result.err


def test_too_few_errors_are_infeasible(puretree: Puretree) -> None:
    """If no tree of that size has so few errors, the exit code is 20."""
    assert puretree("fit", "sklearn:iris", "--max-errors", 2, "--max-nodes", 7).code == 20


def test_an_unfinished_cross_validation_is_said(puretree: Puretree, tmp_path: Path) -> None:
    """At the time limit the exit code is 10, although the tree may be proved to have the fewest errors for its size."""
    options = ["--alpha", "cv", "--time-limit", 0, "--binarize", "thresholds", "--out", tmp_path / "run"]
    result = puretree("fit", "sklearn:iris", *options)
    assert result.code == 10
    assert "a limit was reached" in result.out
    assert "minimum tree" not in puretree("show", tmp_path / "run").out


def test_progress_lines_have_the_bounds_of_the_front(puretree: Puretree) -> None:
    """Every improved bound is a line, with the size it is for."""
    err = puretree("fit", "sklearn:iris", "--max-errors", 6, "--verbose").err
    assert "150 rows · 5 nodes: 0 ≤ errors ≤ 6 · " in err


def test_the_other_commands_work_on_the_run(puretree: Puretree, noisy_run: Path, tmp_path: Path) -> None:
    """Prediction, explanation and exports are those of the tree; a certificate is refused with the reason."""
    tree, iris = Tree.from_json((noisy_run / "model.json").read_text()), load("sklearn:iris")
    rows = tmp_path / "rows.csv"
    names = iris.table.names
    rows.write_text(",".join(names) + "\n" + "5.1,3.5,1.4,0.2\n6.3,2.8,5.1,1.5\n")
    out = puretree("predict", noisy_run, rows, "--proba").out.splitlines()
    assert out[1].startswith("setosa,")
    assert puretree("explain", noisy_run, rows, "--row", 1).code == 0
    for name in ("json", "python", "sql", "svg", "dot", "text"):
        exported = puretree("export", noisy_run, "--format", name, "--out", tmp_path / f"tree.{name}")
        assert exported.code == 0
        assert "checked on the training rows" in exported.err
    result = puretree("certify", noisy_run)
    assert result.code == 2
    assert "certificates are about minimum trees without errors" in result.err
    result = puretree("verify", noisy_run)
    assert result.code == 2
    assert "is a run that allows errors" in result.err
    model = OptimalTreeClassifier.load(noisy_run)
    assert model.tree_ == tree
    with pytest.raises(FormatError, match="load it with that class"):
        PureTreeClassifier.load(noisy_run)


def test_a_report_has_the_front(puretree: Puretree, noisy_run: Path) -> None:
    """The card and the dossier have its picture and its table, and say what is proved."""
    assert puretree("report", noisy_run).code == 0
    for name in ("card", "dossier"):
        assert "chosen: 7 nodes" in (noisy_run / "report" / f"{name}.html").read_text()
        text = (noisy_run / "report" / f"{name}.md").read_text()
        assert "**Proved optimal for its size.**" in text
        assert "| 7 | 3 | proved | 94.7% ± 4.5% | 5 of 5 | chosen |" in text


def test_a_changed_front_is_rejected(puretree: Puretree, noisy_run: Path) -> None:
    """The chosen point of the front is the tree of the run."""
    path = noisy_run / "outcome.json"
    outcome = json.loads(path.read_text())
    for change in ({"chosen": 5}, {"chosen": 4}, {"points": []}, {"total_weight": -1}, {"lower": [[1, "x"]]}):
        path.write_text(json.dumps(outcome | {"front": outcome["front"] | change}))
        assert puretree("show", noisy_run).code == 2
