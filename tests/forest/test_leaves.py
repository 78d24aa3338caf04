"""The mean class frequencies in the leaves of all trees, against those of each tree."""

from typing import Any

import numpy as np
import pytest
from helpers.small_forests import small_forest

from puretree import UnfinishedError
from puretree.forest import Forest, leaves
from puretree.problem import PreparedCosts
from puretree.tree import class_shares


def fresh(forest: Forest) -> Forest:
    """Return a forest that does not know its leaves."""
    return forest._subforest(forest.graph)


def expected_means(forest: Forest, X: Any, smoothing: float) -> np.ndarray[Any, Any]:
    """Return the mean over the trees, one by one."""
    prepared, means = forest.prepared, []
    for tree in forest:
        of_nodes = tree.weights_of_nodes(tree.apply(prepared.table), prepared.labels.codes, prepared.weights)
        means.append(class_shares(of_nodes, smoothing)[tree.apply(X)])
    return np.mean(means, axis=0)


@pytest.mark.parametrize("smoothing", [0.0, 2.0])
@pytest.mark.parametrize("extra", [0, 1, "band"])
@pytest.mark.parametrize("seed", range(15))
def test_means_are_those_of_all_trees(seed: int, extra: Any, smoothing: float) -> None:
    """On rows not in training, for pure trees and for trees with errors."""
    small = small_forest(seed, extra)
    means = small.forest.predict_proba(small.X, smoothing=smoothing)
    np.testing.assert_allclose(means, expected_means(small.forest, small.X, smoothing), rtol=0, atol=1e-12)
    np.testing.assert_allclose(means.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_rows_found_step_by_step_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step may have a single edge."""
    small = small_forest(3, "band")
    means = small.forest.predict_proba(small.X)
    monkeypatch.setattr(leaves, "WORDS_PER_STEP", 1)
    np.testing.assert_allclose(fresh(small.forest).predict_proba(small.X), means, rtol=0, atol=1e-12)


def test_leaves_are_told_apart_by_their_rows() -> None:
    """The other graph has the same trees, and a leaf for each number of rows of the classes."""
    forest = fresh(small_forest(3, "band").forest)
    assert isinstance(forest.prepared, PreparedCosts)
    forest.split_leaves()
    found = forest._leaves
    assert found is not None
    assert found.graph.n_edges == forest.graph.n_edges
    assert len(np.unique(found.weights, axis=0)) == len(found.weights) == (found.graph.size == 0).sum()
    prepared, of_trees = forest.prepared, set()
    for tree in forest:
        of_nodes = tree.weights_of_nodes(tree.apply(prepared.table), prepared.labels.codes, prepared.weights)
        of_trees |= {tuple(weights) for weights in of_nodes[tree.left < 0].tolist()}
    assert {tuple(weights) for weights in found.weights.tolist()} == of_trees


def test_limits_raise_errors() -> None:
    """The errors say what needs more time or memory."""
    for limit, match in (({"time_limit": 0}, "time limit reached"), ({"memory_limit": 1}, "needs more than")):
        with pytest.raises(UnfinishedError, match=f"{match}.*finding the leaves|finding the leaves.*{match}"):
            fresh(small_forest(3, "band").forest).split_leaves(**limit)
