"""Results as pictures: who solves how much in which time, how bounds close, and what accuracy costs in nodes.

Each is a PNG file made of plain numbers; without any, it is a picture that says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from .drawing import dress, earliest, name_in_margin, new_figure, save, save_empty, styles_of, time_axis, whole_numbers
from .panels import bounds_over_time, growth

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["accuracy_against_size", "bounds_over_time", "cactus", "gaps_over_time", "growth"]


def cactus(solved: Mapping[str, Sequence[float]], path: Path, limit: float, n_instances: int) -> None:
    """Draw how many instances each engine has solved after which time.

    Parameters
    ----------
    solved : mapping of str to sequence of float
        The seconds that each engine took for the instances that it solved.
    path : Path
        The file.
    limit : float
        Seconds that it had for each.
    n_instances : int
        How many there were.
    """
    title = f"Instances solved within a time, of {n_instances}"
    if not solved:
        return save_empty(path, title)
    figure, styles = new_figure(7.5, 4.5), styles_of(solved)
    ax = figure.add_subplot()
    dress(ax, title, "Seconds for each instance", "Instances solved")
    start, ends = earliest(seconds for times in solved.values() for seconds in times), {}
    for name, times in solved.items():
        x = [start, *(max(seconds, start) for seconds in sorted(times)), max(limit, start)]
        y = [0, *range(1, len(times) + 1), len(times)]
        ax.step(x, y, where="post", color=styles[name].colour, linewidth=1.6)
        _marked(ax, x[1:-1], y[1:-1], name, styles[name].colour, styles[name].marker)
        ends[name] = (x[-1], y[-1])
    time_axis(ax, start, limit)
    ax.set_ylim(-0.02 * n_instances, 1.04 * n_instances)
    whole_numbers(ax)
    name_in_margin(figure, ax, ends, styles)
    return save(figure, path)


def gaps_over_time(curves: Mapping[str, tuple[Sequence[float], Sequence[float]]], path: Path) -> None:
    """Draw how far each engine's best tree is from the best of all, in the mean of all instances.

    Parameters
    ----------
    curves : mapping of str to (sequence of float, sequence of float)
        Of each engine the seconds, ascending, and the mean gap from then on: 0 is the best tree known, 1 is no tree.
    path : Path
        The file.
    """
    title = "How far the best tree so far is from the best of all"
    drawn = {name: curve for name, curve in curves.items() if len(curve[0])}
    if not drawn:
        return save_empty(path, title)
    from matplotlib.ticker import PercentFormatter

    figure, styles = new_figure(7.5, 4.5), styles_of(drawn)
    ax = figure.add_subplot()
    dress(ax, title, "Seconds", "Mean gap of the upper bound")
    start, end = earliest(seconds for times, _ in drawn.values() for seconds in times), _latest(drawn)
    ends = {}
    for name, (times, gaps) in drawn.items():
        x, y = [*(max(seconds, start) for seconds in times), end], [*gaps, gaps[-1]]
        ax.step(x, y, where="post", color=styles[name].colour, linewidth=1.6)
        _marked(ax, x[:-1], y[:-1], name, styles[name].colour, styles[name].marker)
        ends[name] = (end, y[-1])
    time_axis(ax, start, end)
    ax.set_ylim(bottom=-0.02 * max(max(gaps) for _, gaps in drawn.values()))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    name_in_margin(figure, ax, ends, styles)
    return save(figure, path)


def accuracy_against_size(points: Mapping[str, Sequence[tuple[float, float]]], path: Path) -> None:
    """Draw accuracy against size: a faint point for each data set, a large one for the means of each method.

    Parameters
    ----------
    points : mapping of str to sequence of (float, float)
        Of each method, nodes and accuracy in percent.
    path : Path
        The file.
    """
    title = "Accuracy against size: data sets (faint) and their means"
    drawn = {name: list(each) for name, each in points.items() if len(each)}
    if not drawn:
        return save_empty(path, title)
    figure, styles = new_figure(8.0, 5.5), styles_of(drawn)
    ax = figure.add_subplot()
    dress(ax, title, "Nodes of the tree", "Accuracy on test rows (%)")
    ends = {name: (fmean(size for size, _ in each), fmean(right for _, right in each)) for name, each in drawn.items()}
    for name, each in drawn.items():
        style: dict[str, Any] = {"color": styles[name].colour, "marker": styles[name].marker, "edgecolors": "none"}
        x, y = zip(*each, strict=True)
        ax.scatter(x, y, s=16, alpha=0.25, **style)
    for name, mean in ends.items():
        ax.scatter(*mean, s=90, color=styles[name].colour, marker=styles[name].marker, edgecolors="white", zorder=3)
    ax.set_xlim(left=0)
    name_in_margin(figure, ax, ends, styles)
    return save(figure, path)


def _marked(ax: Axes, x: Sequence[float], y: Sequence[float], name: str, colour: str, marker: str) -> None:
    """Put up to a dozen markers on a line, so that it is known without its colour."""
    every = max(1, math.ceil(len(x) / 12))
    ax.plot(x[::every], y[::every], linestyle="none", marker=marker, markersize=4.5, color=colour, label=name)


def _latest(curves: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> float:
    return max(max(times) for times, _ in curves.values())
