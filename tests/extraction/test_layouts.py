"""Trees layout by layout."""

from collections import Counter
from itertools import groupby
from typing import Any

import pytest
from helpers.extracting import extract, here, sum_to
from helpers.oracles.forest import shape_of
from helpers.small_forests import small_forest

from puretree import Tree
from puretree.encoding import layout_of


def cut(shape: Any, depth: int) -> Any:
    """Return the upper part of a tree with everything but its shape left out."""
    if not isinstance(shape, tuple):
        return "leaf"
    return "inner" if depth == 0 else (cut(shape[1], depth - 1), cut(shape[2], depth - 1))


@pytest.mark.parametrize("depth", [1, 2, 3, 9])
@pytest.mark.parametrize("seed", range(10))
def test_a_layout_is_the_shape_down_to_a_depth(seed: int, depth: int) -> None:
    """Trees have one layout exactly if they look the same down to the depth: far down, if they are of one shape."""
    trees = small_forest(seed, 1).forest[:200]
    layouts = [layout_of(tree, depth) for tree in trees]
    tops = [cut(tree.to_nested(), depth) for tree in trees]
    assert len(set(layouts)) == len(set(tops)) == len(set(zip(layouts, tops, strict=True)))
    if depth == 9:
        assert len(set(layouts)) == len({shape_of(tree.to_nested()) for tree in trees})


def test_a_leaf_is_its_own_layout() -> None:
    """There is nothing below it."""
    assert layout_of(Tree.from_nested("a"), 2) == "·"
    assert layout_of(Tree.from_nested((0, "a", "b")), 2) == "o··"


@pytest.mark.parametrize("diversity", ["none", "mdsol"])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", [2, 5, 6, 11, 17])
def test_layouts_take_turns(seed: int, depth: int, diversity: Any) -> None:
    """Each layout of the forest gives a tree, then each that has more gives another, until k are there."""
    forest = small_forest(seed).forest
    sizes = Counter(layout_of(tree, depth) for tree in forest)
    k = min(forest.count, 12)
    found = extract(forest.prepared, here(diversity, depth), k)
    order = [layout_of(tree, depth) for tree in found.trees]
    assert (len(order), found.stopped) == (k, "enough")
    expected = sorted((nth, place) for place, layout in enumerate(dict.fromkeys(order)) for nth in range(sizes[layout]))
    assert set(order) == set(sizes) or k < len(sizes)
    places = {layout: place for place, layout in enumerate(dict.fromkeys(order))}
    assert [places[layout] for layout in order] == [place for _, place in expected][:k]


@pytest.mark.parametrize("seed", [11, 17])
def test_diverse_trees_are_far_from_those_of_their_layout(seed: int) -> None:
    """Within a layout each tree has the greatest sum of distances to those before it: MDSOL for each layout."""
    forest = small_forest(seed).forest
    found = extract(forest.prepared, here("mdsol", 2), min(forest.count, 12)).trees
    by_layout = sorted(found, key=lambda tree: layout_of(tree, 2))
    for layout, group in groupby(by_layout, key=lambda tree: layout_of(tree, 2)):
        trees = list(group)
        left = {tree for tree in forest if layout_of(tree, 2) == layout}
        for place, tree in enumerate(trees):
            assert sum_to(tree, trees[:place]) == max(sum_to(other, trees[:place]) for other in left)
            left.remove(tree)
