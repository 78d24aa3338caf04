"""What new rows answer to the questions of a forest.

Only questions that some tree asks are asked. Rows with the same answers to all of them go the same way in every tree,
so they are looked at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..bitmatrix import BitMatrix
from ..errors import InputError
from ..predicate import columns_of, pack_questions
from ..prepared import Prepared
from ..reading import read_known
from .graph import Graph


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of a table's rows.

    Parameters
    ----------
    bits : BitMatrix of shape (n_questions, n_groups)
        The answers of each group of equal rows, a row of bits per feature of the graph.
    group : ndarray of int64
        The group of each row of the table.
    question : ndarray of int64
        The question of each edge of the graph: a row of ``bits``.
    """

    bits: BitMatrix
    group: NDArray[np.int64]
    question: NDArray[np.int64]

    @property
    def n_rows(self) -> int:
        """The rows of the table."""
        return len(self.group)


def ask(prepared: Prepared, graph: Graph, X: Any) -> Answers:
    """Ask a raw table all that the trees of a graph ask."""
    binarizer = prepared.binarizer
    predicates = [binarizer.features_[feature] for feature in graph.features]
    columns = columns_of(predicates)
    values, n_rows = read_known(X, columns, binarizer.n_features_in_)
    if n_rows == 0:
        raise InputError("the table is empty: at least one row is needed")
    contiguous = [np.ascontiguousarray(column, dtype=np.float64) for column in values]
    words = _native.answers(pack_questions(predicates, columns), contiguous, n_rows)
    rows = BitMatrix(words, n_rows).transpose()
    group, first, _ = _native.group(rows.words, rows.n_bits, False)
    question = np.searchsorted(graph.features, graph.feature)
    return Answers(rows.take(first).transpose(), group, question)
