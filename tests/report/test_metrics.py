"""The figures, held against counts made by hand."""

import pytest

from puretree import Tree, minimum_tree
from puretree.report.metrics import count_unfamiliar, measure
from puretree.table import read_table


@pytest.fixture
def tree() -> Tree:
    """Ask whether x is at most 2: low if so, else high; "other" is a class that no leaf says."""
    tree = minimum_tree([[1.0], [3.0]], ["low", "high"]).tree
    assert tree is not None
    return tree


def test_figures_by_hand(tree: Tree) -> None:
    """Five rows: two of three low ones are found, both high ones; 4 of 5 in all."""
    found = measure(tree, read_table([[1.0], [2.0], [9.0], [3.0], [4.0]]), ["low", "low", "low", "high", "high"])
    assert (found.n_rows, found.n_right, found.accuracy) == (5, 4, 0.8)
    high, low = found.classes
    assert (high.label, high.precision, high.recall, high.f1, high.support) == ("high", 2 / 3, 1.0, 0.8, 2)
    assert (low.label, low.precision, low.recall, low.f1, low.support) == ("low", 1.0, 2 / 3, 0.8, 3)
    assert found.balanced_accuracy == pytest.approx((1 + 2 / 3) / 2)
    assert found.confusion == ((2, 0), (1, 2))  # a line for each true class


def test_a_label_that_the_tree_does_not_know_counts_as_wrong(tree: Tree) -> None:
    """It has a line of its own, and nobody says it: its precision is not defined, which is not zero."""
    found = measure(tree, read_table([[1.0], [1.0], [1.0]]), ["low", "new", "low"])
    assert [of.label for of in found.classes] == ["high", "low", "new"]
    assert found.confusion == ((0, 0, 0), (0, 2, 0), (0, 1, 0))
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.balanced_accuracy == 0.5  # of the two classes that have rows
    new = found.classes[2]
    assert (new.precision, new.recall, new.f1, new.support) == (None, 0.0, 0.0, 1)
    absent = found.classes[0]
    assert (absent.precision, absent.recall, absent.f1, absent.support) == (None, None, None, 0)


def test_a_single_class_is_measured() -> None:
    """A tree of one leaf is right on its class, asks for no column, and nothing warns."""
    tree = minimum_tree([[1.0], [3.0]], ["a", "a"]).tree
    assert tree is not None
    found = measure(tree, read_table([[1.0], [2.0]]), ["a", "a"])
    assert (found.n_right, found.accuracy, found.balanced_accuracy, found.confusion) == (2, 1.0, 1.0, ((2,),))
    assert count_unfamiliar(tree, read_table([[None]])) == 0


def test_what_training_did_not_have_is_counted() -> None:
    """New levels and new gaps in columns that the tree asks about; in others nobody cares."""
    outcome = minimum_tree([["red", 1.0], ["blue", 1.0], ["green", 1.0]], ["a", "b", "b"])
    assert outcome.tree is not None
    rows = read_table([["red", 1.0], ["pink", 1.0], [None, 1.0], ["blue", None]])
    assert count_unfamiliar(outcome.tree, rows) == 2
