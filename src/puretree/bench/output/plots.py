"""Plots of results: cactus plot, gaps and bounds over time, accuracy against size, and growth.

Each function writes a PNG file; without data, the plot has the text "no data".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from .figure import (
    axis_start,
    figure_with_margin,
    format_axes,
    label_in_margin,
    new_figure,
    save,
    save_empty,
    set_integer_ticks,
    set_time_axis,
)
from .panels import bounds_over_time, growth
from .styles import styles_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["accuracy_against_size", "bounds_over_time", "cactus", "gaps_over_time", "growth"]


def cactus(solved: Mapping[str, Sequence[float]], path: Path, limit: float, n_instances: int) -> None:
    """Draw a cactus plot: the number of instances that each engine solves within a time.

    Parameters
    ----------
    solved : mapping of str to sequence of float
        For each engine, the seconds of the instances it solved.
    path : Path
    limit : float
        Time limit per instance in seconds.
    n_instances : int
        Total number of instances.
    """
    title = f"Instances solved over time, of {n_instances}"
    if not solved:
        return save_empty(path, title)
    figure, styles = figure_with_margin(solved), styles_of(solved)
    ax = figure.add_subplot()
    format_axes(ax, title, "Seconds per instance", "Instances solved")
    start, ends = axis_start(seconds for times in solved.values() for seconds in times), {}
    for name, times in solved.items():
        x = [start, *(max(seconds, start) for seconds in sorted(times)), max(limit, start)]
        y = [0, *range(1, len(times) + 1), len(times)]
        ax.step(x, y, where="post", color=styles[name].colour, linewidth=1.6)
        _add_markers(ax, x[1:-1], y[1:-1], name, styles[name].colour, styles[name].marker)
        ends[name] = (x[-1], y[-1])
    set_time_axis(ax, start, limit)
    ax.set_ylim(-0.02 * n_instances, 1.04 * n_instances)
    set_integer_ticks(ax)
    label_in_margin(figure, ax, ends, styles)
    return save(figure, path)


def gaps_over_time(curves: Mapping[str, tuple[Sequence[float], Sequence[float]]], path: Path) -> None:
    """Plot the gap of each engine's upper bound to the best of all engines, as a mean over instances.

    Parameters
    ----------
    curves : mapping of str to (sequence of float, sequence of float)
        For each engine the seconds, ascending, and the mean gap from then on: 0 with the best tree, 1 without a tree.
    path : Path
    """
    title = "Gap of the best tree so far to the best of all engines"
    nonempty = {name: curve for name, curve in curves.items() if len(curve[0])}
    if not nonempty:
        return save_empty(path, title)
    from matplotlib.ticker import PercentFormatter

    figure, styles = figure_with_margin(nonempty), styles_of(nonempty)
    ax = figure.add_subplot()
    format_axes(ax, title, "Seconds", "Mean gap of the upper bound")
    start, end = axis_start(seconds for times, _ in nonempty.values() for seconds in times), _latest(nonempty)
    ends = {}
    for name, (times, gaps) in nonempty.items():
        x, y = [*(max(seconds, start) for seconds in times), end], [*gaps, gaps[-1]]
        ax.step(x, y, where="post", color=styles[name].colour, linewidth=1.6)
        _add_markers(ax, x[:-1], y[:-1], name, styles[name].colour, styles[name].marker)
        ends[name] = (end, y[-1])
    set_time_axis(ax, start, end)
    ax.set_ylim(bottom=-0.02 * max(max(gaps) for _, gaps in nonempty.values()))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    label_in_margin(figure, ax, ends, styles)
    return save(figure, path)


def accuracy_against_size(points: Mapping[str, Sequence[tuple[float, float]]], path: Path) -> None:
    """Plot accuracy against size: a faint point for each data set, a large one for the mean of each method.

    Parameters
    ----------
    points : mapping of str to sequence of (float, float)
        For each method, numbers of nodes and accuracies in percent.
    path : Path
    """
    title = "Accuracy against size: data sets (faint) and their means"
    nonempty = {name: list(pairs) for name, pairs in points.items() if len(pairs)}
    if not nonempty:
        return save_empty(path, title)
    figure, styles = new_figure(8.0, 5.5), styles_of(nonempty)
    ax = figure.add_subplot()
    format_axes(ax, title, "Nodes of the tree", "Test accuracy (%)")
    means = {
        name: (fmean(size for size, _ in pairs), fmean(accuracy for _, accuracy in pairs))
        for name, pairs in nonempty.items()
    }
    for name, pairs in nonempty.items():
        style: dict[str, Any] = {"color": styles[name].colour, "marker": styles[name].marker, "edgecolors": "none"}
        x, y = zip(*pairs, strict=True)
        ax.scatter(x, y, s=16, alpha=0.25, **style)
    for name, mean in means.items():
        ax.scatter(*mean, s=90, color=styles[name].colour, marker=styles[name].marker, edgecolors="white", zorder=3)
    ax.set_xlim(left=0)
    label_in_margin(figure, ax, means, styles)
    return save(figure, path)


def _add_markers(ax: Axes, x: Sequence[float], y: Sequence[float], name: str, colour: str, marker: str) -> None:
    """Add up to twelve markers to a line, so that it can be identified without colour."""
    every = max(1, math.ceil(len(x) / 12))
    ax.plot(x[::every], y[::every], linestyle="none", marker=marker, markersize=4.5, color=colour, label=name)


def _latest(curves: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> float:
    return max(max(times) for times, _ in curves.values())
