"""Merging equal rows while a file is read."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puretree._support.clock import Clock
from puretree.datasets import merging
from puretree.datasets.merging import MergedRows, RowMerger, canonical, merge_rows
from puretree.errors import InputError, UnfinishedError

FILE = Path("big.parquet")

tables = st.integers(1, 3).flatmap(
    lambda n_columns: st.lists(
        st.tuples(*[st.sampled_from([0.0, -0.0, 1.5, np.nan, -7.0])] * n_columns, st.integers(-1, 2)), min_size=1
    )
)


def as_columns(rows: list[tuple[float, ...]]) -> list[np.ndarray]:
    """Return rows as columns of numbers, and a last column of codes."""
    *numbers, codes = zip(*rows, strict=True)
    return [*(np.array(column) for column in numbers), np.array(codes, dtype=np.int32)]


def distinct_rows(rows: list[tuple[float, ...]]) -> dict[tuple[str, ...], list[int]]:
    """Return the numbers of the rows that are equal, in the order of the first; NaN is equal to itself, and -0 to 0."""
    numbers: dict[tuple[str, ...], list[int]] = {}
    for number, row in enumerate(rows):
        numbers.setdefault(tuple(str(cell + 0.0) for cell in row), []).append(number)
    return numbers


def check(merged: MergedRows, rows: list[tuple[float, ...]]) -> None:
    """Check that merged rows are the distinct rows in order, with the number of each."""
    expected = distinct_rows(rows)
    cells = [tuple(str(cell + 0.0) for cell in row) for row in zip(*(c.tolist() for c in merged.columns), strict=True)]
    assert cells == list(expected)
    assert merged.weights.tolist() == [len(numbers) for numbers in expected.values()]
    assert merged.positions.tolist() == [numbers[0] for numbers in expected.values()]


@given(tables, st.lists(st.integers(1, 5)))
def test_rows_in_any_batches_become_the_distinct_rows(rows: list[tuple[float, ...]], sizes: list[int]) -> None:
    """However a table is divided into batches, the result is its distinct rows, their counts and first positions."""
    merger, start = RowMerger(FILE), 0
    for size in [*sizes, len(rows)]:
        if batch := rows[start : start + size]:
            merger.add(as_columns(batch), np.arange(start, start + len(batch)))
        start += size
    assert merger.n_read == len(rows)
    check(merger.finish(), rows)


@given(tables)
def test_a_collision_of_hashes_makes_no_difference(rows: list[tuple[float, ...]]) -> None:
    """If all rows have the same hash, they are sorted instead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "MULTIPLIER", np.uint64(0))
        columns = [canonical(column) for column in as_columns(rows)]
        merged = merge_rows(MergedRows(columns, np.ones(len(rows), dtype=np.int64), np.arange(len(rows))))
    check(merged, rows)


@pytest.mark.parametrize("n_values", [3, 10**9])
def test_many_batches_of_few_or_many_distinct_rows(monkeypatch: pytest.MonkeyPatch, n_values: int) -> None:
    """Rows are merged now and then while batches arrive, whether they shrink or not."""
    monkeypatch.setattr(merging, "MIN_ROWS_TO_MERGE", 100)
    numbers = np.random.default_rng(0).integers(n_values, size=1000)
    numbers[500:] = numbers[:500]
    merger = RowMerger(FILE)
    for start in range(0, 1000, 40):
        merger.add([numbers[start : start + 40].astype(np.float64)], np.arange(start, start + 40))
    merged = merger.finish()
    _, firsts, counts = np.unique(numbers, return_index=True, return_counts=True)
    assert merged.positions.tolist() == sorted(firsts)
    assert merged.weights.tolist() == counts[np.argsort(firsts)].tolist()


def test_the_time_limit_is_checked_for_every_batch() -> None:
    """Reading stops at the time limit with an error that names the file and the progress."""
    merger = RowMerger(FILE, Clock(0))
    with pytest.raises(UnfinishedError, match=r"big.parquet: the time limit was reached \(limit 0 s\) after 2 rows"):
        merger.add([np.zeros(2)], np.arange(2))


def test_distinct_rows_beyond_the_memory_limit_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal rows fit into any memory, distinct ones are rejected, with the limit and the remedy."""
    monkeypatch.setattr(merging, "free_bytes", lambda limit: 10_000.0)
    merger = RowMerger(FILE, memory_limit=2e9)
    for start in range(0, 5000, 100):
        merger.add([np.zeros(100)], np.arange(start, start + 100))
    with pytest.raises(InputError, match=r"first 5,500 rows have 500 distinct .* limit of 2 GB; allow more memory"):
        merger.add([np.arange(500.0)], np.arange(5000, 5500))
