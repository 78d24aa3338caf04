"""Decoding trees of the graph into trees of the raw table."""

import numpy as np
import pytest
from helpers.oracles.forest import BruteForceForest
from helpers.small_forests import forest_of, graph_of, proof, small_forest

from puretree import Forest, PuretreeError, prepare


@pytest.mark.parametrize("seed", range(10))
def test_both_ways_of_decoding_agree(seed: int) -> None:
    """Trees decoded with the distinct examples equal those decoded with the raw rows, counts at all nodes included."""
    forest = small_forest(seed).forest
    for rank, on_examples in enumerate(forest):
        on_rows = forest[rank]
        assert on_examples == on_rows
        np.testing.assert_array_equal(on_examples.counts, on_rows.counts)


def test_dropped_rows_are_not_counted() -> None:
    """The counts include duplicate rows, and of contradictory rows those that were kept."""
    table = [["red"]] * 3 + [["blue"]] * 3
    prepared = prepare(table, [0, 0, 1, 1, 1, 1], on_conflict="majority")
    (tree, *_) = forest_of(prepared)
    assert tree.counts is not None
    assert tree.counts[0].tolist() == [2, 3]


def test_a_wrong_graph_yields_no_tree() -> None:
    """If a graph contains an impure tree, both iteration and access by rank raise an error."""
    prepared = prepare([[0.0], [1.0]], ["a", "b"])
    inverted = graph_of(BruteForceForest([[1], [0]], [0, 1]))  # takes "= 1" for its complement
    forest = Forest(prepared, inverted, proof(3))
    with pytest.raises(PuretreeError, match="misclassifies 2 examples"):
        next(iter(forest))
    with pytest.raises(PuretreeError, match="2 training rows"):
        forest[0]
