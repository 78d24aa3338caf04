"""Collect the facts of a report from a run and its data.

A run stores one tree and its bounds. Everything else in a report is computed again from the data, which must therefore
be the data of the run: the training rows and the candidate splits must match the hashes in the certificate, the tree
must classify every training row correctly, or make as many errors as the run states, and it must be one of the minimum
trees, or of the trees of this size and cost, which are enumerated again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .._support.clock import Clock
from .._support.text import quantity
from ..binarize.predicate import columns_of
from ..datasets import Dataset
from ..datasets.csv_file import CsvFile
from ..datasets.formats import format_of
from ..datasets.prediction_rows import read_cell, read_rows, read_typed_labels
from ..errors import FormatError, InputError, UnfinishedError
from ..forest import Forest, grow_forest, grow_front_forest
from ..outcome import OnProgress
from ..problem import Constraints, Prepared, PreparedCosts, nodes_of
from ..proof.claim import data_hash, predicates_hash
from ..runs import Run, rebuild_costs, rebuild_problem, training_rows
from ..selection import Rows
from ..selection.candidates import Limits
from ..table import Column, Level, is_missing
from ..tree import Tree
from .facts import Facts, MinimumTrees, ProofRecord, source_name
from .metrics import Evaluation, SetName, compute_metrics, count_unfamiliar


def collect_facts(
    run: Run,
    dataset: Dataset,
    *,
    tests: Sequence[Path] = (),
    time_limit: float | None = 60.0,
    files: Mapping[str, str] | None = None,
    proof: ProofRecord | None = None,
    on_progress: OnProgress | None = None,
) -> Facts:
    """Collect everything that a report states about a run.

    Parameters
    ----------
    run : Run
    dataset : Dataset
        The data of the run; other data raise FormatError.
    tests : sequence of Path
        Files with rows that were used neither for training nor for selection.
    time_limit : float or None, default=60
        Seconds to enumerate all minimum trees, and to count those that use each split.
    files : mapping of str to str, optional
        SHA-256 of each file of the run.
    proof : ProofRecord, optional
        The proof of the run.
    on_progress : callable, optional
        Called with the bounds while the minimum trees are enumerated.
    """
    clock = Clock.of(time_limit)
    rows = Rows.read(dataset.table, dataset.target)
    prepared = _rebuild_and_check(run, rows)
    training, held_out = training_rows(run, rows)
    evaluations = [_evaluate(run.tree, "training", source_name(run), training)]
    if len(held_out.numbers):
        evaluations.append(_evaluate(run.tree, "selection", source_name(run), held_out))
    evaluations += [_evaluate_test(run, path) for path in tests]
    trees = _find_minimum_trees(run, prepared, Limits(clock, on_progress=on_progress), time_limit)
    kept = prepared.kept_rows
    return Facts(
        run=run,
        tree=run.tree.with_counts(prepared.table.take(kept), prepared.labels.codes[kept]),
        prepared=prepared,
        n_rows=dataset.table.total_weight,
        evaluations=tuple(evaluations),
        trees=trees,
        files=dict(files or {}),
        proof=proof,
        version=version("puretree"),
    )


def _rebuild_and_check(run: Run, rows: Rows) -> Prepared | PreparedCosts:
    """Binarise the training rows as the run did; raise FormatError if the result is not that of the run."""
    prepared = rebuild_costs(run, rows) if run.allows_errors else rebuild_problem(run, rows)
    hashes = {"data": data_hash(prepared.table, prepared.labels), "questions": predicates_hash(prepared)}
    for key, name in (("data", "training rows"), ("questions", "candidate splits")):
        if hashes[key] != run.certificate.get(key):
            raise FormatError(
                f"the {name} do not match certificate.json: the run may come from another release of puretree, or a "
                "file was changed; fit again"
            )
    _require_errors(run.tree, prepared, run.outcome.n_errors)
    return prepared


def _require_errors(tree: Tree, prepared: Prepared | PreparedCosts, n_errors: int) -> None:
    """Raise FormatError if the tree uses other splits than the candidates, or makes another number of errors."""
    predicates, kept = prepared.binarizer.features_, prepared.kept_rows
    uses_candidates = all(
        feature < len(predicates) and tree.predicate(feature) == predicates[feature] for feature in tree.features
    )
    if not uses_candidates or tree.classes != prepared.labels.classes:
        raise FormatError("model.json has splits or classes that the data do not have; fit again")
    is_wrong = tree.predict_codes(prepared.table.take(kept)) != prepared.labels.codes[kept]
    n_wrong = int(prepared.table.row_weights[kept][is_wrong].sum())
    if n_wrong != n_errors:
        raise FormatError(
            f"the tree in model.json misclassifies {quantity(n_wrong, 'training row')}, so it is not the tree of the "
            "run; fit again"
        )


def _evaluate(tree: Tree, name: SetName, source: str, rows: Rows) -> Evaluation:
    labels = [rows.labels.classes[code] for code in rows.labels.codes.tolist()]
    metrics = compute_metrics(tree, rows.table, labels)
    return Evaluation(name, source, None, metrics, count_unfamiliar(tree, rows.table))


def _evaluate_test(run: Run, path: Path) -> Evaluation:
    tree, missing = run.tree, run.data.missing_values
    labels = _read_labels(run, path)
    rows = read_rows(path, columns_of([tree.predicate(feature) for feature in tree.features]), missing)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    metrics = compute_metrics(tree, rows, labels)
    return Evaluation("test", path.name, digest, metrics, count_unfamiliar(tree, rows), digest == run.data.sha256)


def _read_labels(run: Run, path: Path) -> list[Level]:
    tree, target, missing = run.tree, run.data.target, run.data.missing_values
    if format_of(path) not in ("csv", None):
        return read_typed_labels(path, target, tree.classes)
    file = CsvFile.read(path)
    file.require(target)
    column, cells = Column(target, 0, "category", tree.classes), zip(file.lines, file.column(target).cells, strict=True)
    return [_read_label(file, line, column, cell, missing) for line, cell in cells]


def _read_label(file: CsvFile, line: int, column: Column, cell: str, missing_values: tuple[str, ...] | None) -> Level:
    """Read a label as the class of the tree that it denotes; a label that the tree does not know stays text."""
    try:
        label = read_cell(column, cell, missing_values)
    except ValueError:
        return cell
    if is_missing(label):
        raise InputError(f"{file.path}, line {line}: no label in column {column.name!r}; drop the row, or label it")
    assert label is not None
    return label


def _find_minimum_trees(
    run: Run, prepared: Prepared | PreparedCosts, limits: Limits, time_limit: float | None
) -> MinimumTrees:
    """Enumerate all minimum trees, or all trees of this size and cost, again, or state why they are not known."""
    trees = "trees of this size and cost" if run.allows_errors else "minimum trees"
    if not (run.outcome.is_minimum or (run.allows_errors and run.outcome.status == "optimal")):
        what = "The least number of errors" if run.allows_errors else "The minimum"
        return MinimumTrees(None, unknown_reason=f"{what} is not proved, so the {trees} are not known.")
    parameters: Any = run.parameters
    constraints = Constraints(
        parameters.get("max_depth"),
        prepared.roots,
        "nodes-then-cost" if parameters.get("feature_costs") else "nodes",
        nodes_of(parameters.get("max_leaf_nodes")),
        parameters.get("min_samples_leaf", 1),
    )
    limit = "no time limit was set" if time_limit is None else f"the time limit was {time_limit:g} seconds"
    try:
        forest = _grow(run, prepared, constraints, limits)
    except UnfinishedError:
        reason = f"Not all {trees} were enumerated when this report was written; {limit}."
        return MinimumTrees(run.n_trees, unknown_reason=reason)
    if run.tree not in forest or (run.n_trees or forest.count) != forest.count:
        raise FormatError(f"the tree of the run is not one of the {trees} of the data; fit again")
    try:
        return MinimumTrees(forest.count, tuple(forest.features(time_limit=limits.clock.left)))
    except UnfinishedError:
        reason = f"The {trees} that use each split were not counted when this report was written; {limit}."
        return MinimumTrees(forest.count, unknown_reason=reason)


def _grow(run: Run, prepared: Prepared | PreparedCosts, constraints: Constraints, limits: Limits) -> Forest:
    if isinstance(prepared, Prepared):
        return grow_forest(
            prepared,
            constraints,
            clock=limits.clock,
            memory_limit=limits.memory_limit,
            on_progress=limits.on_progress,
        )
    cost = prepared.row_costs.of(run.tree.predict_codes(prepared.table))
    n_tests = run.tree.n_nodes // 2
    options: Any = {"clock": limits.clock, "memory_limit": limits.memory_limit}
    return grow_front_forest(prepared, n_tests, cost, constraints, **options)
