"""The layout of a drawing of a tree, shared by SVG and matplotlib so that both look the same.

Subtrees are moved together until their outlines are a fixed gap apart (Reingold and Tilford 1981), with boxes as wide
as their texts: nothing overlaps and little space is wasted. Small trees grow downwards. Trees that would become too
wide grow to the right, where a leaf takes one line and splits have room.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..binarize.predicate import format_level
from ..tree import Tree
from .appearance import text_width, wrap
from .boxes import FONT, LABEL_WIDTH, SMALL, Box, Direction, make_box
from .node_view import NodeView, node_views

Point = tuple[float, float]

MARGIN = 16.0  # around the drawing
MAX_WIDTH_DOWN = 1100.0  # wider trees grow to the right
MAX_SWATCHES = 16


@dataclass(frozen=True, slots=True)
class Link:
    """The line from a node to a child, with the name of the branch and the centre of that text.

    The first two points are a straight line to where the level of the node ends, so that it passes larger boxes on the
    same level; the second to fifth point are the control points of a Bézier curve.
    """

    points: tuple[Point, Point, Point, Point, Point]
    branch: str
    text_centre: Point


@dataclass(frozen=True, slots=True)
class Swatch:
    """A class in the legend: the corner of its coloured square, and the text next to it."""

    code: int
    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Layout:
    """A drawing with all positions computed; y grows downwards from the top."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    swatches: tuple[Swatch, ...]


def lay_out(tree: Tree) -> Layout:
    """Compute the positions of all nodes, branch names and legend entries of a tree."""
    views = node_views(tree)
    boxes, width, height = _position_boxes(tree, views, "down")
    direction: Direction = "down"
    if width > MAX_WIDTH_DOWN:
        direction = "right"
        boxes, width, height = _position_boxes(tree, views, direction)
    swatches, legend_width, top = _legend(tree, max(width, 420.0))
    left = max(legend_width - width, 0.0) / 2 if direction == "down" else 0.0
    boxes = [box.moved(MARGIN + left, MARGIN + top) for box in boxes]
    gap = _level_gap(views, direction)
    links = [_link(boxes[box.node.parent], box, direction, gap) for box in boxes if box.node.parent is not None]
    size = (max(width, legend_width) + 2 * MARGIN, height + top + 2 * MARGIN)
    return Layout(*size, tuple(boxes), tuple(links), tuple(swatches))


def _position_boxes(tree: Tree, views: list[NodeView], direction: Direction) -> tuple[list[Box], float, float]:
    """Return the boxes in a frame whose corner is at zero, and the width and height of the frame."""
    boxes = [make_box(view, direction) for view in views]
    sizes = [(box.width, box.height) if direction == "down" else (box.height, box.width) for box in boxes]
    across, extent = _positions_across(tree, [size for size, _ in sizes], gap=14.0 if direction == "down" else 9.0)
    along, length = _positions_along(views, [size for _, size in sizes], _level_gap(views, direction))
    if direction == "down":
        moved = [box.moved(a, b + box.height / 2) for box, a, b in zip(boxes, across, along, strict=True)]
        return moved, extent, length
    moved = [box.moved(b + box.width / 2, a) for box, a, b in zip(boxes, across, along, strict=True)]
    return moved, length, extent


def _positions_across(tree: Tree, sizes: list[float], gap: float) -> tuple[list[float], float]:
    """Return the position of each node across the direction of growth, and the extent of the tree."""
    # By node: the outline of its subtree (least and greatest coordinate per level, relative to the node), and half the
    # distance between its children.
    outline: list[tuple[list[float], list[float]]] = [([], [])] * tree.n_nodes
    half_distance = [0.0] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        near, far = [-sizes[node] / 2], [sizes[node] / 2]
        left = int(tree.left[node])
        if left >= 0:
            # The "yes" child has the higher number and is drawn first, as in the text.
            first, second = outline[left + 1], outline[left]
            half = (max(a - b for a, b in zip(first[1], second[0], strict=False)) + gap) / 2
            half_distance[node] = half
            near += _join_outlines(first[0], second[0], half, min)
            far += _join_outlines(first[1], second[1], half, max)
            outline[left] = outline[left + 1] = ([], [])
        outline[node] = (near, far)
    nearest = min(outline[0][0])
    positions = [-nearest] * tree.n_nodes
    for node in range(tree.n_nodes):
        left = int(tree.left[node])
        if left >= 0:
            positions[left + 1] = positions[node] - half_distance[node]
            positions[left] = positions[node] + half_distance[node]
    return positions, max(outline[0][1]) - nearest


def _join_outlines(first: list[float], second: list[float], half: float, outer: Callable[..., float]) -> list[float]:
    common = min(len(first), len(second))
    both = [outer(a - half, b + half) for a, b in zip(first, second, strict=False)]
    return both + [a - half for a in first[common:]] + [b + half for b in second[common:]]


def _positions_along(views: list[NodeView], sizes: list[float], gap: float) -> tuple[list[float], float]:
    """Return the start of each node's level along the direction of growth, and the end of the last level."""
    largest = [0.0] * (max(view.depth for view in views) + 1)
    for view, size in zip(views, sizes, strict=True):
        largest[view.depth] = max(largest[view.depth], size)
    starts = [0.0]
    for size in largest:
        starts.append(starts[-1] + size + gap)
    return [starts[view.depth] for view in views], starts[-1] - gap


def _level_gap(views: list[NodeView], direction: Direction) -> float:
    """Return the gap between levels; in a tree that grows to the right, it holds the names of the branches."""
    return 46.0 if direction == "down" else 40.0 + max(text_width(view.branch, SMALL) for view in views)


def _link(parent: Box, child: Box, direction: Direction, gap: float) -> Link:
    """Connect two boxes whose levels are a gap apart."""
    if direction == "down":
        start, end = (parent.x, parent.y + parent.height / 2), (child.x, child.y - child.height / 2)
        level_end, middle = end[1] - gap, end[1] - gap / 2
        points = (start, (start[0], level_end), (start[0], middle), (end[0], middle), end)
        return Link(points, child.node.branch, (end[0], end[1] - 11.0))
    start, end = (parent.x + parent.width / 2, parent.y), (child.x - child.width / 2, child.y)
    level_end, middle = end[0] - gap, end[0] - gap / 2
    points = (start, (level_end, start[1]), (middle, start[1]), (middle, end[1]), end)
    return Link(points, child.node.branch, (end[0] - 7.0 - text_width(child.node.branch, SMALL) / 2, end[1]))


def _legend(tree: Tree, width: float) -> tuple[list[Swatch], float, float]:
    """Return the legend in lines of at most a width, with the width and height that it takes."""
    texts = [wrap(format_level(label), LABEL_WIDTH * 1.5, FONT, 1)[0] for label in tree.classes]
    if tree.counts is not None:
        texts = [f"{text} ({n_rows})" for text, n_rows in zip(texts, tree.counts[0].tolist(), strict=True)]
    n_hidden = len(texts) - MAX_SWATCHES
    swatches: list[Swatch] = []
    x = y = widest = 0.0
    for code, text in enumerate(texts[:MAX_SWATCHES]):
        text = f"{text} and {n_hidden} more" if code == MAX_SWATCHES - 1 and n_hidden > 0 else text
        entry_width = 18.0 + text_width(text, FONT)
        if x and x + entry_width > width:
            x, y = 0.0, y + 22.0
        swatches.append(Swatch(code, MARGIN + x, MARGIN + y, text))
        widest = max(widest, x + entry_width)
        x += entry_width + 18.0
    return swatches, widest, y + 38.0
