"""Examples as codes: an integer for each column, instead of a bit for each threshold.

A tree over codes tests "code of a column ≤ t" or, for levels without order, "= t". It is the same tree as one over the
features of the binariser, so each can be converted to the other; nothing of size examples × thresholds is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import NO_LIMIT, Clock
from ..binarize.bitmatrix import BitMatrix
from ..binarize.features import ColumnFeatures, Features
from ..table import Level, Table
from ..tree import Tree

Ints = NDArray[np.int32]


class CodeTree(NamedTuple):
    """A tree over codes, nodes breadth first.

    Parameters
    ----------
    column, code : ndarray of int32
        The test of an inner node; -1 at a leaf.
    left : ndarray of int32
        The child for "no" of an inner node; the child for "yes" is the next node. -1 at a leaf.
    label : ndarray of int32
        The class of a leaf; -1 at an inner node.
    """

    column: Ints
    code: Ints
    left: Ints
    label: Ints

    @property
    def n_tests(self) -> int:
        """The number of inner nodes."""
        return len(self.left) // 2


@dataclass(frozen=True, slots=True, eq=False)
class Codes:
    """The codes of some columns.

    Parameters
    ----------
    values : ndarray of int32, shape (n_columns, n_examples)
    is_ordered : ndarray of uint8
        Whether a test of the column is "code ≤ t", otherwise "code = t".
    first_feature : ndarray of int64
        The number of the feature with t = 0 of each column, ascending.
    complement : ndarray of int64
        The t for which "code ≤ t" is the complement of the feature; -1 for columns without one.
    """

    values: Ints
    is_ordered: NDArray[np.uint8]
    first_feature: NDArray[np.int64]
    complement: NDArray[np.int64]

    @classmethod
    def of_table(
        cls, table: Table, features: Features, is_allowed: NDArray[np.bool_], clock: Clock = NO_LIMIT
    ) -> Codes | None:
        """Return the codes of the allowed columns that have features; None if the features have no codes.

        Parameters
        ----------
        table : Table
            The training table.
        features : Features
            Of a fitted binariser.
        is_allowed : ndarray of bool
            Whether a tree may test a column.
        clock : Clock, optional
            Checked after each column.
        """
        columns = []
        for index in np.flatnonzero(is_allowed & (np.diff(features.starts) > 0)).tolist():
            of_column = features.regions[index]
            if not isinstance(of_column, ColumnFeatures):
                return None
            values = table.columns[index].encoded_as(features.columns[index])
            columns.append((of_column.codes(values), int(features.starts[index])))
            clock.require_time()
        if not columns:  # all rows are equal: a column without a test
            return cls(*_arrays(np.zeros((1, table.n_rows), dtype=np.int32), [True], [0], [-1]))
        return cls(
            *_arrays(
                np.stack([codes.values for codes, _ in columns]),
                [codes.is_ordered for codes, _ in columns],
                [first for _, first in columns],
                [codes.complement for codes, _ in columns],
            )
        )

    @classmethod
    def of_bits(cls, features: BitMatrix) -> Codes:
        """Return features as columns of two codes: 0 for yes."""
        n_features = max(1, features.shape[0])
        values = np.ones((n_features, features.n_bits), dtype=np.int32)
        for index, row in enumerate(features.words):
            values[index] -= BitMatrix(row[None], features.n_bits).unpack()[0]
        return cls(*_arrays(values, [True] * n_features, range(n_features), [-1] * n_features))

    @property
    def n_examples(self) -> int:
        """The number of examples."""
        return int(self.values.shape[1])

    def take(self, examples: NDArray[np.intp]) -> Codes:
        """Return the codes of some examples."""
        return Codes(
            np.ascontiguousarray(self.values[:, examples]), self.is_ordered, self.first_feature, self.complement
        )

    def group(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the group of equal examples that each belongs to, and the first example of each group."""
        n_columns, n_examples = self.values.shape
        n_words = -(-n_columns // 2)
        rows = np.zeros((n_examples, 2 * n_words), dtype=np.int32)
        rows[:, :n_columns] = self.values.T
        group, first, _ = _native.group(rows.view(np.uint64), 64 * n_words, False)
        return group, first

    def apply(self, tree: Tree) -> Ints:
        """Return the leaf of each example in a tree over the features of the binariser, of allowed columns."""
        column, code, is_flipped = self._tests(tree)
        return _native.apply_code_tree(self.values, self.is_ordered, column, code, tree.left, is_flipped)

    def to_tree(self, tree: CodeTree, classes: tuple[Level, ...]) -> Tree:
        """Return a tree over codes as one over the features of the binariser."""
        column = tree.column  # -1 at a leaf: any column will do
        feature = np.where(column >= 0, self.first_feature[column] + tree.code, -1).astype(np.int32)
        return flip_tests(Tree(feature, tree.left, tree.label, classes), tree.code == self.complement[column])

    def of_tree(self, tree: Tree) -> CodeTree:
        """Return a tree over the features of the binariser, of allowed columns, as one over codes."""
        flipped = flip_tests(tree, self._tests(tree)[2].view(np.bool_))
        column, code, _ = self._tests(flipped)
        return CodeTree(column, code, flipped.left, flipped.label)

    def _tests(self, tree: Tree) -> tuple[Ints, Ints, NDArray[np.uint8]]:
        """Return the column and the code that each node tests, and whether its feature is the complement of that."""
        is_inner = tree.left >= 0
        column = np.searchsorted(self.first_feature, tree.feature, side="right") - 1
        code = tree.feature - self.first_feature[column]
        is_flipped = is_inner & (code == self.complement[column])
        column, code = np.where(is_inner, column, -1), np.where(is_inner, code, -1)
        return column.astype(np.int32), code.astype(np.int32), is_flipped.astype(np.uint8)


def _arrays(
    values: Ints, is_ordered: Sequence[bool], first_feature: Sequence[int], complement: Sequence[int]
) -> tuple[Ints, NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    return (
        np.ascontiguousarray(values),
        np.array(is_ordered, dtype=np.uint8),
        np.array(first_feature, dtype=np.int64),
        np.array(complement, dtype=np.int64),
    )


def flip_tests(tree: Tree, is_flipped: NDArray[np.bool_]) -> Tree:
    """Return the tree with the children of some inner nodes exchanged."""
    is_flipped = is_flipped & (tree.left >= 0)
    if not is_flipped.any():
        return tree
    arrays = _native.flip_tests(tree.feature, tree.left, tree.label, is_flipped.astype(np.uint8))
    return Tree(*arrays, tree.classes)
