"""A list of trees has the interface of a forest."""

import numpy as np
import pytest
from helpers.small_forests import small_forest

from puretree.forest import TreeList


@pytest.mark.parametrize("seed", range(10))
def test_a_list_of_all_trees_agrees_with_the_forest(seed: int) -> None:
    """Counts, class fractions, best trees and scores are the same."""
    small = small_forest(seed)
    trees = TreeList(list(small.forest))
    assert (trees.count, trees.classes, len(trees)) == (small.forest.count, small.forest.classes, small.forest.count)
    assert trees[0] == small.forest[0]
    assert small.forest[0] in trees
    assert np.allclose(trees.predict_distribution(small.X), small.forest.predict_distribution(small.X))
    scores = np.random.default_rng(seed).integers(-3, 4, (len(small.X), len(trees.classes)))
    for within in (0, 2):
        best, score = trees.best_for(scores, small.X, within=within)
        best_of_forest = small.forest.best_for(scores, small.X, within=within)
        assert score == best_of_forest.score
        assert set(best) == set(best_of_forest.forest)


def test_a_sample_has_no_duplicates() -> None:
    """A sample contains distinct trees, the same for the same seed."""
    trees = TreeList(list(small_forest(1).forest))
    drawn = trees.sample(len(trees), random_state=0)
    assert set(drawn) == set(trees)
    assert drawn == trees.sample(len(trees), random_state=0)


def test_the_repr_shows_the_number_of_trees() -> None:
    """The repr shows the number of trees and their size."""
    tree = small_forest(1).forest[0]
    assert repr(TreeList([tree])) == f"<TreeList: 1 tree of {tree.n_nodes} nodes>"
