"""The HTML that a notebook shows for a fitted tree: the drawing, the proof status and the number of minimum trees."""

from __future__ import annotations

from html import escape

from .._support.text import format_count, quantity
from ..outcome import UNITS, WITH_ERRORS, Outcome, number
from ..tree import Tree
from .svg import to_svg

LARGEST_DRAWING = 301  # nodes; a larger drawing would be slow and unreadable
BADGE = "display:inline-block;padding:1px 8px;border-radius:9px;color:#fff;font-weight:600;margin-right:8px;"
PROVED, OPEN = "#1b7837", "#b35806"


def html_card(tree: Tree, outcome: Outcome, n_trees: int | None, front: str = "") -> str:
    """Return a tree and its proof status as self-contained HTML.

    Parameters
    ----------
    tree : Tree
    outcome : Outcome
        Its status and bounds.
    n_trees : int or None
        The number of minimum trees; None if unknown.
    front : str, default=""
        The picture of the front as an ``<svg>`` element, where errors are allowed.
    """
    is_proved = outcome.status == "optimal"
    kind = "optimal" if outcome.minimised in WITH_ERRORS else "minimum"
    badge = f"proved {kind}" if is_proved else f"not proved ({outcome.status.replace('_', ' ')})"
    errors = [quantity(outcome.n_errors, "training error")] if kind == "optimal" else []
    facts = [f"{quantity(tree.n_nodes, 'node')}, depth {tree.depth}", *errors, _bounds(outcome)]
    if n_trees is not None:
        facts.append(f"the only {kind} tree" if n_trees == 1 else f"one of {format_count(n_trees)} {kind} trees")
    facts.append(f"{outcome.seconds:.1f} s")
    return (
        '<div style="font-family:sans-serif;font-size:13px;margin:4px 0">'
        f'<div style="margin-bottom:6px"><span style="{BADGE}background:{PROVED if is_proved else OPEN}">'
        f"{escape(badge)}</span>{escape(' · '.join(facts))}</div>"
        f"{_pictures(tree, front)}</div>"
    )


def _pictures(tree: Tree, front: str) -> str:
    """Return the drawing of the tree, and the front beside it if there is room."""
    drawn = f'<div style="overflow:auto;max-height:600px;max-width:100%">{_drawing(tree)}</div>'
    if not front:
        return drawn
    style = "display:flex;flex-wrap:wrap;gap:8px;align-items:flex-start"
    return f'<div style="{style}">{drawn}<div style="max-width:100%">{front}</div></div>'


def _bounds(outcome: Outcome) -> str:
    what = f" {UNITS[outcome.minimised]} of this size" if outcome.minimised in WITH_ERRORS else ""
    return f"{number(outcome.lower_bound)} ≤ minimum{what} ≤ {number(outcome.upper_bound or 0)}"


def _drawing(tree: Tree) -> str:
    if tree.n_nodes <= LARGEST_DRAWING:
        return to_svg(tree)
    return f"<pre>{escape(tree.to_text())}</pre>"
