"""Where everything stands in a picture of a tree: one layout for SVG and matplotlib, so both look the same.

Subtrees are pushed together until their outlines are a gap apart (Reingold and Tilford 1981), with boxes as wide as
their texts: nothing overlaps and little is empty. Small trees grow downwards; those that would become too wide grow to
the right, where a leaf takes one line and questions have room.
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

MARGIN = 16.0  # around the picture
WIDEST_DOWN = 1100.0  # wider trees grow to the right
MOST_SWATCHES = 16


@dataclass(frozen=True, slots=True)
class Link:
    """The way from a node to a child, and where the middle of the answer stands.

    A straight line from the first point to the second, where the level of the node ends, so that it passes the larger
    boxes beside the node; then a curve by the second to fifth as control points.
    """

    points: tuple[Point, Point, Point, Point, Point]
    answer: str
    at: Point


@dataclass(frozen=True, slots=True)
class Swatch:
    """A class in the legend: where its square begins and what stands beside it."""

    code: int
    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Layout:
    """A picture, ready to be drawn: y grows downwards from the top."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    swatches: tuple[Swatch, ...]


def lay_out(tree: Tree) -> Layout:
    """Find a place for every node, answer and class of a tree."""
    told = node_views(tree)
    boxes, width, height = _place(tree, told, "down")
    direction: Direction = "down"
    if width > WIDEST_DOWN:
        direction = "right"
        boxes, width, height = _place(tree, told, direction)
    swatches, legend_width, top = _legend(tree, max(width, 420.0))
    left = max(legend_width - width, 0.0) / 2 if direction == "down" else 0.0
    boxes = [box.moved(MARGIN + left, MARGIN + top) for box in boxes]
    gap = _level_gap(told, direction)
    links = [_link(boxes[box.told.parent], box, direction, gap) for box in boxes if box.told.parent is not None]
    size = (max(width, legend_width) + 2 * MARGIN, height + top + 2 * MARGIN)
    return Layout(*size, tuple(boxes), tuple(links), tuple(swatches))


def _place(tree: Tree, told: list[NodeView], direction: Direction) -> tuple[list[Box], float, float]:
    """Return boxes in a frame that begins at zero, with the frame's width and height."""
    boxes = [make_box(node, direction) for node in told]
    sizes = [(box.width, box.height) if direction == "down" else (box.height, box.width) for box in boxes]
    across, extent = _spread(tree, [size for size, _ in sizes], gap=14.0 if direction == "down" else 9.0)
    along, length = _levels(told, [size for _, size in sizes], _level_gap(told, direction))
    if direction == "down":
        placed = [box.moved(a, b + box.height / 2) for box, a, b in zip(boxes, across, along, strict=True)]
        return placed, extent, length
    placed = [box.moved(b + box.width / 2, a) for box, a, b in zip(boxes, across, along, strict=True)]
    return placed, length, extent


def _spread(tree: Tree, sizes: list[float], gap: float) -> tuple[list[float], float]:
    """Return the place of each node across the tree, and how far they reach."""
    # By node: the outline of its subtree, nearest and farthest by level from itself on, and half its children's way.
    outline: list[tuple[list[float], list[float]]] = [([], [])] * tree.n_nodes
    half_way = [0.0] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        near, far = [-sizes[node] / 2], [sizes[node] / 2]
        left = int(tree.left[node])
        if left >= 0:
            # "yes" is the later child and is drawn first, as in the text.
            first, second = outline[left + 1], outline[left]
            half = (max(a - b for a, b in zip(first[1], second[0], strict=False)) + gap) / 2
            half_way[node] = half
            near += _joined(first[0], second[0], half, min)
            far += _joined(first[1], second[1], half, max)
            outline[left] = outline[left + 1] = ([], [])
        outline[node] = (near, far)
    nearest = min(outline[0][0])
    places = [-nearest] * tree.n_nodes
    for node in range(tree.n_nodes):
        left = int(tree.left[node])
        if left >= 0:
            places[left + 1], places[left] = places[node] - half_way[node], places[node] + half_way[node]
    return places, max(outline[0][1]) - nearest


def _joined(first: list[float], second: list[float], half: float, outer: Callable[..., float]) -> list[float]:
    common = min(len(first), len(second))
    both = [outer(a - half, b + half) for a, b in zip(first, second, strict=False)]
    return both + [a - half for a in first[common:]] + [b + half for b in second[common:]]


def _levels(told: list[NodeView], sizes: list[float], gap: float) -> tuple[list[float], float]:
    """Return where each node's level begins, and where the last ends."""
    largest = [0.0] * (max(node.depth for node in told) + 1)
    for node, size in zip(told, sizes, strict=True):
        largest[node.depth] = max(largest[node.depth], size)
    begins = [0.0]
    for size in largest:
        begins.append(begins[-1] + size + gap)
    return [begins[node.depth] for node in told], begins[-1] - gap


def _level_gap(told: list[NodeView], direction: Direction) -> float:
    """Return the room between levels: to the right, the answers are written in it."""
    return 46.0 if direction == "down" else 40.0 + max(text_width(node.answer, SMALL) for node in told)


def _link(parent: Box, child: Box, direction: Direction, gap: float) -> Link:
    """Draw the way between two boxes; levels are a gap apart."""
    if direction == "down":
        start, end = (parent.x, parent.y + parent.height / 2), (child.x, child.y - child.height / 2)
        leave, middle = end[1] - gap, end[1] - gap / 2
        points = (start, (start[0], leave), (start[0], middle), (end[0], middle), end)
        return Link(points, child.told.answer, (end[0], end[1] - 11.0))
    start, end = (parent.x + parent.width / 2, parent.y), (child.x - child.width / 2, child.y)
    leave, middle = end[0] - gap, end[0] - gap / 2
    points = (start, (leave, start[1]), (middle, start[1]), (middle, end[1]), end)
    return Link(points, child.told.answer, (end[0] - 7.0 - text_width(child.told.answer, SMALL) / 2, end[1]))


def _legend(tree: Tree, width: float) -> tuple[list[Swatch], float, float]:
    """Return the classes in lines of at most a width, how wide the lines are, and how high."""
    texts = [wrap(format_level(label), LABEL_WIDTH * 1.5, FONT, 1)[0] for label in tree.classes]
    if tree.counts is not None:
        texts = [f"{text} ({n_rows})" for text, n_rows in zip(texts, tree.counts[0].tolist(), strict=True)]
    more = len(texts) - MOST_SWATCHES
    swatches: list[Swatch] = []
    x = y = reached = 0.0
    for code, text in enumerate(texts[:MOST_SWATCHES]):
        text = f"{text} and {more} more" if code == MOST_SWATCHES - 1 and more > 0 else text
        needed = 18.0 + text_width(text, FONT)
        if x and x + needed > width:
            x, y = 0.0, y + 22.0
        swatches.append(Swatch(code, MARGIN + x, MARGIN + y, text))
        reached = max(reached, x + needed)
        x += needed + 18.0
    return swatches, reached, y + 38.0
