"""Metrics, compared with counts made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from puretree import Tree, minimum_tree
from puretree.report.metrics import compute_metrics, count_unfamiliar
from puretree.table import read_table


@pytest.fixture
def tree() -> Tree:
    """Return a tree that predicts "low" for x ≤ 2 and "high" otherwise."""
    tree = minimum_tree([[1.0], [3.0]], ["low", "high"]).tree
    assert tree is not None
    return tree


def test_metrics_equal_those_computed_by_hand(tree: Tree) -> None:
    """Of five rows, two of three "low" ones and both "high" ones are classified correctly."""
    metrics = compute_metrics(
        tree, read_table([[1.0], [2.0], [9.0], [3.0], [4.0]]), ["low", "low", "low", "high", "high"]
    )
    assert (metrics.n_rows, metrics.n_right, metrics.accuracy) == (5, 4, 0.8)
    high, low = metrics.classes
    assert (high.label, high.precision, high.recall, high.f1, high.support) == ("high", 2 / 3, 1.0, 0.8, 2)
    assert (low.label, low.precision, low.recall, low.f1, low.support) == ("low", 1.0, 2 / 3, 0.8, 3)
    assert metrics.balanced_accuracy == pytest.approx((1 + 2 / 3) / 2)
    assert metrics.confusion == ((2, 0), (1, 2))  # one line per true class


def test_unknown_label_counts_as_misclassified(tree: Tree) -> None:
    """An unknown label has its own line; it is never predicted, so its precision is undefined, not zero."""
    metrics = compute_metrics(tree, read_table([[1.0], [1.0], [1.0]]), ["low", "new", "low"])
    assert [of.label for of in metrics.classes] == ["high", "low", "new"]
    assert metrics.confusion == ((0, 0, 0), (0, 2, 0), (0, 1, 0))
    assert metrics.accuracy == pytest.approx(2 / 3)
    assert metrics.balanced_accuracy == 0.5  # of the two classes that occur
    new = metrics.classes[2]
    assert (new.precision, new.recall, new.f1, new.support) == (None, 0.0, 0.0, 1)
    absent = metrics.classes[0]
    assert (absent.precision, absent.recall, absent.f1, absent.support) == (None, None, None, 0)


def test_single_class() -> None:
    """A tree of one leaf classifies its class correctly and uses no column; nothing warns."""
    tree = minimum_tree([[1.0], [3.0]], ["a", "a"]).tree
    assert tree is not None
    metrics = compute_metrics(tree, read_table([[1.0], [2.0]]), ["a", "a"])
    assert (metrics.n_right, metrics.accuracy, metrics.balanced_accuracy, metrics.confusion) == (2, 1.0, 1.0, ((2,),))
    assert count_unfamiliar(tree, read_table([[None]])) == 0


def test_rows_with_unseen_values_are_counted() -> None:
    """Unseen levels and missing values count in columns that the tree uses, not in others."""
    outcome = minimum_tree([["red", 1.0], ["blue", 1.0], ["green", 1.0]], ["a", "b", "b"])
    assert outcome.tree is not None
    rows = read_table([["red", 1.0], ["pink", 1.0], [None, 1.0], ["blue", None]])
    assert count_unfamiliar(outcome.tree, rows) == 2


def test_weights_count_like_repeated_rows(tree: Tree) -> None:
    """A row of weight w counts as w equal rows, in every metric."""
    weights = np.array([3, 1, 2, 5, 1])
    rows = replace(read_table([[1.0], [None], [9.0], [3.0], [4.0]]), weights=weights)
    labels = ["low", "low", "low", "high", "new"]
    repeated = np.repeat(labels, weights).tolist()
    assert compute_metrics(tree, rows, labels) == compute_metrics(tree, rows.repeated(), repeated)
    assert count_unfamiliar(tree, rows) == count_unfamiliar(tree, rows.repeated())
