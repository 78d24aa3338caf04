"""Equal rows become one example; if their labels differ, they are contradictory, and a rule decides which to keep.

Contradictory rows make purity impossible: they are detected here, with their row numbers, before any engine runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .._support.text import quantity
from ..errors import ConflictError, ConflictWarning, InputError, shorten, warn
from ..table import Labels

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
class DistinctRows:
    """The examples of a table: its distinct rows, without those that a conflict removes.

    Parameters
    ----------
    rows : ndarray of intp
        The first row of each example.
    labels : ndarray of int32
        The class of each example.
    weights : ndarray of int64
        The number of rows of each example.
    example_of_row : ndarray of int64
        The example of each row; -1 if a conflict removed the row.
    conflicts : tuple of Conflict
        The groups of contradictory rows.
    """

    rows: NDArray[np.intp]
    labels: NDArray[np.int32]
    weights: NDArray[np.int64]
    example_of_row: NDArray[np.int64]
    conflicts: tuple[Conflict, ...]

    @classmethod
    def of(
        cls,
        group: NDArray[np.int64],
        first: NDArray[np.int64],
        labels: Labels,
        on_conflict: OnConflict,
        row_numbers: NDArray[np.intp] | None = None,
        row_weights: NDArray[np.int64] | None = None,
        row_votes: NDArray[np.int64] | None = None,
    ) -> DistinctRows:
        """Merge groups of equal rows.

        Parameters
        ----------
        group : ndarray of int64
            The group of each row.
        first : ndarray of int64
            The first row of each group.
        labels : Labels
        on_conflict, row_numbers, row_weights, row_votes
            As for :meth:`BinaryProblem.from_bits`.
        """
        if on_conflict not in get_args(OnConflict):
            raise InputError(
                f"is unknown; use one of {', '.join(get_args(OnConflict))}",
                parameter="on_conflict",
                value=on_conflict,
            )
        group_labels = _GroupLabels.count(group, labels, row_weights, row_votes)
        numbers = np.arange(len(group)) if row_numbers is None else row_numbers
        conflicts = _find_conflicts(group, group_labels, labels, numbers)
        if conflicts and on_conflict == "raise":
            raise ConflictError(_conflict_message(conflicts), conflicts)
        if conflicts and on_conflict == "warn":
            warn(ConflictWarning(_conflict_warning(conflicts), conflicts))
        is_kept = np.ones(len(first), dtype=np.bool_)
        if on_conflict == "drop":
            is_kept = group_labels.n_labels == 1
        if not is_kept.any():
            raise InputError(
                "every row contradicts another one, so on_conflict='drop' leaves none", use={"on_conflict": "majority"}
            )
        kept = np.flatnonzero(is_kept)
        example_of_group = np.where(is_kept, np.cumsum(is_kept) - 1, -1)
        is_kept_row = labels.codes == group_labels.majority[group]
        return cls(
            first[kept],
            group_labels.majority[kept],
            group_labels.n_rows[kept],
            np.where(is_kept_row, example_of_group[group], -1),
            conflicts,
        )


@dataclass(frozen=True, slots=True)
class _GroupLabels:
    """The number of labels in each group of equal rows, the one with most votes, and the number of rows with it."""

    n_labels: NDArray[np.int64]
    majority: NDArray[np.int32]
    n_rows: NDArray[np.int64]

    @classmethod
    def count(
        cls,
        group: NDArray[np.int64],
        labels: Labels,
        weights: NDArray[np.int64] | None,
        votes: NDArray[np.int64] | None,
    ) -> _GroupLabels:
        """Count the pairs of group and label that occur; a matrix of all pairs could be too large."""
        n_classes = len(labels.classes)
        pairs, pair_of_row = np.unique(group * n_classes + labels.codes, return_inverse=True)
        n_rows = np.zeros(len(pairs), dtype=np.int64)
        np.add.at(n_rows, pair_of_row, 1 if weights is None else weights)
        n_votes = n_rows
        if votes is not None:
            n_votes = np.zeros(len(pairs), dtype=np.int64)
            np.add.at(n_votes, pair_of_row, votes)
        groups, codes = pairs // n_classes, pairs % n_classes
        order = np.lexsort((codes, -n_votes, groups))  # in each group the label with most votes first, ties by label
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
