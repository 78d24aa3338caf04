"""The sections of ``puretree trees``, each as plain values for JSON and as printed text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from .._support.clock import Clock
from .._support.text import format_count, quantity
from ..binarize.predicate import columns_of
from ..datasets import Dataset
from ..datasets.csv_file import CsvFile
from ..datasets.formats import format_of
from ..datasets.prediction_rows import read_rows, read_typed_labels
from ..errors import UnfinishedError
from ..forest import Forest
from ..forest.usage import FeatureUsage
from ..pareto import FrontPoint
from ..table import Level, Table
from ..tree import Tree
from .output import count_trees, put, put_table, put_tree

FEW = 5  # features printed in a line
MOST_SHOWN = 15  # rows printed of a table; --json contains all


@dataclass(frozen=True, slots=True)
class Section:
    """One section.

    Parameters
    ----------
    values : dict
        The content for JSON.
    put : callable
        Prints the section.
    """

    values: dict[str, Any]
    put: Callable[[], None]


def how_many(forest: Forest, clock: Clock) -> Section:
    """Return the number of trees of each size; the features that every tree tests are printed if time allows."""
    outcome = forest.outcome
    values = {
        "status": outcome.status,
        "n_nodes": forest.n_nodes,
        "n_trees": forest.count,
        "n_trees_of_size": {str(size): count for size, count in forest.counts.items()},
        "seconds": round(outcome.seconds, 3),
    }

    def put_it() -> None:
        for index, (size, count) in enumerate(forest.counts.items()):
            what = "proved minimum" if index == 0 else "more than the minimum"
            put(Text(f"{count_trees(count)} of {quantity(size, 'node')}", style="bold"), f", {what}")
        _put_necessary(forest, clock)

    return Section(values, put_it)


def how_many_of_point(forest: Forest, point: FrontPoint, clock: Clock) -> Section:
    """Return the number of trees of a point of the front, or of each size and cost of a band around it."""
    counts = forest.counts_by_cost
    values = {
        "status": point.status,
        "point": point.to_dict(),
        "n_trees": forest.count,
        "n_trees_by_cost": [
            {"n_nodes": size, "cost": cost, "n_trees": count} for (size, cost), count in counts.items()
        ],
    }
    counts_errors = point.front.counts_errors

    def put_it() -> None:
        band = "" if len(counts) == 1 else f"{count_trees(forest.count)} around "
        cost = "" if counts_errors else f", cost {point.cost:.6g}"
        what = f"{band}{quantity(point.n_nodes, 'node')}, {quantity(point.errors, 'error')}{cost}"
        if not band:
            what = f"{count_trees(forest.count)} of {what}"
        put(Text(what, style="bold"), ", proved optimal for its size")
        if band:
            rows = [(size, f"{cost:,.6g}", format_count(count)) for (size, cost), count in counts.items()]
            put()
            _put_rows(["nodes", "errors" if counts_errors else "cost", "trees"], rows)
        _put_necessary(forest, clock)

    return Section(values, put_it)


def filtered(forest: Forest, filters: Mapping[str, Any], training: Dataset, clock: Clock) -> tuple[Section, Forest]:
    """Return the number of trees that satisfy filters, and these trees.

    Parameters
    ----------
    forest : Forest
    filters : mapping of str to value
        Those of :meth:`Forest.where`; ``agrees_with`` is the path of labelled rows.
    training : Dataset
    clock : Clock
    """
    rows = filters.get("agrees_with")
    read = {} if rows is None else {"agrees_with": _read_labelled(forest, rows, training)}
    kept = forest.where(**{**filters, **read}, time_limit=clock.left)
    values = {**filters, **({} if rows is None else {"agrees_with": str(rows)}), "n_trees": kept.count}

    def put_it() -> None:
        verb = "satisfies" if kept.count == 1 else "satisfy"
        share = f" ({kept.count / forest.count:.1%})"
        what = f"{format_count(kept.count)} of {count_trees(forest.count)} {verb} the filters"
        put(Text(what, style="bold"), share)
        _put_necessary(kept, clock)

    return Section({"where": values}, put_it), kept


def _put_necessary(forest: Forest, clock: Clock) -> None:
    if needed := _necessary_features(forest, clock):
        more = f" and {len(needed) - FEW} more" if len(needed) > FEW else ""
        put("tested by every tree: ", "; ".join(str(usage.predicate) for usage in needed[:FEW]), more)


def _necessary_features(forest: Forest, clock: Clock) -> list[FeatureUsage]:
    try:
        usages = forest.features(time_limit=clock.left) if forest.count > 1 else []
    except UnfinishedError:
        return []
    return [usage for usage in usages if usage.is_necessary]


def some_trees(forest: Forest, how: str, trees: Sequence[Tree]) -> Section:
    """Return some of the trees, with their ranks."""
    ranks = [forest.rank(tree) for tree in trees]
    values = [{"rank": rank, "tree": tree.to_dict()} for rank, tree in zip(ranks, trees, strict=True)]

    def put_it() -> None:
        for rank, tree in zip(ranks, trees, strict=True):
            put("\n", Text(f"tree {format_count(rank)}", style="bold"), f" ({how}; ranks start at 0)")
            put_tree(tree, is_complete=True)  # it was asked for

    return Section({how: values}, put_it)


def shapes(forest: Forest, clock: Clock) -> Section:
    """Return the number of trees of each shape."""
    rows = [(layout.n_trees, layout.share, layout.shape) for layout in forest.layouts(time_limit=clock.left)]
    values = [{"shape": shape, "n_trees": count} for count, _, shape in rows]
    return Section({"layouts": values}, lambda: _put_top(["trees", "share", "shape"], rows))


def features(forest: Forest, clock: Clock) -> Section:
    """Return the number of trees that test each feature."""
    usages = forest.features(time_limit=clock.left)
    rows = [(usage.n_trees, usage.share, f"{usage.root_share:.1%}", usage.predicate) for usage in usages]
    values = [{"feature": str(usage.predicate), "n_trees": usage.n_trees, "n_roots": usage.n_roots} for usage in usages]
    return Section({"features": values}, lambda: _put_top(["trees", "share", "at root", "feature"], rows))


def most_accurate(forest: Forest, path: Path, training: Dataset, clock: Clock) -> Section:
    """Return the most accurate trees on the rows of a file, which has the columns of the training data."""
    best = forest.best(*_read_labelled(forest, path, training), time_limit=clock.left)
    rank = forest.rank(best.tree)
    values = {
        "accuracy": best.accuracy,
        "n_rows": best.n_rows,
        "n_trees": best.count,
        "rank": rank,
        "tree": best.tree.to_dict(),
    }

    def put_it() -> None:
        put("\n", Text(f"best on {path}: {best.accuracy:.2%}", style="bold"), f" of {quantity(best.n_rows, 'row')}")
        put(f"{count_trees(best.count)} with this accuracy, the first of rank {format_count(rank)}")
        put_tree(best.tree, is_complete=True)

    return Section({"best": values}, put_it)


def _read_labelled(forest: Forest, path: Path, training: Dataset) -> tuple[Table, list[Level]]:
    """Read labelled rows with the columns that the trees test."""
    columns = columns_of([forest.prepared.binarizer.features_[int(feature)] for feature in forest.graph.features])
    labels = read_selection_labels(path, training.target_name, forest.classes)
    return read_rows(path, columns, training.missing_values), labels


def read_selection_labels(path: Path, target: str, classes: tuple[Level, ...]) -> list[Level]:
    """Read the labels of selection rows."""
    if format_of(path) not in ("csv", None):
        return read_typed_labels(path, target, classes)
    file = CsvFile.read(path)
    file.require(target)
    return _labels(file.column(target).cells, classes)


def _labels(cells: list[str], classes: tuple[Level, ...]) -> list[Level]:
    """Convert labels to the classes of the trees; unknown labels count as errors."""
    known = {str(label): label for label in classes}
    unknown: Any = next((cell for cell in cells if cell not in known), None)
    if unknown is not None and not isinstance(classes[0], str):
        known = {}
    return [known.get(cell, cell) for cell in cells]


def _put_top(header: list[str], rows: Sequence[tuple[Any, ...]]) -> None:
    put()
    _put_rows(header, [(format_count(count), f"{share:.1%}", *rest) for count, share, *rest in rows])


def _put_rows(header: list[str], rows: Sequence[tuple[Any, ...]]) -> None:
    put_table(header, rows[:MOST_SHOWN])
    if len(rows) > MOST_SHOWN:
        put(f"… and {len(rows) - MOST_SHOWN} more")
