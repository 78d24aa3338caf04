"""Counting."""

import pytest
from helpers.small_forests import small_forest, wide_forest

from puretree.forest import graph as graph_module


@pytest.mark.parametrize(("n_copies", "depth"), [(1, 3), (2, 2), (3, 5), (4, 5), (2, 6), (7, 6)])
def test_numbers_beyond_machine_words_are_exact(n_copies: int, depth: int) -> None:
    """With c ways to ask at each of the 2^d − 1 inner nodes there are c^(2^d − 1) trees, exactly."""
    forest = wide_forest(n_copies, depth)
    n_inner = 2**depth - 1
    assert forest.count == n_copies**n_inner
    assert forest.n_nodes == 2 * n_inner + 1
    assert forest.rank(forest[-1]) == n_copies**n_inner - 1
    for usage in forest.features():
        nodes_of_bit = 2 ** (usage.feature // n_copies)
        assert usage.n_trees == forest.count - (n_copies - 1) ** nodes_of_bit * n_copies ** (n_inner - nodes_of_bit)
    assert [layout.n_trees for layout in forest.layouts()] == [forest.count]


def test_a_large_forest_is_told_and_true() -> None:
    """Where len() cannot tell the number of trees, count does, and the forest is still true and printable."""
    forest = wide_forest(7, 6)
    assert forest
    assert repr(forest) == "<Forest: about 1.74e53 trees of 127 nodes>"
    with pytest.raises(OverflowError):
        len(forest)
    assert len(forest.sample(3, random_state=0)) == 3


@pytest.mark.parametrize("seed", range(10))
def test_machine_words_and_python_s_integers_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fast way for small numbers and the way for all numbers: as many trees under nodes and before edges."""
    graph = small_forest(seed, 1).forest.graph
    in_words = graph_module.count_trees(graph)
    monkeypatch.setattr(graph_module, "MOST_IN_WORDS", 0.0)
    exact = graph_module.count_trees(graph)
    assert (in_words.of_node, in_words.before) == (exact.of_node, exact.before)
