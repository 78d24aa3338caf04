"""The picture of a front: errors against nodes, with the pruning path of CART above it.

The front is a step curve, because a tree that may have more nodes than a point and fewer than the next one is the tree
of the point. Where the least cost is not proved, a band shows between which bounds it lies.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..export.appearance import FAINT_INK, INK, LINE, PAPER, class_colour, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .front import Front

BLUE, ORANGE = class_colour(0), class_colour(1)
SIZE = (7.2, 4.3)  # inches
FLAT = 3  # times the cost of the second point: a higher first point is cut off
MANY_POINTS = 60  # from here on points have no marks


def plot_front(front: Front, ax: Axes | None = None, *, cart: bool = True, most: float = 0.0) -> Axes:
    """Draw a front, with room for costs of at most ``most``; see :meth:`Front.plot`."""
    if ax is None:
        ax = require_matplotlib().subplots(figsize=SIZE, layout="constrained")[1]
    path = front.pruning_path() if cart and front.constraints.root is None else []
    right = right_end(front[-1].n_nodes, path)
    sizes = [*range(1, front[-1].n_nodes + 1, 2), right]
    if path:
        steps = [*path, (right, path[-1][1])]
        ax.step(*_columns(steps), where="post", color=ORANGE, linewidth=1.4, zorder=2, label="CART, pruned")
        ax.plot(*_columns(path), linestyle="none", marker="o", markersize=3.4, color=ORANGE, zorder=2)
    lower, upper = ([*curve, curve[-1]] for curve in (front.lower, front.upper))
    if not front.is_complete:
        ax.fill_between(
            sizes, lower, upper, step="post", color=tint(BLUE, 0.2), linewidth=0, zorder=1, label="not proved"
        )
    name = "front, proved" if front.is_complete else "front"
    ax.step(sizes, upper, where="post", color=BLUE, linewidth=2.0, zorder=3, label=name)
    if len(front) <= MANY_POINTS:
        for is_proved, face in ((True, BLUE), (False, PAPER)):
            points = [(point.n_nodes, point.cost) for point in front if (point.status == "optimal") == is_proved]
            ax.plot(
                *_columns(points),
                linestyle="none",
                marker="o",
                markersize=5,
                color=BLUE,
                markerfacecolor=face,
                zorder=4,
            )
    _dress(ax, front, right, most)
    return ax


PICTURES = (".svg", ".png", ".pdf")
DPI = 180.0


def to_picture(front: Front, format: str) -> bytes:
    """Draw a front as ``svg``, ``png`` or ``pdf``; the same front gives the same SVG."""
    require_matplotlib()
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")  # without pyplot, no figure stays open
    plot_front(front, figure.add_subplot())
    target = io.BytesIO()
    with rc_context({"svg.hashsalt": "puretree", "svg.fonttype": "none"}):
        metadata = {"Date": None} if format == "svg" else {"CreationDate": None} if format == "pdf" else None
        figure.savefig(target, format=format, dpi=DPI, facecolor=PAPER, metadata=metadata)
    return target.getvalue()


def _columns(points: Sequence[tuple[int, float]]) -> tuple[list[int], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def right_end(last: int, path: Sequence[tuple[int, float]]) -> int:
    """Return the right end of a picture: CART's path may be much longer than the front, whose last size is given."""
    return max(3, min(max([last + 2, *(n_nodes for n_nodes, _ in path)]), last + max(4, last // 2)))


def visible_top(costs: Sequence[float], most: float = 0.0) -> float:
    """Return the top of a picture of a front.

    If the single leaf costs so much more that the other points would lie flat, it is cut off.

    Parameters
    ----------
    costs : sequence of float
        Of the points, in descending order.
    most : float
        What must be visible, apart from the single leaf.
    """
    if len(costs) < 4 or costs[0] <= FLAT * costs[1]:
        return 1.06 * max(costs[0], most) or 1.0
    return max(1.35 * costs[1], 1.06 * most)


def _dress(ax: Axes, front: Front, right: int, most: float) -> None:
    """Set the limits and the labels of the axes."""
    from matplotlib.ticker import MaxNLocator

    top = visible_top([point.cost for point in front], most)
    ax.set_xlim(0, right)
    ax.set_ylim(-0.025 * top, top)
    if top < front[0].cost:
        ax.annotate(
            f"1 node: {front[0].cost:,.6g}",
            (front[1].n_nodes, top),
            (8, -3),
            xycoords="data",
            textcoords="offset points",
            va="top",
            color=FAINT_INK,
            fontsize="small",
        )
    ax.set_xlabel("nodes", color=INK)
    ax.set_ylabel("training errors" if front.counts_errors else "cost on the training rows", color=INK)
    for axis, is_integer in ((ax.xaxis, True), (ax.yaxis, front.counts_errors)):
        axis.set_major_locator(MaxNLocator(integer=is_integer, steps=[1, 2, 5, 10]))
    ax.grid(axis="y", color=tint(LINE, 0.35), linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(LINE)
    ax.tick_params(colors=FAINT_INK, which="both")
    ax.legend(frameon=False, labelcolor=INK, loc="upper right")


def require_matplotlib() -> Any:
    """Return matplotlib's pyplot; raise InputError if it is not installed."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise InputError('this drawing requires matplotlib: pip install "puretree[plot]"') from error
    return pyplot
