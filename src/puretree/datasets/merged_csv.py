"""Large and compressed CSV files, read in batches: what is kept are the distinct rows, and the distinct texts.

The result is that of :func:`~puretree.datasets.read_csv` with equal rows merged. Whether a column holds numbers depends
on all of its cells, so rows are merged as text first; the distinct texts of a column are parsed at the end, by the same
functions, and rows that differ only in spelling (1 and 1.0) are merged then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .._support.clock import NO_LIMIT, Clock
from ..errors import MissingValuesWarning, warn
from ..table import Table, TableColumn, read_columns
from .csv_file import (
    MISSING_VALUES,
    CsvColumn,
    check_missing_values,
    describe_missing,
    no_rows,
    open_rows,
    parse_column,
    require_columns,
)
from .dataset import Dataset
from .formats import stem_of
from .merging import Encoded, Ints, MergedRows, RowMerger, canonical, merge_rows

BATCH_ROWS = 2**10  # the garbage collector makes larger batches slower: 2**16 takes twice as long


def read_merged_csv(
    path: Path,
    target: str,
    numbers: Collection[str] | None = None,
    missing_values: Collection[str] | None = None,
    *,
    clock: Clock = NO_LIMIT,
    memory_limit: float | None = None,
    batch_rows: int = BATCH_ROWS,
) -> Dataset:
    """Read a CSV file, compressed or not, and merge equal rows into weights.

    Parameters
    ----------
    path : Path
    target, numbers, missing_values
        As for :func:`~puretree.datasets.read_csv`.
    clock, memory_limit
        As for :class:`RowMerger`.
    batch_rows : int
        The number of rows that are read at once.
    """
    missing = check_missing_values(MISSING_VALUES if missing_values is None else missing_values)
    merger = RowMerger(path, clock, memory_limit)
    with open_rows(path) as (header, rows):
        names = require_columns(path, header, target, numbers)
        texts = [_TextCodes() for _ in header]
        while batch := list(islice(rows, batch_rows)):
            columns = zip(*(row for _, row in batch), strict=True)
            encoded = [codes.encode(cells) for codes, cells in zip(texts, columns, strict=True)]
            merger.add(encoded, np.array([line for line, _ in batch], dtype=np.int64))
    if not merger.n_read:
        raise no_rows(path)
    merged = merger.finish()
    cells = {
        name: _distinct_cells(path, name, list(codes.code_of), merged, i, missing)
        for i, (name, codes) in enumerate(zip(header, texts, strict=True))
    }
    cells[target].require_labels()
    labels = merged.columns.pop(header.index(target))
    decoded = [_decode(cells[name], numbers, codes) for name, codes in zip(names, merged.columns, strict=True)]
    if missing_values is None and (found := describe_missing(cells[name] for name in names)):
        warn(MissingValuesWarning(found))
    table, labels, positions = _merge_values(decoded, labels, merged, merger.n_read)
    target_cells = np.array(cells[target].cells)[labels]
    return Dataset(stem_of(path), table, target_cells, target, str(path), missing, positions=positions)


def _merge_values(
    columns: list[TableColumn], labels: Encoded, rows: MergedRows, n_read: int
) -> tuple[Table, Encoded, Ints]:
    """Merge rows whose texts differ, but not their values; return the table, the labels and the positions."""
    values = [canonical(column.values) for column in columns]
    merged = merge_rows(MergedRows([*values, labels], rows.weights, rows.positions))
    *values, labels = merged.columns
    decoded = [replace(column, values=cells).copied() for column, cells in zip(columns, values, strict=True)]
    weights = None if len(merged) == n_read else merged.weights
    return Table(tuple(decoded), len(merged), weights=weights), labels, merged.positions


class _TextCodes:
    """Numbers the distinct texts of a column in the order of their first occurrence."""

    def __init__(self) -> None:
        self.code_of: defaultdict[str, int] = defaultdict()
        self.code_of.default_factory = self.code_of.__len__

    def encode(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Return the code of each text."""
        return np.fromiter(map(self.code_of.__getitem__, texts), dtype=np.int32, count=len(texts))


def _distinct_cells(
    path: Path, name: str, texts: list[str], merged: MergedRows, index: int, missing_values: tuple[str, ...]
) -> CsvColumn:
    """Return the distinct cells of a column; rows are in the order of lines, so the first one is on the first line."""
    codes = merged.columns[index]
    _, firsts = np.unique(codes, return_index=True)
    counts = np.zeros(len(texts), dtype=np.int64)
    np.add.at(counts, codes, merged.weights)
    return CsvColumn(path, name, texts, merged.positions[firsts].tolist(), missing_values, counts.tolist())


def _decode(cells: CsvColumn, numbers: Collection[str] | None, codes: NDArray[np.int32]) -> TableColumn:
    """Parse the distinct cells of a column, and return the column of all rows."""
    (column,) = read_columns({cells.name: parse_column(cells, numbers)})
    return TableColumn(column.name, column.kind, column.values[codes], column.levels)
