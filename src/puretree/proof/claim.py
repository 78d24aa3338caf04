"""The claim about a tree and its data, as plain JSON values that fit on a page and are stored with the model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from ..outcome import Outcome
from ..problem import BinarizedTable, Constraints, Prepared, PreparedCosts, leaves_of
from ..table import Labels, Table
from ..tree import Tree

FORMAT = "puretree certificate 2"


def certificate(
    prepared: Prepared | PreparedCosts, outcome: Outcome, tree: Tree, constraints: Constraints
) -> dict[str, Any]:
    """Return the claim, with everything needed to reproduce the result.

    Parameters
    ----------
    prepared : Prepared or PreparedCosts
        The training table and its problem; where errors are allowed, the claim states what they cost.
    outcome : Outcome
        The bounds.
    tree : Tree
        The selected tree.
    constraints : Constraints
        The constraints on the tree: without them, a smaller tree may be pure.
    """
    return {
        "format": FORMAT,
        "claim": {
            "n_nodes": tree.n_nodes,
            "lower_bound": outcome.lower_bound,
            "upper_bound": outcome.upper_bound,
            "minimised": outcome.minimised,
            "status": outcome.status,
            "is_minimum": outcome.is_minimum,
            "constraints": _constraints_to_dict(prepared, constraints),
            **(_costs_to_dict(prepared, tree) if isinstance(prepared, PreparedCosts) else {}),
        },
        "tree": tree.digest,
        "data": data_hash(prepared.table, prepared.labels),
        "n_rows": prepared.table.total_weight,
        "n_rows_left_out": count_left_out(prepared),
        "questions": predicates_hash(prepared),
        "n_questions": len(prepared.binarizer.features_),
        "versions": {name: version(name) for name in ("puretree", "numpy", "scikit-learn", "python-sat")},
    }


def _costs_to_dict(prepared: PreparedCosts, tree: Tree) -> dict[str, Any]:
    """Return the number of errors, and what is minimised: a hash of the costs unless errors are counted.

    Under a teacher, the costs are expected ones, of the training rows and of synthetic rows.
    """
    n_rows, costs = prepared.row_costs.n_rows, prepared.solved_costs
    counts = tree.weights_of_nodes(tree.apply(prepared.table), prepared.labels.codes, n_rows)
    leaves = np.flatnonzero(tree.left < 0)
    synthetic = prepared.solved_table.take(np.arange(prepared.table.n_rows, prepared.solved_table.n_rows))
    return {
        "n_errors": int(counts[leaves].sum() - counts[leaves, tree.label[leaves]].sum()),
        "costs": None if costs.counts_errors else _hash(iter([repr(costs.unit), costs.costs.astype("<i4").tobytes()])),
        "n_synthetic_rows": synthetic.n_rows,
        "synthetic_rows": table_hash(synthetic) if synthetic.n_rows else None,
    }


def _constraints_to_dict(prepared: BinarizedTable, constraints: Constraints) -> dict[str, Any]:
    """Return the constraints in terms of columns; a constraint that is not set is None or an empty list."""
    policy = prepared.policy
    names = [predicate.column.name for predicate in prepared.binarizer.features_]
    allowed = {names[index] for index in policy.allowed}
    root = list(dict.fromkeys(names[index] for index in np.flatnonzero(policy.is_root)))
    return {
        "max_depth": None if constraints.max_depth is None else int(constraints.max_depth),
        "max_leaf_nodes": None if constraints.max_nodes is None else leaves_of(int(constraints.max_nodes)),
        "min_samples_leaf": int(constraints.min_samples_leaf),
        "root": root or None,
        "forbidden": [name for name in dict.fromkeys(names) if name not in allowed],
    }


def count_left_out(prepared: Prepared | PreparedCosts) -> int:
    """Return the number of training rows that are left out because others contradict them."""
    return prepared.table.total_weight - int(prepared.table.row_weights[prepared.kept_rows].sum())


def predicates_hash(prepared: BinarizedTable) -> str:
    """Hash all predicates of the binariser."""
    return _hash(str(predicate) for predicate in prepared.binarizer.features_)


def data_hash(table: Table, labels: Labels) -> str:
    """Hash a table and its labels: names, kinds, levels, values and weights, in order."""
    return _hash(_pieces(table, labels))


def table_hash(table: Table) -> str:
    """Hash a table: names, kinds, levels and values, in order."""
    return _hash(_pieces_of_table(table))


def _pieces_of_table(table: Table) -> Iterator[str | bytes]:
    yield f"{table.n_rows} {len(table.columns)}"
    for column in table:
        yield repr((column.name, column.kind, column.levels))
        yield np.ascontiguousarray(column.values, dtype="<f8").tobytes()


def _pieces(table: Table, labels: Labels) -> Iterator[str | bytes]:
    yield from _pieces_of_table(table)
    yield repr(labels.classes)
    yield np.ascontiguousarray(labels.codes, dtype="<i4").tobytes()
    if table.weights is not None:
        yield np.ascontiguousarray(table.weights, dtype="<i8").tobytes()


def _hash(pieces: Iterator[str | bytes]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        data = piece.encode() if isinstance(piece, str) else piece
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()
