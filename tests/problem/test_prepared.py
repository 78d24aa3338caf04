"""The way back from an engine's tree to the raw table."""

import numpy as np
import pytest

from puretree import PuretreeError, Tree, prepare


def test_a_tree_is_told_in_the_words_of_the_table() -> None:
    """Features become questions about columns, and the rows at each node are counted."""
    prepared = prepare([[1.0, "x"], [2.0, "x"], [3.0, "x"]], ["a", "b", "b"])
    told = prepared.decode_tree(Tree.from_nested((0, "b", "a")))
    assert [str(rule) for rule in told.rules()] == ["IF x0 ≤ 1.5 THEN a (1)", "IF x0 > 1.5 THEN b (2)"]
    np.testing.assert_array_equal(told.counts, [[1, 2], [0, 2], [1, 0]])


def test_a_wrong_tree_never_leaves() -> None:
    """A tree that an engine got wrong is caught on the raw rows."""
    prepared = prepare([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    with pytest.raises(PuretreeError, match="wrong on 3 training rows"):
        prepared.decode_tree(Tree.from_nested((0, "a", "b")))


def test_errors_are_counted_again_on_the_rows() -> None:
    """A tree may be wrong on as many rows as its engine says, no more and no fewer."""
    prepared = prepare([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    leaf = Tree.leaf(1, prepared.problem.classes)
    assert prepared.decode_tree(leaf, n_errors=1).n_nodes == 1
    with pytest.raises(PuretreeError, match="wrong on 1 training rows, not 2 as it was said to be"):
        prepared.decode_tree(leaf, n_errors=2)
