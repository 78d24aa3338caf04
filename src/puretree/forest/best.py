"""The best of all trees, exactly: by accuracy on other rows, or by any score that adds over rows.

The native kernel returns the graph of all best trees, or of all trees that score little less. The result is a forest
again, so a further selection among its trees is possible.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from math import floor, inf
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock, TimeLimitReached
from ..errors import InputError
from ..table import Level, read_labels
from ..tree import Tree
from .graph import Graph
from .predictions import MAX_EXACT_FLOAT, GroupedRows

if TYPE_CHECKING:
    from .forest import Forest

TOLERANCE = 1e-9  # a fraction of 0.29 of 100 rows means 29 rows, but 0.29 * 100 is less in floats


@dataclass(frozen=True, slots=True)
class Best:
    """The trees with the best score on some rows, or nearly the best.

    Parameters
    ----------
    forest : Forest
        All trees with the best score, and all within the allowed loss; better trees come first.
    score : float
        The best sum of scores.
    n_rows : int
        The number of scored rows.
    losses : tuple of int
        How much less than the best the trees of each root of ``forest.graph`` score, ascending.
    """

    forest: Forest
    score: float
    n_rows: int
    losses: tuple[int, ...]

    @property
    def tree(self) -> Tree:
        """The canonically first of the best trees."""
        return self.forest[0]

    @property
    def count(self) -> int:
        """The exact number of trees."""
        return self.forest.count

    @property
    def accuracy(self) -> float:
        """The best score per row: for :meth:`Forest.best` the accuracy of the best trees."""
        return self.score / self.n_rows

    @property
    def counts(self) -> dict[float, int]:
        """The number of trees with each score, the best first: the order of the trees in ``forest``."""
        counts: dict[float, int] = {}
        for loss, n_trees in zip(self.losses, self.forest.counts_of_roots, strict=True):
            counts[self.score - loss] = counts.get(self.score - loss, 0) + n_trees
        return counts

    def score_of(self, rank: int) -> float:
        """Return the score of the tree ``forest[rank]``.

        Examples
        --------
        >>> from puretree import minimum_trees
        >>> forest = minimum_trees([["red", 1.0], ["red", 3.0], ["blue", 1.0]], ["stop", "go", "go"])
        >>> best = forest.best([["red", 2.5], ["blue", 1.5]], ["go", "go"], within=0.5)
        >>> [best.score_of(rank) for rank in range(best.count)]
        [2.0, 2.0]
        """
        counts = self.counts
        return list(counts)[bisect_right(list(accumulate(counts.values())), range(self.count)[rank])]


def best_graph(
    graph: Graph, rows: GroupedRows, scores: NDArray[np.float64], max_loss: int, clock: Clock, memory_limit: float
) -> tuple[float, tuple[int, ...], Graph]:
    """Return the best score, the loss of each root, and the graph of the trees within ``max_loss`` of the best.

    Parameters
    ----------
    graph : Graph
        Over original features.
    rows : GroupedRows
        The rows to score.
    scores : ndarray of float, shape (n_rows, n_classes)
        The score of predicting each class for each row.
    max_loss : int
        How much less than the best a tree may score; 0 unless all scores are integers.
    clock : Clock
    memory_limit : float
        In bytes.

    Raises
    ------
    TimeLimitReached
        If the time limit is reached.
    MemoryError
        If the memory limit would be exceeded.
    """
    n_groups = rows.bits.n_bits
    group_scores = np.zeros((n_groups, scores.shape[1]))
    np.add.at(group_scores, rows.group, scores)
    bits_row = rows.bits_row.astype(np.int32)
    result = _native.best_trees(
        *(graph.label, graph.edge_start, bits_row, graph.no, graph.yes, graph.roots),
        *(rows.bits.words, n_groups, group_scores, max_loss, int(min(memory_limit, 2**62)), clock.left),
    )
    if result is None:
        raise TimeLimitReached
    score, node, edge_start, edge, no, yes, roots, losses = result
    cost = None if graph.cost is None else graph.cost[node]
    # Trees with different scores have another order: that of the edges.
    origin = None if graph.origin is None or max_loss else graph.origin[edge]
    best = Graph(graph.label[node], graph.size[node], edge_start, graph.feature[edge], no, yes, roots, cost, origin)
    return score, tuple(losses.tolist()), best


def read_scores(scores: Any, n_rows: int, n_classes: int) -> NDArray[np.float64]:
    """Validate a matrix of scores."""
    matrix = np.ascontiguousarray(scores, dtype=np.float64)
    if matrix.shape != (n_rows, n_classes):
        raise InputError(
            f"scores has shape {matrix.shape}, but the table has {n_rows} rows and the trees have {n_classes} classes; "
            f"use shape ({n_rows}, {n_classes})"
        )
    if not np.isfinite(matrix).all():
        raise InputError("scores contains NaN or infinity; use large finite numbers for predictions to avoid")
    return matrix


def accuracy_scores(y: Any, n_rows: int, classes: tuple[Level, ...]) -> NDArray[np.float64]:
    """Return the scores whose sum is the number of correct predictions; an unknown label is never predicted."""
    labels = read_labels(y, n_rows)
    return np.array([[label == known for known in classes] for label in labels.classes], dtype=np.float64)[labels.codes]


def read_within(within: Any, scores: NDArray[np.float64], unit: int = 1) -> int:
    """Validate how much less than the best a tree may score, and return it as an integer.

    Parameters
    ----------
    within : float
        The allowed loss, as a multiple of ``unit``.
    scores : ndarray of float
        The scores that are summed.
    unit : int, default=1
        The number of rows where ``within`` is a fraction of the rows.
    """
    if not isinstance(within, Real) or isinstance(within, bool) or not 0 <= float(within) < inf:
        raise InputError(
            "is not a distance from the best score; use a finite number of at least 0", parameter="within", value=within
        )
    if float(within) > 0 and not _has_exact_sums(scores):
        raise InputError(
            "needs integer scores with sums below 2**53, so that sums are exact; scale and round the scores, "
            "or use within=0",
            parameter="within",
            value=within,
        )
    return min(floor(float(within) * unit + TOLERANCE), MAX_EXACT_FLOAT)


def _has_exact_sums(scores: NDArray[np.float64]) -> bool:
    """Return whether all scores are integers whose sums floats represent without rounding."""
    return bool((scores == np.floor(scores)).all() and np.abs(scores).max(axis=1).sum() < MAX_EXACT_FLOAT)
