"""Test layouts against all shapes of trees."""

from functools import cache
from typing import Any

import pytest

from puretree import Tree
from puretree.encoding.topologies import layout_of, layout_paths, layouts


@cache
def shapes(n_nodes: int) -> list[Any]:
    """Return one tree of each shape with n_nodes nodes."""
    if n_nodes == 1:
        return ["a"]
    return [
        (0, no, yes) for n_no in range(1, n_nodes - 1, 2) for no in shapes(n_no) for yes in shapes(n_nodes - 1 - n_no)
    ]


@pytest.mark.parametrize("max_depth", [None, 2, 3, 4])
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_layouts_are_those_of_the_trees(depth: int, max_depth: int | None) -> None:
    """For up to 15 nodes, the layouts are those of all trees within the depth limit, each once."""
    for n_nodes in range(3, 16, 2):
        trees = [Tree.from_nested(shape) for shape in shapes(n_nodes)]
        expected = {layout_of(tree, depth) for tree in trees if max_depth is None or tree.depth <= max_depth}
        generated = list(layouts(n_nodes, depth, max_depth))
        assert len(generated) == len(set(generated))
        assert set(generated) == expected


def test_paths_of_a_layout_lead_to_its_nodes() -> None:
    """The path to a node of the layout leads to a leaf of the tree if and only if the node is a leaf."""
    for shape in shapes(11):
        for path, is_leaf in layout_paths(layout_of(Tree.from_nested(shape), 3)):
            node = shape
            for goes_right in path:
                node = node[2 if goes_right else 1]
            assert is_leaf == (node == "a")
