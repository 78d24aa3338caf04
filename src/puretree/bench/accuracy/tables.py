"""What the trees of each method took, and where the time was too short: an accuracy of fewer trees is told as such."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import published
from ..cell import Beside, ResultTable, Row, Value, Values, cell_id, failed_rows
from .figures import Figures
from .methods import BASELINES, MATCHED, METHODS, MINIMUM
from .statistics import estimate, mean_of_datasets, paired_difference

if TYPE_CHECKING:
    from .experiment import Accuracy


def effort_table(figures: Figures, methods: Sequence[str], n_splits: int) -> ResultTable:
    """Return a line for each method.

    Parameters
    ----------
    figures : Figures
    methods : sequence of str
    n_splits : int
        In how many splits all trees should have been asked.
    """
    of_method = {
        method: [values for (each, _, _), values in figures.done.items() if each == method] for method in methods
    }
    return ResultTable(
        name="effort",
        caption="Of the n cells of each method: those whose result is proved, those that the time ended before they "
        "had all the trees they were asked for, and those that chose from a sample of all trees in some splits; "
        "median trees, and mean seconds to find them.",
        header=("method", "n", "proved", "cut short", "sampled", "trees", "seconds"),
        rows=tuple(_effort_line(method, cells, n_splits) for method, cells in of_method.items()),
    )


def _effort_line(method: str, cells: Sequence[Values], n_splits: int) -> tuple[Value, ...]:
    if not cells:
        return (method, 0, 0, 0, 0, None, None)
    return (
        method,
        len(cells),
        sum(values["status"] == "optimal" for values in cells),
        sum(values["ending"] == "limit" for values in cells),
        sum(values["n_exact_splits"] < n_splits for values in cells),
        sorted(values["n_trees"] for values in cells)[len(cells) // 2],
        float(np.mean([values["seconds"] for values in cells])),
    )


# The tables of the accuracy experiment: the paper's Table 4 with its numbers beside ours, and what it leaves open.
#
# Table 4 has a mean for each method; whether a difference between two of them is more than chance is another table, and
# what was lost by choosing on few rows a third.

COLUMNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(METHODS, ("t.acc",)),
    **dict.fromkeys(("psk", "ask"), ("t.acc", "size")),
    **dict.fromkeys(("mpdt-nd", "mpdt-lay-nd", "mpdt", "mpdt-lay"), ("#sols", "t.acc")),
    "all": ("#trees", "t.acc"),
}
"""What the paper's table tells of each method."""

COMPARED = ("mpdt", "all")  # with every other method


def tables(experiment: Accuracy, rows: Sequence[Row]) -> list[ResultTable]:
    """Return Table 4, the best seen, the differences, what it took, and what failed if anything did."""
    rows = _of_experiment(experiment, rows)
    figures = Figures.of(experiment.datasets, rows)
    methods = [method for method in METHODS if method in experiment.methods]
    found = [
        _table4(experiment, figures, methods),
        _best_seen(figures, methods),
        _differences(figures, methods),
        effort_table(figures, methods, experiment.splits),
    ]
    failed = failed_rows(rows)
    return found if failed is None else [*found, failed]


def plots(experiment: Accuracy, rows: Sequence[Row], folder: Path) -> list[Path]:
    """Draw accuracy against size: a point for each method and data set."""
    from ..output.plots import accuracy_against_size  # matplotlib is not there for everybody

    figures = Figures.of(experiment.datasets, _of_experiment(experiment, rows))
    points = {method: _points(figures, method) for method in METHODS if method in experiment.methods}
    path = folder / "accuracy_against_size.png"
    accuracy_against_size({method: found for method, found in points.items() if found}, path)
    return [path]


def _points(figures: Figures, method: str) -> list[tuple[float, float]]:
    sizes, accuracies = figures.draws(method, "size"), figures.draws(method, "accuracy")
    return [(float(np.mean(sizes[dataset])), float(np.mean(accuracies[dataset]))) for dataset in sizes]


def _of_experiment(experiment: Accuracy, rows: Sequence[Row]) -> list[Row]:
    """Return the rows that these options ask for: a file of results may hold those of others."""
    ids = {
        cell_id(experiment.name, experiment.key(dataset, seed, method))
        for dataset in experiment.datasets
        for seed in range(experiment.train_seeds)
        for method in experiment.methods
    }
    return [row for row in rows if _id_without_match(row) in ids]


def _id_without_match(row: Row) -> str:
    """Return the id that a baseline's cell would have, whatever minimum trees it is to match."""
    return cell_id(row.experiment, {name: value for name, value in row.key.items() if name not in MATCHED})


# Table 4


def _table4(experiment: Accuracy, figures: Figures, methods: Sequence[str]) -> ResultTable:
    before = [method for method in methods if method in BASELINES]  # the minimum size stands after these
    after = [method for method in methods if method not in BASELINES]
    lines = [
        (dataset, *_line(figures, before, dataset), _minimum(figures, dataset), *_line(figures, after, dataset))
        for dataset in experiment.datasets
    ]
    means = [
        (words, *_summary(figures, before, words), None, *_summary(figures, after, words))
        for words in ("mean", "median")
    ]
    return ResultTable(
        name="table4",
        caption=_caption(experiment, figures),
        header=("data set", *_names(before), "size", *_names(after)),
        rows=(*lines, *means),
        groups=(("", 1), *_groups(before), ("opt", 1), *_groups(after)),
        rules=(len(lines),),
    )


def _caption(experiment: Accuracy, figures: Figures) -> str:
    said = f"Test accuracy in percent, mean of {experiment.splits} splits"
    if experiment.train_seeds > 1:
        said += f" of {experiment.train_seeds} training parts, with the standard error over training parts"
    n_missing = experiment.n_cells - len(figures.done)
    missing = (
        f" {n_missing} of {experiment.n_cells} cells are missing: a mean or median of ours is that of the data sets "
        "which its method has, the paper's that of all."
    )
    return f"{said}; the paper's beside ours. Sizes are of the tree chosen.{missing if n_missing else ''}"


def _names(methods: Sequence[str]) -> list[str]:
    return [column for method in methods for column in COLUMNS[method]]


def _groups(methods: Sequence[str]) -> list[tuple[str, int]]:
    return [(method, len(COLUMNS[method])) for method in methods]


def _line(figures: Figures, methods: Sequence[str], dataset: str) -> list[Value]:
    return [_value(figures, method, dataset, column) for method in methods for column in COLUMNS[method]]


def _value(figures: Figures, method: str, dataset: str, column: str) -> Beside:
    paper = published.TABLE_4.get(method, {}).get(dataset)
    if column == "t.acc":
        draws = figures.of_dataset(method, dataset, "accuracy")
        return Beside(estimate(draws) if draws else None, None if paper is None else paper.accuracy)
    if column == "size":
        sizes = figures.of_dataset(method, dataset, "size")
        return Beside(_mean(sizes), None if paper is None else paper.size)
    n_trees = figures.of_dataset(method, dataset, "n_trees")
    ours = round(Fraction(sum(map(int, n_trees)), len(n_trees))) if n_trees else None
    return Beside(ours, None if paper is None else paper.n_trees)


def _minimum(figures: Figures, dataset: str) -> Beside:
    return Beside(_mean(figures.minimum(dataset, MINIMUM)), published.TABLE_4_OPT.get(dataset))


def _mean(draws: Sequence[float]) -> int | float | None:
    """Return a mean as a whole number where it is one, as sizes of single parts are."""
    mean = float(np.mean(draws)) if draws else None
    return int(mean) if mean is not None and mean.is_integer() else mean


def _summary(figures: Figures, methods: Sequence[str], words: str) -> list[Value]:
    summarise = _mean_accuracy if words == "mean" else _median_accuracy
    return [
        summarise(figures, method) if column == "t.acc" else None for method in methods for column in COLUMNS[method]
    ]


def _mean_accuracy(figures: Figures, method: str) -> Beside:
    draws = figures.draws(method, "accuracy")
    return Beside(mean_of_datasets(draws) if draws else None, figures.paper_mean(method))


def _median_accuracy(figures: Figures, method: str) -> Beside:
    means = [float(np.mean(values)) for values in figures.draws(method, "accuracy").values()]
    return Beside(float(np.median(means)) if means else None, figures.paper_median(method))


# What the means leave open


def _best_seen(figures: Figures, methods: Sequence[str]) -> ResultTable:
    lines: list[tuple[Value, ...]] = []
    for method in methods:
        draws = figures.draws(method, "best_seen")
        seen = Beside(mean_of_datasets(draws) if draws else None, figures.paper_best_seen(method))
        lines.append((method, seen, _mean_accuracy(figures, method), sum(map(len, draws.values()))))
    return ResultTable(
        name="best_seen",
        caption="Mean accuracy in percent of the best tree of each method on the test rows, were it known, and of "
        "the one chosen; n training parts of data sets.",
        header=("method", "best seen", "chosen", "n"),
        rows=tuple(lines),
    )


def _differences(figures: Figures, methods: Sequence[str]) -> ResultTable:
    pairs = [(method, other) for method in COMPARED if method in methods for other in methods if other != method]
    return ResultTable(
        name="differences",
        caption="Accuracy of a method minus that of another in points: mean over data sets with its standard error "
        "over training parts, the standard error over data sets, data sets won, tied and lost, and the p-value of "
        "the Wilcoxon signed-rank test over data sets; n pairs of cells.",
        header=("method", "minus", "n", "difference", "s.e. of data sets", "wins", "ties", "losses", "p"),
        rows=tuple(_difference(figures, method, other) for method, other in pairs),
        rules=tuple(place for place in range(1, len(pairs)) if pairs[place][0] != pairs[place - 1][0]),
        digits=3,
    )


def _difference(figures: Figures, method: str, other: str) -> tuple[Value, ...]:
    paper = figures.paper_difference(method, other)
    found = paired_difference(figures.differences(method, other, "accuracy"))
    if found is None:
        return (method, other, 0, Beside(None, paper), None, None, None, None, None)
    counts = (found.n_wins, found.n_ties, found.n_losses)
    return (method, other, found.n_pairs, Beside(found.mean, paper), found.error_of_datasets, *counts, found.p)
