"""Feature usage, against listing all trees."""

from typing import Any

import pytest
from helpers.small_forests import forest_of, small_forest

from puretree import prepare


def features_of(nested: Any) -> set[int]:
    """Return the features that a tree tests."""
    return {nested[0]} | features_of(nested[1]) | features_of(nested[2]) if isinstance(nested, tuple) else set()


@pytest.mark.parametrize("extra", [0, 1, "band"])
@pytest.mark.parametrize("seed", range(25))
def test_usage_is_that_of_all_trees(seed: int, extra: Any) -> None:
    """The counts of trees and roots with a feature, and whether it is necessary, equal those found by listing."""
    small = small_forest(seed, extra)
    features = [features_of(tree) for tree in small.trees]
    roots = [tree[0] for tree in small.trees if isinstance(tree, tuple)]
    usages = small.forest.features()
    assert {usage.feature for usage in usages} == set().union(*features)
    for usage in usages:
        n_trees = sum(usage.feature in tree_features for tree_features in features)
        assert (usage.n_trees, usage.n_roots) == (n_trees, roots.count(usage.feature))
        assert usage.is_necessary == all(usage.feature in tree_features for tree_features in features)
        assert usage.share == n_trees / len(features)
    assert [usage.n_trees for usage in usages] == sorted((usage.n_trees for usage in usages), reverse=True)


def test_usage_formats_as_text() -> None:
    """Each usage formats as one line with the predicate, both fractions and whether it is necessary."""
    forest = forest_of(prepare([[0, 0], [0, 1], [1, 1]], [0, 1, 0]))
    assert [str(usage) for usage in forest.features()] == [
        "x0 = 1: in 100.0% of the trees, at the root in 50.0%, necessary",
        "x1 = 1: in 100.0% of the trees, at the root in 50.0%, necessary",
    ]


def test_a_single_leaf_uses_no_feature() -> None:
    """With a single class, the forest is one leaf without features, and all its methods work."""
    forest = forest_of(prepare([[0], [1]], [1, 1]))
    assert repr(forest) == "<Forest: 1 tree of 1 node>"
    assert forest.features() == []
    assert forest.layouts()[0].shape == "·"
    assert forest.predict_distribution([[0], [5]]).tolist() == [[1.0], [1.0]]
    assert forest.best([[0], [1], [2]], [1, 1, 2]).accuracy == 2 / 3
    assert [tree.to_nested() for tree in [*forest, forest[-1], *forest.sample(1), *forest.diverse(1)]] == [1] * 4
    assert forest.rank(forest[0]) == 0
