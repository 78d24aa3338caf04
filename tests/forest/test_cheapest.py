"""The cheapest of the minimum trees, against the cost of each."""

from typing import Any

import numpy as np
import pytest
from helpers.oracles.forest import size_of
from helpers.small_forests import Small, small_forest

from puretree import Forest, InputError, minimum_tree, minimum_trees
from puretree.forest.cheapest import cheapest_trees
from puretree.problem import LARGEST_COST


def given(small: Small, seed: int) -> tuple[Any, list[Any], dict[str, Any]]:
    """Return the table and labels of a small forest, and how it was prepared."""
    prepared = small.forest.prepared
    y = [prepared.labels.classes[code] for code in prepared.labels.codes]
    return prepared.table, y, {"binarize": ("thresholds", "onehot", "bits")[seed % 3], "on_conflict": "majority"}


def cost_of(nested: Any, costs: Any) -> int:
    """Add up the costs of a tree's tests."""
    return costs[nested[0]] + cost_of(nested[1], costs) + cost_of(nested[2], costs) if isinstance(nested, tuple) else 0


def cheapest_by_listing(small: Small, costs: Any) -> list[Any]:
    """Return the trees that cost least among those of their size, in order."""
    least: dict[int, int] = {}
    for tree in small.trees:
        least[size_of(tree)] = min(cost_of(tree, costs), least.get(size_of(tree), cost_of(tree, costs)))
    return [tree for tree in small.trees if cost_of(tree, costs) == least[size_of(tree)]]


@pytest.mark.parametrize(("seed", "extra"), [(seed, seed % 3) for seed in range(30)])
def test_the_cheapest_are_those_of_trying_all(seed: int, extra: int) -> None:
    """Every tree that costs least among those of its size, no other, in canonical order; equal questions differ."""
    small = small_forest(seed, extra)
    X, y, options = given(small, seed)
    rng = np.random.default_rng(seed)
    costs = {column: int(rng.integers(0, 4)) for column in range(len(X.names))}
    forest = minimum_trees(X, y, extra=extra, feature_costs=costs, **options)
    of_feature = [costs[predicate.column.index] for predicate in small.forest.prepared.binarizer.features_]
    expected = cheapest_by_listing(small, of_feature)
    assert [tree.to_nested() for tree in forest] == expected
    assert [forest.rank(tree) for tree in forest] == list(range(forest.count))
    assert forest.outcome.cost == cost_of(expected[0], of_feature)
    assert forest.outcome.tree.to_nested() == expected[0]


@pytest.mark.parametrize("seed", range(25))
def test_the_cost_is_that_of_the_minimum_tree(seed: int) -> None:
    """One tree by search and all of them by the forest: as many nodes, then the same cost; also with a root given."""
    X, y, options = given(small_forest(seed), seed)
    wishes = {"costs": {0: 1, 1: 1, 2: 5}, "root": (None, 0)[seed % 2], **options}
    one = minimum_tree(X, y, minimise="nodes-then-cost", **wishes)
    forest = minimum_trees(X, y, **wishes)
    assert (forest.outcome.n_nodes, forest.outcome.cost) == (one.n_nodes, one.cost)
    assert forest.outcome.minimised == one.minimised
    assert str(forest.outcome).split("(")[0] == str(one).split("(")[0]
    assert one.tree in forest


def test_costs_may_be_as_large_as_they_come() -> None:
    """The dearest allowed, and beyond machine words: sums are exact."""
    small = small_forest(7, 1)
    n_features = len(small.forest.prepared.binarizer.features_)
    for dearest in (LARGEST_COST, 2**61):
        costs = dearest - np.arange(n_features)
        graph, cost = cheapest_trees(small.forest.graph, costs)
        expected = cheapest_by_listing(small, costs.tolist())
        forest: Forest = small.forest._part(graph)
        assert [tree.to_nested() for tree in forest] == expected
        assert cost == cost_of(expected[0], costs.tolist())


def test_the_same_cost_for_all_leaves_all() -> None:
    """Without a difference in costs nothing is left out."""
    small = small_forest(7)
    X, y, options = given(small, 7)
    forest = minimum_trees(X, y, costs=dict.fromkeys(X.names, 3), **options)
    assert forest.count == small.forest.count
    assert forest.outcome.cost == 3 * (forest.n_nodes // 2)


def test_one_class_costs_nothing() -> None:
    """A single leaf asks nothing."""
    forest = minimum_trees([[1, "a"], [2, "b"]], ["yes", "yes"], feature_costs={0: 7})
    assert (forest.count, forest.outcome.cost) == (1, 0)


@pytest.mark.parametrize(
    ("costs", "message"), [({"x9": 1}, "x9"), ({0: -1}, "cost of column 0 is -1"), ([1], "mapping")]
)
def test_costs_that_make_no_sense_are_refused(costs: Any, message: str) -> None:
    """As everywhere, by name."""
    with pytest.raises(InputError, match=message):
        minimum_trees([[1, 2], [2, 1]], [0, 1], feature_costs=costs)
