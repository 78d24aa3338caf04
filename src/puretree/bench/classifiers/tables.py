"""The tables and the plot of the experiment: accuracy, size and probabilities, each compared with pruned CART.

Every mean is over data sets, of the mean over the folds of a data set. Standard errors are those over data sets: the
folds of a data set share most of their training rows, so that their variation understates the error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..._support.text import quantity
from ..cell import Row
from ..method_results import MethodResults
from ..result_table import Estimate, ResultTable, Value, failed_cells
from ..statistics import Difference, mean_of_datasets, mean_ranks, paired_difference
from .folds import N_FOLDS
from .methods import METHODS, NOT_A_TREE, REFERENCE
from .scores import MIN_PROBABILITY

if TYPE_CHECKING:
    from .experiment import Classifiers


def tables(experiment: Classifiers, rows: Sequence[Row]) -> list[ResultTable]:
    """Return all tables; that of failed cells only if there are any."""
    rows = _of_experiment(experiment, rows)
    results = _results(experiment, rows)
    methods = [method for method in METHODS if method in experiment.methods]
    failed = failed_cells(rows)
    return [
        _summary(experiment, results, methods),
        _scores(results, methods),
        _by_dataset(results, methods, "accuracy", "Test accuracy in percent"),
        _by_dataset(results, methods, "n_nodes", "Number of nodes"),
        _effort(results, methods),
        *([] if failed is None else [failed]),
    ]


def plots(experiment: Classifiers, rows: Sequence[Row], folder: Path) -> list[Path]:
    """Plot accuracy against size, a point for each method and data set, from the folds that all methods have."""
    from ..output.plots import accuracy_against_size  # matplotlib is optional

    methods = [method for method in METHODS if method in experiment.methods and method not in NOT_A_TREE]
    results = _comparable(_results(experiment, _of_experiment(experiment, rows)), methods)
    path = folder / "accuracy_against_size.png"
    accuracy_against_size({method: results.points(method, "n_nodes", "accuracy") for method in methods}, path)
    return [path]


def _of_experiment(experiment: Classifiers, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of this experiment's cells: a results file may also have rows of other options."""
    ids = {cell.id for cell in experiment.cells({})}
    return [row for row in rows if row.id in ids]


def _results(experiment: Classifiers, rows: Iterable[Row]) -> MethodResults:
    """Collect the values of rows; the folds of all repetitions are numbered."""
    measured = {}
    for row in rows:
        part = N_FOLDS * int(row.key["repetition"] or 0) + int(row.key["fold"] or 0)
        if row.status == "done":
            measured[str(row.key["method"]), str(row.key["dataset"]), part] = row.values
    return MethodResults(experiment.datasets, measured)


def _comparable(results: MethodResults, methods: Sequence[str]) -> MethodResults:
    """Return the results of the folds that all methods have, except methods without any results."""
    return results.common_to([method for method in methods if results.indices(method)])


def _summary(experiment: Classifiers, results: MethodResults, methods: Sequence[str]) -> ResultTable:
    common = _comparable(results, methods)
    ranks = mean_ranks({method: common.means(method, "accuracy") for method in methods})
    n_missing = experiment.n_cells - len(results.measured)
    missing = f" {n_missing} of {experiment.n_cells} cells are missing." if n_missing else ""
    return ResultTable(
        name="classifiers",
        caption=f"Test accuracy in percent: {quantity(experiment.repetitions, 'repetition')} of stratified "
        f"{N_FOLDS}-fold cross-validation, {experiment.time_limit:g} s for a method and fold; mean over n data sets. "
        f"Differences to {REFERENCE} are paired by fold, with the standard error over data sets, the numbers of data "
        "sets won, tied and lost, and the p-value of the Wilcoxon signed-rank test over data sets. Ranks, 1 for "
        f"the best, are means over {quantity(len(common.measured_datasets), 'data set')} with folds that all have. "
        f"Nodes are means, those of several trees added up; relative to {REFERENCE}: the geometric mean over data "
        f"sets.{missing}",
        header=(
            *("method", "n", "accuracy", f"minus {REFERENCE}", "wins", "ties", "losses", "p", "rank", "nodes"),
            "relative",
        ),
        rows=tuple(
            (
                method,
                len(results.draws(method, "accuracy")),
                _mean(results, method, "accuracy"),
                *_compared(results, method),
                ranks.get(method),
                _mean(results, method, "n_nodes"),
                _relative_nodes(results, method),
            )
            for method in methods
        ),
    )


def _compared(results: MethodResults, method: str) -> tuple[Value, ...]:
    difference = _difference(results, method, "accuracy")
    if difference is None:
        return (None, None, None, None, None)
    counts = (difference.n_wins, difference.n_ties, difference.n_losses)
    return (_over_datasets(difference), *counts, difference.p)


def _scores(results: MethodResults, methods: Sequence[str]) -> ResultTable:
    names = {"balanced_accuracy": "balanced accuracy", "log_loss": "log loss", "brier_score": "Brier score"}
    return ResultTable(
        name="scores",
        caption=f"Mean over data sets, and the paired difference to {REFERENCE} with its standard error over data "
        "sets. Balanced accuracy in percent: the mean over the classes of the test rows. Log loss: natural logarithm; "
        f"a probability of the true class below {MIN_PROBABILITY:g} counts as {MIN_PROBABILITY:g}. Brier score: summed "
        "over classes, from 0 to 2. Of both, less is better.",
        header=("method", *(column for _ in names for column in ("mean", "difference"))),
        rows=tuple(
            (method, *(value for name in names for value in _score(results, method, name))) for method in methods
        ),
        groups=(("", 1), *((title, 2) for title in names.values())),
        digits=3,
    )


def _score(results: MethodResults, method: str, name: str) -> tuple[Value, Value]:
    difference = _difference(results, method, name)
    return _mean(results, method, name), None if difference is None else _over_datasets(difference)


def _by_dataset(results: MethodResults, methods: Sequence[str], name: str, title: str) -> ResultTable:
    rows = [
        (dataset, *(_mean_of_draws(results.of_dataset(method, dataset, name)) for method in methods))
        for dataset in results.datasets
    ]
    return ResultTable(
        name=f"{name}_by_data_set",
        caption=f"{title}, mean over folds; the last row is the mean over the data sets of each method.",
        header=("data set", *methods),
        rows=(*rows, ("mean", *(_mean(results, method, name) for method in methods))),
        rules=(len(rows),),
        digits=1,
    )


def _effort(results: MethodResults, methods: Sequence[str]) -> ResultTable:
    return ResultTable(
        name="effort",
        caption="Of the n cells of each method: those whose final tree is proved to be optimal, and those that reached "
        "a limit before a proof; mean seconds of training, and the longest, as peers may exceed the limit.",
        header=("method", "n", "proved", "limit", "seconds", "longest"),
        rows=tuple(_effort_row(results, method) for method in methods),
    )


def _effort_row(results: MethodResults, method: str) -> tuple[Value, ...]:
    cells = results.cells(method)
    seconds = [values["seconds"] for values in cells]
    return (
        method,
        len(cells),
        sum(values["status"] == "optimal" for values in cells),
        sum(values["status"] in ("time_limit", "memory_limit") for values in cells),
        _mean_of_draws(seconds),
        max(seconds, default=None),
    )


def _mean(results: MethodResults, method: str, name: str) -> float | None:
    draws = results.draws(method, name)
    return mean_of_datasets(draws).mean if draws else None


def _mean_of_draws(draws: Sequence[float]) -> float | None:
    return float(np.mean(draws)) if draws else None


def _difference(results: MethodResults, method: str, name: str) -> Difference | None:
    return None if method == REFERENCE else paired_difference(results.differences(method, REFERENCE, name))


def _over_datasets(difference: Difference) -> Estimate:
    return Estimate(difference.mean.mean, difference.error_of_datasets)


def _relative_nodes(results: MethodResults, method: str) -> float | None:
    common = results.common_to([method, REFERENCE])
    nodes, of_reference = (common.means(name, "n_nodes") for name in (method, REFERENCE))
    return float(np.exp(np.mean(np.log(nodes) - np.log(of_reference)))) if nodes else None
