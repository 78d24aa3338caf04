"""Binary problems, the input of the engines: distinct 0/1 examples with classes, reduced without loss.

Equal rows become one example with a weight. Features that are constant, or equal or complementary to an earlier one,
are redundant and omitted; :class:`FeatureMerge` maps them back, so that a tree over the merged features can be written
in the original ones. Equal rows with different labels make purity impossible: they are detected here, with their row
numbers, before any engine runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.text import quantity
from ..binarize.bitmatrix import BitMatrix
from ..errors import ConflictError, ConflictWarning, InputError, shorten, warn
from ..table import Labels, Level, read_labels
from ..tree import Tree

LARGEST_COST = 10**12  # the sum over a million tests still fits into a machine word
OnConflict = Literal["warn", "majority", "drop", "raise"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Contradictory rows: equal in every feature, with different labels."""

    rows: tuple[int, ...]
    labels: tuple[Any, ...]

    def __str__(self) -> str:
        pairs = list(zip(self.rows, self.labels, strict=True))
        first_row_of = {label: row for row, label in reversed(pairs)}
        pairs.sort(key=lambda pair: first_row_of[pair[1]] != pair[0])  # first one row of each label
        return shorten(f"row {row} ({label})" for row, label in pairs)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMerge:
    """The mapping between the original features and the merged features of a problem.

    Parameters
    ----------
    feature_of_original : ndarray of int64
        The merged feature of each original one; -1 for a constant, and for a feature that is not allowed.
    flipped : ndarray of bool
        Whether the original feature is the complement of the merged one.
    original_of_feature : ndarray of int64
        The original feature that represents each merged one: the first of those equal to it, never flipped.
    """

    feature_of_original: NDArray[np.int64]
    flipped: NDArray[np.bool_]
    original_of_feature: NDArray[np.int64]

    def alternatives(self, feature: int) -> list[tuple[int, bool]]:
        """Return all original features of a merged one, each with whether it is flipped."""
        original = np.flatnonzero(self.feature_of_original == feature)
        return [(int(i), bool(self.flipped[i])) for i in original]

    def renumber(self, allowed: NDArray[np.intp], n_original: int) -> FeatureMerge:
        """Return the mapping for all original features, of which this one covers the allowed ones."""
        feature_of_original = np.full(n_original, -1, dtype=np.int64)
        feature_of_original[allowed] = self.feature_of_original
        flipped = np.zeros(n_original, dtype=np.bool_)
        flipped[allowed] = self.flipped
        return FeatureMerge(feature_of_original, flipped, allowed[self.original_of_feature])


@dataclass(frozen=True, eq=False, repr=False)
class BinaryProblem:
    """Distinct examples with binary features and a class.

    Make one with :meth:`from_rows` or :meth:`from_bits`.

    Parameters
    ----------
    features : BitMatrix of shape (n_features, n_examples)
        A row of bits per feature.
    labels : ndarray of int32
        The class of each example, as an index into ``classes``.
    weights : ndarray of int64
        The number of rows that each example represents.
    classes : tuple of str, bool, int or float
        The distinct labels of the table, sorted; conflicts may have removed all examples of a class.
    merge : FeatureMerge
        The mapping to the original features.
    example_of_row : ndarray of int64
        The example of each row; -1 if a conflict removed the row.
    conflicts : tuple of Conflict
        The groups of contradictory rows.
    costs : ndarray of int64
        The cost of testing each feature once; 1 by default.
    """

    features: BitMatrix
    labels: NDArray[np.int32]
    weights: NDArray[np.int64]
    classes: tuple[Level, ...]
    merge: FeatureMerge
    example_of_row: NDArray[np.int64]
    conflicts: tuple[Conflict, ...]
    costs: NDArray[np.int64]

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
        """
        if on_conflict not in get_args(OnConflict):
            raise InputError(
                f"is unknown; use one of {', '.join(get_args(OnConflict))}",
                parameter="on_conflict",
                value=on_conflict,
            )
        n_original, n_rows = bits.shape
        if n_rows == 0:
            raise InputError("the table is empty; at least one row is required")
        labels = read_labels(y, n_rows)
        original_costs = _read_costs(costs, n_original)
        cheapest_first = np.argsort(original_costs, kind="stable")
        order = cheapest_first if allowed is None else np.asarray(allowed, dtype=np.intp)
        # A matrix may take most of the memory: at most two exist at a time, and nothing is copied to remove nothing.
        bits = bits.take(order)
        rows = bits.transpose()
        group, first, _ = _native.group(rows.words, len(order), False)
        group_labels = _GroupLabels.count(group, labels)
        conflicts = _find_conflicts(
            group, group_labels, labels, np.arange(n_rows) if row_numbers is None else row_numbers
        )
        if conflicts and on_conflict == "raise":
            raise ConflictError(_conflict_message(conflicts), conflicts)
        if conflicts and on_conflict == "warn":
            warn(ConflictWarning(_conflict_warning(conflicts), conflicts))
        kept_groups = np.ones(len(first), dtype=np.bool_)
        if on_conflict == "drop":
            kept_groups = group_labels.n_labels == 1
        if not kept_groups.any():
            raise InputError(
                "every row contradicts another one, so on_conflict='drop' leaves none", use={"on_conflict": "majority"}
            )

        kept = np.flatnonzero(kept_groups)
        example_of_group = np.where(kept_groups, np.cumsum(kept_groups) - 1, -1)
        is_kept_row = labels.codes == group_labels.majority[group]
        if len(kept) < n_rows:
            del bits
            rows = rows.take(first[kept])
            bits = rows.transpose()
        merge = _merge_features(bits)
        if len(merge.original_of_feature) < len(order):
            del rows
        features = bits.take(merge.original_of_feature)
        merge = merge.renumber(order, n_original)
        problem = cls(
            features=features,
            labels=group_labels.majority[kept],
            weights=group_labels.n_rows[kept],
            classes=labels.classes,
            merge=merge,
            example_of_row=np.where(is_kept_row, example_of_group[group], -1),
            conflicts=conflicts,
            costs=original_costs[merge.original_of_feature],
        )
        if features is bits:
            vars(problem)["examples"] = rows  # as the cached property would compute them
        return problem

    def __repr__(self) -> str:
        examples, features = quantity(self.n_examples, "example"), quantity(self.n_features, "feature")
        return f"<BinaryProblem: {examples} × {features}, {quantity(self.n_classes, 'class', 'classes')}>"

    @property
    def n_features(self) -> int:
        """The number of merged features."""
        return self.features.shape[0]

    @property
    def n_examples(self) -> int:
        """The number of distinct examples."""
        return len(self.labels)

    @property
    def n_classes(self) -> int:
        """The number of classes among the examples: a pure tree has at least as many leaves."""
        return len(np.unique(self.labels))

    @cached_property
    def examples(self) -> BitMatrix:
        """One row of bits per example: the transposed features."""
        return self.features.transpose()

    @cached_property
    def class_bits(self) -> BitMatrix:
        """One row of bits per class: its examples."""
        return BitMatrix.pack(np.arange(len(self.classes))[:, None] == self.labels)

    @cached_property
    def kept_rows(self) -> NDArray[np.intp]:
        """The numbers of the rows that were not removed by a conflict."""
        return np.flatnonzero(self.example_of_row >= 0)

    def is_pure(self, tree: Tree) -> bool:
        """Return whether a tree over the merged features classifies every example correctly."""
        return bool((tree.predict_codes(self.examples) == self.labels).all())

    def n_errors(self, tree: Tree) -> int:
        """Return the number of rows that a tree over the merged features misclassifies."""
        return int(self.weights[tree.predict_codes(self.examples) != self.labels].sum())

    def restore(self, tree: Tree) -> Tree:
        """Return a tree over the merged features as a tree over the original features."""
        return tree.with_features(self.merge.original_of_feature)


@dataclass(frozen=True, slots=True)
class _GroupLabels:
    """The number of labels in each group of equal rows, the most frequent one, and the number of rows with it."""

    n_labels: NDArray[np.int64]
    majority: NDArray[np.int32]
    n_rows: NDArray[np.int64]

    @classmethod
    def count(cls, group: NDArray[np.int64], labels: Labels) -> _GroupLabels:
        """Count the pairs of group and label that occur; a matrix of all pairs could be too large."""
        n_classes = len(labels.classes)
        pairs, n_rows = np.unique(group * n_classes + labels.codes, return_counts=True)
        groups, codes = pairs // n_classes, pairs % n_classes
        order = np.lexsort((codes, -n_rows, groups))  # in each group the most frequent label first, ties by label
        first = np.searchsorted(groups[order], np.arange(groups[-1] + 1))
        return cls(np.bincount(groups), codes[order][first].astype(np.int32), n_rows[order][first])


def _find_conflicts(
    group: NDArray[np.int64], group_labels: _GroupLabels, labels: Labels, row_numbers: NDArray[np.intp]
) -> tuple[Conflict, ...]:
    rows = np.flatnonzero(group_labels.n_labels[group] > 1)
    rows = rows[np.argsort(group[rows], kind="stable")]
    starts = np.flatnonzero(np.diff(group[rows])) + 1
    return tuple(
        Conflict(tuple(row_numbers[members].tolist()), tuple(labels.classes[code] for code in labels.codes[members]))
        for members in np.split(rows, starts)
        if len(members)
    )


def describe_conflicts(conflicts: tuple[Conflict, ...]) -> str:
    """Return a text with the number of contradictory rows and the first groups of them."""
    n_rows = sum(len(conflict.rows) for conflict in conflicts)
    more = f"; and {quantity(len(conflicts) - 3, 'more group')}" if len(conflicts) > 3 else ""
    return (
        f"{n_rows} rows contradict each other: equal in every allowed feature, but with different labels "
        "(counting from 0): "
        f"{'; '.join(str(conflict) for conflict in conflicts[:3])}{more}"
    )


def _conflict_message(conflicts: tuple[Conflict, ...]) -> str:
    return (
        f"{describe_conflicts(conflicts)}. No tree classifies all of them correctly: correct them, add a column that "
        "distinguishes them, use finer features, or pass on_conflict='majority' or 'drop'"
    )


def _conflict_warning(conflicts: tuple[Conflict, ...]) -> str:
    return (
        f"{describe_conflicts(conflicts)}. Only the rows with the most frequent label of each group are kept; "
        "on_conflict='majority' does the same without this warning, on_conflict='raise' raises an error"
    )


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


def _merge_features(bits: BitMatrix) -> FeatureMerge:
    n_original, n_examples = bits.shape
    group, first, flipped = _native.group(bits.words, n_examples, True)
    ones = np.bitwise_count(bits.words).sum(axis=1)[first]
    varies = (ones > 0) & (ones < n_examples)
    feature_of_group = np.where(varies, np.cumsum(varies) - 1, -1)
    feature_of_original = feature_of_group[group] if n_original else np.empty(0, dtype=np.int64)
    return FeatureMerge(feature_of_original, flipped.view(np.bool_), first[varies])
