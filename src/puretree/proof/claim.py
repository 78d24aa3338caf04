"""What is claimed of a tree, and of which data: plain JSON values that fit on a page, to be kept beside the model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from ..outcome import Outcome
from ..problem import Constraints, Prepared
from ..table import Labels, Table
from ..tree import Tree

FORMAT = "puretree certificate 1"


def certificate(prepared: Prepared, outcome: Outcome, tree: Tree, constraints: Constraints) -> dict[str, Any]:
    """State what was found, for whoever wants to find it again.

    Parameters
    ----------
    prepared : Prepared
        The training table and how it was asked.
    outcome : Outcome
        The bounds.
    tree : Tree
        The tree that was chosen.
    constraints : Constraints
        What was asked of it: without that, a smaller tree may be right.
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
            "wishes": _wishes(prepared, constraints),
        },
        "tree": tree.digest,
        "data": data_hash(prepared.table, prepared.labels),
        "n_rows": prepared.table.n_rows,
        "n_rows_left_out": prepared.table.n_rows - len(prepared.problem.kept_rows),
        "questions": questions_hash(prepared),
        "n_questions": len(prepared.binarizer.features_),
        "versions": {name: version(name) for name in ("puretree", "numpy", "scikit-learn", "python-sat")},
    }


def _wishes(prepared: Prepared, constraints: Constraints) -> dict[str, Any]:
    """Tell the wishes, in columns; those that were not made are None, or an empty list."""
    questions, asked = prepared.binarizer.features_, prepared.policy
    names = [question.column.name for question in questions]
    may_be_asked = {names[place] for place in asked.allowed}
    root = list(dict.fromkeys(names[place] for place in np.flatnonzero(asked.is_root)))
    return {
        "max_depth": None if constraints.max_depth is None else int(constraints.max_depth),
        "root": root or None,
        "forbidden": [name for name in dict.fromkeys(names) if name not in may_be_asked],
    }


def questions_hash(prepared: Prepared) -> str:
    """Hash the questions that may be asked."""
    return _hash(str(question) for question in prepared.binarizer.features_)


def data_hash(table: Table, labels: Labels) -> str:
    """Hash a table and its labels: names, kinds, levels and values, in order."""
    return _hash(_pieces(table, labels))


def _pieces(table: Table, labels: Labels) -> Iterator[str | bytes]:
    yield f"{table.n_rows} {len(table.columns)}"
    for column in table:
        yield repr((column.name, column.kind, column.levels))
        yield np.ascontiguousarray(column.values, dtype="<f8").tobytes()
    yield repr(labels.classes)
    yield np.ascontiguousarray(labels.codes, dtype="<i4").tobytes()


def _hash(pieces: Iterator[str | bytes]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        data = piece.encode() if isinstance(piece, str) else piece
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()
