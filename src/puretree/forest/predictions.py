"""The predictions of all trees on new rows, as class fractions: how ambiguous the training data leave a row.

Only the features that some tree tests are evaluated. Rows that agree in all of them take the same path in every tree,
so each group of equal rows is processed once.

Under a node, the fraction of trees that predict a class is a mean over the edges, weighted by the number of trees of
each edge; a row follows the branch that its feature value selects. The weights are accurate even where the counts
exceed the range of floats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock, TimeLimitReached
from ..binarize.bitmatrix import BitMatrix
from ..binarize.predicate import columns_of, pack_predicates
from ..errors import InputError
from ..problem.prepared import BinarizedTable
from ..table import read_fitted_columns
from .graph import Counts, Graph

CELLS_PER_BLOCK = 2**23  # fractions held at a time: 64 MB; 8 MB took a third longer on a large graph
MAX_EXACT_FLOAT = 2**53  # integers up to here are floats without rounding
N_KEPT_BITS = 64  # of a larger count: more than a float holds
EDGES_PER_STEP = 2**20  # between two looks at the clock

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class GroupedRows:
    """The rows of a table, grouped by the features that the trees test.

    Parameters
    ----------
    bits : BitMatrix of shape (n_features, n_groups)
        The feature values of each group, one row of bits per feature of the graph.
    group : ndarray of int64
        The group of each row of the table.
    bits_row : ndarray of int64
        The row of ``bits`` that holds the feature of each edge of the graph.
    """

    bits: BitMatrix
    group: NDArray[np.int64]
    bits_row: NDArray[np.int64]

    @property
    def n_rows(self) -> int:
        """The number of rows of the table."""
        return len(self.group)


def group_rows(prepared: BinarizedTable, graph: Graph, X: Any) -> GroupedRows:
    """Evaluate the features of a graph on a raw table, and group equal rows."""
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
    row_of_feature = np.zeros(len(binarizer.features_), dtype=np.int64)
    row_of_feature[graph.features] = np.arange(len(graph.features))
    bits_row = row_of_feature[graph.feature]
    return GroupedRows(rows.take(first).transpose(), group, bits_row)


def class_fractions(
    graph: Graph, weights: tuple[Floats, Floats], rows: GroupedRows, leaf_values: Floats, clock: Clock
) -> Floats:
    """Return what the leaves of all trees say about each class on average, of shape (n_groups, n_classes).

    Parameters
    ----------
    graph : Graph
    weights : tuple of ndarray of float
        The results of :func:`edge_weights` and :func:`root_weights`.
    rows : GroupedRows
    leaf_values : ndarray of float, shape (n_labels, n_classes)
        What a leaf of each label says: a one for its class, or probabilities.
    clock : Clock

    Raises
    ------
    TimeLimitReached
        If the time limit is reached.
    """
    of_edges, of_roots = weights
    fractions = _native.class_fractions(
        *(graph.label, graph.edge_start, rows.bits_row.astype(np.int32), graph.no, graph.yes, graph.roots),
        *(rows.bits.words, rows.bits.n_bits),
        *(np.ascontiguousarray(leaf_values), of_edges, of_roots),
        *(CELLS_PER_BLOCK, clock.left),
    )
    if fractions is None:
        raise TimeLimitReached
    fractions /= fractions.sum(axis=1, keepdims=True)  # only rounding errors make the sums differ from 1
    return fractions


def root_weights(graph: Graph, counts: Counts) -> Floats:
    """Return the fraction of the trees under each root."""
    total = sum(counts.per_node[root] for root in graph.roots)
    return np.array([counts.per_node[root] / total for root in graph.roots])


def edge_weights(graph: Graph, counts: Counts, clock: Clock) -> Floats:
    """Return the fraction of the trees under an edge's parent that begin with the edge."""
    # A count is a float times a power of two: quotients of Python integers take a hundred times as long.
    shifts = [max(0, count.bit_length() - N_KEPT_BITS) for count in counts.per_node]
    factor = np.array([float(count >> shift) for count, shift in zip(counts.per_node, shifts, strict=True)])
    exponent = np.array(shifts)
    parent = graph.parents
    weights = np.empty(graph.n_edges)
    for start in range(0, graph.n_edges, EDGES_PER_STEP):
        clock.require_time()
        edges = slice(start, start + EDGES_PER_STEP)
        no, yes, node = graph.no[edges], graph.yes[edges], parent[edges]
        weights[edges] = np.ldexp(
            factor[no] * factor[yes] / factor[node], exponent[no] + exponent[yes] - exponent[node]
        )
    return weights
