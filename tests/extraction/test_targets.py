"""The paper's distance of trees."""

from itertools import combinations

import numpy as np
import pytest
from helpers.small_forests import small_forest

from puretree import Tree
from puretree.extraction import hamming, mean_hamming, targets


def matrix(tree: Tree, n_features: int) -> np.ndarray:
    """Return the variables a[r,j] of a tree as the paper has them: a truth value for each feature and node."""
    a = np.zeros((n_features, tree.n_nodes), dtype=bool)
    for node in range(tree.n_nodes):
        if tree.left[node] >= 0:
            a[tree.feature[node], node] = True
    return a


@pytest.mark.parametrize("seed", range(6))
def test_the_distance_is_that_of_the_paper_s_variables(seed: int) -> None:
    """The distance counts the variables a[r,j] in which two trees differ, and the mean is that of all pairs."""
    trees = small_forest(seed).forest[:8]
    n_features = 1 + max(feature for tree in trees for feature in tree.features)
    distances = [int((matrix(x, n_features) ^ matrix(y, n_features)).sum()) for x, y in combinations(trees, 2)]
    assert [hamming(x, y) for x, y in combinations(trees, 2)] == distances
    assert mean_hamming(trees) == pytest.approx(np.mean(distances))


def test_trees_of_different_shapes_can_be_compared() -> None:
    """A node keeps its question but not its number if the shape beside it changes."""
    one = Tree.from_nested((0, (1, "a", "b"), (2, "a", "b")))
    other = Tree.from_nested((0, "b", (2, "a", (1, "a", "b"))))
    assert targets(one) == {(0, 1), (1, 2), (2, 3)}
    assert targets(other) == {(0, 1), (2, 3), (1, 5)}
    assert hamming(one, other) == 2


def test_fewer_than_two_trees_do_not_differ() -> None:
    """There is no pair to take the mean of."""
    assert mean_hamming([]) == mean_hamming([Tree.from_nested((0, "a", "b"))]) == 0.0
