"""From an engine's tree back to the raw table."""

import numpy as np
import pytest

from puretree import PuretreeError, Tree, prepare


def test_a_tree_is_decoded() -> None:
    """Features become predicates on columns, and the rows at each node are counted."""
    prepared = prepare([[1.0, "x"], [2.0, "x"], [3.0, "x"]], ["a", "b", "b"])
    tree = prepared.decode_tree(Tree.from_nested((0, "b", "a")))
    assert [str(rule) for rule in tree.rules()] == ["IF x0 ≤ 1 THEN a (1)", "IF x0 > 1 THEN b (2)"]
    np.testing.assert_array_equal(tree.counts, [[1, 2], [0, 2], [1, 0]])


def test_a_wrong_tree_is_rejected() -> None:
    """A tree that misclassifies raw rows raises an error."""
    prepared = prepare([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    with pytest.raises(PuretreeError, match="misclassifies 3 training rows"):
        prepared.decode_tree(Tree.from_nested((0, "a", "b")))


def test_errors_are_counted_on_the_rows() -> None:
    """A tree misclassifies exactly as many rows as its engine reports, or it raises an error."""
    prepared = prepare([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    leaf = Tree.leaf(1, prepared.problem.classes)
    assert prepared.decode_tree(leaf, n_errors=1).n_nodes == 1
    with pytest.raises(PuretreeError, match="misclassifies 1 training row, not 2 as reported"):
        prepared.decode_tree(leaf, n_errors=2)
