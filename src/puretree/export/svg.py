"""Draw a tree as SVG, which opens in every browser, scales without loss and needs no drawing library.

The text is built with an XML library, so no name from the data can become markup. Every box carries its full text as a
title, which browsers show when the mouse rests on it.
"""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from .._support.text import quantity
from ..tree import Tree
from .appearance import FAINT_INK, INK, LINE, PAPER, SPLIT_FILL, class_colour, text_width, tint
from .boxes import FONT, SMALL, Box
from .layout import Link, Swatch, lay_out

FONTS = "Helvetica, Arial, 'DejaVu Sans', 'Noto Color Emoji', sans-serif"


def to_svg(tree: Tree) -> str:
    """Draw a tree as SVG text.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    str
        An ``<svg>`` element, for a separate file or for a page.
    """
    layout = lay_out(tree)
    size = {"width": f"{layout.width:.0f}", "height": f"{layout.height:.0f}"}
    # Without a height, it follows from the width, also where the page is narrower than the drawing.
    svg = Xml.Element(
        "svg",
        width=size["width"],
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {layout.width:.0f} {layout.height:.0f}",
        role="img",
        style="max-width: 100%",
    )
    svg.attrib |= {"font-family": FONTS, "font-size": f"{FONT:g}", "fill": INK}
    Xml.SubElement(svg, "title").text = f"A decision tree of {quantity(tree.n_nodes, 'node')}"
    Xml.SubElement(svg, "rect", size, fill=PAPER)
    for swatch in layout.swatches:
        _draw_swatch(svg, swatch)
    for link in layout.links:
        _draw_curve(svg, link)
    for link in layout.links:
        _draw_branch(svg, link)
    for box in layout.boxes:
        _draw_box(svg, box)
    return Xml.tostring(svg, encoding="unicode")


def _draw_swatch(svg: Xml.Element, swatch: Swatch) -> None:
    colour = class_colour(swatch.code)
    position = {"x": f"{swatch.x:.1f}", "y": f"{swatch.y:.1f}", "width": "12", "height": "12", "rx": "3"}
    Xml.SubElement(svg, "rect", position, fill=tint(colour, 0.35), stroke=colour)
    _write(svg, swatch.text, swatch.x + 18, swatch.y + 11, anchor="start")


def _draw_curve(svg: Xml.Element, link: Link) -> None:
    start, level_end, *others = (f"{x:.1f} {y:.1f}" for x, y in link.points)
    path = f"M{start}L{level_end}C{' '.join(others)}"
    Xml.SubElement(svg, "path", {"stroke-width": "1.5"}, d=path, fill="none", stroke=LINE)


def _draw_branch(svg: Xml.Element, link: Link) -> None:
    (x, y), width = link.text_centre, text_width(link.branch, SMALL)
    position = {"x": f"{x - width / 2:.1f}", "y": f"{y - 7:.1f}", "width": f"{width:.1f}", "height": "14"}
    Xml.SubElement(svg, "rect", position, fill=PAPER)
    _write(svg, link.branch, x, y + 4, size=SMALL)


def _draw_box(svg: Xml.Element, box: Box) -> None:
    group = Xml.SubElement(svg, "g")
    Xml.SubElement(group, "title").text = box.title
    left, top = box.x - box.width / 2, box.y - box.height / 2
    position = {"x": f"{left:.1f}", "y": f"{top:.1f}", "width": f"{box.width:.1f}", "height": f"{box.height:.1f}"}
    colour = class_colour(box.node.code) if box.node.is_leaf else LINE
    fill = tint(colour) if box.node.is_leaf else SPLIT_FILL
    stroke = {"stroke": colour, "stroke-width": "1.5" if box.node.is_leaf else "1"}
    Xml.SubElement(group, "rect", position | stroke, rx="6", fill=fill)
    for text in box.texts():
        _write(group, text.text, text.x, text.y, size=text.size, is_bold=text.is_bold)


def _write(
    parent: Xml.Element,
    content: str,
    x: float,
    y: float,
    *,
    anchor: str = "middle",
    size: float = FONT,
    is_bold: bool = False,
) -> None:
    style = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}
    if size != FONT:
        style |= {"font-size": f"{size:g}", "fill": FAINT_INK}
    if is_bold:
        style["font-weight"] = "bold"
    Xml.SubElement(parent, "text", style).text = content
