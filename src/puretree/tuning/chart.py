"""The picture of a front and its cross-validation as SVG: for notebooks and reports, without a drawing library.

It shows what :func:`~puretree.tuning.plot.plot_fit` shows, from the plain values that a run stores. All its texts are
numbers and fixed words, so no name from the data can become markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from xml.etree import ElementTree as Xml

from .._support.text import quantity
from ..export.appearance import FAINT_INK, INK, LINE, PAPER, class_colour, text_width, tint
from ..export.svg import FONTS
from ..outcome import number
from ..pareto.plot import right_end, visible_top
from .plot import GREEN, VALIDATION, highest_after_leaf, y_label
from .record import FrontRecord

BLUE, ORANGE = class_colour(0), class_colour(1)
FONT = 12.0
LEFT, RIGHT, BOTTOM = 58.0, 14.0, 42.0  # margins
LEGEND_LINE = 18.0
RING = 9  # around the chosen point, which may lie at the edge
TICKS = 6
FEW = 3  # points; they have marks wherever they lie
MARK_WIDTH = 12.0  # for each point; marks of more points would overlap

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class _Frame:
    """The area inside the axes, and the values at its right and at its top."""

    width: float
    height: float
    right: float
    top: float

    def x(self, n_nodes: float) -> float:
        return n_nodes / self.right * self.width

    def y(self, cost: float) -> float:
        return self.height - max(0.0, cost) / self.top * (self.height - 6)

    def path(self, points: Points) -> str:
        return "M" + "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in points)


def to_svg(record: FrontRecord, width: float = 640.0, height: float = 340.0) -> str:
    """Draw a front with its cross-validation and the chosen point as an ``<svg>`` element.

    Parameters
    ----------
    record : FrontRecord
    width, height : float
        In pixels, without the legend.
    """
    entries = _legend_entries(record)
    lines = _legend_lines(entries, width - LEFT - RIGHT)
    above = 10 + LEGEND_LINE * len(lines)
    total = f"{height + above:.0f}"
    svg = Xml.Element(
        "svg",
        width=f"{width:.0f}",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {total}",
        role="img",
        style="max-width: 100%",
    )
    svg.attrib |= {"font-family": FONTS, "font-size": f"{FONT:g}", "fill": INK}
    Xml.SubElement(svg, "title").text = _describe(record)
    Xml.SubElement(svg, "rect", width=f"{width:.0f}", height=total, fill=PAPER)
    for index, line in enumerate(lines):
        _draw_legend(svg, line, LEGEND_LINE * (index + 0.5) + 6)
    costs = [cost for _, cost in record.upper]
    frame = _Frame(
        width - LEFT - RIGHT,
        height - BOTTOM,
        right_end(record.upper[-1][0], record.pruning_path),
        visible_top(costs, highest_after_leaf(record)),
    )
    area = Xml.SubElement(svg, "g", transform=f"translate({LEFT:g} {above:g})")
    _draw_axes(area, frame, record)
    # A nested <svg> cuts off what is outside; a clip path would need an identifier, unique in the page.
    inside = f"{-RING} 0 {frame.width + RING:.1f} {frame.height + RING:.1f}"
    size = {"x": f"{-RING}", "width": f"{frame.width + RING:.1f}", "height": f"{frame.height + RING:.1f}"}
    _draw_curves(Xml.SubElement(area, "svg", size, viewBox=inside, overflow="hidden"), frame, record)
    if frame.top < costs[0]:
        _write(area, f"1 node: {number(costs[0])}", frame.x(record.upper[1][0]) + 8, 12, colour=FAINT_INK)
    return Xml.tostring(svg, encoding="unicode")


def _describe(record: FrontRecord) -> str:
    validated = f", by {record.n_folds}-fold cross-validation" if record.scores else ""
    size = quantity(record.chosen, "node")
    least = "fewest training errors" if record.counts_errors else "lowest cost of errors on the training rows"
    return f"The {least} for each number of nodes; chosen: {size}{validated}"


def _draw_curves(area: Xml.Element, frame: _Frame, record: FrontRecord) -> None:
    validation = record.validation_costs()
    upper = [(size, mean + error) for size, mean, error in validation]
    lower = [(size, mean - error) for size, mean, error in validation]
    if validation:
        _draw(area, frame.path([*upper, *reversed(lower)]) + "Z", fill=tint(GREEN, 0.22))
    front = _steps(record.upper, frame.right)
    if record.status != "optimal":
        _draw(area, frame.path([*front, *reversed(_steps(record.lower, frame.right))]) + "Z", fill=tint(BLUE, 0.2))
    x = f"{frame.x(record.chosen):.1f}"
    style = {"stroke": FAINT_INK, "stroke-dasharray": "2 3"}
    Xml.SubElement(area, "line", style, x1=x, x2=x, y1="0", y2=f"{frame.height:.1f}")
    if record.pruning_path:
        _draw(area, frame.path(_steps(record.pruning_path, frame.right)), stroke=ORANGE, width=1.5)
    if validation:
        _draw(area, frame.path([(size, mean) for size, mean, _ in validation]), stroke=GREEN, width=1.8, dashes="5 3")
    _draw(area, frame.path(front), stroke=BLUE, width=2.2)
    if len(record.points) <= frame.x(record.points[-1].n_nodes) / MARK_WIDTH or len(record.points) <= FEW:
        for size, mean, error in validation:
            of = f"{quantity(size, 'node')}: {number(mean)} ± {number(error)} by cross-validation"
            _mark(area, frame, (size, mean), 2.6, of, fill=GREEN, stroke=GREEN)
        for point in record.points:
            of = f"{quantity(point.n_nodes, 'node')}: {quantity(point.errors, 'training error')}, {point.status}"
            fill = BLUE if point.status == "optimal" else PAPER
            _mark(area, frame, (point.n_nodes, point.cost), 3.4, of, fill=fill, stroke=BLUE)
    _mark(area, frame, (record.chosen, record.point.cost), 7.5, "chosen", fill="none", stroke=INK)


def _steps(points: Points, right: float) -> list[tuple[float, float]]:
    """Return the corners of a step curve: a value holds until the next point."""
    ends = [*(x for x, _ in points[1:]), right]
    return [corner for (x, y), end in zip(points, ends, strict=True) for corner in ((x, y), (end, y))]


def _draw(
    area: Xml.Element, path: str, *, fill: str = "none", stroke: str = "none", width: float = 0, dashes: str = ""
) -> None:
    style = {"stroke-width": f"{width:g}", "stroke-linejoin": "round"} if width else {}
    if dashes:
        style["stroke-dasharray"] = dashes
    Xml.SubElement(area, "path", style, d=path, fill=fill, stroke=stroke)


def _mark(
    area: Xml.Element, frame: _Frame, at: tuple[float, float], radius: float, title: str, *, fill: str, stroke: str
) -> None:
    place = {"cx": f"{frame.x(at[0]):.1f}", "cy": f"{frame.y(at[1]):.1f}", "r": f"{radius:g}"}
    circle = Xml.SubElement(area, "circle", place | {"stroke-width": "1.8"}, fill=fill, stroke=stroke)
    Xml.SubElement(circle, "title").text = title


def _draw_axes(area: Xml.Element, frame: _Frame, record: FrontRecord) -> None:
    for value in _ticks(frame.top, is_integer=record.counts_errors):
        y = f"{frame.y(value):.1f}"
        Xml.SubElement(area, "line", x1="0", x2=f"{frame.width:.1f}", y1=y, y2=y, stroke=tint(LINE, 0.35))
        _write(area, f"{value:,.6g}", -7, frame.y(value) + 4, anchor="end", colour=FAINT_INK)
    for value in _ticks(frame.right, is_integer=True):
        _write(area, f"{value:,.6g}", frame.x(value), frame.height + 17, anchor="middle", colour=FAINT_INK)
    _draw(area, f"M0 0V{frame.height:.1f}H{frame.width:.1f}", stroke=LINE, width=1)
    _write(area, "nodes", frame.width / 2, frame.height + 34, anchor="middle")
    label = _write(area, y_label(record), 0, 0, anchor="middle")
    label.set("transform", f"translate({16 - LEFT:g} {frame.height / 2:.1f}) rotate(-90)")


def _ticks(end: float, *, is_integer: bool) -> list[float]:
    """Return about six round values from 0.

    >>> _ticks(47, is_integer=True), _ticks(0.9, is_integer=False)
    ([0.0, 10.0, 20.0, 30.0, 40.0], [0.0, 0.2, 0.4, 0.6, 0.8])
    """
    power = 10.0 ** floor(log10(end / TICKS))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit * TICKS >= end)
    step = max(1.0, step) if is_integer else step
    return [round(index * step, 12) for index in range(int(end / step + 1e-9) + 1)]


def _legend_entries(record: FrontRecord) -> list[tuple[str, str]]:
    is_proved = record.status == "optimal"
    least = "fewest training errors" if record.counts_errors else "lowest training cost"
    entries = [("front", f"{least}, proved" if is_proved else f"{least} known")]
    if not is_proved:
        entries.append(("open", "not proved"))
    if record.pruning_path:
        entries.append(("cart", "CART, pruned"))
    if record.scores:
        entries.append(("validation", VALIDATION))
    return [*entries, ("chosen", f"chosen: {quantity(record.chosen, 'node')}")]


def _entry_width(text: str) -> float:
    return 28 + text_width(text, FONT) + 12


def _legend_lines(entries: Sequence[tuple[str, str]], width: float) -> list[list[tuple[str, str]]]:
    lines: list[list[tuple[str, str]]] = [[]]
    for entry in entries:
        if lines[-1] and sum(_entry_width(text) for _, text in [*lines[-1], entry]) > width:
            lines.append([])
        lines[-1].append(entry)
    return lines


def _draw_legend(svg: Xml.Element, line: Sequence[tuple[str, str]], y: float) -> None:
    x = LEFT
    for kind, text in line:
        if kind in ("open", "validation"):
            place = {"x": f"{x:.1f}", "y": f"{y - 5:.1f}", "width": "22", "height": "10"}
            Xml.SubElement(svg, "rect", place, fill=tint(BLUE, 0.2) if kind == "open" else tint(GREEN, 0.22))
        if kind == "chosen":
            circle = {"cx": f"{x + 11:.1f}", "cy": f"{y:.1f}", "r": "6", "stroke-width": "1.8"}
            Xml.SubElement(svg, "circle", circle, fill="none", stroke=INK)
        elif kind != "open":
            colour, dashes = {"front": (BLUE, ""), "cart": (ORANGE, ""), "validation": (GREEN, "5 3")}[kind]
            _draw(svg, f"M{x:.1f} {y:.1f}h22", stroke=colour, width=2, dashes=dashes)
        _write(svg, text, x + 28, y + 4)
        x += _entry_width(text)


def _write(
    parent: Xml.Element, text: str, x: float, y: float, *, anchor: str = "start", colour: str = INK
) -> Xml.Element:
    style = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor, "fill": colour}
    element = Xml.SubElement(parent, "text", style)
    element.text = text
    return element
