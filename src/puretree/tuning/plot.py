"""The picture of a fit that allows errors: the front, CART's path, the cross-validated errors and the chosen point.

Errors on validation rows are drawn for as many rows as the training rows, so that both have one axis: where the curves
part, larger trees fit the noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..export.appearance import FAINT_INK, INK, class_colour, tint
from ..pareto.plot import plot_front
from .record import FrontRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .fit_result import OptimalFitResult

GREEN = class_colour(2)
VALIDATION = "cross-validation ± 1 standard error"


def plot_fit(result: OptimalFitResult, ax: Axes | None = None) -> Axes:
    """Draw the front of a fit with matplotlib, the cross-validation and the chosen point.

    Parameters
    ----------
    result : OptimalFitResult
    ax : matplotlib Axes, optional
        The axes to draw on; by default those of a new figure.
    """
    record = FrontRecord.of(result)
    costs = record.validation_costs()
    ax = plot_front(result.front, ax, most=highest_after_leaf(record))
    if costs:
        sizes, means, errors = zip(*costs, strict=True)
        lower = [mean - error for mean, error in zip(means, errors, strict=True)]
        upper = [mean + error for mean, error in zip(means, errors, strict=True)]
        ax.fill_between(sizes, lower, upper, color=tint(GREEN, 0.3), linewidth=0, alpha=0.7, zorder=1.5)
        ax.plot(
            *(sizes, means),
            color=GREEN,
            linewidth=1.6,
            linestyle="--",
            marker="s",
            markersize=3.6,
            zorder=3,
            label=VALIDATION,
        )
    chosen = record.point
    ax.axvline(chosen.n_nodes, color=FAINT_INK, linewidth=1.0, linestyle=":", zorder=1.8)
    ax.plot(
        *([chosen.n_nodes], [chosen.cost]),
        linestyle="none",
        marker="o",
        markersize=11,
        markerfacecolor="none",
        markeredgecolor=INK,
        markeredgewidth=1.6,
        zorder=5,
        label=f"chosen: {chosen.n_nodes} nodes" if chosen.n_nodes > 1 else "chosen: 1 node",
    )
    ax.set_ylabel(y_label(record), color=INK)
    ax.legend(frameon=False, labelcolor=INK, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    return ax


def y_label(record: FrontRecord) -> str:
    """Return the name of the axis of costs."""
    return f"errors, of {record.total_weight:,.0f} rows" if record.counts_errors else "cost"


def highest_after_leaf(record: FrontRecord) -> float:
    """Return the highest cross-validated cost, with its standard error, of trees with a test."""
    return max((mean + error for size, mean, error in record.validation_costs() if size > 1), default=0.0)
