"""Plots with several panels: bounds over time for each instance, and growth for each family of problems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...export.appearance import FAINT_INK, INK
from .figure import (
    FONT_SIZE,
    axis_start,
    escape_math,
    format_axes,
    format_log_axis,
    new_figure,
    save,
    save_empty,
    set_integer_ticks,
    set_time_axis,
)
from .styles import Style, styles_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

History = Sequence[tuple[float, int, int | None]]
Curve = Sequence[tuple[float, float | None, float | None, bool]]

MAX_PANELS = 12
PER_ROW = 3
MEGABYTE = 1e6
MIN_SECONDS, MIN_MEGABYTES = 0.001, 0.1  # smaller values are drawn here, since a logarithmic axis has no zero


def bounds_over_time(histories: Mapping[str, Mapping[str, History]], path: Path) -> None:
    """Plot the lower and upper bounds of each engine over time, one panel per instance, at most twelve.

    Parameters
    ----------
    histories : mapping of str to mapping of str to sequence of (float, int, int or None)
        For each instance and engine: seconds, lower bound, and upper bound, None before the first tree.
    path : Path
    """
    title = "Bounds over time: nodes of the best tree (solid), proved lower bound (dashed)"
    nonempty = {name: {engine: h for engine, h in of_engine.items() if h} for name, of_engine in histories.items()}
    nonempty = {name: of_engine for name, of_engine in nonempty.items() if of_engine}
    if not nonempty:
        return save_empty(path, title)
    shown = dict(list(nonempty.items())[:MAX_PANELS])
    n_rows, n_columns = math.ceil(len(shown) / PER_ROW), min(PER_ROW, len(shown))
    figure = new_figure(max(3.2 * n_columns, 7.0), 2.5 * n_rows + 1.1)
    styles = styles_of(dict.fromkeys(engine for engines in nonempty.values() for engine in engines))
    panels = figure.subplots(n_rows, n_columns, squeeze=False).flat
    for ax, (name, engines) in zip(panels, shown.items(), strict=False):
        _bounds_panel(ax, name, engines, styles)
    for ax in list(panels)[len(shown) :]:
        ax.set_visible(False)
    n_hidden = len(nonempty) - len(shown)
    _add_legend(figure, f"{title}; {n_hidden} more not shown" if n_hidden else title, styles)
    return save(figure, path)


def _bounds_panel(ax: Axes, name: str, engines: Mapping[str, History], styles: Mapping[str, Style]) -> None:
    times = [seconds for history in engines.values() for seconds, _, _ in history]
    start, end = axis_start(times), max(times)
    format_axes(ax, name, "Seconds", "Nodes")
    for engine, history in engines.items():
        is_proved = history[-1][1] == history[-1][2]
        until = history[-1][0] if is_proved else end  # without a proof, extend the bounds to the end of the axis
        x = [max(start, seconds) for seconds in [*(seconds for seconds, _, _ in history), until]]
        lower = [bound for _, bound, _ in history]
        upper = [math.nan if bound is None else bound for _, _, bound in history]
        line: dict[str, Any] = {"where": "post", "color": styles[engine].colour, "linewidth": 1.4, "alpha": 0.9}
        ax.step(x, [*upper, upper[-1]], **line)
        ax.step(x, [*lower, lower[-1]], linestyle=(0, (4, 2)), **line)
        if is_proved:
            ax.plot(x[-1], lower[-1], color=styles[engine].colour, marker=styles[engine].marker, markersize=6)
    set_time_axis(ax, start, 1.3 * end)
    ax.set_ylim(bottom=0)
    set_integer_ticks(ax)


def growth(curves: Mapping[str, Mapping[str, Curve]], path: Path) -> None:
    """Plot time and memory against the size of a problem, on logarithmic axes.

    Parameters
    ----------
    curves : mapping of str to mapping of str to sequence of (float, float or None, float or None, bool)
        For each family of problems and engine: size, seconds, bytes, and whether the minimum was proved.
    path : Path
    """
    title = "Growth of time and memory (hollow: at the time limit, not proved)"
    nonempty = {name: engines for name, engines in curves.items() if any(map(len, engines.values()))}
    if not nonempty:
        return save_empty(path, title)
    figure = new_figure(max(3.0 * len(nonempty) + 0.6, 7.0), 6.2)
    styles = styles_of(dict.fromkeys(engine for engines in nonempty.values() for engine in engines))
    panels = figure.subplots(2, len(nonempty), squeeze=False, sharey="row", sharex="col")
    for column, (name, engines) in enumerate(nonempty.items()):
        _growth_panels(panels[0][column], panels[1][column], engines, styles)
        format_axes(panels[0][column], name, "", "" if column else "Seconds")
        format_axes(panels[1][column], "", name, "" if column else "Memory (MB)")
    _add_legend(figure, title, styles)
    return save(figure, path)


def _growth_panels(top: Axes, bottom: Axes, engines: Mapping[str, Curve], styles: Mapping[str, Style]) -> None:
    """Plot the seconds of a family in the top panel and its memory in the bottom panel."""
    for engine, curve in engines.items():
        seconds = [(size, max(y, MIN_SECONDS), done) for size, y, _, done in curve if y is not None]
        memory = [(size, max(y / MEGABYTE, MIN_MEGABYTES), done) for size, _, y, done in curve if y is not None]
        _growth_line(top, seconds, styles[engine])
        _growth_line(bottom, memory, styles[engine])
    first = next(size for curve in engines.values() for size, *_ in curve)
    for ax in (top, bottom):
        if not ax.lines:
            ax.plot([first], [1.0], alpha=0.0)  # invisible; a logarithmic axis needs a positive value
        ax.set(xscale="log", yscale="log")
        format_log_axis(ax.xaxis)
        format_log_axis(ax.yaxis)


def _growth_line(ax: Axes, points: Sequence[tuple[float, float, bool]], style: Style) -> None:
    if not points:
        return
    points = sorted(points)
    ax.plot([size for size, _, _ in points], [y for _, y, _ in points], color=style.colour, linewidth=1.2)
    for is_done, fill in ((True, style.colour), (False, "white")):
        marked = [(size, y) for size, y, done in points if done == is_done]
        marker: dict[str, Any] = {"marker": style.marker, "markersize": 5.5, "markeredgecolor": style.colour}
        ax.plot([x for x, _ in marked], [y for _, y in marked], linestyle="none", markerfacecolor=fill, **marker)


def _add_legend(figure: Figure, title: str, styles: Mapping[str, Style]) -> None:
    """Add the title above and the legend below the panels."""
    from matplotlib.lines import Line2D

    figure.suptitle(escape_math(title), color=INK, fontsize=FONT_SIZE + 2)
    handles = [Line2D([], [], color=style.colour, marker=style.marker, markersize=5.5) for style in styles.values()]
    names = [escape_math(name) for name in styles]
    entry_width = max(map(len, names)) * FONT_SIZE / 72 * 0.65 + 0.7  # inches, with its line and spacing
    n_columns = max(1, min(len(names), int(figure.get_figwidth() / entry_width)))
    position: dict[str, Any] = {"loc": "outside lower center", "ncols": n_columns, "frameon": False}
    figure.legend(handles, names, fontsize=FONT_SIZE, labelcolor=FAINT_INK, **position)
