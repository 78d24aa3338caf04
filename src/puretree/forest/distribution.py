"""What the trees say of new rows, all of them counted: a measure of how ambiguous the training data leaves a row.

Under a node, the share of the trees that say a class is a mean over the edges, weighted by how many trees begin with
each; a row follows the side that its answer points to. Weights are ratios of exact integers, so they are right even
where the numbers themselves are beyond floats.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..clock import Clock, TimeIsOver
from .answers import Answers
from .count import Counts
from .graph import Graph

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
