"""The warning about noisy labels."""

import warnings

import numpy as np
import pytest
from numpy.typing import NDArray

from puretree import NoisyLabelsWarning, PureTreeClassifier, Tree, choose_tree, minimum_tree
from puretree.datasets import load
from puretree.selection.label_noise import looks_noisy, prune


def bits_and_labels(flipped: float, n_rows: int = 300, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return twelve columns of bits and a rule over three of them, with some labels flipped."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, (n_rows, 12))
    rule = np.where(table[:, 0], table[:, 1], table[:, 2]).astype(np.bool_)
    return table, rule ^ (rng.random(n_rows) < flipped)


def minimum_of(table: NDArray[np.int64], labels: NDArray[np.bool_]) -> list[NoisyLabelsWarning]:
    """Find a minimum tree, and return the warnings about noise."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        minimum_tree(table, labels, on_conflict="majority", time_limit=5)
    return [warning.message for warning in caught if isinstance(warning.message, NoisyLabelsWarning)]


@pytest.mark.parametrize("flipped", [0.05, 0.1])
def test_flipped_labels_are_reported_with_their_rows(flipped: float) -> None:
    """The pruned tree misclassifies about as many rows as were flipped, and many of those that were."""
    (table, clean), (_, labels) = bits_and_labels(0, 600), bits_and_labels(flipped, 600)
    (warning,) = minimum_of(table, labels)
    is_flipped = clean != labels
    assert 0.5 < len(warning.rows) / is_flipped.sum() < 2
    assert is_flipped[list(warning.rows)].mean() > 0.5
    assert f"it misclassifies {len(warning.rows)} of " in str(warning)
    assert f"check for example rows {warning.rows[0]}, {warning.rows[1]}, " in str(warning)
    assert "OptimalTreeClassifier()" in str(warning)


def test_random_labels_are_reported() -> None:
    """No part of the tree is supported by enough rows."""
    table, labels = bits_and_labels(0.5)
    (warning,) = minimum_of(table, labels)
    assert str(warning).startswith("the labels look random: the tree needs ")
    assert warning.rows == ()


@pytest.mark.parametrize("flipped", [0, 0.05, 0.5])
def test_a_small_table_is_never_reported(flipped: float) -> None:
    """In fewer than 200 rows chance looks like noise."""
    assert not minimum_of(*bits_and_labels(flipped, n_rows=150))


@pytest.mark.parametrize(
    "name",
    [
        *(f"formula:{name}" for name in ("monks-1", "monks-2", "monks-3", "mux6", "mux11")),
        "sklearn:iris",
        "sklearn:wine",
    ],
)
def test_rules_are_not_reported(name: str) -> None:
    """Tables that follow a rule, and iris and wine, have no noise."""
    dataset = load(name)
    minimum_tree(dataset.table, dataset.target)  # a warning would be an error


def test_the_warning_is_issued_once_and_points_to_the_caller() -> None:
    """The classifier and choose_tree warn once per fit."""
    table, labels = bits_and_labels(0.1)
    for fit in (PureTreeClassifier(on_conflict="majority").fit, lambda X, y: choose_tree(X, y, on_conflict="majority")):
        with pytest.warns(NoisyLabelsWarning) as caught:
            fit(table, labels)
        assert [warning.filename for warning in caught] == [__file__]


def test_a_tree_with_errors_is_not_reported() -> None:
    """Engines that minimise the errors have no need of purity."""
    table, labels = bits_and_labels(0.1)
    minimum_tree(table, labels, engine="dtmax(depth=2)", on_conflict="majority", time_limit=60)


def test_pruning_keeps_what_rows_support() -> None:
    """A test that separates many rows is kept, one that separates a single row is not."""
    tree = Tree.from_nested((0, (1, (2, "a", "b"), "a"), "b"))
    rows = np.array([[0, 0, 0]] * 50 + [[0, 0, 1]] + [[0, 1, 0]] * 50 + [[1, 0, 0]] * 99)
    codes = tree.predict_codes(rows)
    pruned = prune(tree.with_counts(rows, codes), np.array([2, 2, 2]))
    assert (pruned.n_leaves, pruned.n_errors) == (2, 1)
    assert pruned.n_errors_of_leaves().sum() == 1
    assert pruned.leaf_of[0] == -1
    assert not looks_noisy(pruned)  # it is too small
