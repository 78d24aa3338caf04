"""Listed trees answer as a forest does."""

import numpy as np
import pytest
from helpers.small_forests import small_forest

from puretree.forest import TreeList


@pytest.mark.parametrize("seed", range(10))
def test_a_list_of_all_trees_answers_as_the_forest(seed: int) -> None:
    """Counts, shares, best trees and scores are the same."""
    small = small_forest(seed)
    trees = TreeList(list(small.forest))
    assert (trees.count, trees.classes, len(trees)) == (small.forest.count, small.forest.classes, small.forest.count)
    assert trees[0] == small.forest[0]
    assert small.forest[0] in trees
    assert np.allclose(trees.predict_distribution(small.X), small.forest.predict_distribution(small.X))
    scores = np.random.default_rng(seed).integers(-3, 4, (len(small.X), len(trees.classes)))
    for within in (0, 2):
        best, score = trees.best_for(scores, small.X, within=within)
        of_forest = small.forest.best_for(scores, small.X, within=within)
        assert score == of_forest.score
        assert set(best) == set(of_forest.forest)


def test_a_sample_has_no_tree_twice() -> None:
    """As many different trees as were asked for, the same for the same seed."""
    trees = TreeList(list(small_forest(1).forest))
    drawn = trees.sample(len(trees), random_state=0)
    assert set(drawn) == set(trees)
    assert drawn == trees.sample(len(trees), random_state=0)


def test_the_name_tells_how_many() -> None:
    """One tree, or some trees of a size."""
    tree = small_forest(1).forest[0]
    assert repr(TreeList([tree])) == f"<TreeList: 1 tree of {tree.n_nodes} nodes>"
