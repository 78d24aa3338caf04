"""The cheapest of the minimum trees, against the cost of each tree."""

from typing import Any

import numpy as np
import pytest
from helpers.oracles.forest import size_of
from helpers.small_forests import SmallForest, small_forest

from puretree import Forest, InputError, minimum_tree, minimum_trees
from puretree.forest.cheapest import cheapest_trees
from puretree.problem import LARGEST_COST


def inputs_of(small: SmallForest, seed: int) -> tuple[Any, list[Any], dict[str, Any]]:
    """Return the table, the labels and the options that a small forest was prepared with."""
    prepared = small.forest.prepared
    y = [prepared.labels.classes[code] for code in prepared.labels.codes]
    return prepared.table, y, {"binarize": ("thresholds", "onehot", "bits")[seed % 3], "on_conflict": "majority"}


def cost_of(nested: Any, costs: Any) -> int:
    """Return the sum of the costs of a tree's tests."""
    return costs[nested[0]] + cost_of(nested[1], costs) + cost_of(nested[2], costs) if isinstance(nested, tuple) else 0


def cheapest_by_listing(small: SmallForest, costs: Any) -> list[Any]:
    """Return the trees of least cost among those of their size, in canonical order."""
    least: dict[int, int] = {}
    for tree in small.trees:
        least[size_of(tree)] = min(cost_of(tree, costs), least.get(size_of(tree), cost_of(tree, costs)))
    return [tree for tree in small.trees if cost_of(tree, costs) == least[size_of(tree)]]


@pytest.mark.parametrize(("seed", "extra"), [(seed, seed % 3) for seed in range(30)])
def test_the_cheapest_trees_are_those_found_by_listing(seed: int, extra: int) -> None:
    """Exactly the trees of least cost among those of their size, in canonical order; equal features differ in cost."""
    small = small_forest(seed, extra)
    X, y, options = inputs_of(small, seed)
    rng = np.random.default_rng(seed)
    costs = {column: int(rng.integers(0, 4)) for column in range(len(X.names))}
    forest = minimum_trees(X, y, extra=extra, feature_costs=costs, **options)
    costs_of_features = [costs[predicate.column.index] for predicate in small.forest.prepared.binarizer.features_]
    expected = cheapest_by_listing(small, costs_of_features)
    assert [tree.to_nested() for tree in forest] == expected
    assert [forest.rank(tree) for tree in forest] == list(range(forest.count))
    assert forest.outcome.cost == cost_of(expected[0], costs_of_features)
    assert forest.outcome.tree.to_nested() == expected[0]


@pytest.mark.parametrize("seed", range(25))
def test_the_cost_is_that_of_the_minimum_tree(seed: int) -> None:
    """The search's tree and the forest have the same number of nodes and cost, also with a root constraint."""
    X, y, options = inputs_of(small_forest(seed), seed)
    options |= {"feature_costs": {0: 1, 1: 1, 2: 5}, "root": (None, 0)[seed % 2]}
    outcome = minimum_tree(X, y, minimise="nodes-then-cost", **options)
    forest = minimum_trees(X, y, **options)
    assert (forest.outcome.n_nodes, forest.outcome.cost) == (outcome.n_nodes, outcome.cost)
    assert forest.outcome.minimised == outcome.minimised
    assert str(forest.outcome).split("(")[0] == str(outcome).split("(")[0]
    assert outcome.tree in forest


def test_sums_of_large_costs_are_exact() -> None:
    """With the largest allowed cost, and with costs whose sums exceed int64, the trees and the cost are exact."""
    small = small_forest(7, 1)
    n_features = len(small.forest.prepared.binarizer.features_)
    for largest in (LARGEST_COST, 2**61):
        costs = largest - np.arange(n_features)
        graph, cost = cheapest_trees(small.forest.graph, costs)
        expected = cheapest_by_listing(small, costs.tolist())
        forest: Forest = small.forest._subforest(graph)
        assert [tree.to_nested() for tree in forest] == expected
        assert cost == cost_of(expected[0], costs.tolist())


def test_equal_costs_keep_all_trees() -> None:
    """With the same cost for all columns, no tree is dropped."""
    small = small_forest(7)
    X, y, options = inputs_of(small, 7)
    forest = minimum_trees(X, y, feature_costs=dict.fromkeys(X.names, 3), **options)
    assert forest.count == small.forest.count
    assert forest.outcome.cost == 3 * (forest.n_nodes // 2)


def test_a_single_leaf_has_cost_0() -> None:
    """With a single class, the tree has no tests and no cost."""
    forest = minimum_trees([[1, "a"], [2, "b"]], ["yes", "yes"], feature_costs={0: 7})
    assert (forest.count, forest.outcome.cost) == (1, 0)


@pytest.mark.parametrize(
    ("costs", "message"), [({"x9": 1}, "x9"), ({0: -1}, "cost of column 0 is -1"), ([1], "mapping")]
)
def test_invalid_costs_are_rejected(costs: Any, message: str) -> None:
    """The error names the column or the type."""
    with pytest.raises(InputError, match=message):
        minimum_trees([[1, 2], [2, 1]], [0, 1], feature_costs=costs)
