"""The tables of the documents: each a list of facts, in the words of the data."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..binarize.predicate import format_level
from ..errors import shorten
from ..problem import Conflict
from ..table import Level
from ..tree import Rule, Tree
from .claims import n_of
from .content import Table, table
from .facts import Facts
from .metrics import Metrics, Part

TITLES = {"training": "Training part", "selection": "Selection part", "test": "Test part"}
MOST_GROUPS = 50  # of rows that contradict each other; who needs more has the data


def data(facts: Facts) -> Table:
    """Tell of which data the tree is."""
    record = facts.run.data
    rows: list[tuple[str, str]] = [
        ("Source", facts.source),
        ("Predicted column", record.target),
        ("Classes", ", ".join(map(format_level, facts.run.tree.classes))),
        ("Rows", _rows(facts)),
        ("Other columns", n_of(len(record.columns), "column")),
        ("SHA-256 of the file", record.sha256 or "– (a data set by name)"),
        ("Hash of the table as read", record.data_hash),
    ]
    return table("The data that the tree is made of", ["what", "value"], rows, "tt")


def _rows(facts: Facts) -> str:
    parts = [f"{part.metrics.n_rows:,} {part.name}" for part in facts.parts if part.name != "test"]
    left_out = f"; {facts.n_left_out:,} of the training rows left out" if facts.n_left_out else ""
    return f"{facts.n_rows:,} ({', '.join(parts)}{left_out})"


def columns(facts: Facts) -> Table:
    """Tell for each column what it holds, how many questions may be asked of it, and how often the tree does."""
    tree = facts.run.tree
    used = [tree.predicate(int(feature)).column.index for feature in tree.feature if feature >= 0]
    rows = []
    for place, (column, (name, n_questions)) in enumerate(
        zip(facts.prepared.table, facts.questions_by_column(), strict=True)
    ):
        kind = column.kind if column.kind == "number" else f"{column.kind}, {n_of(len(column.levels), 'level')}"
        missing = int(np.isnan(column.values).sum())
        rows.append((name, kind, f"{missing:,}", f"{n_questions:,}", used.count(place)))
    header = ["column", "kind", "missing in training", "questions", "asked in the tree"]
    return table("The columns, and the questions that may be asked of them", header, rows, "ttnnn")


def conflicts(facts: Facts) -> Table | None:
    """List the rows that contradict each other."""
    found = facts.prepared.problem.conflicts
    if not found:
        return None
    kept = set(facts.prepared.row_numbers[facts.prepared.problem.kept_rows].tolist())
    rows = [
        (number, n_of(len(group.rows), "row"), group, _label_that_counts(group, kept))
        for number, group in enumerate(found[:MOST_GROUPS], 1)
    ]
    more = f"; {len(found) - MOST_GROUPS:,} more groups are not listed" if len(found) > MOST_GROUPS else ""
    caption = f"Rows that contradict each other, counted from 0 after the header{more}"
    return table(caption, ["group", "size", "rows and their labels", "label that counts"], rows, "nttt")


def _label_that_counts(group: Conflict, kept: Collection[int]) -> str:
    labels = (label for row, label in zip(group.rows, group.labels, strict=True) if row in kept)
    return str(next(labels, "none"))


def rules(facts: Facts) -> Table:
    """Tell for each leaf its rule, the training rows there, and the share of each class among them."""
    tree, leaves, shares = facts.tree, leaves_in_order(facts.tree), _leaf_shares(facts)
    rows = [
        (number, _conditions(rule), format_level(rule.label), f"{rule.n_rows:,}", _shares(tree.classes, shares[leaf]))
        for number, (rule, leaf) in enumerate(zip(tree.rules(), leaves, strict=True), 1)
    ]
    header = ["rule", "if", "then", "training rows", "share of the classes"]
    counts_all = facts.n_left_out and facts.run.parameters.get("on_conflict") != "drop"
    note = "; shares count the rows that were left out, too" if counts_all else ""
    return table(f"A rule for each leaf; exactly one of them holds for any row{note}", header, rows, "nttnt")


def _leaf_shares(facts: Facts) -> NDArray[np.float64]:
    """Return for each node the share of each class: rows that are left out count too, unless they were dropped."""
    prepared, tree = facts.prepared, facts.tree
    if facts.run.parameters.get("on_conflict") != "drop":
        tree = tree.with_counts(prepared.table, prepared.labels.codes)
    assert tree.counts is not None
    shares: NDArray[np.float64] = tree.counts / np.maximum(1, tree.counts.sum(axis=1, keepdims=True))
    return shares


def leaves_in_order(tree: Tree) -> list[int]:
    """Return the leaves in the order of the rules: "yes" first."""
    leaves, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        left = int(tree.left[node])
        if left < 0:
            leaves.append(node)
        else:
            waiting += [left, left + 1]
    return leaves


def _conditions(rule: Rule) -> str:
    return " and ".join(rule.condition_texts()) or "always"


def _shares(classes: tuple[Level, ...], shares: NDArray[np.float64]) -> str:
    return ", ".join(
        f"{format_level(label)} {share:.1%}" for label, share in zip(classes, shares, strict=True) if share
    )


def accuracies(facts: Facts) -> Table:
    """Tell for each part how often the tree is right."""
    header = ["part", "rows", "right", "accuracy", "balanced accuracy"]
    rows = [(_title(part), *_totals(part.metrics)) for part in facts.parts]
    return table("How often the tree is right", header, rows, "tnnnn")


def _title(part: Part) -> str:
    return TITLES[part.name] + (f" ({part.source})" if part.name == "test" else "")


def _totals(metrics: Metrics) -> tuple[str, ...]:
    return f"{metrics.n_rows:,}", f"{metrics.n_right:,}", f"{metrics.accuracy:.1%}", f"{metrics.balanced_accuracy:.1%}"


def by_class(part: Part) -> Table:
    """Tell how a part went for each class."""
    rows = [
        (format_level(of.label), _score(of.precision), _score(of.recall), _score(of.f1), f"{of.support:,}")
        for of in part.metrics.classes
    ]
    return table(f"{_title(part)}: by class", ["class", "precision", "recall", "F1", "rows"], rows, "tnnnn")


def confusion(part: Part) -> Table:
    """Tell which class was taken for which."""
    labels = [format_level(of.label) for of in part.metrics.classes]
    rows = [(label, *map("{:,}".format, row)) for label, row in zip(labels, part.metrics.confusion, strict=True)]
    header = ["is \\ said to be", *labels]
    return table(f"{_title(part)}: confusion matrix, a line for each true class", header, rows, "t" + "n" * len(labels))


def _score(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def usage(facts: Facts, most: int | None = None) -> Table:
    """Tell how many of all smallest trees ask each question."""
    found = facts.trees.usage[:most]
    rows = [
        (use.predicate, f"{use.share:.1%}", f"{use.root_share:.1%}", "yes" if use.is_necessary else "no")
        for use in found
    ]
    rest = len(facts.trees.usage) - len(found)
    caption = "Questions that smallest trees ask" + (
        f", the first {len(found)}; {rest} more are in the dossier" if rest else ""
    )
    return table(caption, ["question", "share of the trees", "at the root", "in every tree"], rows, "tnnt")


def parameters(facts: Facts) -> Table:
    """Tell what was asked for."""
    rows = [(name, _value(value)) for name, value in facts.run.parameters.items()]
    return table("All parameters of the run", ["parameter", "value"], rows, "tt")


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {cost}" for name, cost in value.items()) or "none"
    if isinstance(value, list | tuple):
        return shorten(value, 1000) or "none"
    return "none" if value is None else str(value)


def history(facts: Facts) -> Table:
    """Tell how the bounds came together."""
    found = facts.run.outcome.history
    rows = [(f"{at.seconds:.3f}", at.lower, "–" if at.upper is None else at.upper) for at in found]
    header = ["seconds since the start", "at least", "at most"]
    return table("Both bounds on the number of nodes, at each improvement", header, rows, "nnn")


def versions(facts: Facts) -> Table:
    """Tell what made the run."""
    rows = [*facts.run.certificate["versions"].items()]
    return table("Versions that made the run", ["package", "version"], rows, "tt")


def hashes(facts: Facts) -> Table:
    """Tell what the run is made of, file by file, and what its parts are known by."""
    claim = facts.run.certificate
    rows = [
        ("The tree: its questions, their places and the labels", claim["tree"]),
        ("The training rows and their labels", claim["data"]),
        ("The questions", claim["questions"]),
        *((f"File {name}", digest) for name, digest in facts.files.items()),
    ]
    return table("SHA-256 of what the run holds", ["what", "SHA-256"], rows, "tc")


def proof_files(facts: Facts) -> Table:
    """Tell what the proof is made of, file by file."""
    assert facts.proof is not None
    rows = [("Seal of the proof", facts.proof.seal), *((f"File {name}", of) for name, of in facts.proof.hashes.items())]
    return table("SHA-256 of the proof", ["what", "SHA-256"], rows, "tc")


def proof_making(facts: Facts) -> Table:
    """Tell how the parts of the proof were made."""
    assert facts.proof is not None
    lacking = [(name, f"not made: {why}") for name, why in facts.proof.not_made.items()]
    return table("How the proof was made", ["part", "how"], [*facts.proof.made.items(), *lacking], "tt")
