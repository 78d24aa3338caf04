"""From a run and its data to the facts: the training rows are asked again, and all smallest trees are found again.

A run keeps one tree and its bounds. What is told beside them is made from the data once more, so it must be certain
that they are the same: the hashes of the certificate decide, and the tree is held against every row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock
from ..binarize.predicate import columns_of
from ..datasets import Dataset
from ..datasets.csv_file import CsvFile
from ..datasets.prediction_rows import read_cell, read_rows
from ..errors import FormatError, InputError, UnfinishedError
from ..outcome import OnProgress
from ..problem import Constraints, Prepared
from ..proof.claim import data_hash, predicates_hash
from ..runs import Run, rebuild_problem
from ..selection import Rows
from ..selection.candidates import Limits, find_forest
from ..table import Column, Level, is_missing
from ..tree import Tree
from .facts import AllTrees, Facts, ProofRecord, source_name
from .metrics import Part, PartName, count_unfamiliar, measure


def gather(
    run: Run,
    dataset: Dataset,
    *,
    tests: Sequence[Path] = (),
    time_limit: float | None = 60.0,
    files: Mapping[str, str] | None = None,
    proof: ProofRecord | None = None,
    on_progress: OnProgress | None = None,
) -> Facts:
    """Put together what there is to tell of a run.

    Parameters
    ----------
    run : Run
    dataset : Dataset
        Its data; others are a FormatError.
    tests : sequence of Path
        CSV files with rows that took no part in training or choice.
    time_limit : float or None, default=60
        Seconds for finding all smallest trees.
    files : mapping of str to str, optional
        SHA-256 of each file of the run.
    proof : ProofRecord, optional
        What was certified.
    on_progress : callable, optional
        Gets the bounds while all smallest trees are found.
    """
    clock = Clock.of(time_limit)
    rows = Rows.read(dataset.table, dataset.target)
    prepared = _require_same(run, rows)
    parts = [_part(run.tree, "training", source_name(run), rows, prepared.row_numbers)]
    kept_back = np.setdiff1d(rows.numbers, prepared.row_numbers)
    if len(kept_back):
        parts.append(_part(run.tree, "selection", source_name(run), rows, kept_back))
    parts += [_test_part(run, path) for path in tests]
    trees = _all_trees(run, prepared, Limits(clock, on_progress=on_progress), time_limit)
    kept = prepared.problem.kept_rows
    tree = run.tree.with_counts(prepared.table.take(kept), prepared.labels.codes[kept])
    told = (tuple(parts), trees, dict(files or {}), proof, version("puretree"))
    return Facts(run, tree, prepared, dataset.n_rows, *told)


def _require_same(run: Run, rows: Rows) -> Prepared:
    """Ask the training rows as the run did, and refuse what is not the same."""
    prepared = rebuild_problem(run, rows)
    now = {"data": data_hash(prepared.table, prepared.labels), "questions": predicates_hash(prepared)}
    for name, what in (("data", "training rows"), ("questions", "questions")):
        if now[name] != run.certificate.get(name):
            raise FormatError(
                f"the {what} are not those that certificate.json speaks of: another release of puretree may have made "
                "the run, or a file was changed; fit again"
            )
    _require_right(run.tree, prepared)
    return prepared


def _require_right(tree: Tree, prepared: Prepared) -> None:
    """Refuse a tree of other questions than those counted, or one that is wrong where it is said to be right."""
    questions, kept = prepared.binarizer.features_, prepared.problem.kept_rows
    is_asked = all(
        feature < len(questions) and tree.predicate(feature) == questions[feature] for feature in tree.features
    )
    if not is_asked or tree.classes != prepared.labels.classes:
        raise FormatError("model.json asks questions, or says classes, that the data do not have; fit again")
    n_wrong = int((tree.predict_codes(prepared.table.take(kept)) != prepared.labels.codes[kept]).sum())
    if n_wrong:
        raise FormatError(f"the tree of model.json is wrong on {n_wrong} training rows: it is not the run's; fit again")


def _part(tree: Tree, name: PartName, source: str, rows: Rows, numbers: NDArray[np.intp]) -> Part:
    part = rows.take(numbers)
    labels = [part.labels.classes[code] for code in part.labels.codes.tolist()]
    return Part(name, source, None, measure(tree, part.table, labels), count_unfamiliar(tree, part.table))


def _test_part(run: Run, path: Path) -> Part:
    tree, target = run.tree, run.data.target
    file = CsvFile.read(path)
    file.require(target)
    rows = read_rows(path, columns_of([tree.predicate(feature) for feature in tree.features]))
    column = Column(target, 0, "category", tree.classes)
    labels = [_label(file, line, column, cell) for line, cell in zip(file.lines, file.cells(target), strict=True)]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    measured = measure(tree, rows, labels)
    return Part("test", path.name, digest, measured, count_unfamiliar(tree, rows), digest == run.data.sha256)


def _label(file: CsvFile, line: int, column: Column, cell: str) -> Level:
    """Read a label as the tree knows it; what it does not know stays as it is written."""
    try:
        label = read_cell(column, cell)
    except ValueError:
        return cell
    if is_missing(label):
        raise InputError(f"{file.path}, line {line}: no label in column {column.name!r}; drop the row, or label it")
    assert label is not None
    return label


def _all_trees(run: Run, prepared: Prepared, limits: Limits, time_limit: float | None) -> AllTrees:
    """Find all smallest trees again, or say why they are not known."""
    if not run.outcome.is_minimum:
        return AllTrees(None, why_not="The minimum is not proved, so the smallest trees are not known.")
    costs: Any = run.parameters.get("costs")
    constraints = Constraints(run.parameters.get("max_depth"), prepared.roots, "nodes-then-cost" if costs else "nodes")
    try:
        forest = find_forest(prepared, constraints, limits)
    except UnfinishedError:
        limit = "no limit of time was set" if time_limit is None else f"the limit was {time_limit:g} seconds"
        return AllTrees(run.n_trees, why_not=f"Not all smallest trees were found again when this was written; {limit}.")
    if run.tree not in forest or (run.n_trees or forest.count) != forest.count:
        raise FormatError("the tree of the run is not one of the smallest that the data have now; fit again")
    return AllTrees(forest.count, tuple(forest.features()))
