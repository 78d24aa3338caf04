"""The tables and the plot of the accuracy experiment.

The paper's Table 4, with published values next to reproduced ones, reports mean accuracies. Further tables report
whether differences between methods are significant, the accuracy lost by selecting on few rows, how diverse the trees
are, and the effort: how many results are proved, and how many were cut short by the time limit. Cells without a proof
of the optimum are listed one by one. Every caption names the options that the figures depend on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...engines import HEURISTIC_SOURCES
from ..cell import Row, Values
from ..method_results import Index
from ..result_table import Reproduction, ResultTable, Value, failed_cells
from ..statistics import estimate, mean_of_datasets, paired_difference
from .methods import BASELINES, DEPTHS, DIVERSE, METHODS, MINIMUM, SEVERAL
from .results import AccuracyResults

if TYPE_CHECKING:
    from .experiment import Accuracy

COLUMNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(METHODS, ("t.acc",)),
    **dict.fromkeys(("psk", "ask"), ("t.acc", "size")),
    **dict.fromkeys(("mpdt-nd", "mpdt-lay-nd", "mpdt", "mpdt-lay"), ("#sols", "t.acc")),
    "all": ("#trees", "t.acc"),
    "all-mdsol": ("#sols", "t.acc"),
}
"""The columns of each method in Table 4."""

MDSOL = "mpdt"
COMPARED = (MDSOL, "all", "all-mdsol")  # each with every other method
UNPROVED, NOT_FARTHEST = "*", "†"
MARKS = {
    UNPROVED: "The optimum is not proved for some training part: methods that need minimum trees then have only the "
    "best tree found, and opt and lsk have its size.",
    NOT_FARTHEST: "Some of the trees are not proved to be the farthest from those before.",
}


def tables(experiment: Accuracy, rows: Sequence[Row]) -> list[ResultTable]:
    """Return all tables; those of cells without a proof and of failed cells only if there are any."""
    rows = _of_experiment(experiment, rows)
    results = AccuracyResults.from_rows(experiment.datasets, rows, is_published=experiment.binarize == "bits")
    methods = [method for method in METHODS if method in experiment.methods]
    measured = [
        _table4(experiment, results, methods),
        _best_seen(results, methods),
        _differences(results, methods, COMPARED),
        _differences_of_several(results, methods),
        _diversity(results, methods),
        _effort(results, methods, experiment.splits),
        _unproved(results, methods),
    ]
    options = describe_options(experiment)
    described = [
        replace(table, caption=" ".join([table.caption, *_explained_marks(table), options]))
        for table in measured
        if table is not None
    ]
    failed = failed_cells(rows)
    return described if failed is None else [*described, failed]


def _explained_marks(table: ResultTable) -> list[str]:
    """Return a sentence for each mark in a table."""
    marks = "".join(value.mark for row in table.rows for value in row if isinstance(value, Reproduction))
    return [f"{mark} {text}" for mark, text in MARKS.items() if mark in marks]


def describe_options(experiment: Accuracy) -> str:
    """Return a sentence with the options that the results depend on."""
    methods = set(experiment.methods)
    n_trees = "the paper's numbers of trees" if experiment.n_trees == "paper" else f"at most {experiment.n_trees} trees"
    parts = [
        f"features {experiment.binarize}",
        f"{experiment.time_limit:g} s for each method",
        *([f"minimum by the engine {experiment.engine}"] if methods & set(MINIMUM) else []),
        *([n_trees] if methods & set(SEVERAL) else []),
        *([f"MDSOL at the pace {experiment.pace}"] if methods & set(DIVERSE) else []),
        *([_describe_dtmax(experiment)] if methods & set(DEPTHS) else []),
    ]
    return f"Options: {', '.join(parts)}."


def _describe_dtmax(experiment: Accuracy) -> str:
    return f"DT(max) by the backend {experiment.backend} with the encoding {experiment.dtmax_encoding}"


def plots(experiment: Accuracy, rows: Sequence[Row], folder: Path) -> list[Path]:
    """Plot accuracy against size, one point for each method and data set."""
    from ..output.plots import accuracy_against_size  # matplotlib is optional

    results = AccuracyResults.from_rows(experiment.datasets, _of_experiment(experiment, rows))
    points = {method: results.points(method, "size", "accuracy") for method in METHODS if method in experiment.methods}
    path = folder / "accuracy_against_size.png"
    accuracy_against_size({method: of_method for method, of_method in points.items() if of_method}, path)
    return [path]


def _of_experiment(experiment: Accuracy, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of this experiment's cells: a results file may also have rows of other options."""
    ids = {cell.id for cell in experiment.cells({row.id: row for row in rows})}
    return [row for row in rows if row.id in ids]


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
    caption += "; published values in brackets." if results.is_published else "."
    caption += " Sizes are those of the selected tree."
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
    paper = results.paper_values(method, dataset)
    if column == "t.acc":
        draws = results.of_dataset(method, dataset, "accuracy")
        accuracy = None if paper is None else paper.accuracy
        mark = _mark(results, results.indices(method, dataset))
        return Reproduction(estimate(draws) if draws else None, accuracy, mark)
    if column == "size":
        sizes = results.of_dataset(method, dataset, "size")
        return Reproduction(_mean(sizes), None if paper is None else paper.size)
    n_trees = results.of_dataset(method, dataset, "n_trees")
    mark = NOT_FARTHEST if any(results.of_dataset(method, dataset, "n_unproved")) else ""
    return Reproduction(_rounded_mean(n_trees), None if paper is None else paper.n_trees, mark)


def _mark(results: AccuracyResults, cells: Sequence[Index]) -> str:
    """Return the marks of a value that depends on cells."""
    unproved = "" if all(map(results.is_proved, cells)) else UNPROVED
    return unproved + (NOT_FARTHEST if _n_unproved([results.measured[cell] for cell in cells]) else "")


def _rounded_mean(counts: Sequence[float]) -> int | None:
    """Return the mean of numbers of trees, which may exceed the range of floats, as an integer."""
    return round(Fraction(sum(map(int, counts)), len(counts))) if counts else None


def _minimum_size(results: AccuracyResults, dataset: str) -> Reproduction:
    sizes, are_minimum = results.smallest(dataset, MINIMUM)
    return Reproduction(_mean(sizes), results.paper_minimum(dataset), "" if are_minimum else UNPROVED)


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
    mean = mean_of_datasets(draws) if draws else None
    return Reproduction(mean, results.paper_mean(method), _mark(results, results.indices(method)))


def _median_accuracy(results: AccuracyResults, method: str) -> Reproduction:
    means = [float(np.mean(values)) for values in results.draws(method, "accuracy").values()]
    median = float(np.median(means)) if means else None
    return Reproduction(median, results.paper_median(method), _mark(results, results.indices(method)))


# Best seen accuracies, differences, diversity, effort and cells without a proof


def _best_seen(results: AccuracyResults, methods: Sequence[str]) -> ResultTable:
    rows: list[tuple[Value, ...]] = []
    for method in methods:
        draws = results.draws(method, "best_seen")
        mean, chosen = mean_of_datasets(draws) if draws else None, _mean_accuracy(results, method)
        best_seen = Reproduction(mean, results.paper_best_seen(method), chosen.mark)
        rows.append((method, best_seen, chosen, sum(map(len, draws.values()))))
    return ResultTable(
        name="best_seen",
        caption="Mean test accuracy in percent of the tree with the best test accuracy (best seen) and of the selected "
        "tree (chosen); n training parts of all data sets.",
        header=("method", "best seen", "chosen", "n"),
        rows=tuple(rows),
    )


def _differences(results: AccuracyResults, methods: Sequence[str], compared: Sequence[str]) -> ResultTable:
    pairs = [(method, other) for method in compared if method in methods for other in methods if other != method]
    return ResultTable(
        name="differences",
        caption="Accuracy of a method minus that of another in percentage points: mean over data sets with its "
        "standard error over training parts, standard error over data sets, numbers of data sets won, tied and lost, "
        "and the p-value of the Wilcoxon signed-rank test over data sets; n pairs of cells, and those of them in which "
        "a cell depends on an optimum that is not proved (unproved).",
        header=("method", "minus", "n", "unproved", "difference", "s.e. of data sets", "wins", "ties", "losses", "p"),
        rows=tuple(_difference(results, method, other) for method, other in pairs),
        rules=tuple(index for index in range(1, len(pairs)) if pairs[index][0] != pairs[index - 1][0]),
        digits=3,
    )


def _differences_of_several(results: AccuracyResults, methods: Sequence[str]) -> ResultTable | None:
    """Return the differences where MDSOL has several trees; None if it has several, or only one, everywhere."""
    several = results.with_several_trees(MDSOL)
    n_several, n_cells = len(several.indices(MDSOL)), len(results.indices(MDSOL))
    if n_several in (0, n_cells):
        return None
    table = _differences(several, methods, (MDSOL,))
    note = (
        f" Only the {n_several} of {n_cells} training parts in which {MDSOL} has at least two trees: elsewhere it "
        "selects from one, and diversity has no effect."
    )
    return replace(table, name="differences_of_several", caption=table.caption + note)


def _difference(results: AccuracyResults, method: str, other: str) -> tuple[Value, ...]:
    paper = results.paper_difference(method, other)
    ours = paired_difference(results.differences(method, other, "accuracy"))
    if ours is None:
        return (method, other, 0, 0, Reproduction(None, paper), None, None, None, None, None)
    pairs = results.pairs(method, other)
    n_unproved = sum(not all(map(results.is_proved, pair)) for pair in pairs)
    difference = Reproduction(ours.mean, paper, _mark(results, [cell for pair in pairs for cell in pair]))
    counts = (ours.n_wins, ours.n_ties, ours.n_losses)
    return (method, other, ours.n_pairs, n_unproved, difference, ours.error_of_datasets, *counts, ours.p)


def _diversity(results: AccuracyResults, methods: Sequence[str]) -> ResultTable | None:
    several = [method for method in methods if method in SEVERAL]
    if not several:
        return None
    caption = (
        "Mean number of trees, trees not proved to be the farthest from those before (unproved), and mean Hamming "
        "distance of two trees: the number of pairs of node and feature that only one of them has, with the paper's "
        "breadth-first node numbers. A few diverse trees are farther from each other than many."
    )
    if "all-mdsol" in several:
        caption += (
            " The trees of all-mdsol are the farthest by another distance, which has the position in the tree instead "
            "of the node number: by the distance here, others may be farther."
        )
    columns = {method: ("#sols", *(["unproved"] if method in DIVERSE else []), "distance") for method in several}
    return ResultTable(
        name="diversity",
        caption=caption,
        header=("data set", *(column for method in several for column in columns[method])),
        rows=tuple(
            (dataset, *(_spread(results, method, dataset, column) for method in several for column in columns[method]))
            for dataset in results.datasets
        ),
        groups=(("", 1), *((method, len(columns[method])) for method in several)),
    )


def _spread(results: AccuracyResults, method: str, dataset: str, column: str) -> Value:
    values = {"#sols": "n_trees", "unproved": "n_unproved", "distance": "mean_hamming"}[column]
    draws = results.of_dataset(method, dataset, values)
    if column == "distance":
        return estimate(draws) if draws else None
    return _rounded_mean(draws) if column == "#sols" else _mean(draws)


def _effort(results: AccuracyResults, methods: Sequence[str], n_splits: int) -> ResultTable:
    return ResultTable(
        name="effort",
        caption="Of the n cells of each method: those with a proved optimum, which is the minimum size, or for dtmax "
        "the minimum number of errors on the training part; those that reached the time limit before they had all "
        "trees (cut short), those with only one tree to select, those of them whose tree is that of a heuristic, which "
        f"the engine did not improve ({', '.join(sorted(HEURISTIC_SOURCES))}), and those that selected from a sample "
        "of all trees in some splits; the number of trees of all cells that are not proved to be the farthest from "
        "those before (unproved trees); median number of trees, and mean seconds to find them.",
        header=(
            *("method", "n", "optimum proved", "cut short", "one tree", "heuristic", "sampled", "unproved trees"),
            *("trees", "seconds"),
        ),
        rows=tuple(_effort_row(method, results.cells(method), n_splits) for method in methods),
    )


def _effort_row(method: str, cells: Sequence[Values], n_splits: int) -> tuple[Value, ...]:
    if not cells:
        return (method, 0, 0, 0, 0, 0, 0, 0, None, None)
    return (
        method,
        len(cells),
        None if method in BASELINES else sum(values["status"] == "optimal" for values in cells),
        sum(values["stopped"] == "limit" for values in cells),
        sum(values["n_trees"] == 1 for values in cells),
        None if method in BASELINES else _n_heuristic(cells),
        sum(values["n_exact_splits"] < n_splits for values in cells),
        _n_unproved(cells),
        sorted(values["n_trees"] for values in cells)[len(cells) // 2],
        float(np.mean([values["seconds"] for values in cells])),
    )


def _n_heuristic(cells: Sequence[Values]) -> int | None:
    """Return the number of cells whose only tree was found by a heuristic; None if older rows do not say who did."""
    sources = [values.get("found_by") for values in cells if values["n_trees"] == 1]
    return sum(source in HEURISTIC_SOURCES for source in sources) if all(sources) else None


def _n_unproved(cells: Sequence[Values]) -> int:
    return sum(values["n_unproved"] for values in cells)


def _unproved(results: AccuracyResults, methods: Sequence[str]) -> ResultTable | None:
    """Return a table of the cells without a proof of the optimum; None if there are none."""
    cells = sorted(
        (results.datasets.index(dataset), seed, methods.index(method))
        for (method, dataset, seed), values in results.measured.items()
        if method not in BASELINES and values["status"] != "optimal"
    )
    if not cells:
        return None
    return ResultTable(
        name="unproved",
        caption="Cells without a proof of the optimum: their tree is the best one found, by the engine, by one of its "
        "solvers or by a heuristic (found by).",
        header=("data set", "training part", "method", "minimised", "lower bound", "upper bound", "found by", "status"),
        rows=tuple(
            _unproved_row(results, results.datasets[dataset], seed, methods[method]) for dataset, seed, method in cells
        ),
    )


def _unproved_row(results: AccuracyResults, dataset: str, seed: int, method: str) -> tuple[Value, ...]:
    values = results.measured[method, dataset, seed]
    minimised = "errors" if method in DEPTHS else "nodes"
    bounds = (values["lower_bound"], values["upper_bound"])
    return (dataset, seed, method, minimised, *bounds, values.get("found_by") or None, values["status"])
