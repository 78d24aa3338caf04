"""Trees in the words of the table."""

import numpy as np
import pytest
from helpers.oracles.forest import Truth
from helpers.small_forests import forest_of, graph_of, proof, small_forest

from puretree import Forest, PuretreeError, prepare


@pytest.mark.parametrize("seed", range(10))
def test_quick_and_thorough_telling_agree(seed: int) -> None:
    """Trees of iteration are those told by the raw rows: same questions, same counts at every node."""
    forest = small_forest(seed).forest
    for rank, quick in enumerate(forest):
        thorough = forest[rank]
        assert quick == thorough
        np.testing.assert_array_equal(quick.counts, thorough.counts)


def test_rows_left_out_are_not_counted() -> None:
    """Equal rows count as many as they are, contradictory ones as far as they were kept."""
    table = [["red"]] * 3 + [["blue"]] * 3
    prepared = prepare(table, [0, 0, 1, 1, 1, 1], on_conflict="majority")
    (tree, *_) = forest_of(prepared)
    assert tree.counts is not None
    assert tree.counts[0].tolist() == [2, 3]


def test_a_wrong_graph_hands_out_no_tree() -> None:
    """If a graph holds a tree that is wrong, iteration and ranks find out before anybody sees it."""
    prepared = prepare([[0.0], [1.0]], ["a", "b"])
    forest = Forest(prepared, graph_of(Truth([[0], [1]], [0, 1])), proof(3))  # takes "≤ 0.5" for its opposite
    with pytest.raises(PuretreeError, match="wrong on 2 examples"):
        next(iter(forest))
    with pytest.raises(PuretreeError, match="wrong on 2 training rows"):
        forest[0]
