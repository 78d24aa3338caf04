"""The best of all trees, exactly: by accuracy on other rows, or by any score that adds up over rows.

The native kernel answers with the graph of all best trees, or of all that lose little against them, so a choice among
them can go on from there: the trees are a forest again.
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
from .._support.clock import Clock, TimeIsOver
from ..errors import InputError
from ..table import Level, read_labels
from ..tree import Tree
from .graph import Graph
from .predictions import Answers

if TYPE_CHECKING:
    from .forest import Forest

LARGEST_SUM = 2**53  # whole numbers up to here are floats without rounding
TINY = 1e-9  # 0.29 of 100 rows are 29 rows, though not in floats


@dataclass(frozen=True, slots=True)
class Best:
    """The trees that score best on some rows, or nearly so.

    Parameters
    ----------
    forest : Forest
        All trees with the best score, and all that lose no more than was allowed: a choice among them can go on. The
        better ones come first.
    score : float
        The best sum of scores.
    n_rows : int
        The rows that were scored on.
    losses : tuple of int
        How much less than the best the trees of each root of ``forest.graph`` score, ascending.
    """

    forest: Forest
    score: float
    n_rows: int
    losses: tuple[int, ...]

    @property
    def tree(self) -> Tree:
        """The first of the best ones."""
        return self.forest[0]

    @property
    def count(self) -> int:
        """How many trees there are, exactly."""
        return self.forest.count

    @property
    def accuracy(self) -> float:
        """The best score per row: with :meth:`Forest.best` the share of rows that the best trees are right on."""
        return self.score / self.n_rows

    @property
    def counts(self) -> dict[float, int]:
        """How many trees have each score, the best first: the order of the trees in ``forest``."""
        found: dict[float, int] = {}
        for loss, n_trees in zip(self.losses, self.forest.counts_of_roots, strict=True):
            found[self.score - loss] = found.get(self.score - loss, 0) + n_trees
        return found

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
    graph: Graph, answers: Answers, scores: NDArray[np.float64], most_loss: int, clock: Clock, memory_limit: float
) -> tuple[float, tuple[int, ...], Graph]:
    """Return the best score, and the graph of the trees that lose little against it, with the loss of each root.

    Parameters
    ----------
    graph : Graph
        Over given features.
    answers : Answers
        Of the rows to score on.
    scores : ndarray of float, shape (n_rows, n_classes)
        What it is worth to say each class of each row.
    most_loss : int
        How much less than the best a tree may score; 0 unless all scores are whole numbers.
    clock : Clock
    memory_limit : float
        In bytes.

    Raises
    ------
    TimeIsOver
        If the clock was.
    MemoryError
        If it would take more memory.
    """
    n_groups = answers.bits.n_bits
    of_group = np.zeros((n_groups, scores.shape[1]))
    np.add.at(of_group, answers.group, scores)
    question = answers.question.astype(np.int32)
    found = _native.best_trees(
        *(graph.label, graph.edge_start, question, graph.no, graph.yes, graph.roots),
        *(answers.bits.words, n_groups, of_group, most_loss, int(min(memory_limit, 2**62)), clock.left),
    )
    if found is None:
        raise TimeIsOver
    score, node, edge_start, edge, no, yes, roots, losses = found
    chosen = Graph(graph.label[node], graph.size[node], edge_start, graph.feature[edge], no, yes, roots)
    return score, tuple(losses.tolist()), chosen


def read_scores(scores: Any, n_rows: int, n_classes: int) -> NDArray[np.float64]:
    """Check a matrix of scores."""
    matrix = np.ascontiguousarray(scores, dtype=np.float64)
    if matrix.shape != (n_rows, n_classes):
        raise InputError(
            f"scores has shape {matrix.shape}, but the table has {n_rows} rows and the trees {n_classes} classes; "
            f"give it shape ({n_rows}, {n_classes})"
        )
    if not np.isfinite(matrix).all():
        raise InputError("scores must be finite; use large numbers where something is to be avoided at all costs")
    return matrix


def right_answers(y: Any, n_rows: int, classes: tuple[Level, ...]) -> NDArray[np.float64]:
    """Return the scores whose sum is the number of rows a tree is right on; no tree is right on an unknown label."""
    labels = read_labels(y, n_rows)
    return np.array([[label == known for known in classes] for label in labels.classes], dtype=np.float64)[labels.codes]


def read_within(within: Any, scores: NDArray[np.float64], unit: int = 1) -> int:
    """Check how much less than the best a tree may score, and return it as a whole number.

    Parameters
    ----------
    within : float
        What was asked for.
    scores : ndarray of float
        The scores that are summed.
    unit : int, default=1
        The score that ``within`` is a share of.
    """
    if not isinstance(within, Real) or isinstance(within, bool) or not 0 <= float(within) < inf:
        raise InputError(f"within={within!r} is not a distance from the best; use a number of at least 0")
    if float(within) > 0 and ((scores != np.floor(scores)).any() or np.abs(scores).max(axis=1).sum() >= LARGEST_SUM):
        raise InputError(
            f"within={within!r} needs scores that are whole numbers with sums below 2**53, so that nothing is lost by "
            "rounding; scale and round the scores, or leave within at 0"
        )
    return min(floor(float(within) * unit + TINY), LARGEST_SUM)
