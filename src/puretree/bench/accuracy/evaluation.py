"""Training parts, tree selection and test accuracy.

A training part of each data set trains; the held-out rows are split repeatedly into a selection part and a test part.
The paper's Algorithm 3 selects, at random, one of the trees with the highest accuracy on the selection part. Here the
test accuracy is the mean over all of these trees, which is the expected value of that random choice and has no variance
of its own. The *best seen* accuracy is that of an oracle: the highest test accuracy of any tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from ..._support.clock import Clock
from ..._support.resources import free_bytes
from ...datasets.paper_parts import BinaryTable, Rows
from ...errors import UnfinishedError
from ...forest import Forest, TreeList
from ...forest.best import accuracy_scores
from ...problem import Prepared, prepare

Split = tuple[Rows, Rows]
"""Row indices of the selection part and of the test part."""

N_SAMPLED = 1000  # trees sampled from a forest when there is no time to consider all


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPart:
    """The rows of a data set that all methods train on, and the held-out rows.

    Parameters
    ----------
    table : BinaryTable
        All rows.
    training, held_out : ndarray of int
        Row indices, ascending.
    prepared : Prepared
        The training rows as a binary problem; each column of the table is one of its features.
    """

    table: BinaryTable
    training: Rows
    held_out: Rows
    prepared: Prepared

    @classmethod
    def draw(cls, table: BinaryTable, seed: int) -> TrainingPart:
        """Draw a stratified training part of 64 % of the rows."""
        return cls.from_rows(table, table.training_part(seed))

    @classmethod
    def from_rows(cls, table: BinaryTable, training: Rows) -> TrainingPart:
        """Use the given rows for training and hold out all others."""
        prepared = prepare(table.table(training), table.labels[training], binarize="bits", on_conflict="raise")
        return cls(table, training, np.setdiff1d(table.kept, training), prepared)


@dataclass(frozen=True, slots=True, eq=False)
class Correctness:
    """Which rows each tree classifies correctly: sufficient for selection and test accuracy.

    Parameters
    ----------
    rows : ndarray of int
        Row indices in the table, ascending.
    is_correct : ndarray of bool, shape (n_distinct, n_rows)
    n_nodes : ndarray of int, shape (n_distinct,)
        The size of the trees.
    n_trees : ndarray of int, shape (n_distinct,)
        The number of trees of this size that classify exactly these rows correctly.
    """

    rows: Rows
    is_correct: NDArray[np.bool_]
    n_nodes: NDArray[np.intp]
    n_trees: NDArray[np.intp]

    @classmethod
    def from_packed(cls, rows: Rows, packed: NDArray[np.uint8], n_nodes: NDArray[np.intp]) -> Correctness:
        """Count duplicates among trees; correctness is packed eight rows to a byte, as by :func:`numpy.packbits`."""
        items = np.concatenate([np.asarray(n_nodes, dtype=">u4")[:, None].view(np.uint8), packed], axis=1)
        keys = np.ascontiguousarray(items).view(f"V{items.shape[1]}").ravel()
        _, first, n_trees = np.unique(keys, return_index=True, return_counts=True)
        is_correct = np.unpackbits(packed[first], axis=1, count=len(rows)).astype(np.bool_)
        return cls(rows, is_correct, n_nodes[first], n_trees)

    @classmethod
    def from_trees(cls, trees: TreeList, table: BinaryTable, rows: Rows) -> Correctness:
        """Predict the given rows of the table with each tree."""
        codes = trees.predict_codes(table.table(rows))
        is_label = accuracy_scores(table.labels[rows], len(rows), trees.classes).astype(np.bool_)
        packed = np.packbits(is_label[np.arange(len(rows)), codes], axis=1)
        return cls.from_packed(rows, packed, np.array([tree.n_nodes for tree in trees]))


@dataclass(frozen=True, slots=True)
class SplitScores:
    """Scores of the selected trees, one value for each split.

    Parameters
    ----------
    accuracies : tuple of float
        Expected test accuracy of the selected tree.
    best_seen : tuple of float
        Highest test accuracy of any tree.
    sizes : tuple of float
        Expected number of nodes of the selected tree.
    n_exact : int
        Number of splits for which all trees were considered. The remaining, last splits used a sample of the trees.
    """

    accuracies: tuple[float, ...]
    best_seen: tuple[float, ...]
    sizes: tuple[float, ...]
    n_exact: int

    def __add__(self, other: SplitScores) -> SplitScores:
        """Concatenate the scores of two sequences of splits."""
        return SplitScores(
            self.accuracies + other.accuracies,
            self.best_seen + other.best_seen,
            self.sizes + other.sizes,
            self.n_exact + other.n_exact,
        )


def select_and_test(correctness: Correctness, splits: Sequence[Split]) -> SplitScores:
    """Select among listed trees and test, for all splits at once."""
    is_correct = correctness.is_correct.astype(np.float32)  # counts are integers, exact up to 2**24 rows
    n_correct = is_correct @ _membership(correctness.rows, [selection for selection, _ in splits])
    n_test = np.array([len(test) for _, test in splits])
    accuracies = is_correct @ _membership(correctness.rows, [test for _, test in splits]) / n_test
    n_selected = (n_correct == n_correct.max(axis=0)) * correctness.n_trees[:, None]
    fraction = n_selected / n_selected.sum(axis=0)
    return SplitScores(
        tuple((fraction * accuracies).sum(axis=0).tolist()),
        tuple(accuracies.max(axis=0).tolist()),
        tuple((fraction * correctness.n_nodes[:, None]).sum(axis=0).tolist()),
        len(splits),
    )


def select_from_forest(
    forest: Forest, table: BinaryTable, splits: Sequence[Split], clock: Clock, memory: float | None, random: RandomState
) -> SplitScores:
    """Select among all trees of a forest and test; after the time limit, select among a sample for the other splits.

    Parameters
    ----------
    forest : Forest
    table : BinaryTable
        The table that the splits index.
    splits : sequence of (rows, rows)
    clock : Clock
    memory : float or None
        Memory limit of the process in bytes; half of the machine's memory if None.
    random : RandomState
        Draws the sample.
    """
    scores = SplitScores((), (), (), 0)
    try:
        for split in splits:
            scores += _select_for_split(forest, table, split, clock, memory)
    except UnfinishedError:
        remaining = splits[scores.n_exact :]
        sample = TreeList(forest.sample(min(N_SAMPLED, forest.count), random))
        rows = np.unique(np.concatenate([rows for split in remaining for rows in split]))
        sampled = select_and_test(Correctness.from_trees(sample, table, rows), remaining)
        scores += SplitScores(sampled.accuracies, sampled.best_seen, sampled.sizes, 0)
    return scores


def _select_for_split(
    forest: Forest, table: BinaryTable, split: Split, clock: Clock, memory: float | None
) -> SplitScores:
    (X_select, y_select), (X_test, y_test) = ((table.table(rows), table.labels[rows]) for rows in split)
    best = forest.best(X_select, y_select, time_limit=clock.left, memory_limit=free_bytes(memory)).forest
    distribution = best.predict_distribution(X_test, time_limit=clock.left)
    accuracy = float((distribution * accuracy_scores(y_test, len(y_test), forest.classes)).sum() / len(y_test))
    best_on_test = forest.best(X_test, y_test, time_limit=clock.left, memory_limit=free_bytes(memory))
    return SplitScores((accuracy,), (best_on_test.accuracy,), (float(forest.n_nodes),), 1)


def _membership(rows: Rows, parts: Sequence[Rows]) -> NDArray[np.float32]:
    """Return which of the rows are in each part: shape (n_rows, n_parts)."""
    return np.stack([np.isin(rows, part) for part in parts], axis=1).astype(np.float32)
