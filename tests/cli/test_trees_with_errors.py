"""``puretree trees`` on points of the front."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree import front
from puretree.datasets import load

IRIS = "sklearn:iris"


@pytest.mark.parametrize(
    ("options", "point"),
    [
        (["--max-nodes", 8], {"max_nodes": 8}),
        (["--max-errors", 2], {"max_errors": 2}),
        (["--alpha", 0.02], {"alpha": 0.02}),
        (["--alpha", "cv"], {"max_nodes": 7}),
    ],
)
def test_all_trees_of_a_point(puretree: Puretree, options: list[object], point: dict[str, float]) -> None:
    """They are counted exactly, as in Python."""
    iris = load(IRIS)
    expected = front(iris.table, iris.target).at(**point)
    found = json.loads(puretree("trees", IRIS, "--binarize", "thresholds", *options, "--json").out)
    assert found["point"] == expected.to_dict()
    assert found["n_trees"] == expected.forest().count


def test_a_band_has_more_nodes_and_errors(puretree: Puretree) -> None:
    """Each size and number of errors has its count; the smaller limit of the front does not cut the band."""
    iris = load(IRIS)
    expected = front(iris.table, iris.target).at(max_nodes=7).forest(2, 1)
    options = ["--max-nodes", 7, "--extra-nodes", 2, "--extra-errors", 1, "--binarize", "thresholds"]
    found = json.loads(puretree("trees", IRIS, *options, "--json").out)
    counts = {(line["n_nodes"], line["cost"]): line["n_trees"] for line in found["n_trees_by_cost"]}
    assert counts == expected.counts_by_cost
    out = puretree("trees", IRIS, *options).out
    assert f"{expected.count:,} trees around 7 nodes, 3 errors, proved optimal for its size" in out
    assert "nodes  errors   trees" in out


def test_the_listings_are_those_of_minimum_trees(puretree: Puretree, tmp_path: Path) -> None:
    """List, sample, diverse, layouts, features and best work on the trees of a point."""
    iris = load(IRIS)
    rows = tmp_path / "rows.csv"
    rows.write_text(",".join([*iris.table.names, "class"]) + "\n6,3,4.8,1.5,versicolor\n6,3,5.5,2.0,virginica\n")
    options = ["--list", 2, "--sample", 2, "--diverse", 2, "--layouts", "--features", "--best", rows]
    found = json.loads(puretree("trees", IRIS, "--max-nodes", 7, *options, "--json").out)
    assert [len(found[name]) for name in ("first", "sample", "diverse")] == [2, 2, 2]
    assert found["best"]["accuracy"] == 1.0
    assert puretree("trees", IRIS, "--max-nodes", 7, *options).code == 0


def test_the_point_of_a_run_is_the_default(puretree: Puretree, tmp_path: Path) -> None:
    """Its parameters are those of the run; options select another point."""
    run = tmp_path / "run"
    assert puretree("fit", IRIS, "--alpha", "cv", "--forbidden", "petal width", "--out", run).code == 0
    n_trees = json.loads((run / "outcome.json").read_text())["n_trees"]
    outcome = json.loads((run / "outcome.json").read_text())
    found = json.loads(puretree("trees", run, "--json").out)
    assert (found["n_trees"], found["point"]["n_nodes"]) == (n_trees, outcome["n_nodes"])
    other = json.loads(puretree("trees", run, "--max-nodes", 3, "--json", "--list", 1).out)
    assert other["point"]["n_nodes"] == 3
    assert "petal width" not in json.dumps(other["first"])


def test_options_without_a_meaning_are_refused(puretree: Puretree) -> None:
    """Those of minimum trees, and a negative band."""
    assert "--extra 2 is not for trees with errors" in puretree("trees", IRIS, "--max-nodes", 7, "--extra", 2).err
    assert "--engine maxsat is not" in puretree("trees", IRIS, "--alpha", "cv", "--engine", "maxsat").err
    assert puretree("trees", IRIS, "--max-nodes", 7, "--extra-errors", -1).code == 2
    assert puretree("trees", IRIS, "--max-nodes", 7, "--extra-nodes", -1).code == 2


def test_a_point_that_is_not_proved_has_exit_code_10(puretree: Puretree) -> None:
    """Its trees are not counted."""
    result = puretree(
        "trees", "sklearn:breast-cancer", "--max-nodes", 21, "--time-limit", 1, "--binarize", "thresholds"
    )
    assert (result.code, result.out) == (10, "")
    assert "before the point was proved" in result.err


def test_the_trees_of_a_point_are_filtered(puretree: Puretree) -> None:
    """The number of trees that satisfy the filters is that of Python."""
    iris = load(IRIS)
    forest = front(iris.table, iris.target).at(max_nodes=7).forest(2, 1)
    expected = forest.where(root="petal width", min_samples_leaf=3)
    options = ["--max-nodes", 7, "--extra-nodes", 2, "--extra-errors", 1, "--binarize", "thresholds"]
    filters = ["--at-root", "petal width", "--leaf-rows", 3]
    found = json.loads(puretree("trees", IRIS, *options, *filters, "--json").out)
    assert 0 < expected.count < forest.count
    assert (found["n_trees"], found["where"]["n_trees"]) == (forest.count, expected.count)
