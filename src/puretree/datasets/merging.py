"""Merge equal rows while a file is read in batches: what is kept is the table of distinct rows, with their counts.

The trees of a table depend on its distinct rows only, and a file of many rows often has few of them: then it need not
fit into memory. Rows are merged by sorting a 64-bit hash of each row, and every row is compared with the first of its
group, so that a collision of hashes is found and resolved by sorting the rows themselves. For 20 million rows of nine
columns this takes seconds; ``numpy.unique`` of the rows takes ten times as long.

Where most rows are distinct, merging every batch would be wasted: batches are concatenated, and merged only when the
rows have doubled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._support.clock import NO_LIMIT, Clock, TimeLimitReached
from .._support.resources import MOST_BYTES, free_bytes
from ..errors import InputError, UnfinishedError

Ints = NDArray[np.int64]
Encoded = NDArray[Any]
"""A column of a batch: codes of any integer type, or numbers in double precision, NaN where missing."""

MAX_DISTINCT_FRACTION = 0.8  # of a batch; if more of its rows are distinct, batches are not merged one by one
MIN_ROWS_TO_MERGE = 2**18  # rows are concatenated up to this number before they are merged
BYTES_TO_MERGE = 48  # per row, for hashes and orders
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, as in Fibonacci hashing
SHIFT = np.uint64(29)


@dataclass(slots=True)
class MergedRows:
    """Distinct rows in the order of their first occurrence.

    Parameters
    ----------
    columns : list of ndarray
        The encoded columns, as :func:`canonical` returns them.
    weights : ndarray of int64
        How often each row occurs.
    positions : ndarray of int64
        The number of the row, or of the line, where each row occurs first.
    """

    columns: list[Encoded]
    weights: Ints
    positions: Ints

    def __len__(self) -> int:
        return len(self.positions)


def merge_rows(rows: MergedRows) -> MergedRows:
    """Merge equal rows and add their weights.

    >>> merged = merge_rows(MergedRows([np.array([2, 1, 2])], np.array([1, 1, 5]), np.array([0, 1, 2])))
    >>> merged.columns[0].tolist(), merged.weights.tolist(), merged.positions.tolist()
    ([2, 1], [6, 1], [0, 1])
    """
    if not len(rows):
        return rows
    # Numbers are compared as their bits: NaN is equal to itself.
    cells = [column.view(np.int64) if column.dtype.kind == "f" else column for column in rows.columns]
    order, starts = _group_by_hash(cells) or _group_by_sorting(cells)
    if len(starts) == len(rows):
        return rows
    firsts = np.minimum.reduceat(order, starts)
    weights = np.add.reduceat(rows.weights[order], starts)
    del order
    by_position = np.argsort(firsts)
    firsts = firsts[by_position]
    return MergedRows([column[firsts] for column in rows.columns], weights[by_position], rows.positions[firsts])


def canonical(column: Encoded) -> Encoded:
    """Return a column in which equal numbers have equal bits: 0.0 for -0.0, and the same NaN everywhere."""
    if column.dtype.kind != "f":
        return column
    column = column + 0.0
    column[np.isnan(column)] = np.nan
    return column


def _group_by_hash(cells: Sequence[Encoded]) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Return the rows by group, and the start of each group; None if different rows have the same hash."""
    hashes = np.zeros(len(cells[0]), dtype=np.uint64)
    for column in cells:
        hashes += column.astype(np.uint64)
        hashes *= MULTIPLIER
        hashes ^= hashes >> SHIFT
    order = np.argsort(hashes)
    starts = _starts(hashes[order][None])
    del hashes
    representatives = np.repeat(order[starts], np.diff(starts, append=len(order)))
    if any((column[order] != column[representatives]).any() for column in cells):
        return None
    return order, starts


def _group_by_sorting(cells: Sequence[Encoded]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    order = np.lexsort(list(cells))
    return order, _starts(np.stack([column[order] for column in cells]))


def _starts(columns: NDArray[Any]) -> NDArray[np.intp]:
    """Return where a row differs from the one before."""
    is_start = np.ones(columns.shape[1], dtype=np.bool_)
    is_start[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    return np.flatnonzero(is_start)


@dataclass(slots=True)
class RowMerger:
    """Collects the batches of a file and merges equal rows.

    Parameters
    ----------
    path : Path
        The file, for messages.
    clock : Clock
        No time limit by default.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    """

    path: Path
    clock: Clock = NO_LIMIT
    memory_limit: float | None = None
    n_read: int = field(default=0, init=False)
    _chunks: list[MergedRows] = field(default_factory=list, init=False)
    _n_merged: int = field(default=0, init=False)
    _merges_batches: bool = field(default=True, init=False)

    def add(self, columns: list[Encoded], positions: Ints) -> None:
        """Add a batch of rows.

        Parameters
        ----------
        columns : list of ndarray
            The encoded columns, the same in every batch.
        positions : ndarray of int64
            The number of each row or of its line, larger than those of earlier batches.

        Raises
        ------
        UnfinishedError
            If the time limit is reached.
        InputError
            If the distinct rows do not fit into memory.
        """
        rows = MergedRows([canonical(column) for column in columns], np.ones(len(positions), dtype=np.int64), positions)
        self.n_read += len(rows)
        self._require_time()
        if self._merges_batches:
            rows = merge_rows(rows)
            self._merges_batches = len(rows) <= MAX_DISTINCT_FRACTION * len(positions)
        self._chunks.append(rows)
        if self._n_pending >= max(self._n_merged, MIN_ROWS_TO_MERGE):
            self._merge()
        self._require_memory()

    def finish(self) -> MergedRows:
        """Return the distinct rows."""
        self._require_time()
        self._merge()
        return self._chunks.pop()

    @property
    def _n_held(self) -> int:
        return sum(map(len, self._chunks))

    @property
    def _n_pending(self) -> int:
        return self._n_held - self._n_merged

    def _merge(self) -> None:
        n_before = self._n_held
        if n_before > self._n_merged:
            self._chunks = [merge_rows(_concatenate(self._chunks))]
            self._n_merged = len(self._chunks[0])
            self._merges_batches = self._n_merged <= MAX_DISTINCT_FRACTION * n_before

    def _require_time(self) -> None:
        try:
            self.clock.require_time()
        except TimeLimitReached:
            raise UnfinishedError(
                f"{self.path}: {self.clock.reason} (limit {self.clock.limit:g} s) after {self.n_read:,} rows were "
                "read: there is no tree yet; allow more time",
                None,
            ) from None

    def _require_memory(self) -> None:
        if self._fits():
            return
        self._merge()
        if not self._fits():
            limit = MOST_BYTES if self.memory_limit is None else self.memory_limit
            raise InputError(
                f"{self.path}: the first {self.n_read:,} rows have {self._n_held:,} distinct ones, which do not fit "
                f"into the memory limit of {limit / 1e9:.3g} GB; allow more memory, omit columns with many "
                "values or round them, or sample the rows"
            )

    def _fits(self) -> bool:
        """Whether the rows can still be merged and turned into a table."""
        n_columns = len(self._chunks[0].columns) if self._chunks else 0
        return self._n_held * (BYTES_TO_MERGE + 8 * n_columns) <= free_bytes(self.memory_limit)


def _concatenate(chunks: list[MergedRows]) -> MergedRows:
    """Concatenate chunks column by column, and free each column of the chunks."""
    columns = []
    for _ in range(len(chunks[0].columns)):
        columns.append(np.concatenate([chunk.columns.pop(0) for chunk in chunks]))
    weights = np.concatenate([chunk.weights for chunk in chunks])
    positions = np.concatenate([chunk.positions for chunk in chunks])
    chunks.clear()
    return MergedRows(columns, weights, positions)
