"""The accuracy experiment: which cells there are and when, what each measures, and the tables."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from puretree import InputError
from puretree.bench.accuracy import Accuracy, measure, plots, tables
from puretree.bench.accuracy.methods import BASELINES, METHODS, MINIMUM
from puretree.bench.cell import Beside, Cell, Estimate, ResultTable, Row, Value, Values

CORRAL = Accuracy(datasets=("formula:corral",), splits=4, trees=5, limit=20.0)


def quiet(_: Values) -> None:
    """Hear what is told and forget it."""


def done(cell: Cell, **values: Any) -> Row:
    """Make a row of a cell that was measured."""
    return Row(cell.experiment, cell.key, "done", "", 1.0, values=values)


def failed(cell: Cell, reason: str = "it crashed") -> Row:
    """Make a row of a cell that was not."""
    return Row(cell.experiment, cell.key, "crashed", reason, 1.0)


def rows_by_id(rows: list[Row]) -> dict[str, Row]:
    """Look rows up as an experiment wants them."""
    return {row.id: row for row in rows}


def methods_of(cells: list[Cell]) -> list[Any]:
    """Return the methods of cells."""
    return [cell.key["method"] for cell in cells]


def test_baselines_come_after_the_variants_of_their_training_part() -> None:
    """Baselines are listed when all minimum trees of their part have rows, with the most trees and their size."""
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


def test_after_failures_what_is_known_is_taken() -> None:
    """A variant that failed does not keep baselines from being measured; without any, seeds are as many as asked."""
    cells = [cell for cell in CORRAL.cells({}) if cell.key["method"] in MINIMUM]
    rows = [failed(cell) for cell in cells]
    nothing = CORRAL.cells(rows_by_id(rows))[-3:]
    assert [(cell.key["n_seeds"], cell.key["n_nodes"]) for cell in nothing] == [(5, None)] * 3
    rows[methods_of(cells).index("mpdt-lay")] = done(cells[methods_of(cells).index("mpdt-lay")], n_trees=3, size=15.0)
    something = CORRAL.cells(rows_by_id(rows))[-3:]
    assert [(cell.key["n_seeds"], cell.key["n_nodes"]) for cell in something] == [(3, 15)] * 3
    of_method = {str(cell.key["method"]): cell for cell in nothing}
    assert measure(of_method["psk"], quiet)["n_trees"] == 5
    with pytest.raises(InputError, match="no variant of mpdt has found one"):
        measure(of_method["lsk"], quiet)


def test_the_number_of_cells_is_told_before_they_are_known() -> None:
    """As many cells are listed in the end as were announced."""
    experiment = Accuracy(datasets=("iris", "zoo"), train_seeds=3, methods=("psk", "mpdt", "dtmax-2"))
    rows = rows_by_id([failed(cell) for cell in experiment.cells({})])
    assert len(experiment.cells(rows)) == experiment.n_cells == 18


def test_baselines_alone_wait_for_nobody() -> None:
    """Without variants among the methods, baselines are listed at once."""
    experiment = Accuracy(datasets=("iris",), methods=("ask",), trees=9)
    assert [cell.key["n_seeds"] for cell in experiment.cells({})] == [9]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"train_seeds": 0}, "train_seeds=0 is not a whole number"),
        ({"splits": True}, "splits=True is not a whole number"),
        ({"trees": 1.5}, "trees=1.5 is not a whole number"),
        ({"limit": 0}, "limit=0 is not a finite number of seconds above 0"),
        ({"limit": float("inf")}, "limit=inf is not a finite number of seconds above 0"),
        ({"memory": -1}, "memory=-1 is not a number of bytes above 0"),
        ({"datasets": ()}, r"datasets=\(\) must name one or more"),
        ({"methods": ("psk", "psk")}, "must name one or more, and each once"),
        ({"methods": ("psk", "c4.5")}, "methods='c4.5' is not known; use some of psk, lsk"),
    ],
)
def test_wrong_options_are_refused(wrong: dict[str, Any], message: str) -> None:
    """The message names the option as it was given, and what would be right."""
    with pytest.raises(InputError, match=message):
        Accuracy(**wrong)


@pytest.fixture(scope="module")
def measured() -> dict[str, Row]:
    """Measure every method on a small table."""
    rows: dict[str, Row] = {}
    for _ in range(2):
        for cell in CORRAL.cells(rows):
            if cell.id not in rows:
                told: list[Values] = []
                values = measure(cell, told.append)
                assert json.loads(json.dumps(values)) == values  # plain values only
                assert told[0]["n_trees"] == values["n_trees"]
                rows[cell.id] = done(cell, **values)
    return rows


def values_of(rows: dict[str, Row], method: str) -> Values:
    """Return what was measured of a method."""
    return next(row.values for row in rows.values() if row.key["method"] == method)


def test_every_method_is_measured(measured: dict[str, Row]) -> None:
    """Each has an accuracy for each split, their mean, and a best seen that is no worse than what was chosen."""
    assert sorted(str(row.key["method"]) for row in measured.values()) == sorted(METHODS)
    for row in measured.values():
        values = row.values
        assert len(values["accuracy_of_split"]) == 4
        assert values["accuracy"] == pytest.approx(sum(values["accuracy_of_split"]) / 4)
        assert 0 < values["accuracy"] <= values["best_seen"] + 1e-9 <= 100 + 1e-8
        assert values["n_exact_splits"] == 4


def test_methods_have_the_trees_they_are_named_for(measured: dict[str, Row]) -> None:
    """Minimum trees are of one size, proved; the forest has most; lsk has that size; depths bound sizes."""
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


def test_a_measurement_can_be_repeated(measured: dict[str, Row]) -> None:
    """The same cell gives the same accuracy."""
    for method in ("mpdt-nd", "all", "ask"):
        cell = next(cell for cell in CORRAL.cells(measured) if cell.key["method"] == method)
        assert measure(cell, quiet)["accuracy_of_split"] == measured[cell.id].values["accuracy_of_split"]


def test_without_a_proof_there_is_one_tree() -> None:
    """Where the time is over before the minimum is proved, the row says so and has the one tree."""
    experiment = Accuracy(datasets=("formula:monks-2",), splits=2, limit=1e-3, methods=("mpdt", "all"))
    for cell in experiment.cells({}):
        values = measure(cell, quiet)
        assert (values["status"], values["ending"], values["n_trees"]) == ("time_limit", "limit", 1)
        assert values["n_nodes"] is None


# Tables


def made_up(experiment: Accuracy, accuracies: dict[tuple[str, str], list[float]]) -> list[Row]:
    """Make rows with given accuracies, one for each training part."""
    rows = []
    for (method, dataset), values in accuracies.items():
        for seed, accuracy in enumerate(values):
            cell = Cell(experiment.name, experiment.key(dataset, seed, method), 1.0)
            told = {"status": "optimal", "ending": "enough", "n_exact_splits": experiment.splits, "seconds": 1.5}
            rows.append(done(cell, accuracy=accuracy, best_seen=accuracy + 2, size=9.0, n_trees=3, n_nodes=7, **told))
    return rows


def table_of(found: list[ResultTable], name: str) -> ResultTable:
    """Return the table of a name, after a check of its form."""
    table = next(table for table in found if table.name == name)
    assert all(len(row) == len(table.header) for row in table.rows)
    assert not table.groups or sum(width for _, width in table.groups) == len(table.header)
    return table


def ours(value: Value) -> Any:
    """Return our figure."""
    assert isinstance(value, Beside)
    return value.ours


EXPERIMENT = Accuracy(datasets=("iris", "zoo"), train_seeds=2, methods=("psk", "mpdt"))
ROWS = made_up(
    EXPERIMENT,
    {
        ("psk", "iris"): [80.0, 82.0],
        ("psk", "zoo"): [90.0, 90.0],
        ("mpdt", "iris"): [84.0, 88.0],
        ("mpdt", "zoo"): [91.0, 95.0],
    },
)


def test_table_4_has_means_over_training_parts() -> None:
    """A line for each data set, then mean and median over data sets; the minimum size stands between the methods."""
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
    """Differences 4, 6 and 1, 5: data sets have 5 and 3, with errors 1 and 2."""
    table = table_of(tables(EXPERIMENT, ROWS), "differences")
    (line,) = table.rows
    assert line[:3] == ("mpdt", "psk", 4)
    assert ours(line[3]) == Estimate(4.0, pytest.approx(np.sqrt(5) / 2))
    assert line[4:] == (pytest.approx(1.0), 2, 0, 0, 0.5)


def test_missing_cells_are_left_out_and_counted() -> None:
    """Only pairs where both are there count; what failed is listed with its reason."""
    crash = failed(Cell("accuracy", EXPERIMENT.key("zoo", 1, "psk"), 1.0), "killed")
    rows = [*(row for row in ROWS if row.id != crash.id), crash]
    found = tables(EXPERIMENT, rows)
    (line,) = table_of(found, "differences").rows
    assert line[2] == 3
    assert ours(line[3]) == Estimate(3.0, None)
    assert "1 of 8 cells are missing" in table_of(found, "table4").caption
    assert [row[:3] for row in table_of(found, "failed").rows] == [(str(Cell("", crash.key, 0)), "crashed", "killed")]
    assert "failed" not in {table.name for table in tables(EXPERIMENT, ROWS)}


def test_tables_of_nothing_can_be_made() -> None:
    """Before any cell is done, all tables are there and say that nothing is."""
    found = tables(EXPERIMENT, [])
    assert [table.name for table in found] == ["table4", "best_seen", "differences", "effort"]
    assert [row[3] for row in table_of(found, "best_seen").rows] == [0, 0]


def test_rows_of_other_options_do_not_count() -> None:
    """A file of results may hold those of another limit: the tables are of this one's."""
    other = Accuracy(datasets=("iris", "zoo"), train_seeds=2, methods=("psk", "mpdt"), limit=99)
    assert tables(other, ROWS) == tables(other, [])


def test_the_best_seen_stands_beside_the_chosen() -> None:
    """Both are means over data sets; n tells how many cells they come from."""
    table = table_of(tables(EXPERIMENT, ROWS), "best_seen")
    assert [(row[0], ours(row[1]).mean, ours(row[2]).mean, row[3]) for row in table.rows] == [
        ("psk", 87.5, 85.5, 4),
        ("mpdt", 91.5, 89.5, 4),
    ]


def test_what_was_cut_short_is_told() -> None:
    """Cells without a proof, with fewer trees than asked for, or with a sample of all trees, are counted."""
    short: Values = {"status": "time_limit", "ending": "limit", "n_exact_splits": 49, "seconds": 4.5, "n_trees": 1}
    rows = [done(Cell("accuracy", row.key, 1.0), **(row.values | short)) for row in ROWS[:1]] + ROWS[1:]
    table = table_of(tables(EXPERIMENT, rows), "effort")
    assert table.rows == (("psk", 4, 3, 1, 1, 3, 2.25), ("mpdt", 4, 4, 0, 0, 3, 1.5))


def test_the_plot_has_a_point_for_each_dataset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Points are means over training parts; methods without any are left out."""
    drawn: dict[Path, Any] = {}
    monkeypatch.setattr(
        "puretree.bench.output.plots.accuracy_against_size", lambda points, path: drawn.update({path: points})
    )
    experiment = Accuracy(datasets=("iris", "zoo"), train_seeds=2, methods=("psk", "mpdt", "all"))
    (path,) = plots(experiment, ROWS, tmp_path)
    assert path.parent == tmp_path
    assert drawn[path] == {"psk": [(9.0, 81.0), (9.0, 90.0)], "mpdt": [(9.0, 86.0), (9.0, 93.0)]}


@pytest.mark.data
def test_the_paper_s_tables_are_read(paper_folder: Path) -> None:
    """Minimum trees of a training part of mux6 are those of the formula, in the paper's bits: 15 nodes."""
    experiment = Accuracy(datasets=("mux6",), folder=str(paper_folder), splits=3, trees=2, methods=("mpdt-nd", "all"))
    for cell in experiment.cells({}):
        values = measure(cell, quiet)
        assert values["n_nodes"] == 15
        assert values["status"] == "optimal"
