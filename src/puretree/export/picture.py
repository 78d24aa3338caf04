"""A tree drawn with matplotlib: for papers, slides and every program that takes a PNG.

The same layout as the SVG. Letters are drawn as shapes in the units of the layout, so they grow and shrink with the
axes and never run out of their boxes, and a "$" in a name is a dollar, not mathematics.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..tree import Tree
from .appearance import FAINT_INK, INK, LINE, PAPER, QUESTION, class_colour, text_width, tint
from .boxes import FONT, SMALL, Box
from .layout import Layout, Link, Swatch, lay_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNITS_PER_INCH = 90.0
LARGEST_SIDE = 20_000.0  # pixels; a picture of a huge tree is made coarser rather than refused


def plot(tree: Tree, ax: Axes | None = None) -> Axes:
    """Draw a tree with matplotlib.

    Parameters
    ----------
    tree : Tree
        The tree.
    ax : matplotlib Axes, optional
        Where to draw; a figure of the right size is made if there is none.

    Returns
    -------
    Axes
    """
    pyplot = _matplotlib()
    layout = lay_out(tree)
    if ax is None:
        size = (layout.width / UNITS_PER_INCH, layout.height / UNITS_PER_INCH)
        ax = pyplot.figure(figsize=size).add_axes((0.0, 0.0, 1.0, 1.0))
    _draw(layout, ax)
    return ax


def to_png(tree: Tree, dpi: float = 180.0) -> bytes:
    """Draw a tree as a PNG picture.

    Parameters
    ----------
    tree : Tree
        The tree.
    dpi : float, default=180
        How fine: dots per inch, of about 90 units of the drawing each.
    """
    _matplotlib()
    from matplotlib.figure import Figure

    layout = lay_out(tree)
    # Not through pyplot: no figure stays open, and any thread may do it.
    figure = Figure(figsize=(layout.width / UNITS_PER_INCH, layout.height / UNITS_PER_INCH))
    _draw(layout, figure.add_axes((0.0, 0.0, 1.0, 1.0)))
    largest = max(layout.width, layout.height) / UNITS_PER_INCH
    target = io.BytesIO()
    figure.savefig(target, format="png", dpi=min(dpi, LARGEST_SIDE / largest), facecolor=PAPER)
    return target.getvalue()


def _matplotlib() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise InputError('pictures need matplotlib: pip install "puretree[plot]", or write SVG instead') from error
    return pyplot


def _draw(layout: Layout, ax: Axes) -> None:
    ax.set_xlim(0, layout.width)
    ax.set_ylim(layout.height, 0)
    ax.set_aspect("equal")
    ax.axis("off")
    for link in layout.links:
        _draw_curve(ax, link)
    for link in layout.links:
        _draw_answer(ax, link)
    for box in layout.boxes:
        _draw_box(ax, box)
    for swatch in layout.swatches:
        _draw_swatch(ax, swatch)


def _draw_curve(ax: Axes, link: Link) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    path = Path(link.points, [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    ax.add_artist(PathPatch(path, fill=False, edgecolor=LINE, linewidth=1.0))


def _draw_answer(ax: Axes, link: Link) -> None:
    from matplotlib.patches import Rectangle

    (x, y), width = link.at, text_width(link.answer, SMALL)
    ax.add_artist(Rectangle((x - width / 2, y - 7), width, 14, facecolor=PAPER, edgecolor="none"))
    _write(ax, link.answer, x, y + 4, size=SMALL)


def _draw_box(ax: Axes, box: Box) -> None:
    colour = class_colour(box.told.code) if box.told.is_leaf else LINE
    fill = tint(colour) if box.told.is_leaf else QUESTION
    _rounded(ax, box.x - box.width / 2, box.y - box.height / 2, box.width, box.height, 6.0, fill, colour)
    for text in box.texts():
        _write(ax, text.words, text.x, text.y, size=text.size, is_bold=text.is_bold)


def _draw_swatch(ax: Axes, swatch: Swatch) -> None:
    colour = class_colour(swatch.code)
    _rounded(ax, swatch.x, swatch.y, 12.0, 12.0, 3.0, tint(colour, 0.35), colour)
    _write(ax, swatch.text, swatch.x + 18, swatch.y + 11, is_middle=False)


def _rounded(ax: Axes, x: float, y: float, width: float, height: float, radius: float, fill: str, colour: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    style = f"round,pad=0,rounding_size={radius}"
    ax.add_artist(FancyBboxPatch((x, y), width, height, style, facecolor=fill, edgecolor=colour, linewidth=1.0))


def _write(
    ax: Axes, words: str, x: float, y: float, *, size: float = FONT, is_bold: bool = False, is_middle: bool = True
) -> None:
    """Draw letters as a shape: upside down, since y grows downwards here."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.patches import PathPatch
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    font = FontProperties(weight="bold" if is_bold else "normal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font does not have become boxes
        shape = TextPath((0, 0), words.replace("$", r"\$"), size=size, prop=font)
    if not len(shape.vertices):  # nothing but spaces
        return
    # The vertices enclose the curves: asking for exact extents takes half of the time of a picture.
    width = float(shape.vertices[:, 0].max()) if is_middle else 0.0
    placed = shape.transformed(Affine2D().scale(1, -1).translate(x - width / 2, y))
    ax.add_artist(PathPatch(placed, facecolor=FAINT_INK if size < FONT else INK, edgecolor="none", linewidth=0))
