"""The part of a data set that every method of the accuracy experiment trains on, and the rows that are left."""

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


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPart:
    """Rows to train on.

    Parameters
    ----------
    table : BinaryTable
        All rows.
    training, rest : ndarray of int
        The rows that train, and those that do not, ascending.
    prepared : Prepared
        Those that train, in the paper's bits.
    """

    table: BinaryTable
    training: Rows
    rest: Rows
    prepared: Prepared

    @classmethod
    def draw(cls, table: BinaryTable, seed: int) -> TrainingPart:
        """Draw 64 % of the rows, of each class alike; a seed always gives the same."""
        return cls.of(table, table.training_part(seed))

    @classmethod
    def of(cls, table: BinaryTable, training: Rows) -> TrainingPart:
        """Train on rows that were drawn already."""
        prepared = prepare(table.table(training), table.labels[training], binarize="bits")
        return cls(table, training, np.setdiff1d(table.kept, training), prepared)


# What choosing on one part of the rows is worth on another, exactly: no luck of the draw among equally good trees.
#
# The paper's Algorithm 3 takes one at random of the trees that are right most often on the selection part. Here its
# accuracy on the test part is the mean over all of them, which is what many draws would come to. The best seen is what
# an oracle had taken, who knows the test part.

Floats = NDArray[np.float64]
Split = tuple[Rows, Rows]
"""The rows that select, and those that test."""

N_SAMPLED = 1000  # trees of a forest to choose from where there is no time for all


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Which rows each tree is right on: all that a choice and its test need to know.

    Parameters
    ----------
    rows : ndarray of int
        The rows of the table, ascending.
    is_right : ndarray of bool, shape (n_lines, n_rows)
    n_nodes : ndarray of int, shape (n_lines,)
        The size of the trees of each line.
    n_trees : ndarray of int, shape (n_lines,)
        How many trees of this size are right on these rows and no others.
    """

    rows: Rows
    is_right: NDArray[np.bool_]
    n_nodes: NDArray[np.intp]
    n_trees: NDArray[np.intp]

    @classmethod
    def of_bits(cls, rows: Rows, packed: NDArray[np.uint8], n_nodes: NDArray[np.intp]) -> Verdicts:
        """Draw equal ones together; right and wrong are eight to a byte, as :func:`numpy.packbits` has them."""
        lines = np.concatenate([np.asarray(n_nodes, dtype=">u4")[:, None].view(np.uint8), packed], axis=1)
        keys = np.ascontiguousarray(lines).view(f"V{lines.shape[1]}").ravel()
        _, first, n_trees = np.unique(keys, return_index=True, return_counts=True)
        is_right = np.unpackbits(packed[first], axis=1, count=len(rows)).astype(np.bool_)
        return cls(rows, is_right, n_nodes[first], n_trees)

    @classmethod
    def of_trees(cls, trees: TreeList, table: BinaryTable, rows: Rows) -> Verdicts:
        """Ask trees about rows of the table."""
        answers = trees.predict_codes(table.table(rows))
        is_label = accuracy_scores(table.labels[rows], len(rows), trees.classes).astype(np.bool_)
        packed = np.packbits(is_label[np.arange(len(rows)), answers], axis=1)
        return cls.of_bits(rows, packed, np.array([tree.n_nodes for tree in trees]))


@dataclass(frozen=True, slots=True)
class Choices:
    """How the trees that were chosen did, and how the best would have done.

    Parameters
    ----------
    accuracies : tuple of float
        For each split, the share of test rows that the chosen tree is expected to be right on.
    best_seen : tuple of float
        For each split, the greatest share that any tree is right on.
    sizes : tuple of float
        For each split, the nodes that the chosen tree is expected to have.
    n_exact : int
        How many splits all trees were asked for; the others, the last ones, were left to a sample of them.
    """

    accuracies: tuple[float, ...]
    best_seen: tuple[float, ...]
    sizes: tuple[float, ...]
    n_exact: int

    def __add__(self, other: Choices) -> Choices:
        """Return the choices of these splits, then of the other ones."""
        return Choices(
            self.accuracies + other.accuracies,
            self.best_seen + other.best_seen,
            self.sizes + other.sizes,
            self.n_exact + other.n_exact,
        )


def choose(verdicts: Verdicts, splits: Sequence[Split]) -> Choices:
    """Choose among listed trees, for all splits at once."""
    right = verdicts.is_right.astype(np.float32)  # whole numbers, which are exact up to 2**24 rows
    selected = right @ _membership(verdicts.rows, [selection for selection, _ in splits])
    n_test = np.array([len(test) for _, test in splits])
    tested = right @ _membership(verdicts.rows, [test for _, test in splits]) / n_test
    n_chosen = (selected == selected.max(axis=0)) * verdicts.n_trees[:, None]
    share = n_chosen / n_chosen.sum(axis=0)
    return Choices(
        tuple((share * tested).sum(axis=0).tolist()),
        tuple(tested.max(axis=0).tolist()),
        tuple((share * verdicts.n_nodes[:, None]).sum(axis=0).tolist()),
        len(splits),
    )


def choose_from_forest(
    forest: Forest, table: BinaryTable, splits: Sequence[Split], clock: Clock, memory: float | None, random: RandomState
) -> Choices:
    """Choose among all trees of a forest; when the time is over, for the splits left, among a sample of them.

    Parameters
    ----------
    forest : Forest
    table : BinaryTable
        Where the rows of the splits are.
    splits : sequence of (rows, rows)
    clock : Clock
    memory : float or None
        Bytes that the process may take; half of the machine's if None.
    random : RandomState
        Draws the sample.
    """
    found = Choices((), (), (), 0)
    try:
        for split in splits:
            found += _choose_once(forest, table, split, clock, memory)
    except UnfinishedError:
        left = splits[found.n_exact :]
        sampled = TreeList(forest.sample(min(N_SAMPLED, forest.count), random))
        rows = np.unique(np.concatenate([rows for split in left for rows in split]))
        rest = choose(Verdicts.of_trees(sampled, table, rows), left)
        found += Choices(rest.accuracies, rest.best_seen, rest.sizes, 0)
    return found


def _choose_once(forest: Forest, table: BinaryTable, split: Split, clock: Clock, memory: float | None) -> Choices:
    (X_select, y_select), (X_test, y_test) = ((table.table(rows), table.labels[rows]) for rows in split)
    best = forest.best(X_select, y_select, time_limit=clock.left, memory_limit=free_bytes(memory)).forest
    shares = best.predict_distribution(X_test, time_limit=clock.left)
    accuracy = float((shares * accuracy_scores(y_test, len(y_test), forest.classes)).sum() / len(y_test))
    seen = forest.best(X_test, y_test, time_limit=clock.left, memory_limit=free_bytes(memory))
    return Choices((accuracy,), (seen.accuracy,), (float(forest.n_nodes),), 1)


def _membership(rows: Rows, parts: Sequence[Rows]) -> NDArray[np.float32]:
    """Return which of the rows are in each part: shape (n_rows, n_parts)."""
    return np.stack([np.isin(rows, part) for part in parts], axis=1).astype(np.float32)
