"""Topologies, held against all shapes that trees can have."""

from functools import cache
from typing import Any

import pytest

from puretree import Tree
from puretree.encoding.topologies import layout_of, layout_places, layouts


@cache
def shapes(n_nodes: int) -> list[Any]:
    """Return a tree of each shape with so many nodes."""
    if n_nodes == 1:
        return ["a"]
    return [
        (0, no, yes) for n_no in range(1, n_nodes - 1, 2) for no in shapes(n_no) for yes in shapes(n_nodes - 1 - n_no)
    ]


@pytest.mark.parametrize("max_depth", [None, 2, 3, 4])
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_layouts_are_those_of_the_trees(depth: int, max_depth: int | None) -> None:
    """For up to 15 nodes: the layouts are those of all trees that are not too deep, each once."""
    for n_nodes in range(3, 16, 2):
        trees = [Tree.from_nested(shape) for shape in shapes(n_nodes)]
        expected = {layout_of(tree, depth) for tree in trees if max_depth is None or tree.depth <= max_depth}
        found = list(layouts(n_nodes, depth, max_depth))
        assert len(found) == len(set(found))
        assert set(found) == expected


def test_places_are_where_the_tree_has_them() -> None:
    """The way to each place leads to a leaf of the tree exactly if the place is one."""
    for shape in shapes(11):
        for way, is_leaf in layout_places(layout_of(Tree.from_nested(shape), 3)):
            place = shape
            for goes_right in way:
                place = place[2 if goes_right else 1]
            assert is_leaf == (place == "a")
