"""The tables and the plot of the accuracy experiment.

The paper's Table 4, with published values next to reproduced ones, reports mean accuracies. Further tables report
whether differences between methods are significant, the accuracy lost by selecting on few rows, and the effort: how
many results are proved, and how many were cut short by the time limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import published
from ..cell import Row, Values, cell_id
from ..result_table import Reproduction, ResultTable, Value, failed_cells
from .methods import BASELINES, MATCHED, METHODS, MINIMUM
from .results import AccuracyResults
from .statistics import estimate, mean_of_datasets, paired_difference

if TYPE_CHECKING:
    from .experiment import Accuracy

COLUMNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(METHODS, ("t.acc",)),
    **dict.fromkeys(("psk", "ask"), ("t.acc", "size")),
    **dict.fromkeys(("mpdt-nd", "mpdt-lay-nd", "mpdt", "mpdt-lay"), ("#sols", "t.acc")),
    "all": ("#trees", "t.acc"),
}
"""The columns of each method in Table 4."""

COMPARED = ("mpdt", "all")  # each with every other method


def tables(experiment: Accuracy, rows: Sequence[Row]) -> list[ResultTable]:
    """Return Table 4, the best seen accuracies, the differences, the effort, and the failed cells if there are any."""
    rows = _of_experiment(experiment, rows)
    results = AccuracyResults.from_rows(experiment.datasets, rows)
    methods = [method for method in METHODS if method in experiment.methods]
    all_tables = [
        _table4(experiment, results, methods),
        _best_seen(results, methods),
        _differences(results, methods),
        _effort(results, methods, experiment.splits),
    ]
    failed = failed_cells(rows)
    return all_tables if failed is None else [*all_tables, failed]


def plots(experiment: Accuracy, rows: Sequence[Row], folder: Path) -> list[Path]:
    """Plot accuracy against size, one point for each method and data set."""
    from ..output.plots import accuracy_against_size  # matplotlib is optional

    results = AccuracyResults.from_rows(experiment.datasets, _of_experiment(experiment, rows))
    points = {method: _points(results, method) for method in METHODS if method in experiment.methods}
    path = folder / "accuracy_against_size.png"
    accuracy_against_size({method: of_method for method, of_method in points.items() if of_method}, path)
    return [path]


def _points(results: AccuracyResults, method: str) -> list[tuple[float, float]]:
    sizes, accuracies = results.draws(method, "size"), results.draws(method, "accuracy")
    return [(float(np.mean(sizes[dataset])), float(np.mean(accuracies[dataset]))) for dataset in sizes]


def _of_experiment(experiment: Accuracy, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of this experiment's cells: a results file may also have rows of other options."""
    ids = {
        cell_id(experiment.name, experiment.key(dataset, seed, method))
        for dataset in experiment.datasets
        for seed in range(experiment.train_seeds)
        for method in experiment.methods
    }
    return [row for row in rows if _id_without_matched(row) in ids]


def _id_without_matched(row: Row) -> str:
    """Return the id of a cell without the key entries in MATCHED, which only baselines have."""
    return cell_id(row.experiment, {name: value for name, value in row.key.items() if name not in MATCHED})


# Table 4


def _table4(experiment: Accuracy, results: AccuracyResults, methods: Sequence[str]) -> ResultTable:
    left = [method for method in methods if method in BASELINES]  # of the column with the minimum size
    right = [method for method in methods if method not in BASELINES]
    rows = [
        (dataset, *_values(results, left, dataset), _minimum_size(results, dataset), *_values(results, right, dataset))
        for dataset in experiment.datasets
    ]
    summaries = [
        (name, *_summaries(results, left, name), None, *_summaries(results, right, name)) for name in ("mean", "median")
    ]
    return ResultTable(
        name="table4",
        caption=_caption(experiment, results),
        header=("data set", *_columns(left), "size", *_columns(right)),
        rows=(*rows, *summaries),
        groups=(("", 1), *_groups(left), ("opt", 1), *_groups(right)),
        rules=(len(rows),),
    )


def _caption(experiment: Accuracy, results: AccuracyResults) -> str:
    caption = f"Test accuracy in percent, mean of {experiment.splits} splits"
    if experiment.train_seeds > 1:
        caption += f" of {experiment.train_seeds} training parts, with the standard error over training parts"
    caption += "; published values in brackets. Sizes are those of the selected tree."
    n_missing = experiment.n_cells - len(results.measured)
    if n_missing:
        caption += (
            f" {n_missing} of {experiment.n_cells} cells are missing: reproduced means and medians are over the data "
            "sets measured with the method, published ones over all."
        )
    return caption


def _columns(methods: Sequence[str]) -> list[str]:
    return [column for method in methods for column in COLUMNS[method]]


def _groups(methods: Sequence[str]) -> list[tuple[str, int]]:
    return [(method, len(COLUMNS[method])) for method in methods]


def _values(results: AccuracyResults, methods: Sequence[str], dataset: str) -> list[Value]:
    return [_value(results, method, dataset, column) for method in methods for column in COLUMNS[method]]


def _value(results: AccuracyResults, method: str, dataset: str, column: str) -> Reproduction:
    paper = published.TABLE_4.get(method, {}).get(dataset)
    if column == "t.acc":
        draws = results.of_dataset(method, dataset, "accuracy")
        return Reproduction(estimate(draws) if draws else None, None if paper is None else paper.accuracy)
    if column == "size":
        sizes = results.of_dataset(method, dataset, "size")
        return Reproduction(_mean(sizes), None if paper is None else paper.size)
    n_trees = results.of_dataset(method, dataset, "n_trees")
    ours = round(Fraction(sum(map(int, n_trees)), len(n_trees))) if n_trees else None
    return Reproduction(ours, None if paper is None else paper.n_trees)


def _minimum_size(results: AccuracyResults, dataset: str) -> Reproduction:
    return Reproduction(_mean(results.minimum_sizes(dataset, MINIMUM)), published.TABLE_4_OPT.get(dataset))


def _mean(draws: Sequence[float]) -> int | float | None:
    """Return a mean, as an integer if it is one, such as the size for a single training part."""
    mean = float(np.mean(draws)) if draws else None
    return int(mean) if mean is not None and mean.is_integer() else mean


def _summaries(results: AccuracyResults, methods: Sequence[str], name: str) -> list[Value]:
    summarise = _mean_accuracy if name == "mean" else _median_accuracy
    return [
        summarise(results, method) if column == "t.acc" else None for method in methods for column in COLUMNS[method]
    ]


def _mean_accuracy(results: AccuracyResults, method: str) -> Reproduction:
    draws = results.draws(method, "accuracy")
    return Reproduction(mean_of_datasets(draws) if draws else None, results.paper_mean(method))


def _median_accuracy(results: AccuracyResults, method: str) -> Reproduction:
    means = [float(np.mean(values)) for values in results.draws(method, "accuracy").values()]
    return Reproduction(float(np.median(means)) if means else None, results.paper_median(method))


# Best seen accuracies, differences and effort


def _best_seen(results: AccuracyResults, methods: Sequence[str]) -> ResultTable:
    rows: list[tuple[Value, ...]] = []
    for method in methods:
        draws = results.draws(method, "best_seen")
        best_seen = Reproduction(mean_of_datasets(draws) if draws else None, results.paper_best_seen(method))
        rows.append((method, best_seen, _mean_accuracy(results, method), sum(map(len, draws.values()))))
    return ResultTable(
        name="best_seen",
        caption="Mean test accuracy in percent of the tree with the best test accuracy (best seen) and of the selected "
        "tree (chosen); n training parts of all data sets.",
        header=("method", "best seen", "chosen", "n"),
        rows=tuple(rows),
    )


def _differences(results: AccuracyResults, methods: Sequence[str]) -> ResultTable:
    pairs = [(method, other) for method in COMPARED if method in methods for other in methods if other != method]
    return ResultTable(
        name="differences",
        caption="Accuracy of a method minus that of another in percentage points: mean over data sets with its "
        "standard error over training parts, standard error over data sets, numbers of data sets won, tied and lost, "
        "and the p-value of the Wilcoxon signed-rank test over data sets; n pairs of cells.",
        header=("method", "minus", "n", "difference", "s.e. of data sets", "wins", "ties", "losses", "p"),
        rows=tuple(_difference(results, method, other) for method, other in pairs),
        rules=tuple(index for index in range(1, len(pairs)) if pairs[index][0] != pairs[index - 1][0]),
        digits=3,
    )


def _difference(results: AccuracyResults, method: str, other: str) -> tuple[Value, ...]:
    paper = results.paper_difference(method, other)
    ours = paired_difference(results.differences(method, other, "accuracy"))
    if ours is None:
        return (method, other, 0, Reproduction(None, paper), None, None, None, None, None)
    counts = (ours.n_wins, ours.n_ties, ours.n_losses)
    return (method, other, ours.n_pairs, Reproduction(ours.mean, paper), ours.error_of_datasets, *counts, ours.p)


def _effort(results: AccuracyResults, methods: Sequence[str], n_splits: int) -> ResultTable:
    values_of_method = {
        method: [values for (measured, _, _), values in results.measured.items() if measured == method]
        for method in methods
    }
    return ResultTable(
        name="effort",
        caption="Of the n cells of each method: those with a proved result, those that reached the time limit before "
        "they had all trees (cut short), and those that selected from a sample of all trees in some splits; median "
        "number of trees, and mean seconds to find them.",
        header=("method", "n", "proved", "cut short", "sampled", "trees", "seconds"),
        rows=tuple(_effort_row(method, values, n_splits) for method, values in values_of_method.items()),
    )


def _effort_row(method: str, cells: Sequence[Values], n_splits: int) -> tuple[Value, ...]:
    if not cells:
        return (method, 0, 0, 0, 0, None, None)
    return (
        method,
        len(cells),
        sum(values["status"] == "optimal" for values in cells),
        sum(values["stopped"] == "limit" for values in cells),
        sum(values["n_exact_splits"] < n_splits for values in cells),
        sorted(values["n_trees"] for values in cells)[len(cells) // 2],
        float(np.mean([values["seconds"] for values in cells])),
    )
