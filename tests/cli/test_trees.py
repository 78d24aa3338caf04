"""The filters of ``puretree trees``."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Puretree

from puretree import Tree, minimum_trees
from puretree.datasets import load

IRIS = "sklearn:iris"


def test_trees_are_filtered(puretree: Puretree, tmp_path: Path) -> None:
    """The counts are those of Python, and everything that is shown is about the trees that satisfy the filters."""
    iris = load(IRIS)
    rows = tmp_path / "rows.csv"
    rows.write_text(",".join([*iris.table.names, "class"]) + "\n6,3,4.8,1.5,versicolor\n6,3,5.5,2.0,virginica\n")
    X, y = [[6, 3, 4.8, 1.5], [6, 3, 5.5, 2.0]], ["versicolor", "virginica"]
    test = "petal width ≤ 0.8"
    expected = minimum_trees(iris.table, iris.target).where(
        root=["petal width", "petal length ≤ 2.45"],
        uses=["sepal length", "petal length"],
        avoids=[test],
        max_depth=4,
        min_samples_leaf=1,
        agrees_with=(X, y),
    )
    assert 0 < expected.count < 5616
    filters = [
        *("--at-root", "petal width", "--at-root", "petal length <= 2.45", "--uses", "sepal length"),
        *("--uses", "petal length", "--avoids", "petal width <= 0.8", "--depth", 4, "--leaf-rows", 1),
        *("--agrees-with", rows),
    ]
    shown = ["--list", 3, "--sample", 2, "--diverse", 2, "--layouts", "--features", "--best", rows]
    found = json.loads(puretree("trees", IRIS, *filters, *shown, "--json").out)
    assert (found["n_trees"], found["where"]["n_trees"]) == (5616, expected.count)
    assert found["where"]["uses"] == ["sepal length", "petal length"]
    assert found["where"]["agrees_with"] == str(rows)
    assert [Tree.from_dict(item["tree"]) for item in found["first"]] == expected[:3]
    assert sum(item["n_trees"] for item in found["layouts"]) == expected.count
    assert found["best"]["n_trees"] == expected.count
    out = puretree("trees", IRIS, *filters).out
    assert f"{expected.count:,} of 5,616 trees satisfy the filters ({expected.count / 5616:.1%})" in out


def test_filters_may_leave_no_tree(puretree: Puretree) -> None:
    """No tree is an answer, not an error."""
    result = puretree("trees", IRIS, "--avoids", "petal width", "--list", 3, "--features", "--layouts", "--diverse", 2)
    assert (result.code, result.err) == (0, "")
    assert "0 of 5,616 trees satisfy the filters (0.0%)" in result.out
    found = json.loads(puretree("trees", IRIS, "--avoids", "petal width", "--list", 3, "--json").out)
    assert (found["where"]["n_trees"], found["first"]) == (0, [])


def test_constraints_and_filters_differ(puretree: Puretree) -> None:
    """The minimum under a constraint may be larger; a filter keeps some of the trees of the unconstrained minimum."""
    constrained = json.loads(puretree("trees", IRIS, "--forbidden", "petal width", "--json").out)
    filtered = json.loads(puretree("trees", IRIS, "--avoids", "petal width", "--json").out)
    assert constrained["n_nodes"] > filtered["n_nodes"]
    assert filtered["where"]["n_trees"] == 0 < constrained["n_trees"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--at-root", "petal"], "--at-root petal is neither a column of the table"),
        (["--uses", "petal width <= 77"], "--uses petal width <= 77 is neither a column of the table"),
        (["--avoids", "nothing"], "--avoids nothing is neither a column of the table"),
        (["--depth", 0], "--depth"),
        (["--leaf-rows", -1], "--leaf-rows"),
    ],
)
def test_errors_name_the_option(puretree: Puretree, options: list[object], message: str) -> None:
    """A filter that is not one of the table, or a limit below 1, has exit code 2."""
    result = puretree("trees", IRIS, *options)
    assert result.code == 2
    assert message in result.err
