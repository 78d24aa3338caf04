"""Synthetic rows, each mixed from two rows of a table."""

from dataclasses import replace

import numpy as np

from puretree.selection.agreement import mix_rows
from puretree.table import read_table

TABLE = read_table([[0, "a", None], [1, "b", 0.5], [2, "c", 1.5], [3, "d", 2.5]])


def cells(table: object) -> list[tuple[object, ...]]:
    """Return the rows of a table, missing values as None."""
    columns = [[None if value != value else value for value in column.values.tolist()] for column in table]  # type: ignore[attr-defined]
    return list(zip(*columns, strict=True))


def test_every_mixed_row_has_two_parents() -> None:
    """Each mixed row takes every value from one of two rows of the table, missing values included."""
    parents = cells(TABLE)
    for row in cells(mix_rows(TABLE, 200, np.random.RandomState(0))):
        assert any(all(value in pair for value, *pair in zip(row, a, b, strict=True)) for a in parents for b in parents)


def test_mixed_rows_have_the_columns_of_the_table() -> None:
    """Names, kinds and levels are those of the table."""
    mixed = mix_rows(TABLE, 5, np.random.RandomState(0))
    assert mixed.n_rows == 5
    assert [(c.name, c.kind, c.levels) for c in mixed] == [(c.name, c.kind, c.levels) for c in TABLE]


def test_many_mixed_rows_are_new() -> None:
    """Many mixed rows are not in the table: on its own rows all trees would agree."""
    mixed = cells(mix_rows(TABLE, 200, np.random.RandomState(0)))
    assert sum(row not in cells(TABLE) for row in mixed) > 50


def test_mixed_rows_are_reproducible() -> None:
    """The same seed makes the same rows."""
    assert cells(mix_rows(TABLE, 9, np.random.RandomState(3))) == cells(mix_rows(TABLE, 9, np.random.RandomState(3)))


def test_mixed_rows_do_not_depend_on_the_order_and_repetition_of_rows() -> None:
    """Weights stand for repeated rows, in any order."""
    rows, weights = np.array([3, 0, 0, 2, 1, 1, 1]), np.array([2.0, 3.0, 1.0, 1.0])
    repeated = cells(mix_rows(TABLE.take(rows), 50, np.random.RandomState(0)))
    weighted = cells(mix_rows(TABLE, 50, np.random.RandomState(0), weights))
    assert repeated == weighted
    table = replace(TABLE, weights=weights.astype(np.int64))
    assert cells(mix_rows(table, 50, np.random.RandomState(0))) == weighted
