"""Rows that train and rows that select."""

import numpy as np
import pytest

from puretree import InputError
from puretree.selection import Rows, split_rows


def rows(labels: list[str]) -> Rows:
    """Return rows with these labels, each with its number as its value."""
    return Rows.read([[place] for place in range(len(labels))], labels)


def test_every_row_is_in_one_part() -> None:
    """Training and selection together are the table, in its order, and values and labels stay together."""
    given = rows(["a", "b"] * 20)
    training, selection = split_rows(given, 0.25, 0)
    assert sorted([*training.numbers, *selection.numbers]) == list(range(40))
    assert selection.table.n_rows == 10
    for part in (training, selection):
        assert part.numbers.tolist() == sorted(part.numbers)
        assert part.table.columns[0].values.tolist() == part.numbers.tolist()
        assert part.labels.codes.tolist() == given.labels.codes[part.numbers].tolist()


def test_classes_keep_their_shares() -> None:
    """A class of a quarter of the rows is a quarter of the selection."""
    _, selection = split_rows(rows(["a"] * 30 + ["b"] * 10), 0.2, 1)
    assert np.bincount(selection.labels.codes).tolist() == [6, 2]


def test_a_class_of_one_row_trains() -> None:
    """No tree could say a class that only selects."""
    for seed in range(20):
        training, _ = split_rows(rows(["rare", *["a", "b"] * 5]), 0.3, seed)
        assert 0 in training.numbers


def test_few_rows_of_many_classes_can_be_split() -> None:
    """Where shares cannot be kept, rows are drawn regardless."""
    training, selection = split_rows(rows(["a", "a", "b", "b", "c", "c"]), 0.2, 0)
    assert (training.table.n_rows, selection.table.n_rows) == (5, 1)


@pytest.mark.parametrize("size", [0, 1, -0.1, 1.5])
def test_a_share_is_between_nothing_and_all(size: float) -> None:
    """Other shares are refused by name."""
    with pytest.raises(InputError, match="selection_size"):
        split_rows(rows(["a", "b"] * 5), size, 0)


def test_too_few_rows_are_refused() -> None:
    """Where nothing would be left to train on, the error says what to do."""
    with pytest.raises(InputError, match="consensus"):
        split_rows(rows(["a", "b", "c"]), 0.2, 0)
