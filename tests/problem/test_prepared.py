"""From an engine's tree back to the raw table."""

from dataclasses import replace

import numpy as np
import pytest

from puretree import InputError, PuretreeError, Tree, UnfinishedError, prepare
from puretree._support.clock import Clock
from puretree.problem import OrdinalProblem, prepare_costs
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


def test_a_wrong_cost_is_rejected() -> None:
    """A tree must have exactly the reported cost on the raw rows, in units; rows of weight 0 do not count."""
    prepared = prepare_costs([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "a"], sample_weight=[0.5, 1, 0.25, 0])
    assert prepared.problem.unit == 0.25
    assert prepared.row_numbers.tolist() == [0, 1, 2]
    stump = Tree.from_nested((0, "b", "a"))
    tree = prepared.decode_tree(stump, 0)
    assert [str(rule) for rule in tree.rules()] == ["IF x0 ≤ 1 THEN a (1)", "IF x0 > 1 THEN b (2)"]
    np.testing.assert_array_equal(tree.counts, [[1, 2], [0, 2], [1, 0]])
    assert prepared.decode_tree(Tree.leaf(0, ("a", "b")), 5).n_nodes == 1
    with pytest.raises(PuretreeError, match=r"costs 5 on the training rows, not 2 as reported \(in units of 0.25\)"):
        prepared.decode_tree(Tree.leaf(0, ("a", "b")), 2)
    with pytest.raises(PuretreeError, match="costs 1 on the training rows, not 0 as reported: this is a bug"):
        prepare_costs([[1.0], [2.0]], ["a", "b"]).decode_tree(Tree.leaf(0, ("a", "b")), 0)


def test_the_cost_is_checked_on_the_raw_rows() -> None:
    """A problem whose costs were damaged after reading does not pass: the check uses the rows alone."""
    prepared = prepare_costs([[1.0], [2.0], [2.0]], ["a", "b", "a"])
    damaged = replace(prepared, problem=replace(prepared.problem, costs=prepared.problem.costs * 0))
    tree = Tree.leaf(0, ("a", "b"))
    assert damaged.problem.cost(tree) == 0
    with pytest.raises(PuretreeError, match="costs 1 on"):
        damaged.decode_tree(tree, damaged.problem.cost(tree))


def test_contradictory_rows_cost_their_errors() -> None:
    """Contradictory rows share an example, and table weights count in costs, rows and the tree's counts."""
    table = replace(read_table([[1.0], [1.0], [2.0]]), weights=np.array([2, 5, 3]))
    prepared = prepare_costs(table, ["a", "b", "a"])
    assert prepared.problem.costs.tolist() == [[5, 2], [0, 3]]
    assert prepared.problem.n_rows.tolist() == [7, 3]
    tree = prepared.decode_tree(Tree.from_nested((0, "a", "b")), 2)
    np.testing.assert_array_equal(tree.counts, [[5, 5], [3, 0], [2, 5]])


def test_roots_and_forbidden_columns_of_cost_problems() -> None:
    """The problem has the features of allowed columns, and names those of the root column."""
    X = [[1.0, 1, 5], [2.0, 2, 4], [3.0, 1, 4], [3.0, 1, 5]]
    prepared = prepare_costs(X, [0, 1, 1, 0], root=1, forbidden=[2])
    assert prepared.roots == {0}
    assert [prepared.binarizer.features_[i].column.index for i in prepared.problem.merge.original_of_feature] == [
        1,
        0,
        0,
    ]
    assert prepare_costs(X, [0, 1, 1, 0]).roots is None


def test_limits_hold_for_cost_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit on memory or time there is an error with a remedy, and no problem."""
    X, y = np.random.default_rng(0).random((20_000, 20)), np.arange(20_000) % 3
    with pytest.raises(InputError, match=r"the features would need .* GB.* limit them with max_cuts"):
        prepare_costs(X, y, memory_limit=1e9)
    monkeypatch.setattr("puretree.problem.prepared.GRACE", 0.0)
    with pytest.raises(UnfinishedError, match="the time limit of 0 s was reached while the table was binarised"):
        prepare_costs(X, y, clock=Clock(0))
    monkeypatch.setattr("puretree.problem.prepared.COST_BYTES", 1e9)
    with pytest.raises(InputError, match=r"3 rows of 1 column and 2 classes need 6\.0 GB more"):
        prepare_costs([[1.0], [2.0], [3.0]], ["a", "b", "b"], memory_limit=1e9)


@pytest.mark.parametrize("seed", range(20))
def test_weights_decide_which_contradictory_rows_are_kept(seed: int) -> None:
    """Those of the label with the greatest total weight, ties to the smallest label; rows of weight 0 are left out."""
    random = np.random.default_rng(seed)
    X, y, weights = random.integers(0, 4, (40, 1)), random.integers(0, 3, 40), random.integers(0, 5, 40) / 10
    prepared = prepare(X, y, on_conflict="majority", sample_weight=weights)
    kept = prepared.row_numbers[prepared.problem.kept_rows]
    totals = {value: [round(weights[(X[:, 0] == value) & (y == c)].sum(), 6) for c in range(3)] for value in range(4)}
    expected = [row for row in range(40) if weights[row] and y[row] == int(np.argmax(totals[X[row, 0]]))]
    assert kept.tolist() == expected
    assert prepared.row_numbers.tolist() == np.flatnonzero(weights).tolist()
    assert prepared.weights == pytest.approx(weights[weights > 0])
