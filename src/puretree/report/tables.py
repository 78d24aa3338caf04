"""The tables of the documents."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._support.text import quantity
from ..binarize.predicate import format_level
from ..errors import shorten
from ..outcome import number
from ..problem import Conflict, Prepared
from ..table import Level
from ..tree import Rule, Tree
from ..tuning import FrontRecord
from .content import Table, make_table
from .facts import Facts
from .metrics import Evaluation, Metrics

TITLES = {"training": "Training set", "selection": "Selection set", "test": "Test set"}
MAX_GROUPS = 50  # of contradictory rows; whoever needs more has the data


def data(facts: Facts) -> Table:
    """Return a table of the data that the tree was fitted to."""
    record = facts.run.data
    rows: list[tuple[str, str]] = [
        ("Source", facts.source),
        ("Target column", record.target),
        ("Classes", ", ".join(map(format_level, facts.run.tree.classes))),
        ("Rows", _describe_rows(facts)),
        ("Input columns", f"{len(record.columns):,}"),
        ("SHA-256 of the file", record.sha256 or "– (a named data set, not a file)"),
        ("SHA-256 of the table as read", record.data_hash),
    ]
    return make_table("The data that the tree was fitted to", ["property", "value"], rows, "tt")


def _describe_rows(facts: Facts) -> str:
    sets = [f"{of.metrics.n_rows:,} {of.name}" for of in facts.evaluations if of.name != "test"]
    excluded = f"; {facts.n_left_out:,} of the training rows excluded" if facts.n_left_out else ""
    return f"{facts.n_rows:,} ({', '.join(sets)}{excluded})"


def columns(facts: Facts) -> Table:
    """Return a table of the columns: what each holds, its candidate splits, and the splits of the tree on it."""
    tree = facts.run.tree
    used = [tree.predicate(int(feature)).column.index for feature in tree.feature if feature >= 0]
    rows = []
    for index, (column, (name, n_splits)) in enumerate(
        zip(facts.prepared.table, facts.splits_by_column(), strict=True)
    ):
        kind = column.kind if column.kind == "number" else f"{column.kind}, {quantity(len(column.levels), 'level')}"
        n_missing = int(facts.prepared.table.row_weights[np.isnan(column.values)].sum())
        rows.append((name, kind, f"{n_missing:,}", f"{n_splits:,}", used.count(index)))
    header = ["column", "kind", "missing values in training", "candidate splits", "splits in the tree"]
    return make_table("The columns and their candidate splits", header, rows, "ttnnn")


def conflicts(facts: Facts) -> Table | None:
    """Return a table of the contradictory rows; None if there are none."""
    groups = facts.prepared.problem.conflicts if isinstance(facts.prepared, Prepared) else ()
    if not groups:
        return None
    kept = set(facts.prepared.row_numbers[facts.prepared.kept_rows].tolist())
    rows = [
        (number, quantity(len(group.rows), "row"), group, _kept_label(group, kept))
        for number, group in enumerate(groups[:MAX_GROUPS], 1)
    ]
    n_more = len(groups) - MAX_GROUPS
    caption = "Contradictory rows, numbered from 0 after the header"
    caption += f"; {n_more:,} more groups are not listed" if n_more > 0 else ""
    return make_table(caption, ["group", "size", "rows and their labels", "label kept"], rows, "nttt")


def _kept_label(group: Conflict, kept: Collection[int]) -> str:
    labels = (label for row, label in zip(group.rows, group.labels, strict=True) if row in kept)
    return str(next(labels, "none"))


def rules(facts: Facts) -> Table:
    """Return a table of the leaves: the rule, the number of training rows, and the fraction of each class."""
    tree, leaves, fractions = facts.tree, leaves_in_order(facts.tree), _class_fractions(facts)
    rows = [
        (
            number,
            _format_conditions(rule),
            format_level(rule.label),
            f"{rule.n_rows:,}",
            _format_fractions(tree.classes, fractions[leaf]),
        )
        for number, (rule, leaf) in enumerate(zip(tree.rules(), leaves, strict=True), 1)
    ]
    header = ["rule", "if", "then", "training rows", "fraction of each class"]
    counts_excluded = facts.n_left_out and facts.run.parameters.get("on_conflict") != "drop"
    note = "; the fractions include the excluded rows" if counts_excluded else ""
    return make_table(f"One rule per leaf; exactly one rule applies to any row{note}", header, rows, "nttnt")


def _class_fractions(facts: Facts) -> NDArray[np.float64]:
    """Return the fraction of each class at each node; excluded rows count, too, unless on_conflict is "drop"."""
    prepared, tree = facts.prepared, facts.tree
    if facts.run.parameters.get("on_conflict") != "drop":
        tree = tree.with_counts(prepared.table, prepared.labels.codes)
    assert tree.counts is not None
    fractions: NDArray[np.float64] = tree.counts / np.maximum(1, tree.counts.sum(axis=1, keepdims=True))
    return fractions


def leaves_in_order(tree: Tree) -> list[int]:
    """Return the leaves in the order of the rules: "yes" branches first."""
    leaves, stack = [], [0]
    while stack:
        node = stack.pop()
        left = int(tree.left[node])
        if left < 0:
            leaves.append(node)
        else:
            stack += [left, left + 1]
    return leaves


def _format_conditions(rule: Rule) -> str:
    return " and ".join(rule.condition_texts()) or "always"


def _format_fractions(classes: tuple[Level, ...], fractions: NDArray[np.float64]) -> str:
    return ", ".join(
        f"{format_level(label)} {fraction:.1%}" for label, fraction in zip(classes, fractions, strict=True) if fraction
    )


def accuracies(facts: Facts) -> Table:
    """Return a table of the overall metrics of each set."""
    header = ["set", "rows", "correct", "accuracy", "balanced accuracy"]
    rows = [(_title(evaluation), *_format_totals(evaluation.metrics)) for evaluation in facts.evaluations]
    return make_table("Accuracy of the tree", header, rows, "tnnnn")


def _title(evaluation: Evaluation) -> str:
    return TITLES[evaluation.name] + (f" ({evaluation.source})" if evaluation.name == "test" else "")


def _format_totals(metrics: Metrics) -> tuple[str, ...]:
    return f"{metrics.n_rows:,}", f"{metrics.n_right:,}", f"{metrics.accuracy:.1%}", f"{metrics.balanced_accuracy:.1%}"


def by_class(evaluation: Evaluation) -> Table:
    """Return a table of the metrics of each class."""
    rows = [
        (format_level(of.label), *map(_format_score, (of.precision, of.recall, of.f1)), f"{of.support:,}")
        for of in evaluation.metrics.classes
    ]
    caption = f"{_title(evaluation)}: metrics by class"
    return make_table(caption, ["class", "precision", "recall", "F1", "rows"], rows, "tnnnn")


def confusion(evaluation: Evaluation) -> Table:
    """Return the confusion matrix."""
    labels = [format_level(of.label) for of in evaluation.metrics.classes]
    rows = [(label, *map("{:,}".format, row)) for label, row in zip(labels, evaluation.metrics.confusion, strict=True)]
    caption = f"{_title(evaluation)}: confusion matrix, one line per true class"
    return make_table(caption, ["true \\ predicted", *labels], rows, "t" + "n" * len(labels))


def _format_score(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def usage(facts: Facts, max_splits: int | None = None) -> Table:
    """Return a table of the splits that minimum trees use, and how many of the trees use each."""
    shown = facts.trees.usage[:max_splits]
    rows = [
        (use.predicate, f"{use.share:.1%}", f"{use.root_share:.1%}", "yes" if use.is_necessary else "no")
        for use in shown
    ]
    n_more = len(facts.trees.usage) - len(shown)
    caption = f"Splits that {'trees of this size and cost' if facts.run.allows_errors else 'minimum trees'} use"
    caption += f", the first {len(shown)}; {n_more} more are in the dossier" if n_more else ""
    return make_table(caption, ["split", "fraction of the trees", "at the root", "in every tree"], rows, "tnnt")


def describe_front(record: FrontRecord) -> str:
    """Return what the points of a front are."""
    least = "The fewest training errors" if record.counts_errors else "The lowest cost of errors on the training rows"
    return f"{least} for each number of nodes"


def front(record: FrontRecord, max_sizes: int | None = None) -> Table:
    """Return a table of the front, or of the sizes around the chosen one: errors, status, and scores."""
    sizes = [point.n_nodes for point in record.points]
    first = 0 if max_sizes is None else max(0, min(sizes.index(record.chosen) - max_sizes // 2, len(sizes) - max_sizes))
    shown = record.points[first:] if max_sizes is None else record.points[first : first + max_sizes]
    n_more = len(record.points) - len(shown)
    header, kinds = ["nodes", "training errors"], "nn"
    rows = [[f"{point.n_nodes:,}", f"{point.errors:,}"] for point in shown]
    if not record.counts_errors:
        header, kinds = [*header, "cost"], f"{kinds}n"
        rows = [[*row, number(point.cost)] for row, point in zip(rows, shown, strict=True)]
    header, kinds = [*header, "status"], f"{kinds}t"
    for row, point in zip(rows, shown, strict=True):
        row.append("proved" if point.status == "optimal" else f"at least {number(point.lower_bound)}, {point.status}")
    if record.scores:
        measure = "accuracy" if record.scores_accuracy else "cost per row"
        header, kinds = [*header, f"cross-validated {measure}", "folds proved"], f"{kinds}nn"
        for row, point in zip(rows, shown, strict=True):
            row += _format_validation(record, point.n_nodes)
    for row, point in zip(rows, shown, strict=True):
        row.append("chosen" if point.n_nodes == record.chosen else "")
    caption = describe_front(record)
    caption += f"; mean ± standard deviation over {quantity(record.n_folds, 'fold')}" if record.scores else ""
    caption += f"; {quantity(n_more, 'more size')} in the dossier" if n_more else ""
    return make_table(caption, [*header, ""], rows, f"{kinds}t")


def _format_validation(record: FrontRecord, n_nodes: int) -> list[str]:
    score = record.score_of(n_nodes)
    if score is None:
        return ["–", "–"]
    mean, std = (
        (f"{score.mean:.1%}", f"{score.std:.1%}")
        if record.scores_accuracy
        else (
            f"{-score.mean:.4g}",
            f"{score.std:.4g}",
        )
    )
    return [f"{mean} ± {std}", f"{score.n_proved} of {record.n_folds}"]


def usage_unknown(facts: Facts) -> str:
    """Return the sentences that replace the table of usage where it is unknown."""
    return f"{facts.trees.unknown_reason} The splits that they use are therefore not listed."


def parameters(facts: Facts) -> Table:
    """Return a table of the parameters of the run."""
    rows = [(name, _format_value(value)) for name, value in facts.run.parameters.items()]
    return make_table("All parameters of the run", ["parameter", "value"], rows, "tt")


def _format_value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {cost}" for name, cost in value.items()) or "none"
    if isinstance(value, list | tuple):
        return shorten(value, 1000) or "none"
    return "none" if value is None else str(value)


def history(facts: Facts) -> Table:
    """Return a table of the bounds over time."""
    rows = [
        (f"{bounds.seconds:.3f}", bounds.lower, "–" if bounds.upper is None else bounds.upper, bounds.by or "–")
        for bounds in facts.run.outcome.history
    ]
    header = ["seconds since the start", "lower bound", "upper bound", "improved by"]
    return make_table("Bounds on the number of nodes, at each improvement", header, rows, "nnnt")


def versions(facts: Facts) -> Table:
    """Return a table of the package versions of the run."""
    rows = [*facts.run.certificate["versions"].items()]
    return make_table("Package versions of the run", ["package", "version"], rows, "tt")


def hashes(facts: Facts) -> Table:
    """Return a table of the hashes of the claim and of the files of the run."""
    claim = facts.run.certificate
    rows = [
        ("Tree: structure, splits and labels", claim["tree"]),
        ("Training rows and their labels", claim["data"]),
        ("Candidate splits", claim["questions"]),
        *((f"File {name}", digest) for name, digest in facts.files.items()),
    ]
    return make_table("SHA-256 hashes of the run", ["item", "SHA-256"], rows, "tc")


def proof_files(facts: Facts) -> Table:
    """Return a table of the hashes of the proof."""
    assert facts.proof is not None
    rows = [
        ("Seal of the proof", facts.proof.seal),
        *((f"File {name}", digest) for name, digest in facts.proof.hashes.items()),
    ]
    return make_table("SHA-256 hashes of the proof", ["item", "SHA-256"], rows, "tc")


def proof_components(facts: Facts) -> Table:
    """Return a table of the components of the proof: how each was made, or why it is missing."""
    assert facts.proof is not None
    missing = [(name, f"not made: {reason}") for name, reason in facts.proof.not_made.items()]
    rows = [*facts.proof.made.items(), *missing]
    return make_table("Components of the proof", ["component", "description"], rows, "tt")
