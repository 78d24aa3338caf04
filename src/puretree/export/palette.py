"""Colours of classes that most colour-blind people can tell apart, and that stay readable under dark letters.

Okabe and Ito's seven (2008), then Tol's muted ones. Every leaf also carries its label: colour is never all there is.
"""

from __future__ import annotations

INK = "#1f2933"
FAINT_INK = "#52606d"
LINE = "#9aa5b1"
PAPER = "#ffffff"
QUESTION = "#f5f7fa"

CLASS_COLOURS = (
    *("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#d6c400"),
    *("#332288", "#882255", "#117733", "#999933", "#44aa99", "#aa4499", "#6699cc", "#888888"),
)


def class_colour(code: int) -> str:
    """Return the colour of a class by its place; they come again after the last."""
    return CLASS_COLOURS[code % len(CLASS_COLOURS)]


def tint(colour: str, share: float = 0.2) -> str:
    """Mix a colour into white.

    >>> tint("#000000", 0.2)
    '#cccccc'
    """
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - share * (255 - part)):02x}" for part in parts)
