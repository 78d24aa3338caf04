"""The layout of a drawing."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from helpers.strategies import nested_trees, readable_trees
from hypothesis import given, settings
from hypothesis import strategies as st

from puretree import Tree
from puretree.export.appearance import elide, text_width, wrap
from puretree.export.boxes import Box
from puretree.export.layout import Layout, Link, lay_out


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes overlap."""
    return abs(a.x - b.x) < (a.width + b.width) / 2 and abs(a.y - b.y) < (a.height + b.height) / 2


def points_of(link: Link) -> list[tuple[float, float]]:
    """Return points along the curve of a link."""
    pairs = [(1 - t, t) for t in np.linspace(0.01, 0.99, 12).tolist()]
    weights = [(a**3, 3 * a * a * b, 3 * a * b * b, b**3) for a, b in pairs]
    return [
        tuple(sum(w * p[i] for w, p in zip(four, link.points[1:], strict=True)) for i in (0, 1)) for four in weights
    ]


def assert_no_overlap(layout: Layout) -> None:
    """Assert that nothing overlaps, nothing is cut off, and no link crosses a box."""
    for box in layout.boxes:
        assert box.width / 2 <= box.x <= layout.width - box.width / 2
        assert box.height / 2 <= box.y <= layout.height - box.height / 2
        assert all(text_width(line, 13) <= box.width for line in box.lines)
    assert not any(overlap(a, b) for a, b in combinations(layout.boxes, 2))
    for link in layout.links:
        label = Box(layout.boxes[0].node, *link.text_centre, text_width(link.branch, 11), 12.0, (), "", "")
        assert not any(overlap(label, box) for box in layout.boxes)
        for x, y in points_of(link):
            assert not any(abs(box.x - x) < box.width / 2 and abs(box.y - y) < box.height / 2 for box in layout.boxes)
    for swatch in layout.swatches:
        assert swatch.x + 18 + text_width(swatch.text, 13) <= layout.width
        assert swatch.y + 12 <= min(box.y - box.height / 2 for box in layout.boxes)


@settings(max_examples=40)
@given(readable_trees())
def test_nothing_overlaps_and_nothing_is_cut_off(drawn: tuple[Tree, Any, Any]) -> None:
    """In a drawing of any tree with any names, boxes, branch names and legend do not overlap."""
    assert_no_overlap(lay_out(drawn[0]))


@pytest.mark.parametrize("n_leaves", [2, 30, 100])
def test_nothing_overlaps_in_large_trees(n_leaves: int) -> None:
    """Large trees grow to the right, and their width is limited by their depth."""
    nested: Any = [f"class {i % 20}" for i in range(n_leaves)]
    feature = 0
    while len(nested) > 1:
        nested = [(feature := feature + 1, *nested[i : i + 2]) for i in range(0, len(nested) - 1, 2)] + (
            [nested[-1]] if len(nested) % 2 else []
        )
    layout = lay_out(Tree.from_nested(nested[0]))
    assert_no_overlap(layout)
    assert layout.width < 1600


@given(nested_trees(5, ["a", "b"]))
def test_yes_branch_is_drawn_first(nested: Any) -> None:
    """The "yes" child is left of the "no" child, or above it, as in the text."""
    tree = Tree.from_nested(nested, ["a", "b"])
    boxes = lay_out(tree).boxes
    for node in range(tree.n_nodes):
        if tree.left[node] >= 0:
            no, yes = boxes[tree.left[node]], boxes[tree.right[node]]
            assert (yes.x, yes.y) < (no.x, no.y) or yes.y < no.y


def test_deep_tree_does_not_exceed_the_recursion_limit() -> None:
    """A tree of depth 1000 is laid out without recursion."""
    nested: Any = "end"
    for feature in range(1000):
        nested = (feature, "out", nested)
    assert len(lay_out(Tree.from_nested(nested)).boxes) == 2001


@given(st.text(max_size=60), st.floats(40, 300))
def test_wrapped_lines_respect_the_width(text: str, width: float) -> None:
    """Any text is wrapped to at most the given number of lines, none wider than the width plus a "…"."""
    lines = wrap(text, width, 13, 3)
    assert 1 <= len(lines) <= 3
    assert all(text_width(line, 13) <= width + 13 for line in lines)


def test_long_names_keep_both_ends() -> None:
    """A long name loses its middle and keeps its beginning and end."""
    assert elide("short", 30) == "short"
    assert elide("the very long name of a column, number 13", 20) == "the very l…number 13"
