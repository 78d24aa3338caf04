"""Pictures of many small axes, alike in all: bounds over time for each instance, growth for each family of problems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...export.appearance import FAINT_INK, INK
from .drawing import (
    LETTERS,
    Style,
    dress,
    earliest,
    new_figure,
    plain,
    plain_logarithms,
    save,
    save_empty,
    styles_of,
    time_axis,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

History = Sequence[tuple[float, int, int | None]]
Line = Sequence[tuple[float, float | None, float | None, bool]]

MOST_PANELS = 12
PER_ROW = 3
MEGABYTE = 1e6
LEAST_SECONDS, LEAST_MEGABYTES = 0.001, 0.1  # less is drawn there, as a scale of logarithms has no zero


def bounds_over_time(histories: Mapping[str, Mapping[str, History]], path: Path) -> None:
    """Draw how the bounds of each engine close in on each other, instance by instance, a dozen at most.

    Parameters
    ----------
    histories : mapping of str to mapping of str to sequence of (float, int, int or None)
        Of each instance and engine: seconds, lower bound, and upper bound if there was a tree.
    path : Path
        The file.
    """
    title = "Bounds over time: nodes of the best tree (solid), proved lower bound (dashed)"
    drawn = {name: kept for name, engines in histories.items() if (kept := {k: v for k, v in engines.items() if v})}
    if not drawn:
        return save_empty(path, title)
    shown = dict(list(drawn.items())[:MOST_PANELS])
    n_rows, n_columns = math.ceil(len(shown) / PER_ROW), min(PER_ROW, len(shown))
    figure = new_figure(max(3.2 * n_columns, 7.0), 2.5 * n_rows + 1.1)
    styles = styles_of(dict.fromkeys(engine for engines in drawn.values() for engine in engines))
    panels = figure.subplots(n_rows, n_columns, squeeze=False).flat
    for ax, (name, engines) in zip(panels, shown.items(), strict=False):
        _bounds_panel(ax, name, engines, styles)
    for ax in list(panels)[len(shown) :]:
        ax.set_visible(False)
    more = len(drawn) - len(shown)
    _finish(figure, f"{title}; {more} more not shown" if more else title, styles)
    return save(figure, path)


def _bounds_panel(ax: Axes, name: str, engines: Mapping[str, History], styles: Mapping[str, Style]) -> None:
    times = [seconds for history in engines.values() for seconds, _, _ in history]
    start, end = earliest(times), max(times)
    dress(ax, name, "Seconds", "Nodes")
    for engine, history in engines.items():
        is_proved = history[-1][1] == history[-1][2]
        until = history[-1][0] if is_proved else end  # a bound that was not proved stood until the last engine ended
        x = [max(start, seconds) for seconds in [*(seconds for seconds, _, _ in history), until]]
        lower = [bound for _, bound, _ in history]
        upper = [math.nan if bound is None else bound for _, _, bound in history]
        line: dict[str, Any] = {"where": "post", "color": styles[engine].colour, "linewidth": 1.4, "alpha": 0.9}
        ax.step(x, [*upper, upper[-1]], **line)
        ax.step(x, [*lower, lower[-1]], linestyle=(0, (4, 2)), **line)
        if is_proved:
            ax.plot(x[-1], lower[-1], color=styles[engine].colour, marker=styles[engine].marker, markersize=6)
    time_axis(ax, start, 1.3 * end)
    ax.set_ylim(bottom=0)
    whole_numbers(ax)


def growth(lines: Mapping[str, Mapping[str, Line]], path: Path) -> None:
    """Draw how time and memory grow with the size of a problem, both on scales of logarithms.

    Parameters
    ----------
    lines : mapping of str to mapping of str to sequence of (float, float or None, float or None, bool)
        Of each family of problems and engine: size, seconds, bytes, and whether the minimum was proved.
    path : Path
        The file.
    """
    title = "Growth of time and memory (hollow: at its limit, not proved)"
    drawn = {name: engines for name, engines in lines.items() if any(map(len, engines.values()))}
    if not drawn:
        return save_empty(path, title)
    figure = new_figure(max(3.0 * len(drawn) + 0.6, 7.0), 6.2)
    styles = styles_of(dict.fromkeys(engine for engines in drawn.values() for engine in engines))
    panels = figure.subplots(2, len(drawn), squeeze=False, sharey="row", sharex="col")
    for column, (name, engines) in enumerate(drawn.items()):
        _growth_panels(panels[0][column], panels[1][column], engines, styles)
        dress(panels[0][column], name, "", "" if column else "Seconds")
        dress(panels[1][column], "", name, "" if column else "Memory (MB)")
    _finish(figure, title, styles)
    return save(figure, path)


def _growth_panels(above: Axes, below: Axes, engines: Mapping[str, Line], styles: Mapping[str, Style]) -> None:
    """Draw the seconds of a family above, its memory below."""
    for engine, line in engines.items():
        seconds = [(size, max(y, LEAST_SECONDS), done) for size, y, _, done in line if y is not None]
        memory = [(size, max(y / MEGABYTE, LEAST_MEGABYTES), done) for size, _, y, done in line if y is not None]
        _growth_line(above, seconds, styles[engine])
        _growth_line(below, memory, styles[engine])
    first = next(size for line in engines.values() for size, *_ in line)
    for ax in (above, below):
        if not ax.lines:
            ax.plot([first], [1.0], alpha=0.0)  # not seen; a scale of logarithms cannot do without a number
        ax.set(xscale="log", yscale="log")
        plain_logarithms(ax.xaxis)
        plain_logarithms(ax.yaxis)


def _growth_line(ax: Axes, points: Sequence[tuple[float, float, bool]], style: Style) -> None:
    if not points:
        return
    points = sorted(points)
    ax.plot([size for size, _, _ in points], [y for _, y, _ in points], color=style.colour, linewidth=1.2)
    for is_done, fill in ((True, style.colour), (False, "white")):
        some = [(size, y) for size, y, done in points if done == is_done]
        marks: dict[str, Any] = {"marker": style.marker, "markersize": 5.5, "markeredgecolor": style.colour}
        ax.plot([x for x, _ in some], [y for _, y in some], linestyle="none", markerfacecolor=fill, **marks)


def _finish(figure: Figure, title: str, styles: Mapping[str, Style]) -> None:
    """Write the title above, and below what each colour and marker means."""
    from matplotlib.lines import Line2D

    figure.suptitle(plain(title), color=INK, fontsize=LETTERS + 2)
    handles = [Line2D([], [], color=style.colour, marker=style.marker, markersize=5.5) for style in styles.values()]
    names = [plain(name) for name in styles]
    longest = max(map(len, names)) * LETTERS / 72 * 0.65 + 0.7  # inches, with its line and what is between them
    n_columns = max(1, min(len(names), int(figure.get_figwidth() / longest)))
    where: dict[str, Any] = {"loc": "outside lower center", "ncols": n_columns, "frameon": False}
    figure.legend(handles, names, fontsize=LETTERS, labelcolor=FAINT_INK, **where)
