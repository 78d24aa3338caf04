"""Where things stand in a picture."""

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
    """Whether two boxes have a point in common."""
    return abs(a.x - b.x) < (a.width + b.width) / 2 and abs(a.y - b.y) < (a.height + b.height) / 2


def points_of(link: Link) -> list[tuple[float, float]]:
    """Return points along the curve of a link."""
    shares = [(1 - t, t) for t in np.linspace(0.01, 0.99, 12).tolist()]
    weights = [(a**3, 3 * a * a * b, 3 * a * b * b, b**3) for a, b in shares]
    return [
        tuple(sum(w * p[i] for w, p in zip(four, link.points[1:], strict=True)) for i in (0, 1)) for four in weights
    ]


def require_tidy(layout: Layout) -> None:
    """Check that nothing overlaps, nothing is cut, and no link runs through a box."""
    for box in layout.boxes:
        assert box.width / 2 <= box.x <= layout.width - box.width / 2
        assert box.height / 2 <= box.y <= layout.height - box.height / 2
        assert all(text_width(line, 13) <= box.width for line in box.lines)
    assert not any(overlap(a, b) for a, b in combinations(layout.boxes, 2))
    for link in layout.links:
        label = Box(layout.boxes[0].told, *link.at, text_width(link.answer, 11), 12.0, (), "", "")
        assert not any(overlap(label, box) for box in layout.boxes)
        for x, y in points_of(link):
            assert not any(abs(box.x - x) < box.width / 2 and abs(box.y - y) < box.height / 2 for box in layout.boxes)
    for swatch in layout.swatches:
        assert swatch.x + 18 + text_width(swatch.text, 13) <= layout.width
        assert swatch.y + 12 <= min(box.y - box.height / 2 for box in layout.boxes)


@settings(max_examples=40)
@given(readable_trees())
def test_nothing_overlaps_and_nothing_is_cut(drawn: tuple[Tree, Any, Any]) -> None:
    """Any tree with any names: boxes, answers and legend have room of their own."""
    require_tidy(lay_out(drawn[0]))


@pytest.mark.parametrize("n_leaves", [2, 30, 100])
def test_large_trees_are_tidy_too(n_leaves: int) -> None:
    """Large trees grow to the right, and are no wider than their depth needs."""
    nested: Any = [f"class {i % 20}" for i in range(n_leaves)]
    feature = 0
    while len(nested) > 1:
        nested = [(feature := feature + 1, *nested[i : i + 2]) for i in range(0, len(nested) - 1, 2)] + (
            [nested[-1]] if len(nested) % 2 else []
        )
    layout = lay_out(Tree.from_nested(nested[0]))
    require_tidy(layout)
    assert layout.width < 1600


@given(nested_trees(5, ["a", "b"]))
def test_yes_comes_first(nested: Any) -> None:
    """The child for "yes" stands left of the one for "no", or above it, as in the text."""
    tree = Tree.from_nested(nested, ["a", "b"])
    boxes = lay_out(tree).boxes
    for node in range(tree.n_nodes):
        if tree.left[node] >= 0:
            no, yes = boxes[tree.left[node]], boxes[tree.right[node]]
            assert (yes.x, yes.y) < (no.x, no.y) or yes.y < no.y


def test_a_very_deep_tree_is_laid_out() -> None:
    """Nothing recurses."""
    nested: Any = "end"
    for feature in range(1000):
        nested = (feature, "out", nested)
    assert len(lay_out(Tree.from_nested(nested)).boxes) == 2001


@given(st.text(max_size=60), st.floats(40, 300))
def test_lines_keep_to_their_width(text: str, width: float) -> None:
    """Whatever the text: at most so many lines, none of them wider, but for the room of a "…"."""
    lines = wrap(text, width, 13, 3)
    assert 1 <= len(lines) <= 3
    assert all(text_width(line, 13) <= width + 13 for line in lines)


def test_long_names_keep_both_ends() -> None:
    """Names are cut in the middle: beginnings and ends tell them apart."""
    assert elide("short", 30) == "short"
    assert elide("the very long name of a column, number 13", 20) == "the very l…number 13"
