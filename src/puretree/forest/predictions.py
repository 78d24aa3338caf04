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
from .._support.clock import Clock, TimeIsOver
from ..binarize.bitmatrix import BitMatrix
from ..binarize.predicate import columns_of, pack_predicates
from ..errors import InputError
from ..problem import Prepared
from ..table import read_fitted_columns
from .graph import Counts, Graph


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
    values, n_rows = read_fitted_columns(X, columns, binarizer.n_features_in_)
    if n_rows == 0:
        raise InputError("the table is empty: at least one row is needed")
    contiguous = [np.ascontiguousarray(column, dtype=np.float64) for column in values]
    words = _native.answers(pack_predicates(predicates, columns), contiguous, n_rows)
    rows = BitMatrix(words, n_rows).transpose()
    group, first, _ = _native.group(rows.words, rows.n_bits, False)
    question = np.searchsorted(graph.features, graph.feature)
    return Answers(rows.take(first).transpose(), group, question)


# What the trees say of new rows, all of them counted: a measure of how ambiguous the training data leaves a row.
#
# Under a node, the share of the trees that say a class is a mean over the edges, weighted by how many trees begin with
# each; a row follows the side that its answer points to. Weights are ratios of exact integers, so they are right even
# where the numbers themselves are beyond floats.

CELLS_AT_ONCE = 2**23  # shares held at a time: 64 megabytes; with eight it takes a third longer on a large graph
LARGEST_EXACT = 2**53  # whole numbers up to here are floats without rounding

Floats = NDArray[np.float64]


def class_shares(graph: Graph, counts: Counts, answers: Answers, n_classes: int, clock: Clock) -> Floats:
    """Return the share of the trees that say each class, a row for each group of equal rows; or raise TimeIsOver."""
    total = sum(counts.of_node[root] for root in graph.roots)
    shares = _native.class_shares(
        *(graph.label, graph.edge_start, answers.question.astype(np.int32), graph.no, graph.yes, graph.roots),
        *(answers.bits.words, answers.bits.n_bits, _edge_weights(graph, counts)),
        np.array([counts.of_node[root] / total for root in graph.roots]),
        *(n_classes, CELLS_AT_ONCE, clock.left),
    )
    if shares is None:
        raise TimeIsOver
    shares /= shares.sum(axis=1, keepdims=True)  # rounding alone makes the sums differ from 1
    return shares


def _edge_weights(graph: Graph, counts: Counts) -> Floats:
    """Return the share of the trees under an edge's node that begin with the edge."""
    node = np.repeat(np.arange(graph.n_nodes), np.diff(graph.edge_start))
    is_exact = max(counts.of_node) <= LARGEST_EXACT  # seven times as fast; no product is larger than its sum
    trees = np.array(counts.of_node, dtype=np.float64 if is_exact else object)
    weights: Floats = (trees[graph.no] * trees[graph.yes] / trees[node]).astype(np.float64)
    return weights
