"""The tables and the plot of the accuracy experiment."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from puretree.bench.accuracy import Accuracy, plots, tables
from puretree.bench.accuracy.methods import BASELINES
from puretree.bench.cell import Cell, Row, Values
from puretree.bench.output.value_format import format_value
from puretree.bench.result_table import Estimate, Reproduction, ResultTable, Value

EFFORT: Values = {
    **{"status": "optimal", "stopped": "enough", "seconds": 1.5, "n_exact_splits": 50, "size": 9.0, "n_trees": 3},
    **{"n_nodes": 7, "lower_bound": 7, "upper_bound": 7, "n_unproved": 0, "mean_hamming": 4.0},
}


def make_rows(experiment: Accuracy, accuracies: dict[tuple[str, str], list[float]]) -> list[Row]:
    """Make rows with accuracies, one for each training part."""
    rows: dict[str, Row] = {}
    for is_baseline in (False, True):  # the cells of baselines depend on the rows of the others
        for cell in experiment.cells(rows):
            method, dataset, seed = (cell.key[name] for name in ("method", "dataset", "train_seed"))
            if (method in BASELINES) == is_baseline:
                accuracy = accuracies[str(method), str(dataset)][int(seed or 0)]
                values = EFFORT | {"accuracy": accuracy, "best_seen": accuracy + 2}
                rows[cell.id] = Row(cell.experiment, cell.key, "done", "", 1.0, values=values)
    return list(rows.values())


def changed(rows: list[Row], method: str, dataset: str = "iris", seed: int = 0, **values: Any) -> list[Row]:
    """Change values of one row."""
    cell = (method, dataset, seed)
    is_it = [(row.key["method"], row.key["dataset"], row.key["train_seed"]) == cell for row in rows]
    assert sum(is_it) == 1
    return [replace(row, values=row.values | values) if it else row for row, it in zip(rows, is_it, strict=True)]


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
    assert ours(line[4]) == Estimate(4.0, pytest.approx(np.sqrt(5) / 2))
    assert line[5:] == (pytest.approx(1.0), 2, 0, 0, 0.5)


def test_differences_where_mdsol_has_several_trees() -> None:
    """Training parts in which mpdt has one tree are left out of a second table; without such parts there is none."""
    one = changed(ROWS, "mpdt", "zoo", 1, n_trees=1)
    table = table_of(tables(EXPERIMENT, one), "differences_of_several")
    (line,) = table.rows
    assert line[:3] == ("mpdt", "psk", 3)
    assert ours(line[4]).mean == 3.0  # 4, 6 and 1
    assert "Only the 3 of 4 training parts" in table.caption
    assert "differences_of_several" not in {table.name for table in tables(EXPERIMENT, ROWS)}


def test_missing_cells_are_left_out_and_counted() -> None:
    """Only complete pairs count; failed cells are listed with their reasons."""
    (psk,) = [row for row in ROWS if row.key["method"] == "psk" and "zoo" in row.key.values() and 1 in row.key.values()]
    crash = Row("accuracy", psk.key, "crashed", "killed", 1.0)
    rows = [*(row for row in ROWS if row.id != crash.id), crash]
    result_tables = tables(EXPERIMENT, rows)
    (line,) = table_of(result_tables, "differences").rows
    assert line[2] == 3
    assert ours(line[4]) == Estimate(3.0, None)
    assert "1 of 8 cells are missing" in table_of(result_tables, "table4").caption
    assert [row[:3] for row in table_of(result_tables, "failed").rows] == [
        (str(Cell("", crash.key, 0)), "crashed", "killed")
    ]
    assert "failed" not in {table.name for table in tables(EXPERIMENT, ROWS)}


def test_without_rows_the_tables_are_empty() -> None:
    """All tables exist before any cell is measured, with counts of 0."""
    result_tables = tables(EXPERIMENT, [])
    assert [table.name for table in result_tables] == ["table4", "best_seen", "differences", "diversity", "effort"]
    assert [row[3] for row in table_of(result_tables, "best_seen").rows] == [0, 0]


@pytest.mark.parametrize(
    "option", [{"time_limit": 99.0}, {"engine": "maxsat"}, {"binarize": "onehot"}, {"n_trees": 9}, {"pace": "share"}]
)
def test_rows_of_other_options_do_not_count(option: dict[str, Any]) -> None:
    """A results file may have rows of other options, which the tables ignore."""
    other: Accuracy = replace(EXPERIMENT, **option)
    assert tables(other, ROWS) == tables(other, [])


def test_baselines_alone_do_not_match_trees_of_other_methods() -> None:
    """Without an mpdt method in the experiment, its baselines are those without one, whatever the file contains."""
    alone = replace(EXPERIMENT, methods=("psk",))
    rows = make_rows(alone, {("psk", "iris"): [70.0, 72.0], ("psk", "zoo"): [90.0, 90.0]})
    assert tables(alone, [*ROWS, *rows]) == tables(alone, rows) != tables(alone, [])


def test_best_seen_and_selected_accuracies_are_compared() -> None:
    """Both are means over data sets; n is the number of cells."""
    table = table_of(tables(EXPERIMENT, ROWS), "best_seen")
    assert [(row[0], ours(row[1]).mean, ours(row[2]).mean, row[3]) for row in table.rows] == [
        ("psk", 87.5, 85.5, 4),
        ("mpdt", 91.5, 89.5, 4),
    ]


def test_the_effort_table_counts_unfinished_cells() -> None:
    """Cells without a proof, with fewer trees than requested, one tree, or a sample of all trees, are counted."""
    rows = changed(ROWS, "psk", status="unproved", stopped="limit", n_exact_splits=49, seconds=4.5, n_trees=1)
    rows = changed(rows, "mpdt", status="time_limit", n_nodes=None)
    table = table_of(tables(EXPERIMENT, rows), "effort")
    assert table.header[2] == "optimum proved"
    assert table.rows == (("psk", 4, None, 1, 1, None, 1, 0, 3, 2.25), ("mpdt", 4, 3, 0, 0, 0, 0, 0, 3, 1.5))


@pytest.mark.parametrize(("found_by", "n_heuristic"), [("scikit-learn", 1), ("iti", 1), ("linear", 0), (None, None)])
def test_trees_of_heuristics_are_counted(found_by: str | None, n_heuristic: int | None) -> None:
    """The only tree of a cell may be a heuristic's; rows without its source are unknown, and several trees are not."""
    rows = changed(ROWS, "mpdt", "zoo", 1, status="time_limit", n_nodes=None, n_trees=1, found_by=found_by)
    rows = changed(rows, "mpdt", found_by="greedy")  # a proved minimum, and the trees extracted with its size
    result_tables = tables(EXPERIMENT, rows)
    effort = table_of(result_tables, "effort")
    assert [row[effort.header.index("heuristic")] for row in effort.rows] == [None, n_heuristic]
    assert "scikit-learn" in effort.caption
    unproved = table_of(result_tables, "unproved")
    assert [row[unproved.header.index("found by")] for row in unproved.rows] == [found_by]


def test_trees_not_proved_farthest_are_reported() -> None:
    """A cell with a proved minimum whose diverse trees are unproved counts as such in every table of numbers."""
    rows = changed(changed(ROWS, "mpdt", n_unproved=2), "mpdt", "zoo", n_unproved=1)
    result_tables = tables(EXPERIMENT, rows)
    effort = table_of(result_tables, "effort")
    (line,) = [row for row in effort.rows if row[0] == "mpdt"]
    assert dict(zip(effort.header, line, strict=True))["unproved trees"] == 3
    assert dict(zip(effort.header, line, strict=True))["optimum proved"] == 4
    diversity = table_of(result_tables, "diversity")
    assert diversity.columns == ("data set", "mpdt #sols", "mpdt unproved", "mpdt distance")
    assert diversity.rows == (("iris", 3, 1, Estimate(4.0, 0.0)), ("zoo", 3, 0.5, Estimate(4.0, 0.0)))
    table4 = table_of(result_tables, "table4")
    assert [format_value(row[4]) for row in table4.rows[:2]] == ["3† (436)", "3† (740)"]
    assert "† Some of the trees are not proved to be the farthest" in table4.caption
    assert "†" not in table_of(tables(EXPERIMENT, ROWS), "table4").caption


def test_cells_without_a_proof_are_marked_and_listed() -> None:
    """Accuracies, the means and the minimum size get a mark; a table has the bounds of each such cell."""
    rows = changed(ROWS, "mpdt", "zoo", 1, status="time_limit", n_nodes=None, lower_bound=3, upper_bound=11)
    result_tables = tables(EXPERIMENT, rows)
    table4 = table_of(result_tables, "table4")
    marks = [[value.mark for value in row if isinstance(value, Reproduction)] for row in table4.rows]
    assert marks == [[""] * 5, ["", "", "*", "", "*"], ["", "*"], ["", "*"]]
    assert ours(table4.rows[1][3]) == 9  # the mean of the minimum 7 and of the best tree found, 11
    assert "* The optimum is not proved for some training part" in table4.caption
    unproved = table_of(result_tables, "unproved")
    assert unproved.rows == (("zoo", 1, "mpdt", "nodes", 3, 11, None, "time_limit"),)
    assert "unproved" not in {table.name for table in tables(EXPERIMENT, ROWS)}
    assert "*" not in table_of(tables(EXPERIMENT, ROWS), "table4").caption


def marks_of(table: ResultTable) -> dict[Value, set[str]]:
    """Return the marks in each row of a table, by the last of its names."""
    names = [[value for value in row if isinstance(value, str)][-1] for row in table.rows]
    marks = [{value.mark for value in row if isinstance(value, Reproduction)} for row in table.rows]
    return dict(zip(names, marks, strict=True))


MATCHED = replace(EXPERIMENT, methods=("psk", "lsk", "mpdt-1", "mpdt"))
MATCHED_ROWS = make_rows(MATCHED, {(m, d): [80.0, 82.0] for m in MATCHED.methods for d in MATCHED.datasets})
NO_PROOF: Values = {"status": "time_limit", "n_nodes": None, "lower_bound": 3, "upper_bound": 9}


def test_conclusions_from_unproved_cells_are_marked() -> None:
    """Best seen accuracies and differences get a mark, which the caption explains, and the pairs are counted."""
    result_tables = tables(MATCHED, changed(MATCHED_ROWS, "mpdt", **NO_PROOF))
    best_seen, differences = (table_of(result_tables, name) for name in ("best_seen", "differences"))
    assert marks_of(best_seen) == {"psk": {""}, "lsk": {""}, "mpdt-1": {""}, "mpdt": {"*"}}
    assert marks_of(differences) == {"psk": {"*"}, "lsk": {"*"}, "mpdt-1": {"*"}}
    assert [row[differences.header.index("unproved")] for row in differences.rows] == [1, 1, 1]
    for name in ("best_seen", "differences"):
        assert "* The optimum is not proved" in table_of(result_tables, name).caption
        assert "*" not in table_of(tables(MATCHED, MATCHED_ROWS), name).caption


def test_lsk_of_an_unproved_size_is_marked() -> None:
    """Without a proof by any method, lsk has the size of an unproved tree; one proof is enough."""
    rows = changed(MATCHED_ROWS, "mpdt", **NO_PROOF)
    assert marks_of(table_of(tables(MATCHED, rows), "best_seen"))["lsk"] == {""}
    result_tables = tables(MATCHED, changed(rows, "mpdt-1", **NO_PROOF))
    assert marks_of(table_of(result_tables, "best_seen")) == {"psk": {""}, "lsk": {"*"}, "mpdt-1": {"*"}, "mpdt": {"*"}}
    table4 = table_of(result_tables, "table4")
    lsk = table4.columns.index("lsk t.acc")
    assert [row[lsk].mark for row in table4.rows if isinstance(row[lsk], Reproduction)] == ["*", "", "*", "*"]


def test_conclusions_from_trees_not_proved_farthest_are_marked() -> None:
    """They have another mark than a missing proof of the optimum, and both may apply."""
    rows = changed(MATCHED_ROWS, "mpdt", n_unproved=2)
    result_tables = tables(MATCHED, rows)
    assert marks_of(table_of(result_tables, "best_seen")) == {"psk": {""}, "lsk": {""}, "mpdt-1": {""}, "mpdt": {"†"}}
    assert set().union(*marks_of(table_of(result_tables, "differences")).values()) == {"†"}
    for name in ("best_seen", "differences"):
        assert "† Some of the trees are not proved to be the farthest" in table_of(result_tables, name).caption
    both = tables(MATCHED, changed(rows, "mpdt-1", **NO_PROOF))
    assert marks_of(table_of(both, "differences"))["mpdt-1"] == {"*†"}


def test_the_distance_of_all_mdsol_is_explained() -> None:
    """Its trees are the farthest by positions in the tree, and the column has the distance by node numbers."""
    for methods, is_explained in ((("mpdt", "all-mdsol"), True), (("mpdt",), False)):
        caption = table_of(tables(replace(EXPERIMENT, methods=methods), []), "diversity").caption
        assert ("all-mdsol are the farthest by another distance" in caption) == is_explained


def test_published_values_are_those_of_the_bits() -> None:
    """The paper reports no figures for one-hot features, so there are none beside ours."""
    text = ["".join(map(str, tables(replace(EXPERIMENT, binarize=binarize), []))) for binarize in ("bits", "onehot")]
    assert ["paper=94.53" in table for table in text] == [True, False]
    assert ["published values in brackets" in table for table in text] == [True, False]
    assert set(re.findall("paper=([^,)]*)", text[1])) == {"None"}


def test_captions_name_the_options() -> None:
    """Every table of measured values names engine, backend, features, pace, number of trees and limit."""
    experiment = Accuracy(
        datasets=("iris",),
        n_trees="paper",
        engine="maxsat(objective='totaliser')",
        backend="rc2",
        binarize="onehot",
        pace="share",
        time_limit=30,
    )
    for table in tables(experiment, []):
        for word in ("maxsat(objective='totaliser')", "rc2", "onehot", "share", "30 s", "the paper's numbers"):
            assert word in table.caption, table.name
    (caption, *_) = (table.caption for table in tables(replace(EXPERIMENT, methods=("psk",)), []))
    assert caption.endswith("Options: features bits, 8 s for each method.")  # those of other methods are irrelevant


def test_each_of_ours_is_compared_with_every_method() -> None:
    """Diverse trees of the forest are compared with mpdt, mpdt with mpdt-nd, and both with all."""
    experiment = Accuracy(datasets=("iris",), methods=("mpdt-nd", "mpdt", "all", "all-mdsol"))
    pairs = {row[:2] for row in table_of(tables(experiment, []), "differences").rows}
    assert {("mpdt", "mpdt-nd"), ("all-mdsol", "mpdt"), ("all-mdsol", "all"), ("all", "mpdt-nd")} <= pairs
    assert len(pairs) == 9


def test_the_plot_has_a_point_for_each_dataset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Points are means over training parts; methods without rows are left out."""
    plotted: dict[Path, Any] = {}
    monkeypatch.setattr(
        "puretree.bench.output.plots.accuracy_against_size", lambda points, path: plotted.update({path: points})
    )
    experiment = replace(EXPERIMENT, methods=("psk", "mpdt", "dtmax-2"))
    (path,) = plots(experiment, ROWS, tmp_path)
    assert path.parent == tmp_path
    assert plotted[path] == {"psk": [(9.0, 81.0), (9.0, 90.0)], "mpdt": [(9.0, 86.0), (9.0, 93.0)]}
