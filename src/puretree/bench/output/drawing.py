"""The colour and marker of each engine and method: the same in every picture, and told apart without colours, too."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any
from zlib import crc32

from ...errors import InputError
from ...export.appearance import CLASS_COLOURS, FAINT_INK, INK, LINE, PAPER
from ...runs.atomic import replace_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

N_COMMON = 7  # colours that are told apart best: for what is drawn most
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")

# Engines are not drawn with methods, so both begin with the colours that are told apart best.
_ENGINES = (
    *("search", "maxsat", "mindt", "local-search-ck", "local-search-c", "local-search", "tt-open-wbo-inc-21"),
    *("auto", "bessiere", "dtfinder", "infer-depth", "infer-size", "dl85", "streed", "dtmax"),
)
_METHODS = (
    *("mpdt", "psk", "mpdt-lay", "lsk", "mpdt-1", "ask", "all", "mpdt-nd", "mpdt-lay-nd", "dtmax-2", "dtmax-3"),
    "dtmax-4",
)
_PLACES = {name: place for names in (_METHODS, _ENGINES) for place, name in enumerate(names)}


@dataclass(frozen=True, slots=True)
class Style:
    """How an engine or method is drawn."""

    colour: str
    marker: str


def styles_of(names: Iterable[str]) -> dict[str, Style]:
    """Return a style for each name; the known have theirs, others what their letters add up to, or the next free one.

    >>> styles_of(["psk", "mpdt"])["mpdt"]
    Style(colour='#0072b2', marker='o')
    """
    names = list(names)
    places = {name: _PLACES[name.lower()] for name in names if name.lower() in _PLACES}
    for name in sorted(set(names) - set(places)):
        places[name] = _free_place(name, set(places.values()))
    return {name: _style(places[name]) for name in names}


def _free_place(name: str, taken: set[int]) -> int:
    """Return a place among the colours that are used least."""
    places = [place for place in range(len(CLASS_COLOURS) * len(MARKERS)) if place % len(CLASS_COLOURS) >= N_COMMON]
    first = crc32(name.encode()) % len(places)
    return next((place for place in places[first:] + places[:first] if place not in taken), places[first])


def _style(place: int) -> Style:
    return Style(CLASS_COLOURS[place % len(CLASS_COLOURS)], MARKERS[place % len(MARKERS)])


# What all pictures of results share: a figure that no other code sees, names beside the lines, and a file at the end.
#
# Pictures are made without pyplot: no figure stays open, and any thread may do it.

DOTS_PER_INCH = 150
LETTERS = 9.0  # points
SHORTEST = 0.01  # seconds; what is faster is drawn there, as a scale of logarithms has no zero
LINE_HEIGHT = 1.35  # of a name in the margin, in letters


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches; InputError without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError('plots need matplotlib: pip install "puretree[bench]", or read the tables instead') from error
    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, facecolor=PAPER, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, all of it or nothing."""
    target = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font does not have become boxes
        figure.savefig(target, format="png", dpi=DOTS_PER_INCH, facecolor=PAPER)
    replace_file(path, target.getvalue())


def save_empty(path: Path, title: str) -> None:
    """Write a picture that says that there is nothing to see."""
    figure = new_figure(6.0, 3.0)
    figure.suptitle(plain(title), color=INK, fontsize=LETTERS + 2)
    figure.text(0.5, 0.45, "no data", ha="center", va="center", color=FAINT_INK, fontsize=LETTERS + 5)
    save(figure, path)


def plain(words: str) -> str:
    """Return words such that a "$" is a dollar, not mathematics."""
    return words.replace("$", r"\$")


def dress(ax: Axes, title: str, x_label: str, y_label: str) -> None:
    """Give axes their words, a faint grid, and no frame where there is no axis."""
    ax.set_title(plain(title), loc="left", color=INK, fontsize=LETTERS + 2)
    ax.set_xlabel(plain(x_label), color=INK, fontsize=LETTERS)
    ax.set_ylabel(plain(y_label), color=INK, fontsize=LETTERS)
    ax.tick_params(which="both", labelsize=LETTERS - 1, colors=FAINT_INK)
    ax.grid(visible=True, color=LINE, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(LINE)


def time_axis(ax: Axes, start: float, end: float) -> None:
    """Make x a scale of logarithms of seconds, with plain numbers."""
    ax.set_xscale("log")
    ax.set_xlim(start, max(end, 2 * start))
    plain_logarithms(ax.xaxis)


def plain_logarithms(axis: Axis) -> None:
    """Write plain numbers at a scale of logarithms; between the powers of ten, too, if there are hardly any."""

    def between(value: float, _place: float) -> str:
        low, high = axis.get_view_interval()
        shown = "" if high > 20 * low else "25" if high > 6 * low else "2345678"
        return f"{value:g}" if f"{value:e}"[0] in shown else ""

    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(between)


def earliest(times: Iterable[float]) -> float:
    """Return where an axis of times begins: a little before the first."""
    return max(SHORTEST, 0.8 * min(times, default=SHORTEST))


def whole_numbers(ax: Axes) -> None:
    """Mark y at whole numbers only: there is no half node."""
    from matplotlib.ticker import MaxNLocator

    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))


def name_in_margin(
    figure: Figure, ax: Axes, ends: Mapping[str, tuple[float, float]], styles: Mapping[str, Style]
) -> None:
    """Write names to the right of the axes, each as near to the height of its point as the others let it.

    Parameters
    ----------
    figure, ax
        Complete but for the names.
    ends : mapping of str to (float, float)
        The point that each name belongs to, in the units of the axes; a thin line leads there.
    styles : mapping of str to Style
        Colours of the names.
    """
    figure.draw_without_rendering()  # limits and sizes are known after that
    to_axes = ax.transData + ax.transAxes.inverted()
    points = {name: to_axes.transform(end) for name, end in ends.items()}
    step = LETTERS * LINE_HEIGHT / 72 * DOTS_PER_INCH / ax.get_window_extent().height
    ordered = sorted(points, key=lambda name: (points[name][1], name))
    heights = spread([float(points[name][1]) for name in ordered], step)
    for name, height in zip(ordered, heights, strict=True):
        arrow: dict[str, Any] = {"arrowstyle": "-", "color": styles[name].colour, "linewidth": 0.6, "alpha": 0.6}
        arrow |= {"shrinkA": 0, "shrinkB": 0, "relpos": (0, 0.5)}
        place: dict[str, Any] = {"xytext": (1.04, height), "textcoords": "axes fraction", "xycoords": "axes fraction"}
        words: dict[str, Any] = {"va": "center", "ha": "left", "fontsize": LETTERS, "color": styles[name].colour}
        ax.annotate(plain(name), tuple(points[name]), arrowprops=arrow, annotation_clip=False, **place, **words)


def spread(heights: list[float], step: float) -> list[float]:
    """Move ascending heights apart until there is a step between them, within 0 to 1, and no more than needed.

    Less a step for each name below it, every name may have the same place as its neighbours but none beyond: those in
    the wrong order share the mean of where they want to be (pooling adjacent violators).

    >>> spread([0.0, 0.5, 0.5, 1.0], 0.25)
    [0.0, 0.375, 0.625, 1.0]
    """
    pools: list[list[float]] = []
    for place, height in enumerate(heights):
        pools.append([height - step * place])
        while len(pools) > 1 and fmean(pools[-1]) < fmean(pools[-2]):
            upper = pools.pop()
            pools[-1] += upper
    highest = max(0.0, 1.0 - step * (len(heights) - 1))
    places = [min(max(fmean(pool), 0.0), highest) for pool in pools for _ in pool]
    return [height + step * place for place, height in enumerate(places)]
