"""Draw a tree with matplotlib, for papers, slides and every program that takes a PNG.

The layout is that of the SVG. Text is drawn as paths in the units of the layout, so it scales with the axes and never
leaves its box, and a "$" in a name is a dollar sign, not mathematics.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..tree import Tree
from .appearance import FAINT_INK, INK, LINE, PAPER, SPLIT_FILL, class_colour, text_width, tint
from .boxes import FONT, SMALL, Box
from .layout import Layout, Link, Swatch, lay_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNITS_PER_INCH = 90.0
LARGEST_SIDE = 20_000.0  # pixels; a drawing of a huge tree gets a lower resolution


def plot(tree: Tree, ax: Axes | None = None) -> Axes:
    """Draw a tree with matplotlib.

    Parameters
    ----------
    tree : Tree
        The tree.
    ax : matplotlib Axes, optional
        The axes to draw on; by default, those of a new figure of the right size.

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
    """Draw a tree as a PNG image.

    Parameters
    ----------
    tree : Tree
        The tree.
    dpi : float, default=180
        Resolution in dots per inch; an inch is 90 units of the layout.
    """
    _matplotlib()
    from matplotlib.figure import Figure

    layout = lay_out(tree)
    # Without pyplot, no figure stays open and the function is thread-safe.
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
        raise InputError('this drawing requires matplotlib: pip install "puretree[plot]", or export SVG') from error
    return pyplot


def _draw(layout: Layout, ax: Axes) -> None:
    ax.set_xlim(0, layout.width)
    ax.set_ylim(layout.height, 0)
    ax.set_aspect("equal")
    ax.axis("off")
    for link in layout.links:
        _draw_curve(ax, link)
    for link in layout.links:
        _draw_branch(ax, link)
    for box in layout.boxes:
        _draw_box(ax, box)
    for swatch in layout.swatches:
        _draw_swatch(ax, swatch)


def _draw_curve(ax: Axes, link: Link) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    path = Path(link.points, [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    ax.add_artist(PathPatch(path, fill=False, edgecolor=LINE, linewidth=1.0))


def _draw_branch(ax: Axes, link: Link) -> None:
    from matplotlib.patches import Rectangle

    (x, y), width = link.text_centre, text_width(link.branch, SMALL)
    ax.add_artist(Rectangle((x - width / 2, y - 7), width, 14, facecolor=PAPER, edgecolor="none"))
    _write(ax, link.branch, x, y + 4, size=SMALL)


def _draw_box(ax: Axes, box: Box) -> None:
    colour = class_colour(box.node.code) if box.node.is_leaf else LINE
    fill = tint(colour) if box.node.is_leaf else SPLIT_FILL
    _draw_rectangle(ax, box.x - box.width / 2, box.y - box.height / 2, box.width, box.height, 6.0, fill, colour)
    for text in box.texts():
        _write(ax, text.text, text.x, text.y, size=text.size, is_bold=text.is_bold)


def _draw_swatch(ax: Axes, swatch: Swatch) -> None:
    colour = class_colour(swatch.code)
    _draw_rectangle(ax, swatch.x, swatch.y, 12.0, 12.0, 3.0, tint(colour, 0.35), colour)
    _write(ax, swatch.text, swatch.x + 18, swatch.y + 11, is_centred=False)


def _draw_rectangle(
    ax: Axes, x: float, y: float, width: float, height: float, radius: float, fill: str, colour: str
) -> None:
    from matplotlib.patches import FancyBboxPatch

    style = f"round,pad=0,rounding_size={radius}"
    ax.add_artist(FancyBboxPatch((x, y), width, height, style, facecolor=fill, edgecolor=colour, linewidth=1.0))


def _write(
    ax: Axes, text: str, x: float, y: float, *, size: float = FONT, is_bold: bool = False, is_centred: bool = True
) -> None:
    """Draw text as a path, flipped since y grows downwards here."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.patches import PathPatch
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    font = FontProperties(weight="bold" if is_bold else "normal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters missing from the font become boxes
        path = TextPath((0, 0), text.replace("$", r"\$"), size=size, prop=font)
    if not len(path.vertices):  # only spaces
        return
    # The vertices bound the curves: computing the exact extents would take half of the time of a drawing.
    width = float(path.vertices[:, 0].max()) if is_centred else 0.0
    placed = path.transformed(Affine2D().scale(1, -1).translate(x - width / 2, y))
    ax.add_artist(PathPatch(placed, facecolor=FAINT_INK if size < FONT else INK, edgecolor="none", linewidth=0))
