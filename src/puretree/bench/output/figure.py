"""Matplotlib helpers shared by all plots: new figures, axes, labels in the margin, and saving.

Figures are created without pyplot, so none stays open and plots can be drawn in any thread.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...export.appearance import FAINT_INK, INK, LINE, PAPER
from ...runs.atomic import replace_file
from .styles import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

DPI = 150
FONT_SIZE = 9.0  # points
MIN_SECONDS = 0.01  # shorter times are drawn here, since a logarithmic axis has no zero
AXES_WIDTH, AXES_HEIGHT = 6.4, 4.5  # inches, of a plot without the labels in its margin
LETTER_WIDTH = 0.07  # inches, of a label in the margin
LINE_HEIGHT = 1.35  # of a label in the margin, relative to the font size


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, with sizes in inches; raise InputError if matplotlib is missing."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError('plots need matplotlib: pip install "puretree[bench]", or read the tables instead') from error
    figure = Figure(figsize=(width, height), dpi=DPI, facecolor=PAPER, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def figure_with_margin(names: Iterable[str]) -> Figure:
    """Return an empty figure for one plot with labels in the margin, wide enough for the names."""
    return new_figure(AXES_WIDTH + LETTER_WIDTH * max(map(len, names)), AXES_HEIGHT)


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, atomically."""
    target = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters missing in the font are drawn as boxes
        figure.savefig(target, format="png", dpi=DPI, facecolor=PAPER)
    replace_file(path, target.getvalue())


def save_empty(path: Path, title: str) -> None:
    """Write a figure with a title and the text "no data"."""
    figure = new_figure(6.0, 3.0)
    figure.suptitle(escape_math(title), color=INK, fontsize=FONT_SIZE + 2)
    figure.text(0.5, 0.45, "no data", ha="center", va="center", color=FAINT_INK, fontsize=FONT_SIZE + 5)
    save(figure, path)


def escape_math(text: str) -> str:
    """Escape "$", which matplotlib would read as mathematics."""
    return text.replace("$", r"\$")


def format_axes(ax: Axes, title: str, x_label: str, y_label: str) -> None:
    """Set the title and labels of axes, draw a faint grid, and remove the top and right spines."""
    ax.set_title(escape_math(title), loc="left", color=INK, fontsize=FONT_SIZE + 2)
    ax.set_xlabel(escape_math(x_label), color=INK, fontsize=FONT_SIZE)
    ax.set_ylabel(escape_math(y_label), color=INK, fontsize=FONT_SIZE)
    ax.tick_params(which="both", labelsize=FONT_SIZE - 1, colors=FAINT_INK)
    ax.grid(visible=True, color=LINE, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(LINE)


def set_time_axis(ax: Axes, start: float, end: float) -> None:
    """Make x a logarithmic axis of seconds."""
    ax.set_xscale("log")
    ax.set_xlim(start, max(end, 2 * start))
    format_log_axis(ax.xaxis)


def format_log_axis(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers, also between powers of ten if the range has few of them."""

    def minor_label(value: float, _position: float) -> str:
        low, high = axis.get_view_interval()
        digits = "" if high > 20 * low else "25" if high > 6 * low else "2345678"
        return f"{value:g}" if f"{value:e}"[0] in digits else ""

    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(minor_label)


def axis_start(times: Iterable[float]) -> float:
    """Return the start of a time axis: slightly before the first time."""
    return max(MIN_SECONDS, 0.8 * min(times, default=MIN_SECONDS))


def set_integer_ticks(ax: Axes) -> None:
    """Place the ticks of y at integers only."""
    from matplotlib.ticker import MaxNLocator

    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))


def label_in_margin(
    figure: Figure, ax: Axes, ends: Mapping[str, tuple[float, float]], styles: Mapping[str, Style]
) -> None:
    """Write labels to the right of the axes, each as close to the height of its point as the others allow.

    Parameters
    ----------
    figure, ax
        Complete except for the labels.
    ends : mapping of str to (float, float)
        The point of each label in data coordinates; a thin line connects them.
    styles : mapping of str to Style
        Colours of the labels.
    """
    figure.draw_without_rendering()  # computes limits and sizes
    to_axes = ax.transData + ax.transAxes.inverted()
    points = {name: to_axes.transform(end) for name, end in ends.items()}
    step = FONT_SIZE * LINE_HEIGHT / 72 * DPI / ax.get_window_extent().height
    ordered = sorted(points, key=lambda name: (points[name][1], name))
    heights = spread_labels([float(points[name][1]) for name in ordered], step)
    for name, height in zip(ordered, heights, strict=True):
        arrow: dict[str, Any] = {"arrowstyle": "-", "color": styles[name].colour, "linewidth": 0.6, "alpha": 0.6}
        arrow |= {"shrinkA": 0, "shrinkB": 0, "relpos": (0, 0.5)}
        position: dict[str, Any] = {"xytext": (1.04, height), "textcoords": "axes fraction"}
        position["xycoords"] = "axes fraction"
        text: dict[str, Any] = {"va": "center", "ha": "left", "fontsize": FONT_SIZE, "color": styles[name].colour}
        ax.annotate(escape_math(name), tuple(points[name]), arrowprops=arrow, annotation_clip=False, **position, **text)


def spread_labels(heights: list[float], step: float) -> list[float]:
    """Move ascending heights apart by at least a step, within 0 to 1, with the least total squared movement.

    After subtracting a step for each label below it, the heights must be nondecreasing: the problem is isotonic
    regression, solved by pooling adjacent violators.

    >>> spread_labels([0.0, 0.5, 0.5, 1.0], 0.25)
    [0.0, 0.375, 0.625, 1.0]
    """
    pools: list[list[float]] = []
    for index, height in enumerate(heights):
        pools.append([height - step * index])
        while len(pools) > 1 and fmean(pools[-1]) < fmean(pools[-2]):
            upper = pools.pop()
            pools[-1] += upper
    highest = max(0.0, 1.0 - step * (len(heights) - 1))
    levels = [min(max(fmean(pool), 0.0), highest) for pool in pools for _ in pool]
    return [level + step * index for index, level in enumerate(levels)]
