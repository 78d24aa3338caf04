"""The class frequencies in the leaves of all trees, which the graph of a forest does not tell apart.

Leaves of the same class and cost are one node of the graph, whatever rows they hold. The other nodes stand for one set
of examples each, so a leaf is determined by the edge that leads to it: the rows of the parent, and their value of the
feature. Leaves with the same number of rows of each class become one node of another graph, on which the mean of
their class frequencies over all trees is computed as the fractions of a vote are.

As probabilities, the bare fractions fail: where all trees agree and are wrong, the log loss is infinite. On haberman
and hepatitis, the means of smoothed frequencies were better than mixtures of the fractions with the prior or with the
frequencies of one tree; docs/decisions/0022-choosing-a-point.md has the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock
from ..binarize.bitmatrix import BitMatrix
from .graph import Graph, Indices

WORDS_PER_STEP = 2**18  # of sets of rows

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """The leaves of a graph of trees, with their training rows.

    Parameters
    ----------
    graph : Graph
        The same trees, with one leaf for each row of ``weights``: its label. The other nodes and all edges are in the
        same order.
    weights : ndarray of float, shape (n_leaves, n_classes)
        The weight of the training rows of each class.
    """

    graph: Graph
    weights: Floats


def split_leaves(graph: Graph, bits: BitMatrix, row_weights: Floats, max_bytes: float, clock: Clock) -> Leaves:
    """Tell leaves with different rows apart.

    Parameters
    ----------
    graph : Graph
        Over original features; every node with edges stands for one set of rows.
    bits : BitMatrix of shape (n_features, n_rows)
        The values of the original features.
    row_weights : ndarray of float, shape (n_rows, n_classes)
        The weight of each row, in the column of its class.
    max_bytes : float
        Bytes that the sets of rows may take.
    clock : Clock

    Raises
    ------
    TimeLimitReached, MemoryError
        If a limit is reached.
    """
    all_rows = BitMatrix.from_rows(np.ones((1, bits.shape[1]), dtype=np.bool_)).words
    if graph.n_nodes * all_rows.nbytes > max_bytes:
        raise MemoryError
    splitter = _Splitter(graph, bits, row_weights, clock)
    splitter.rows[graph.roots] = all_rows
    has_single_leaf = bool((graph.size[graph.roots] == 0).any())
    single_leaf = int(splitter.find_leaves(all_rows)[0]) if has_single_leaf else None
    for level in reversed(graph.levels):  # parents before children
        for edges in np.array_split(level.edges, len(level.edges) // max(1, WORDS_PER_STEP // all_rows.shape[1]) + 1):
            splitter.split(edges)
    return splitter.finish(single_leaf)


class _Splitter:
    """The sets of rows of the nodes of a graph, and the leaves found so far."""

    def __init__(self, graph: Graph, bits: BitMatrix, row_weights: Floats, clock: Clock) -> None:
        self.graph, self.bits, self.row_weights, self.clock = graph, bits, row_weights, clock
        self.rows: Words = np.zeros((graph.n_nodes, bits.words.shape[1]), dtype=np.uint64)
        self._parent = graph.parents
        self._sides = [np.full(graph.n_edges, -1, dtype=np.int64) for _ in range(2)]  # the leaf of each edge and answer
        self._weights: list[Floats] = []
        self._n_found = 0

    def split(self, edges: Indices) -> None:
        """Find the rows of the children of some edges."""
        self.clock.require_time()
        graph, parents = self.graph, self.rows[self._parent[edges]]
        values = self.bits.words[graph.feature[edges]]
        for child, rows, leaf in (
            (graph.no[edges], parents & ~values, self._sides[0]),
            (graph.yes[edges], parents & values, self._sides[1]),
        ):
            is_leaf = graph.size[child] == 0
            self.rows[child[~is_leaf]] = rows[~is_leaf]
            leaf[edges[is_leaf]] = self.find_leaves(rows[is_leaf])

    def find_leaves(self, rows: Words) -> Indices:
        """Return the number of the leaf of each set of rows."""
        if not len(rows):
            return np.empty(0, dtype=np.int64)
        n_rows = self.bits.shape[1]
        group, first, _ = _native.group(np.ascontiguousarray(rows), n_rows, False)
        leaves = group + self._n_found
        self._weights.append(BitMatrix(rows[first], n_rows).unpack() @ self.row_weights)
        self._n_found += len(first)
        return leaves

    def finish(self, single_leaf: int | None) -> Leaves:
        """Return the graph with all leaves, of which one may be a root; those with the same weights are one."""
        weights, leaf_of = np.unique(np.concatenate(self._weights), axis=0, return_inverse=True)
        leaf_of, n_leaves, graph = leaf_of.ravel(), len(weights), self.graph
        inner = np.flatnonzero(graph.size > 0)
        number = np.full(graph.n_nodes, -1 if single_leaf is None else leaf_of[single_leaf])
        number[inner] = n_leaves + np.arange(len(inner))
        no, yes = (
            np.where(leaf >= 0, leaf_of[leaf], number[child]).astype(np.int32)
            for leaf, child in zip(self._sides, (graph.no, graph.yes), strict=True)
        )
        label = np.append(np.arange(n_leaves), np.full(len(inner), -1)).astype(np.int32)
        size = np.append(np.zeros(n_leaves, dtype=np.int32), graph.size[inner])
        edge_start = np.concatenate([np.zeros(n_leaves, dtype=np.int64), graph.edge_start[inner], [graph.n_edges]])
        roots = number[graph.roots].astype(np.int32)
        return Leaves(Graph(label, size, edge_start, graph.feature, no, yes, roots), weights)
