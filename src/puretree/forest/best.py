"""The best of all trees, exactly: by accuracy on other rows, or by any score that adds up over rows.

The native kernel answers with the graph of all best trees, so a choice among equals can go on from there: the best
trees are a forest again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..errors import InputError
from ..labels import read_labels
from ..predicate import Level
from ..tree import Tree
from .answers import Answers
from .graph import Graph

if TYPE_CHECKING:
    from .forest import Forest


@dataclass(frozen=True, slots=True)
class Best:
    """The trees that score best on some rows.

    Parameters
    ----------
    forest : Forest
        All trees with the best score: a choice among them can go on.
    score : float
        The sum of their scores.
    n_rows : int
        The rows that were scored on.
    """

    forest: Forest
    score: float
    n_rows: int

    @property
    def tree(self) -> Tree:
        """The canonically first of them."""
        return self.forest[0]

    @property
    def count(self) -> int:
        """How many there are, exactly."""
        return self.forest.count

    @property
    def accuracy(self) -> float:
        """The score per row: with :meth:`Forest.best` the share of rows that the trees are right on."""
        return self.score / self.n_rows


def best_graph(graph: Graph, answers: Answers, scores: NDArray[np.float64], memory_limit: float) -> tuple[float, Graph]:
    """Return the best score, and the graph of the trees that have it.

    Parameters
    ----------
    graph : Graph
        Over given features.
    answers : Answers
        Of the rows to score on.
    scores : ndarray of float, shape (n_rows, n_classes)
        What it is worth to say each class of each row.
    memory_limit : float
        In bytes.
    """
    n_groups = answers.bits.n_bits
    of_group = np.zeros((n_groups, scores.shape[1]))
    np.add.at(of_group, answers.group, scores)
    question = answers.question.astype(np.int32)
    found = _native.best_trees(
        *(graph.label, graph.edge_start, question, graph.no, graph.yes, graph.roots),
        *(answers.bits.words, n_groups, of_group, int(min(memory_limit, 2**62))),
    )
    if found is None:
        raise InputError(
            f"finding the best of all trees on {n_groups} different rows takes more than {memory_limit / 2**20:.0f} "
            "MB; use fewer rows, raise memory_limit, or choose among a sample of the trees"
        )
    score, node, edge_start, edge, no, yes, roots = found
    return score, Graph(graph.label[node], graph.size[node], edge_start, graph.feature[edge], no, yes, roots)


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
