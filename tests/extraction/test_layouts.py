"""Enumeration of trees by layout."""

from collections import Counter
from itertools import groupby
from typing import Any

import pytest
from helpers.extracting import distance_sum, extract, in_process
from helpers.oracles.forest import shape_of
from helpers.small_forests import small_forest

from puretree import Tree
from puretree._support.clock import Clock
from puretree.encoding import layout_of
from puretree.extraction.tree_oracle import TreeOracle


def truncate(nested: Any, depth: int) -> Any:
    """Return the shape of a tree down to a depth."""
    if not isinstance(nested, tuple):
        return "leaf"
    return "inner" if depth == 0 else (truncate(nested[1], depth - 1), truncate(nested[2], depth - 1))


@pytest.mark.parametrize("depth", [1, 2, 3, 9])
@pytest.mark.parametrize("seed", range(10))
def test_a_layout_is_the_shape_down_to_a_depth(seed: int, depth: int) -> None:
    """Trees have the same layout exactly if their shapes agree down to the depth."""
    trees = small_forest(seed, 1).forest[:200]
    layouts = [layout_of(tree, depth) for tree in trees]
    truncated = [truncate(tree.to_nested(), depth) for tree in trees]
    assert len(set(layouts)) == len(set(truncated)) == len(set(zip(layouts, truncated, strict=True)))
    if depth == 9:
        assert len(set(layouts)) == len({shape_of(tree.to_nested()) for tree in trees})


def test_small_trees_have_layouts() -> None:
    """A leaf and a single test have layouts although they are less deep."""
    assert layout_of(Tree.from_nested("a"), 2) == "·"
    assert layout_of(Tree.from_nested((0, "a", "b")), 2) == "o··"


@pytest.mark.parametrize("diversity", ["none", "mdsol"])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", [2, 5, 6, 11, 17])
def test_layouts_alternate(seed: int, depth: int, diversity: Any) -> None:
    """Each layout of the forest yields one tree, then each with further trees another one, until there are k."""
    forest = small_forest(seed).forest
    sizes = Counter(layout_of(tree, depth) for tree in forest)
    k = min(forest.count, 12)
    extraction = extract(forest.prepared, in_process(diversity, depth), k)
    layouts = [layout_of(tree, depth) for tree in extraction.trees]
    assert (len(layouts), extraction.stopped) == (k, "enough")
    assert set(layouts) == set(sizes) or k < len(sizes)
    index_of = {layout: index for index, layout in enumerate(dict.fromkeys(layouts))}
    rounds = sorted((nth, index) for layout, index in index_of.items() for nth in range(sizes[layout]))
    assert [index_of[layout] for layout in layouts] == [index for _, index in rounds][:k]


@pytest.mark.parametrize("seed", [11, 17])
def test_diverse_trees_are_far_from_those_of_the_same_layout(seed: int) -> None:
    """Within a layout each tree has the greatest sum of distances to those before it: MDSOL for each layout."""
    forest = small_forest(seed).forest
    extracted = extract(forest.prepared, in_process("mdsol", 2), min(forest.count, 12)).trees
    by_layout = sorted(extracted, key=lambda tree: layout_of(tree, 2))
    for layout, group in groupby(by_layout, key=lambda tree: layout_of(tree, 2)):
        trees = list(group)
        remaining = {tree for tree in forest if layout_of(tree, 2) == layout}
        for n, tree in enumerate(trees):
            assert distance_sum(tree, trees[:n]) == max(distance_sum(other, trees[:n]) for other in remaining)
            remaining.remove(tree)


@pytest.mark.parametrize("k", [10, 10**6])
def test_the_time_for_layouts_does_not_depend_on_the_number_of_trees(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of the time is for the first tree of each layout; when it is over, a slice as for any other tree."""
    slices: list[float] = []
    solve = TreeOracle.solve

    def record(trees: TreeOracle, assumptions: Any = (), time_slice: Clock | None = None) -> Tree | None:
        if time_slice is not None:
            slices.append(time_slice.limit)
        return solve(trees, assumptions, time_slice)

    monkeypatch.setattr(TreeOracle, "solve", record)
    forest = small_forest(17).forest
    n_layouts = len({layout_of(tree, 2) for tree in forest})
    extract(forest.prepared, in_process("none", 2), k, clock=Clock(1000))
    assert n_layouts > 2
    assert slices[:n_layouts] == pytest.approx([250] * n_layouts, abs=1)
    assert slices[n_layouts] < 200
