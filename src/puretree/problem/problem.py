"""What the engines get: distinct 0/1 examples with classes, as small as it can be made without losing anything.

Equal rows become one example with a weight. Features that are constant, or equal or complementary to an earlier one,
say nothing new and are left out; :class:`FeatureMerge` keeps the way back, so that a tree found on the small problem
can be told in the features that were given. Equal rows with different labels make purity impossible: they are found
here, with their row numbers, before any engine runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..binarize.bitmatrix import BitMatrix
from ..errors import ConflictError, ConflictWarning, InputError, shorten, warn
from ..table import Labels, Level, read_labels
from ..tree import Tree

LARGEST_COST = 10**12  # a million tests of this cost still fit into a machine word
OnConflict = Literal["warn", "majority", "drop", "raise"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Rows that are equal in every feature but not in their label."""

    rows: tuple[int, ...]
    labels: tuple[Any, ...]

    def __str__(self) -> str:
        pairs = list(zip(self.rows, self.labels, strict=True))
        one_of_each = {label: row for row, label in reversed(pairs)}
        pairs.sort(key=lambda pair: one_of_each[pair[1]] != pair[0])  # the contradiction first
        return shorten(f"row {row} ({label})" for row, label in pairs)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMerge:
    """Which given features became which feature of the problem.

    Parameters
    ----------
    feature_of_original : ndarray of int64
        The problem's feature for each given one; -1 for a constant, and for one that may not be asked.
    flipped : ndarray of bool
        The given feature is the complement of the problem's.
    original_of_feature : ndarray of int64
        The given feature that speaks for each feature of the problem: the first of its kind, never flipped.
    """

    feature_of_original: NDArray[np.int64]
    flipped: NDArray[np.bool_]
    original_of_feature: NDArray[np.int64]

    def alternatives(self, feature: int) -> list[tuple[int, bool]]:
        """Return all given features that say the same, with whether they say it the other way round."""
        given = np.flatnonzero(self.feature_of_original == feature)
        return [(int(i), bool(self.flipped[i])) for i in given]

    def renumber(self, asked: NDArray[np.intp], n_original: int) -> FeatureMerge:
        """Return the merge in the numbers of all given features, of which these were asked."""
        feature_of_original = np.full(n_original, -1, dtype=np.int64)
        feature_of_original[asked] = self.feature_of_original
        flipped = np.zeros(n_original, dtype=np.bool_)
        flipped[asked] = self.flipped
        return FeatureMerge(feature_of_original, flipped, asked[self.original_of_feature])


@dataclass(frozen=True, eq=False, repr=False)
class BinaryProblem:
    """Distinct examples with binary features and a class each.

    Make one with :meth:`from_rows` or :meth:`from_bits`.

    Parameters
    ----------
    features : BitMatrix of shape (n_features, n_examples)
        A row of bits per feature.
    labels : ndarray of int32
        The class of each example, as a place in ``classes``.
    weights : ndarray of int64
        How many rows each example stands for.
    classes : tuple of str, bool, int or float
        The different labels of the table, sorted; a conflict may have removed every example of one.
    merge : FeatureMerge
        The way back to the features that were given.
    example_of_row : ndarray of int64
        The example each row became; -1 where a conflict removed it.
    conflicts : tuple of Conflict
        The contradictions found.
    costs : ndarray of int64
        What it costs to ask each feature once; 1 unless given.
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
        """Make a problem of a 0/1 matrix, one row per example.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Zeros and ones, or booleans.
        y : array-like of shape (n_rows,)
            Labels of two or more classes; a single class is allowed and makes a one-leaf problem.
        on_conflict : {"warn", "majority", "drop", "raise"}, default="warn"
            What to do with contradictory rows, which are equal in all features and have different labels: keep the
            rows of the most frequent label (the paper's rule; ties go to the smallest label) with a warning, keep
            them without one, drop them all, or raise an error.
        allowed : sequence of int, optional
            The features that may be tested; by default all, the cheapest first. Of equal features, the first one here
            is kept, at its own cost.
        costs : sequence of int, optional
            What it costs to ask each feature once: whole numbers, 0 or more, one for each column of X.
        """
        bits = BitMatrix.from_rows(X).transpose()
        return cls.from_bits(bits, y, on_conflict=on_conflict, allowed=allowed, costs=costs)

    @classmethod
    def from_bits(
        cls,
        given: BitMatrix,
        y: Any,
        *,
        on_conflict: OnConflict = "warn",
        allowed: Sequence[int] | NDArray[np.intp] | None = None,
        costs: Sequence[int] | NDArray[np.int64] | None = None,
        row_numbers: NDArray[np.intp] | None = None,
    ) -> BinaryProblem:
        """Make a problem of packed features, one row of bits per feature; see :meth:`from_rows`.

        Parameters
        ----------
        given, y, on_conflict, allowed, costs
            As there.
        row_numbers : ndarray of intp, optional
            By which contradictions are told, where the rows are part of a larger table.
        """
        if on_conflict not in get_args(OnConflict):
            raise InputError(
                f"is not known; use one of {', '.join(get_args(OnConflict))}",
                parameter="on_conflict",
                value=on_conflict,
            )
        n_original, n_rows = given.shape
        if n_rows == 0:
            raise InputError("the table is empty: at least one row is needed")
        labels = read_labels(y, n_rows)
        given_costs = _read_costs(costs, n_original)
        cheapest_first = np.argsort(given_costs, kind="stable")
        asked = cheapest_first if allowed is None else np.asarray(allowed, dtype=np.intp)
        rows = given.take(asked).transpose()
        group, first, _ = _native.group(rows.words, len(asked), False)
        seen = _Seen.count(group, labels)
        conflicts = _find_conflicts(group, seen, labels, np.arange(n_rows) if row_numbers is None else row_numbers)
        if conflicts and on_conflict == "raise":
            raise ConflictError(_conflict_message(conflicts), conflicts)
        if conflicts and on_conflict == "warn":
            warn(ConflictWarning(_conflict_warning(conflicts), conflicts))
        kept_groups = np.ones(len(first), dtype=np.bool_)
        if on_conflict == "drop":
            kept_groups = seen.n_labels == 1
        if not kept_groups.any():
            raise InputError("every row contradicts another one, so on_conflict='drop' leaves none")

        kept = np.flatnonzero(kept_groups)
        example_of_group = np.where(kept_groups, np.cumsum(kept_groups) - 1, -1)
        is_kept_row = labels.codes == seen.majority[group]
        features, merge = _merge_features(rows.take(first[kept]).transpose())
        merge = merge.renumber(asked, n_original)
        return cls(
            features=features,
            labels=seen.majority[kept],
            weights=seen.n_rows[kept],
            classes=labels.classes,
            merge=merge,
            example_of_row=np.where(is_kept_row, example_of_group[group], -1),
            conflicts=conflicts,
            costs=given_costs[merge.original_of_feature],
        )

    def __repr__(self) -> str:
        return f"<BinaryProblem: {self.n_examples} examples × {self.n_features} features, {self.n_classes} classes>"

    @property
    def n_features(self) -> int:
        """Features left after merging."""
        return self.features.shape[0]

    @property
    def n_examples(self) -> int:
        """Distinct examples."""
        return len(self.labels)

    @property
    def n_classes(self) -> int:
        """Classes among the examples: as many leaves at least has a pure tree."""
        return len(np.unique(self.labels))

    @cached_property
    def examples(self) -> BitMatrix:
        """A row of bits per example: the features turned."""
        return self.features.transpose()

    @cached_property
    def class_bits(self) -> BitMatrix:
        """A row of bits per class: its examples."""
        return BitMatrix.pack(np.arange(len(self.classes))[:, None] == self.labels)

    @cached_property
    def kept_rows(self) -> NDArray[np.intp]:
        """The numbers of the rows that no conflict removed."""
        return np.flatnonzero(self.example_of_row >= 0)

    def is_pure(self, tree: Tree) -> bool:
        """Whether a tree over the problem's features is right on every example."""
        return bool((tree.predict_codes(self.examples) == self.labels).all())

    def n_errors(self, tree: Tree) -> int:
        """Return how many rows a tree over the problem's features is wrong on."""
        return int(self.weights[tree.predict_codes(self.examples) != self.labels].sum())

    def restore(self, tree: Tree) -> Tree:
        """Tell a tree over the problem's features in the features that were given."""
        return tree.with_features(self.merge.original_of_feature)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The labels seen in each group of equal rows: how many, the most frequent, and how many rows carry that."""

    n_labels: NDArray[np.int64]
    majority: NDArray[np.int32]
    n_rows: NDArray[np.int64]

    @classmethod
    def count(cls, group: NDArray[np.int64], labels: Labels) -> _Seen:
        """Count pairs of group and label; only pairs that occur, since both can be many."""
        n_classes = len(labels.classes)
        pairs, n_rows = np.unique(group * n_classes + labels.codes, return_counts=True)
        groups, codes = pairs // n_classes, pairs % n_classes
        order = np.lexsort((codes, -n_rows, groups))  # in each group the majority first, then the smallest label
        first = np.searchsorted(groups[order], np.arange(groups[-1] + 1))
        return cls(np.bincount(groups), codes[order][first].astype(np.int32), n_rows[order][first])


def _find_conflicts(
    group: NDArray[np.int64], seen: _Seen, labels: Labels, numbers: NDArray[np.intp]
) -> tuple[Conflict, ...]:
    rows = np.flatnonzero(seen.n_labels[group] > 1)
    rows = rows[np.argsort(group[rows], kind="stable")]
    starts = np.flatnonzero(np.diff(group[rows])) + 1
    return tuple(
        Conflict(tuple(numbers[members].tolist()), tuple(labels.classes[code] for code in labels.codes[members]))
        for members in np.split(rows, starts)
        if len(members)
    )


def describe_conflicts(conflicts: tuple[Conflict, ...]) -> str:
    """Tell how many rows contradict each other, and name the first groups of them."""
    n_rows = sum(len(conflict.rows) for conflict in conflicts)
    return (
        f"{n_rows} rows contradict each other: equal in every feature that may be asked, but with different labels "
        "(counting from 0): "
        f"{'; '.join(str(conflict) for conflict in conflicts[:3])}"
        f"{f'; and {len(conflicts) - 3} more groups' if len(conflicts) > 3 else ''}"
    )


def _conflict_message(conflicts: tuple[Conflict, ...]) -> str:
    return (
        f"{describe_conflicts(conflicts)}. No tree can be right on all of them: correct them, add a column that tells "
        "them apart, use finer features, or pass on_conflict='majority' or 'drop'"
    )


def _conflict_warning(conflicts: tuple[Conflict, ...]) -> str:
    return (
        f"{describe_conflicts(conflicts)}. Only the rows with the most frequent label of each group are kept; "
        "on_conflict='majority' does the same without this warning, on_conflict='raise' raises an error"
    )


def _read_costs(costs: Sequence[int] | NDArray[np.int64] | None, n_original: int) -> NDArray[np.int64]:
    """Return what each given feature costs: 1 unless said otherwise."""
    if costs is None:
        return np.ones(n_original, dtype=np.int64)
    given = np.asarray(costs)
    if (
        given.shape != (n_original,)
        or given.dtype.kind not in "iu"
        or not ((given >= 0) & (given <= LARGEST_COST)).all()
    ):
        raise InputError(f"costs must be {n_original} whole numbers from 0 to {LARGEST_COST}, one for each feature")
    return given.astype(np.int64)


def _merge_features(given: BitMatrix) -> tuple[BitMatrix, FeatureMerge]:
    n_original, n_examples = given.shape
    group, first, flipped = _native.group(given.words, n_examples, True)
    ones = np.bitwise_count(given.words[first]).sum(axis=1)
    varies = (ones > 0) & (ones < n_examples)
    feature_of_group = np.where(varies, np.cumsum(varies) - 1, -1)
    feature_of_original = feature_of_group[group] if n_original else np.empty(0, dtype=np.int64)
    merge = FeatureMerge(feature_of_original, flipped.view(np.bool_), first[varies])
    return given.take(first[varies]), merge
