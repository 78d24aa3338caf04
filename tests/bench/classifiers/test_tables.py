"""The tables and the plot of the classifier experiment."""

from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from puretree.bench.cell import Row
from puretree.bench.classifiers import Classifiers, plots, tables
from puretree.bench.output import plots as output
from puretree.bench.result_table import Estimate, ResultTable, Value

EXPERIMENT = Classifiers(("car", "iris", "zoo"), methods=("cart-ccp", "pure", "rf", "cart"), time_limit=5.0)
ACCURACIES = {"cart": {"car": 80.0, "iris": 90.0, "zoo": 70.0}, "pure": {"car": 88.0, "iris": 92.0}}
NODES = {"cart": 36, "pure": 9, "rf": 900}


def make_rows() -> list[Row]:
    """Make rows of all cells; pure fails on zoo, and cart-ccp and rf always have an accuracy of 85 percent."""
    rows = []
    for cell in EXPERIMENT.cells({}):
        method, dataset = str(cell.key["method"]), str(cell.key["dataset"])
        if method == "pure" and dataset == "zoo":
            rows.append(Row(cell.experiment, cell.key, "time_limit", "too slow", 305.0))
            continue
        accuracy = ACCURACIES.get(method, {}).get(dataset, 85.0)
        values = {"accuracy": accuracy, "balanced_accuracy": accuracy - 5, "log_loss": 0.5, "brier_score": 0.25}
        values |= {"n_nodes": NODES.get(method, 9), "seconds": 2.0}
        rows.append(Row(cell.experiment, cell.key, "done", "", 2.0, values=values | {"status": "unproved"}))
    return rows


ROWS = make_rows()


def table_of(name: str, rows: list[Row] = ROWS) -> ResultTable:
    """Return the table of a name, after checking its number of columns."""
    table = next(table for table in tables(EXPERIMENT, rows) if table.name == name)
    assert all(len(row) == len(table.header) for row in table.rows)
    return table


def row_of(name: str, first: str, rows: list[Row] = ROWS) -> dict[str, Value]:
    """Return a row of a table by column."""
    table = table_of(name, rows)
    return next(dict(zip(table.columns, row, strict=True)) for row in table.rows if row[0] == first)


def test_methods_are_compared_with_pruned_cart() -> None:
    """The difference is paired, with the standard error over data sets; the ratio of sizes is a geometric mean."""
    cart = row_of("classifiers", "cart")
    difference = cart["minus cart-ccp"]
    assert difference == Estimate(pytest.approx(-5.0), pytest.approx(10 / sqrt(3)))  # of -5, 5 and -15
    assert [cart[name] for name in ("n", "accuracy", "wins", "ties", "losses")] == [3, pytest.approx(80), 1, 0, 2]
    assert (cart["nodes"], cart["relative"]) == (36, pytest.approx(4))


def test_the_reference_is_not_compared_with_itself() -> None:
    """It has means, a rank and the relative size 1."""
    reference = row_of("classifiers", "cart-ccp")
    assert reference["minus cart-ccp"] is reference["p"] is None
    assert (reference["accuracy"], reference["relative"]) == (85, 1)


def test_missing_cells_are_left_out_of_comparisons() -> None:
    """Differences are over the data sets of the method, ranks over those that all methods have."""
    pure = row_of("classifiers", "pure")
    assert (pure["n"], pure["accuracy"]) == (2, 90)
    assert pure["minus cart-ccp"] == Estimate(pytest.approx(5.0), pytest.approx(2.0))
    ranks = {method: row_of("classifiers", method)["rank"] for method in EXPERIMENT.methods}
    assert ranks == {"pure": 1, "cart": (4 + 2) / 2, "cart-ccp": (2.5 + 3.5) / 2, "rf": (2.5 + 3.5) / 2}
    assert "over 2 data sets" in table_of("classifiers").caption
    assert "5 of 60 cells are missing" in table_of("classifiers").caption


def test_scores_of_probabilities_are_compared() -> None:
    """Balanced accuracy, log loss and Brier score have a mean and a paired difference each."""
    scores = row_of("scores", "cart")
    assert scores["balanced accuracy mean"] == pytest.approx(75)
    assert scores["balanced accuracy difference"] == Estimate(pytest.approx(-5.0), pytest.approx(10 / sqrt(3)))
    assert scores["log loss difference"] == scores["Brier score difference"] == Estimate(0.0, 0.0)


def test_means_of_data_sets() -> None:
    """There is a row for each data set, and the mean; a method without results on a data set has none."""
    accuracies = table_of("accuracy_by_data_set")
    assert [row[0] for row in accuracies.rows] == ["car", "iris", "zoo", "mean"]
    assert accuracies.header[1:] == ("pure", "cart", "cart-ccp", "rf")
    assert row_of("accuracy_by_data_set", "zoo") == {
        **{"data set": "zoo", "cart": 70, "cart-ccp": 85},
        **{"pure": None, "rf": 85},
    }
    assert row_of("n_nodes_by_data_set", "mean")["pure"] == 9


def test_effort_and_failed_cells_are_listed() -> None:
    """A cell that exceeded its limit is listed with its reason."""
    assert row_of("effort", "pure") == {
        **{"method": "pure", "n": 10, "proved": 0, "limit": 0},
        **{"seconds": 2.0, "longest": 2.0},
    }
    assert len(table_of("failed").rows) == 5


def test_tables_without_results(tmp_path: Path) -> None:
    """Before the first row all values are missing, and the plot says that there are no data."""
    assert row_of("classifiers", "cart", [])["accuracy"] is None
    assert row_of("classifiers", "cart", [])["rank"] is None
    assert plots(EXPERIMENT, [], tmp_path)[0].stat().st_size > 0


def test_the_plot_leaves_out_forests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A point for each data set of a method; a forest with its thousands of nodes would leave no room for the trees."""
    plotted: dict[str, Any] = {}
    monkeypatch.setattr(output, "accuracy_against_size", lambda points, path: plotted.update(points))
    assert plots(EXPERIMENT, ROWS, tmp_path) == [tmp_path / "accuracy_against_size.png"]
    assert plotted["pure"] == [(9, 88), (9, 92)]
    assert plotted["cart"] == [(36, 80), (36, 90)]  # without zoo, where pure has no results
    assert set(plotted) == {"cart", "cart-ccp", "pure"}
