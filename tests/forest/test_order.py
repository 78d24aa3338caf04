"""The canonical order: listing, ranks and the way back, against brute force."""

from itertools import islice

import numpy as np
import pytest
from helpers.oracles.forest import size_of
from helpers.small_forests import forest_of, proof, small_forest

from puretree import Forest, InputError, Tree, prepare
from puretree.datasets import load
from puretree.forest import Graph


@pytest.mark.parametrize("extra", range(3))
@pytest.mark.parametrize("seed", range(25))
def test_the_trees_are_those_of_brute_force(seed: int, extra: int) -> None:
    """Iteration gives exactly the (near-)minimum trees over the given features, each once, in canonical order.

    Brute force knows nothing of merged features. It lists trees that are pure and of minimum size, up to `extra`.
    """
    small = small_forest(seed, extra)
    listed = [tree.to_nested() for tree in small.forest]
    assert listed == small.trees
    assert len(set(listed)) == small.forest.count == len(small.forest)
    sizes = [2 * size_of(tree) + 1 for tree in listed]
    assert small.forest.counts == {size: sizes.count(size) for size in sizes}
    assert small.forest.n_nodes == min(sizes)


@pytest.mark.parametrize("extra", range(3))
@pytest.mark.parametrize("seed", range(25))
def test_ranks_are_places_in_the_order(seed: int, extra: int) -> None:
    """The tree of rank i is the i-th of iteration, and its rank is i."""
    forest = small_forest(seed, extra).forest
    for rank, tree in islice(enumerate(forest), 0, None, 7):
        assert forest[rank].to_nested() == tree.to_nested()
        assert forest.rank(tree) == rank
        assert tree in forest


def test_ranks_behave_as_in_a_list() -> None:
    """Negative ranks count from the end, slices make lists, and past the ends is an IndexError that says how many."""
    small = small_forest(7)
    forest, trees = small.forest, small.trees
    assert forest[-1].to_nested() == trees[-1]
    assert [tree.to_nested() for tree in forest[5:1:-2]] == trees[5:1:-2]
    for rank in (len(trees), -len(trees) - 1):
        with pytest.raises(IndexError, match=f"the forest has {len(trees)}"):
            forest[rank]


def test_a_tree_that_is_not_there_has_no_rank() -> None:
    """Other sizes, tests and labels are told apart from what the forest holds."""
    forest = forest_of(prepare([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], binarize="thresholds"))
    there = (0, (1, 0, 1), (1, 1, 0))
    assert Tree.from_nested(there) in forest
    for other in [0, (0, 0, 1), (0, (1, 1, 0), (1, 0, 1)), (0, (0, 0, 1), (1, 1, 0)), (0, 1, (1, (0, 0, 1), 0))]:
        tree = Tree.from_nested(other, classes=[0, 1])
        assert tree not in forest
        with pytest.raises(InputError, match="not in this forest"):
            forest.rank(tree)
    assert "tree" not in forest


@pytest.mark.parametrize(("name", "n_nodes", "count"), [("mux6", 15, 2), ("monks-1", 29, 2368)])
def test_famous_counts(name: str, n_nodes: int, count: int) -> None:
    """The numbers of solutions that the paper reports."""
    dataset = load(f"formula:{name}")
    forest = forest_of(prepare(dataset.table, dataset.target, binarize="bits"))
    assert (forest.n_nodes, forest.count) == (n_nodes, count)
    assert len({tree.to_nested() for tree in forest}) == count


def deep_forest(depth: int) -> Forest:
    """Make all trees that split a number line into single points from left to right: a chain of tests."""
    table = [[place] for place in range(depth + 1)]
    prepared = prepare(table, [place % 2 for place in range(depth + 1)])
    # Feature i asks "x ≤ i + 0.5"; node 2 + i is the chain from depth - i on, its yes side a leaf.
    label = np.array([0, 1] + [-1] * depth, dtype=np.int32)
    feature = np.arange(depth - 1, -1, -1, dtype=np.int32)
    no = np.array([depth % 2, *range(2, depth + 1)], dtype=np.int32)
    yes = (feature % 2).astype(np.int32)
    start = np.array([0, 0, *range(depth + 1)], dtype=np.int64)
    size = np.array([0, 0, *range(1, depth + 1)], dtype=np.int32)
    return Forest(prepared, Graph(label, size, start, feature, no, yes, np.array([depth + 1])), proof(2 * depth + 1))


def test_trees_may_be_deeper_than_recursion_reaches() -> None:
    """A chain of 1,500 tests is listed, ranked, drawn, shaped, scored and compared."""
    forest = deep_forest(1500)
    (tree,) = forest
    assert tree.depth == forest[0].depth == 1500
    assert forest.rank(tree) == 0
    assert forest.layouts()[0].shape.startswith("(((")
    assert forest.best([[0], [1]], [0, 1]).accuracy == 1
    assert len(forest.diverse(1)) == len(forest.diverse(1, "mdsol")) == len(forest.sample(1)) == 1
