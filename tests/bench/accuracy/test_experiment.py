"""The accuracy experiment: its cells, measurements, tables and plot."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from puretree import InputError
from puretree.bench.accuracy import Accuracy, measure, plots, tables
from puretree.bench.accuracy.methods import BASELINES, METHODS, MINIMUM
from puretree.bench.cell import Cell, Row, Values
from puretree.bench.result_table import Estimate, Reproduction, ResultTable, Value

CORRAL = Accuracy(datasets=("formula:corral",), splits=4, n_trees=5, time_limit=20.0)


def ignore(_: Values) -> None:
    """Ignore progress."""


def done(cell: Cell, **values: Any) -> Row:
    """Make the row of a measured cell."""
    return Row(cell.experiment, cell.key, "done", "", 1.0, values=values)


def failed(cell: Cell, reason: str = "it crashed") -> Row:
    """Make the row of a failed cell."""
    return Row(cell.experiment, cell.key, "crashed", reason, 1.0)


def rows_by_id(rows: list[Row]) -> dict[str, Row]:
    """Return rows by id."""
    return {row.id: row for row in rows}


def methods_of(cells: list[Cell]) -> list[Any]:
    """Return the methods of cells."""
    return [cell.key["method"] for cell in cells]


def test_baselines_follow_the_mpdt_methods_of_their_training_part() -> None:
    """Baselines are listed once all mpdt methods of the part have rows, with their largest number of trees and size."""
    experiment = Accuracy(datasets=("iris", "zoo"), train_seeds=2)
    first = experiment.cells({})
    assert len(first) == 2 * 2 * (len(METHODS) - len(BASELINES))
    assert not set(methods_of(first)) & set(BASELINES)
    of_part = [cell for cell in first if (cell.key["dataset"], cell.key["train_seed"]) == ("zoo", 1)]
    minimum = [cell for cell in of_part if cell.key["method"] in MINIMUM]
    n_trees = {"mpdt-nd": 40, "mpdt-lay-nd": 70, "mpdt-1": 1, "mpdt": 30, "mpdt-lay": 7, "all": 10**30}
    rows = [done(cell, n_trees=n_trees[str(cell.key["method"])], size=17.0) for cell in minimum]
    assert len(experiment.cells(rows_by_id(rows[:-1]))) == len(first)
    second = experiment.cells(rows_by_id(rows))
    assert second[: len(first)] == first
    added = second[len(first) :]
    assert methods_of(added) == list(BASELINES)
    assert {(cell.key["dataset"], cell.key["train_seed"]) for cell in added} == {("zoo", 1)}
    assert all((cell.key["n_seeds"], cell.key["n_nodes"]) == (70, 17) for cell in added)


def test_baselines_match_the_methods_that_succeeded() -> None:
    """Failed mpdt methods do not block the baselines; if all failed, the number of seeds is the option ``trees``."""
    cells = [cell for cell in CORRAL.cells({}) if cell.key["method"] in MINIMUM]
    rows = [failed(cell) for cell in cells]
    after_failures = CORRAL.cells(rows_by_id(rows))[-3:]
    assert [(cell.key["n_seeds"], cell.key["n_nodes"]) for cell in after_failures] == [(5, None)] * 3
    rows[methods_of(cells).index("mpdt-lay")] = done(cells[methods_of(cells).index("mpdt-lay")], n_trees=3, size=15.0)
    after_success = CORRAL.cells(rows_by_id(rows))[-3:]
    assert [(cell.key["n_seeds"], cell.key["n_nodes"]) for cell in after_success] == [(3, 15)] * 3
    of_method = {str(cell.key["method"]): cell for cell in after_failures}
    assert measure(of_method["psk"], ignore)["n_trees"] == 5
    with pytest.raises(InputError, match="no mpdt method found one"):
        measure(of_method["lsk"], ignore)


def test_the_number_of_cells_is_known_in_advance() -> None:
    """``n_cells`` equals the number of cells listed in the end."""
    experiment = Accuracy(datasets=("iris", "zoo"), train_seeds=3, methods=("psk", "mpdt", "dtmax-2"))
    rows = rows_by_id([failed(cell) for cell in experiment.cells({})])
    assert len(experiment.cells(rows)) == experiment.n_cells == 18


def test_baselines_alone_are_listed_at_once() -> None:
    """Without mpdt methods in the experiment, baselines do not wait for their rows."""
    experiment = Accuracy(datasets=("iris",), methods=("ask",), n_trees=9)
    assert [cell.key["n_seeds"] for cell in experiment.cells({})] == [9]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"train_seeds": 0}, "train_seeds=0 must be an integer"),
        ({"splits": True}, "splits=True must be an integer"),
        ({"n_trees": 1.5}, "n_trees=1.5 must be an integer"),
        ({"time_limit": 0}, "time_limit=0 must be a finite number of seconds above 0"),
        ({"time_limit": float("inf")}, "time_limit=inf must be a finite number of seconds above 0"),
        ({"memory_limit": -1}, "memory_limit=-1 must be a number of bytes above 0"),
        ({"datasets": ()}, r"datasets=\(\) must list at least one value"),
        ({"methods": ("psk", "psk")}, "must list at least one value, without duplicates"),
        ({"methods": ("psk", "c4.5")}, "methods='c4.5' is unknown; choose from psk, lsk"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    """The message names the option, its value, and the valid values."""
    with pytest.raises(InputError, match=message):
        Accuracy(**options)


@pytest.fixture(scope="module")
def measured() -> dict[str, Row]:
    """Measure every method on a small table."""
    rows: dict[str, Row] = {}
    for _ in range(2):
        for cell in CORRAL.cells(rows):
            if cell.id not in rows:
                reported: list[Values] = []
                values = measure(cell, reported.append)
                assert json.loads(json.dumps(values)) == values  # JSON types only
                assert reported[0]["n_trees"] == values["n_trees"]
                rows[cell.id] = done(cell, **values)
    return rows


def values_of(rows: dict[str, Row], method: str) -> Values:
    """Return the measured values of a method."""
    return next(row.values for row in rows.values() if row.key["method"] == method)


def test_every_method_is_measured(measured: dict[str, Row]) -> None:
    """Each has an accuracy for each split, their mean, and a best seen accuracy that is at least the mean."""
    assert sorted(str(row.key["method"]) for row in measured.values()) == sorted(METHODS)
    for row in measured.values():
        values = row.values
        assert len(values["accuracy_of_split"]) == 4
        assert values["accuracy"] == pytest.approx(sum(values["accuracy_of_split"]) / 4)
        assert 0 < values["accuracy"] <= values["best_seen"] + 1e-9 <= 100 + 1e-8
        assert values["n_exact_splits"] == 4


def test_methods_produce_their_trees(measured: dict[str, Row]) -> None:
    """Minimum trees have one size, proved; the forest has most trees; lsk has that size; depth limits sizes."""
    size = values_of(measured, "all")["n_nodes"]
    for method in MINIMUM:
        values = values_of(measured, method)
        assert (values["n_nodes"], values["size"], values["status"]) == (size, size, "optimal")
    assert [values_of(measured, method)["n_trees"] for method in ("mpdt-1", "mpdt-nd", "mpdt")] == [1, 5, 5]
    assert values_of(measured, "all")["n_trees"] > 5
    assert values_of(measured, "all")["best_seen"] >= values_of(measured, "mpdt")["best_seen"]
    assert values_of(measured, "lsk")["size"] <= size <= values_of(measured, "psk")["size"]
    assert values_of(measured, "ask")["n_trees"] > values_of(measured, "psk")["n_trees"] == 5
    assert values_of(measured, "dtmax-2")["size"] <= 7
    errors = [values_of(measured, f"dtmax-{depth}")["train_errors"] for depth in (2, 3, 4)]
    assert errors == sorted(errors, reverse=True)


def test_measurements_are_reproducible(measured: dict[str, Row]) -> None:
    """Measuring a cell twice gives the same accuracies."""
    for method in ("mpdt-nd", "all", "ask"):
        cell = next(cell for cell in CORRAL.cells(measured) if cell.key["method"] == method)
        assert measure(cell, ignore)["accuracy_of_split"] == measured[cell.id].values["accuracy_of_split"]


def test_without_a_proof_there_is_one_tree() -> None:
    """If the time limit is reached before the minimum is proved, the result is one tree without a proved size."""
    experiment = Accuracy(datasets=("formula:monks-2",), splits=2, time_limit=1e-3, methods=("mpdt", "all"))
    for cell in experiment.cells({}):
        values = measure(cell, ignore)
        assert (values["status"], values["stopped"], values["n_trees"]) == ("time_limit", "limit", 1)
        assert values["n_nodes"] is None


# Tables


def make_rows(experiment: Accuracy, accuracies: dict[tuple[str, str], list[float]]) -> list[Row]:
    """Make rows with accuracies, one for each training part."""
    rows = []
    for (method, dataset), values in accuracies.items():
        for seed, accuracy in enumerate(values):
            cell = Cell(experiment.name, experiment.key(dataset, seed, method), 1.0)
            effort = {"status": "optimal", "stopped": "enough", "n_exact_splits": experiment.splits, "seconds": 1.5}
            rows.append(done(cell, accuracy=accuracy, best_seen=accuracy + 2, size=9.0, n_trees=3, n_nodes=7, **effort))
    return rows


def table_of(result_tables: list[ResultTable], name: str) -> ResultTable:
    """Return the table of a name, after checking its number of columns."""
    table = next(table for table in result_tables if table.name == name)
    assert all(len(row) == len(table.header) for row in table.rows)
    assert not table.groups or sum(width for _, width in table.groups) == len(table.header)
    return table


def ours(value: Value) -> Any:
    """Return the reproduced value."""
    assert isinstance(value, Reproduction)
    return value.ours


EXPERIMENT = Accuracy(datasets=("iris", "zoo"), train_seeds=2, methods=("psk", "mpdt"))
ROWS = make_rows(
    EXPERIMENT,
    {
        ("psk", "iris"): [80.0, 82.0],
        ("psk", "zoo"): [90.0, 90.0],
        ("mpdt", "iris"): [84.0, 88.0],
        ("mpdt", "zoo"): [91.0, 95.0],
    },
)


def test_table_4_has_means_over_training_parts() -> None:
    """One row for each data set, then mean and median over data sets; the minimum size is a column between methods."""
    table = table_of(tables(EXPERIMENT, ROWS), "table4")
    assert table.header == ("data set", "t.acc", "size", "size", "#sols", "t.acc")
    assert table.groups == (("", 1), ("psk", 2), ("opt", 1), ("mpdt", 2))
    assert [row[0] for row in table.rows] == ["iris", "zoo", "mean", "median"]
    assert table.rules == (2,)
    iris, _, mean, median = table.rows
    assert [ours(value) for value in iris[1:]] == [Estimate(81.0, 1.0), 9, 7, 3, Estimate(86.0, 2.0)]
    assert ours(mean[1]) == Estimate(85.5, 0.5)
    assert ours(mean[5]) == Estimate(89.5, pytest.approx(np.sqrt(8) / 2))
    assert (ours(median[1]), ours(median[5])) == (85.5, 89.5)


def test_differences_are_paired() -> None:
    """Differences 4, 6 and 1, 5: the means of the data sets are 5 and 3, with errors 1 and 2."""
    table = table_of(tables(EXPERIMENT, ROWS), "differences")
    (line,) = table.rows
    assert line[:3] == ("mpdt", "psk", 4)
    assert ours(line[3]) == Estimate(4.0, pytest.approx(np.sqrt(5) / 2))
    assert line[4:] == (pytest.approx(1.0), 2, 0, 0, 0.5)


def test_missing_cells_are_left_out_and_counted() -> None:
    """Only complete pairs count; failed cells are listed with their reasons."""
    crash = failed(Cell("accuracy", EXPERIMENT.key("zoo", 1, "psk"), 1.0), "killed")
    rows = [*(row for row in ROWS if row.id != crash.id), crash]
    result_tables = tables(EXPERIMENT, rows)
    (line,) = table_of(result_tables, "differences").rows
    assert line[2] == 3
    assert ours(line[3]) == Estimate(3.0, None)
    assert "1 of 8 cells are missing" in table_of(result_tables, "table4").caption
    assert [row[:3] for row in table_of(result_tables, "failed").rows] == [
        (str(Cell("", crash.key, 0)), "crashed", "killed")
    ]
    assert "failed" not in {table.name for table in tables(EXPERIMENT, ROWS)}


def test_without_rows_the_tables_are_empty() -> None:
    """All tables exist before any cell is measured, with counts of 0."""
    result_tables = tables(EXPERIMENT, [])
    assert [table.name for table in result_tables] == ["table4", "best_seen", "differences", "effort"]
    assert [row[3] for row in table_of(result_tables, "best_seen").rows] == [0, 0]


def test_rows_of_other_options_do_not_count() -> None:
    """A results file may have rows of another time limit, which the tables ignore."""
    other = Accuracy(datasets=("iris", "zoo"), train_seeds=2, methods=("psk", "mpdt"), time_limit=99)
    assert tables(other, ROWS) == tables(other, [])


def test_best_seen_and_selected_accuracies_are_compared() -> None:
    """Both are means over data sets; n is the number of cells."""
    table = table_of(tables(EXPERIMENT, ROWS), "best_seen")
    assert [(row[0], ours(row[1]).mean, ours(row[2]).mean, row[3]) for row in table.rows] == [
        ("psk", 87.5, 85.5, 4),
        ("mpdt", 91.5, 89.5, 4),
    ]


def test_the_effort_table_counts_unfinished_cells() -> None:
    """Cells without a proof, with fewer trees than requested, or with a sample of all trees, are counted."""
    unfinished: Values = {
        "status": "time_limit",
        "stopped": "limit",
        "n_exact_splits": 49,
        "seconds": 4.5,
        "n_trees": 1,
    }
    rows = [done(Cell("accuracy", row.key, 1.0), **(row.values | unfinished)) for row in ROWS[:1]] + ROWS[1:]
    table = table_of(tables(EXPERIMENT, rows), "effort")
    assert table.rows == (("psk", 4, 3, 1, 1, 3, 2.25), ("mpdt", 4, 4, 0, 0, 3, 1.5))


def test_the_plot_has_a_point_for_each_dataset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Points are means over training parts; methods without rows are left out."""
    plotted: dict[Path, Any] = {}
    monkeypatch.setattr(
        "puretree.bench.output.plots.accuracy_against_size", lambda points, path: plotted.update({path: points})
    )
    experiment = Accuracy(datasets=("iris", "zoo"), train_seeds=2, methods=("psk", "mpdt", "all"))
    (path,) = plots(experiment, ROWS, tmp_path)
    assert path.parent == tmp_path
    assert plotted[path] == {"psk": [(9.0, 81.0), (9.0, 90.0)], "mpdt": [(9.0, 86.0), (9.0, 93.0)]}


@pytest.mark.data
def test_the_paper_s_data_sets_are_read(paper_folder: Path) -> None:
    """Minimum trees of a training part of mux6 have the 15 nodes of the formula's minimum tree."""
    experiment = Accuracy(datasets=("mux6",), folder=str(paper_folder), splits=3, n_trees=2, methods=("mpdt-nd", "all"))
    for cell in experiment.cells({}):
        values = measure(cell, ignore)
        assert values["n_nodes"] == 15
        assert values["status"] == "optimal"
