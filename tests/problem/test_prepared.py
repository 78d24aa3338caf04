"""From an engine's tree back to the raw table."""

from dataclasses import replace

import numpy as np
import pytest

from puretree import InputError, PuretreeError, Tree, prepare
from puretree.problem import OrdinalProblem
from puretree.table import read_table


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


@pytest.mark.parametrize("max_bits", [0, 2**25])
def test_rows_count_with_their_weights(max_bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of contradictory rows the heavier label is kept; examples and nodes count what each row stands for."""
    monkeypatch.setattr("puretree.problem.prepared.MAX_BITS", max_bits)
    table = replace(read_table([[1.0], [1.0], [2.0]]), weights=np.array([2, 5, 3]))
    prepared = prepare(table, ["a", "b", "a"], on_conflict="majority")
    assert isinstance(prepared.problem, OrdinalProblem) == (max_bits == 0)
    assert prepared.problem.weights.tolist() == [5, 3]
    assert prepared.problem.example_of_row.tolist() == [-1, 0, 1]
    tree = prepared.decode_tree(Tree.from_nested((0, "a", "b")))
    np.testing.assert_array_equal(tree.counts, [[3, 5], [3, 0], [0, 5]])


def test_a_table_beyond_the_memory_limit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the limit, what is missing, and the remedy; nothing is allocated before."""
    monkeypatch.setattr("puretree.problem.prepared.CODE_BYTES", 1e9)
    with pytest.raises(InputError, match=r"memory_limit=.* is too small: 3 rows of 1 column need 3.0 GB more"):
        prepare([[1.0], [2.0], [3.0]], ["a", "b", "b"], memory_limit=1e9)
    monkeypatch.setattr("puretree.problem.prepared.CODE_BYTES", 1e15)
    with pytest.raises(InputError, match="use fewer rows or columns"):
        prepare([[1.0], [2.0], [3.0]], ["a", "b", "b"])
