"""Cost problems: examples with the cost of each label, and the costs of trees."""

from typing import Any

import numpy as np
import pytest
from helpers.oracles.front import BruteForceFront, cost_of
from helpers.random_problems import larger_cost_problem, random_cost_problem, random_cost_table, rows_of
from helpers.strategies import weighted_tables
from hypothesis import given

from puretree import BinaryProblem, InputError, Tree
from puretree.problem import CostProblem, prepare_costs


@given(weighted_tables())
def test_examples_have_the_costs_of_their_rows(table: tuple[list[list[int]], list[int], dict[str, Any]]) -> None:
    """Equal rows share an example, whatever their labels; its costs and its number of rows are their sums."""
    X, y, options = table
    prepared = prepare_costs(X, y, **options)
    problem, row_costs = prepared.problem, prepared.row_costs
    bits = prepared.binarizer.transform(prepared.table)
    assert problem.n_examples == len({tuple(row) for row in bits.tolist()})
    totals = np.zeros_like(problem.costs)
    np.add.at(totals, problem.example_of_row, row_costs.costs)
    np.testing.assert_array_equal(totals, problem.costs)
    assert problem.n_rows.tolist() == np.bincount(problem.example_of_row).tolist()
    examples = problem.features.unpack()[:, problem.example_of_row]
    np.testing.assert_array_equal(examples, bits[:, problem.merge.original_of_feature].T)
    np.testing.assert_array_equal(problem.examples.unpack(), problem.features.unpack().T)


@pytest.mark.parametrize("seed", range(40))
def test_trees_cost_what_brute_force_says(seed: int) -> None:
    """On 40 problems, trees listed by brute force cost as much, over merged and over original features."""
    X, y, options = random_cost_table(seed)
    prepared = prepare_costs(X, y, **options)
    problem = prepared.problem
    rows, costs = rows_of(problem), problem.costs.tolist()
    front = BruteForceFront(rows, costs, problem.n_rows.tolist())
    trees = [tree for n_tests in range(3) for tree in front.trees(n_tests)]
    assert trees
    for nested in trees[:20]:
        tree = Tree.from_nested(nested, problem.classes)
        cost = cost_of(nested, rows, costs)
        assert problem.cost(tree) == cost >= problem.least_cost
        assert prepared.decode_tree(tree, cost).counts[0].sum() == problem.n_rows.sum()
    assert problem.leaf() == (front.trees(0)[0], front.least_cost(0))


@pytest.mark.parametrize("seed", range(40))
def test_the_oracle_agrees_with_itself(seed: int) -> None:
    """The least costs are those of the trees that are counted, and as many trees are listed as counted."""
    problem = random_cost_problem(seed)
    rows, costs, weights = rows_of(problem), problem.costs.tolist(), problem.n_rows.tolist()
    for options in ({}, {"max_depth": 2}, {"min_samples_leaf": 3}, {"root": [0]}):
        front = BruteForceFront(rows, costs, weights, **options)
        counts = front.counts(3)
        for n_tests in range(4):
            least = min(cost for (size, cost) in counts if size <= n_tests)
            assert front.least_cost(n_tests) == least
            listed = front.trees(n_tests)
            assert len(set(listed)) == len(listed) == sum(n for (size, _), n in counts.items() if size == n_tests)
            assert all(counts[n_tests, cost_of(tree, rows, costs)] for tree in listed)


def test_the_oracle_counts_original_features() -> None:
    """Equal and complementary features are tests of their own, if the rows are those before merging."""
    X = np.array([[1, 0], [0, 1], [0, 1]])
    problem = CostProblem.from_rows(X, ["a", "b", "b"])
    assert BruteForceFront(rows_of(problem), problem.costs.tolist()).counts(2) == {(0, 1): 1, (1, 0): 1}
    original = BruteForceFront(X.tolist(), problem.costs[problem.example_of_row].tolist())
    assert original.counts(1) == {(0, 1): 1, (1, 0): 2}


def test_features_are_merged_as_in_binary_problems() -> None:
    """Contradictions aside, a cost problem has the features of the binary problem, and counts its errors."""
    for seed in range(8):
        problem = larger_cost_problem(seed)
        bits = problem.examples.unpack()
        binary = BinaryProblem.from_rows(bits, np.arange(len(bits)))
        np.testing.assert_array_equal(problem.features.words, binary.features.words)
        tree = Tree.from_nested((0, 0, 1), problem.classes)
        labels = np.where(problem.answers(0), 1, 0)
        assert problem.cost(tree) == problem.costs[np.arange(len(bits)), labels].sum()


def test_ties_of_a_leaf_go_to_the_first_class() -> None:
    """Of equally cheap labels a leaf predicts the first."""
    problem = CostProblem.from_rows([[0], [0], [1]], ["b", "a", "c"])
    assert problem.leaf() == (0, 2)
    assert problem.leaf(np.array([1])) == (2, 0)
    assert problem.least_cost == 1


def test_only_allowed_features_are_used() -> None:
    """A problem has the allowed features only, and rows of weight 0 define none."""
    X = [[0, 0, 1], [0, 1, 0], [1, 1, 1]]
    problem = CostProblem.from_rows(X, [0, 1, 1], allowed=[2])
    assert problem.merge.feature_of_original.tolist() == [-1, -1, 0]
    assert repr(problem) == "<CostProblem: 2 examples × 1 feature, 2 classes>"
    problem = CostProblem.from_rows(X, [0, 1, 1], sample_weight=[1, 1, 0])
    assert problem.n_examples == 2
    assert problem.merge.feature_of_original.tolist() == [-1, 0, 0]


def test_an_empty_matrix_is_an_error() -> None:
    """Without rows there is no problem."""
    with pytest.raises(InputError, match="the table is empty; at least one row is required"):
        CostProblem.from_rows(np.zeros((0, 2)), [])
