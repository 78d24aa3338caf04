"""Binary problems, the input of the engines: distinct 0/1 examples with classes, reduced without loss.

Equal rows with different labels make purity impossible: they are detected here, with their row numbers, before any
engine runs. Rows and features are merged as in :mod:`~puretree.problem.merging`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..binarize.bitmatrix import BitMatrix
from ..errors import InputError
from ..table import read_labels
from ..tree import Tree
from .codes import Codes, CodeTree, flip_tests
from .conflicts import Conflict, DistinctRows, OnConflict
from .merging import MergedRows, merge_bits

LARGEST_COST = 10**12  # the sum over a million tests still fits into a machine word


@dataclass(frozen=True, eq=False, repr=False)
class BinaryProblem(MergedRows):
    """Distinct examples with binary features and a class.

    Make one with :meth:`from_rows` or :meth:`from_bits`.

    Parameters
    ----------
    features, merge
        As for :class:`MergedRows`.
    classes : tuple of str, bool, int or float
        The distinct labels of the table, sorted; conflicts may have removed all examples of a class.
    example_of_row : ndarray of int64
        The example of each row; -1 if a conflict removed the row.
    labels : ndarray of int32
        The class of each example, as an index into ``classes``.
    weights : ndarray of int64
        The number of rows that each example represents.
    conflicts : tuple of Conflict
        The groups of contradictory rows.
    costs : ndarray of int64
        The cost of testing each feature once; 1 by default.
    column_codes : Codes, optional
        The examples as codes of columns, if the features are those of a binariser that has them.
    """

    labels: NDArray[np.int32]
    weights: NDArray[np.int64]
    conflicts: tuple[Conflict, ...]
    costs: NDArray[np.int64]
    column_codes: Codes | None = None

    @classmethod
    def from_rows(
        cls,
        X: Any,
        y: Any,
        *,
        on_conflict: OnConflict = "warn",
        allowed: Sequence[int] | NDArray[np.intp] | None = None,
        costs: Sequence[int] | NDArray[np.int64] | None = None,
    ) -> BinaryProblem:
        """Build a problem from a 0/1 matrix with labels.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Zeros and ones, or booleans.
        y : array-like of shape (n_rows,)
            The labels; with a single class, the solution is a single leaf.
        on_conflict : {"warn", "majority", "drop", "raise"}, default="warn"
            What to do with contradictory rows: keep the rows of the most frequent label (the paper's rule; ties go to
            the smallest label) with a ConflictWarning, keep them without one, remove all of them, or raise
            ConflictError.
        allowed : sequence of int, optional
            The features that a tree may test, in order of preference; by default all of them, the cheapest first.
            Equal and complementary features are represented by the first of them, at its cost.
        costs : sequence of int, optional
            The cost of testing each column of X once: nonnegative integers.
        """
        bits = BitMatrix.from_rows(X).transpose()
        return cls.from_bits(bits, y, on_conflict=on_conflict, allowed=allowed, costs=costs)

    @classmethod
    def from_bits(
        cls,
        bits: BitMatrix,
        y: Any,
        *,
        on_conflict: OnConflict = "warn",
        allowed: Sequence[int] | NDArray[np.intp] | None = None,
        costs: Sequence[int] | NDArray[np.int64] | None = None,
        row_numbers: NDArray[np.intp] | None = None,
        row_weights: NDArray[np.int64] | None = None,
        row_votes: NDArray[np.int64] | None = None,
        codes: Codes | None = None,
    ) -> BinaryProblem:
        """Build a problem from packed features, one row of bits per feature; see :meth:`from_rows`.

        Parameters
        ----------
        bits : BitMatrix of shape (n_features, n_rows)
            The features.
        y, on_conflict, allowed, costs
            As for :meth:`from_rows`.
        row_numbers : ndarray of intp, optional
            The row numbers to report conflicts with, if the rows are part of a larger table.
        row_weights : ndarray of int64, optional
            The number of equal rows that each row stands for; 1 by default.
        row_votes : ndarray of int64, optional
            What each row counts when the majority of contradictory rows is found; its weight by default.
        codes : Codes, optional
            The rows as codes.
        """
        n_original, n_rows = bits.shape
        if n_rows == 0:
            raise InputError("the table is empty; at least one row is required")
        labels = read_labels(y, n_rows)
        original_costs = _read_costs(costs, n_original)
        cheapest_first = np.argsort(original_costs, kind="stable")
        order = cheapest_first if allowed is None else np.asarray(allowed, dtype=np.intp)
        merged = merge_bits(
            bits,
            order,
            lambda group, first: DistinctRows.of(
                group, first, labels, on_conflict, row_numbers, row_weights, row_votes
            ),
        )
        distinct = merged.distinct
        problem = cls(
            features=merged.features,
            labels=distinct.labels,
            weights=distinct.weights,
            classes=labels.classes,
            merge=merged.merge,
            example_of_row=distinct.example_of_row,
            conflicts=distinct.conflicts,
            costs=original_costs[merged.merge.original_of_feature],
            column_codes=None if codes is None else codes.take(distinct.rows),
        )
        merged.remember(problem)
        return problem

    @property
    def n_examples(self) -> int:
        """The number of distinct examples."""
        return len(self.labels)

    @property
    def n_classes(self) -> int:
        """The number of classes among the examples: a pure tree has at least as many leaves."""
        return len(np.unique(self.labels))

    @cached_property
    def codes(self) -> Codes:
        """The examples as codes of columns, or of the features themselves; see :meth:`tree_of_codes`."""
        return Codes.of_bits(self.features) if self.column_codes is None else self.column_codes

    @cached_property
    def class_bits(self) -> BitMatrix:
        """One row of bits per class: its examples."""
        return BitMatrix.pack(np.arange(len(self.classes))[:, None] == self.labels)

    def is_pure(self, tree: Tree) -> bool:
        """Return whether a tree over the merged features classifies every example correctly."""
        return bool((tree.label[self.apply(tree)] == self.labels).all())

    def n_errors(self, tree: Tree) -> int:
        """Return the number of rows that a tree over the merged features misclassifies."""
        return int(self.weights[tree.label[self.apply(tree)] != self.labels].sum())

    def tree_of_codes(self, tree: CodeTree) -> Tree:
        """Return a tree over the codes as a tree over the merged features."""
        original = self.codes.to_tree(tree, self.classes)
        if self.column_codes is None:
            return original
        is_flipped = self.merge.flipped[original.feature]  # that of a leaf has no effect
        return flip_tests(original, is_flipped).with_features(self.merge.feature_of_original)

    def codes_of_tree(self, tree: Tree) -> CodeTree:
        """Return a tree over the merged features as a tree over the codes."""
        return self.codes.of_tree(tree if self.column_codes is None else self.restore(tree))


def _read_costs(costs: Sequence[int] | NDArray[np.int64] | None, n_original: int) -> NDArray[np.int64]:
    """Return the cost of each original feature, by default 1."""
    if costs is None:
        return np.ones(n_original, dtype=np.int64)
    array = np.asarray(costs)
    if (
        array.shape != (n_original,)
        or array.dtype.kind not in "iu"
        or not ((array >= 0) & (array <= LARGEST_COST)).all()
    ):
        raise InputError(f"costs must be {n_original} integers from 0 to {LARGEST_COST}, one for each feature")
    return array.astype(np.int64)
