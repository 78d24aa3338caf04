"""What the trees say of new rows, all of them counted: a measure of how ambiguous the training data leaves a row.

Under a node, the share of the trees that say a class is a mean over the edges, weighted by how many trees begin with
each; a row follows the side that its answer points to. Weights are ratios of exact integers, so they are right even
where the numbers themselves are beyond floats.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..clock import Clock
from .answers import Answers
from .count import Counts
from .graph import Graph

CELLS_AT_ONCE = 2**23  # shares held at a time: 64 megabytes

Floats = NDArray[np.float64]


def class_shares(graph: Graph, counts: Counts, answers: Answers, n_classes: int, clock: Clock) -> Floats:
    """Return the share of the trees that say each class, a row for each group of equal rows; or raise TimeIsOver."""
    weights = _edge_weights(graph, counts)
    total = sum(counts.of_node[root] for root in graph.roots)
    root_weights = np.array([counts.of_node[root] / total for root in graph.roots])
    n_groups = answers.bits.n_bits
    shares = np.empty((n_groups, n_classes))
    step = max(1, CELLS_AT_ONCE // (graph.n_nodes * n_classes))
    dense = answers.bits.unpack()
    for begin in range(0, n_groups, step):
        part = dense[:, begin : begin + step]
        of_node = _shares_of_nodes(graph, weights, part, answers.question, n_classes, clock)
        shares[begin : begin + step] = np.tensordot(root_weights, of_node[graph.roots], 1)
    shares /= shares.sum(axis=1, keepdims=True)  # rounding alone makes the sums differ from 1
    return shares


def _edge_weights(graph: Graph, counts: Counts) -> Floats:
    """Return the share of the trees under an edge's node that begin with the edge."""
    trees = counts.of_node
    node = np.repeat(np.arange(graph.n_nodes), np.diff(graph.edge_start)).tolist()
    sides = zip(node, graph.no.tolist(), graph.yes.tolist(), strict=True)
    return np.array([trees[no] * trees[yes] / trees[at] for at, no, yes in sides])


def _shares_of_nodes(
    graph: Graph, weights: Floats, dense: NDArray[np.bool_], question: NDArray[np.int64], n_classes: int, clock: Clock
) -> Floats:
    shares = np.zeros((graph.n_nodes, dense.shape[1], n_classes))
    leaves = np.flatnonzero(graph.label >= 0)
    shares[leaves, :, graph.label[leaves]] = 1
    for level in graph.levels:
        clock.require_time()
        edges = level.edges
        is_yes = dense[question[edges]][:, :, None]
        reached = np.where(is_yes, shares[graph.yes[edges]], shares[graph.no[edges]])
        shares[level.nodes] = np.add.reduceat(weights[edges, None, None] * reached, level.starts)
    return shares
