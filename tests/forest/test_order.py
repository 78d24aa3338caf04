"""The canonical order: iteration, rank and unrank against brute force, and uniform sampling."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from helpers.oracles.forest import size_of
from helpers.small_forests import forest_of, proof, small_forest
from scipy.stats import chisquare

from puretree import Forest, InputError, Tree, prepare
from puretree.datasets import load
from puretree.forest import Graph
from puretree.forest.order import draw_below, draw_ranks


@pytest.mark.parametrize("extra", [0, 1, 2, "band"])
@pytest.mark.parametrize("seed", range(25))
def test_iteration_yields_the_trees_of_brute_force(seed: int, extra: Any) -> None:
    """Iteration yields exactly the (near-)minimum trees over original features, each once, in canonical order.

    Brute force does not merge features. It lists the pure trees of minimum size, and of up to `extra` tests more.
    """
    small = small_forest(seed, extra)
    listed = [tree.to_nested() for tree in small.forest]
    assert listed == small.trees
    assert len(set(listed)) == small.forest.count == len(small.forest)
    sizes = [2 * size_of(tree) + 1 for tree in listed]
    assert small.forest.counts == {size: sizes.count(size) for size in sizes}
    assert small.forest.n_nodes == min(sizes)


@pytest.mark.parametrize("extra", [0, 1, 2, "band"])
@pytest.mark.parametrize("seed", range(25))
def test_the_rank_is_the_index_in_iteration_order(seed: int, extra: Any) -> None:
    """The tree of rank i is the i-th of iteration, and its rank is i."""
    forest = small_forest(seed, extra).forest
    for rank, tree in islice(enumerate(forest), 0, None, 7):
        assert forest[rank].to_nested() == tree.to_nested()
        assert forest.rank(tree) == rank
        assert tree in forest


def test_ranks_behave_like_list_indices() -> None:
    """Negative ranks count from the end, slices return lists, and an IndexError states the number of trees."""
    small = small_forest(7)
    forest, trees = small.forest, small.trees
    assert forest[-1].to_nested() == trees[-1]
    assert [tree.to_nested() for tree in forest[5:1:-2]] == trees[5:1:-2]
    for rank in (len(trees), -len(trees) - 1):
        with pytest.raises(IndexError, match=f"the forest has {len(trees)}"):
            forest[rank]


def test_a_tree_outside_the_forest_has_no_rank() -> None:
    """Trees of other sizes, tests or labels are not in the forest, and their rank raises an error."""
    forest = forest_of(prepare([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], binarize="thresholds"))
    inside = (0, (1, 0, 1), (1, 1, 0))
    assert Tree.from_nested(inside) in forest
    for outside in [0, (0, 0, 1), (0, (1, 1, 0), (1, 0, 1)), (0, (0, 0, 1), (1, 1, 0)), (0, 1, (1, (0, 0, 1), 0))]:
        tree = Tree.from_nested(outside, classes=[0, 1])
        assert tree not in forest
        with pytest.raises(InputError, match="not in this forest"):
            forest.rank(tree)
    assert "tree" not in forest


@pytest.mark.parametrize(("name", "n_nodes", "count"), [("mux6", 15, 2), ("monks-1", 29, 2368)])
def test_counts_equal_those_of_the_paper(name: str, n_nodes: int, count: int) -> None:
    """The forest has as many trees as the paper reports solutions."""
    dataset = load(f"formula:{name}")
    forest = forest_of(prepare(dataset.table, dataset.target, binarize="bits"))
    assert (forest.n_nodes, forest.count) == (n_nodes, count)
    assert len({tree.to_nested() for tree in forest}) == count


def deep_forest(depth: int) -> Forest:
    """Make the forest of one tree that splits a number line into single points from left to right: a chain of tests."""
    table = [[value] for value in range(depth + 1)]
    prepared = prepare(table, [value % 2 for value in range(depth + 1)])
    # Feature i tests "x ≤ i + 0.5"; node 2 + i is the chain from depth - i on, and its yes child is a leaf.
    label = np.array([0, 1] + [-1] * depth, dtype=np.int32)
    feature = np.arange(depth - 1, -1, -1, dtype=np.int32)
    no = np.array([depth % 2, *range(2, depth + 1)], dtype=np.int32)
    yes = (feature % 2).astype(np.int32)
    start = np.array([0, 0, *range(depth + 1)], dtype=np.int64)
    size = np.array([0, 0, *range(1, depth + 1)], dtype=np.int32)
    return Forest(prepared, Graph(label, size, start, feature, no, yes, np.array([depth + 1])), proof(2 * depth + 1))


def test_trees_may_be_deeper_than_the_recursion_limit() -> None:
    """A chain of 1,500 tests can be listed, ranked, sampled, scored and compared."""
    forest = deep_forest(1500)
    (tree,) = forest
    assert tree.depth == forest[0].depth == 1500
    assert forest.rank(tree) == 0
    assert forest.layouts()[0].shape.startswith("(((")
    assert forest.best([[0], [1]], [0, 1]).accuracy == 1
    assert len(forest.diverse(1)) == len(forest.diverse(1, "mdsol")) == len(forest.sample(1)) == 1


def test_every_tree_is_equally_likely() -> None:
    """Single draws are uniform over all trees, and so is the first element of larger draws."""
    forest = small_forest(7).forest
    total = forest.count
    random = np.random.RandomState(0)
    for k in (1, 3):
        drawn = [draw_ranks(k, total, random)[0] for _ in range(20 * total)]
        assert chisquare(np.bincount(drawn, minlength=total)).pvalue > 0.001


def test_every_ordered_selection_is_equally_likely() -> None:
    """All 60 ordered selections of 3 out of 5 are about equally frequent."""
    random = np.random.RandomState(1)
    drawn = [tuple(draw_ranks(3, 5, random)) for _ in range(6000)]
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 60
    assert chisquare(counts).pvalue > 0.001


def test_large_integers_are_drawn_uniformly() -> None:
    """Draws below 3·2^200 fall into each third about equally often."""
    random = np.random.RandomState(2)
    thirds = [draw_below(3 * 2**200, random) >> 200 for _ in range(3000)]
    assert chisquare(np.bincount(thirds)).pvalue > 0.001


def test_samples_are_distinct_and_reproducible() -> None:
    """No tree is drawn twice, the same seed draws the same trees, and all trees can be drawn."""
    forest = small_forest(7).forest
    drawn = forest.sample(40, random_state=3)
    assert len(set(drawn)) == 40
    assert drawn == forest.sample(40, random_state=3)
    assert drawn != forest.sample(40, random_state=4)
    assert sorted(map(forest.rank, forest.sample(forest.count))) == list(range(forest.count))
    assert forest.sample(0) == []


@pytest.mark.parametrize("k", [-1, 1.5, 10**6])
def test_an_invalid_sample_size_is_rejected(k: float) -> None:
    """The message states how many trees there are, or what sizes are valid."""
    with pytest.raises(InputError, match=r"k=.*(there are only 268|at least 0)"):
        small_forest(7).forest.sample(k)  # type: ignore[arg-type]
