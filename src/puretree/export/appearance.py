"""How wide a text is, and how to break it: drawings are laid out before any font is there to ask.

The widths are those of DejaVu Sans, the widest of the usual fonts, so what fits here fits in every browser.
"""

from __future__ import annotations

import re
import unicodedata

BOLD = 1.12  # how much wider than regular letters

_WIDTHS = {
    **dict.fromkeys("iljI'|.,:;! ", 0.34),
    **dict.fromkeys('ftr()[]{}/\\-"', 0.45),
    **dict.fromkeys("mMW@%…", 1.0),
    **dict.fromkeys("wNOQGDHU<>=≤≥+_&", 0.85),
}


def text_width(text: str, size: float) -> float:
    """Return how wide a line of text is at most, in the unit of the font size."""
    return size * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in _WIDTHS:
        return _WIDTHS[letter]
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Cf", "Mn"):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.3  # ideographs and emoji
    return 0.72 if letter.isupper() else 0.64


def wrap(text: str, width: float, size: float, most_lines: int) -> tuple[str, ...]:
    """Break a text at spaces into lines of a width; what does not fit ends in "…".

    >>> wrap("petal width in {1, 2, 3}", 70, 10, 2)
    ('petal width', 'in {1, 2, 3}')
    >>> wrap("petal width in {1, 2, 3}", 70, 10, 1)
    ('petal width…',)
    """
    lines: list[str] = [""]
    for word in _breakable(text, width, size):
        if text_width(lines[-1] + word.rstrip(), size) <= width or not lines[-1]:
            lines[-1] += word
        else:
            lines.append(word)
    lines = [line.strip() for line in lines]
    if len(lines) <= most_lines:
        return tuple(lines)
    last = lines[most_lines - 1]
    while last and text_width(last + "…", size) > width + size:
        last = last[:-1]
    return (*lines[: most_lines - 1], last.rstrip(" ,") + "…")


def elide(text: str, most: int) -> str:
    """Leave out the middle of a long text: both ends tell names apart.

    >>> elide("a very long name of column 13", 16)
    'a very l…lumn 13'
    """
    half = most // 2
    return text if len(text) <= most else f"{text[:half].rstrip()}…{text[half + 1 - most :].lstrip()}"


def _breakable(text: str, width: float, size: float) -> list[str]:
    """Return the words, each with the space behind it; those wider than a line in parts."""
    parts: list[str] = []
    for word in text.split(" "):
        is_wide = text_width(word, size) > width
        pieces = re.split(r"(?<=[_\-/.>,])", word) if is_wide else [word]
        for piece in pieces:
            parts += _broken(piece, width, size)
        parts[-1] += " "
    return parts


def _broken(word: str, width: float, size: float) -> list[str]:
    parts = [""]
    for letter in word:
        if parts[-1] and text_width(parts[-1] + letter, size) > width:
            parts.append("")
        parts[-1] += letter
    return parts


# Colours of classes that most colour-blind people can tell apart, and that stay readable under dark letters.
#
# Okabe and Ito's seven (2008), then Tol's muted ones. Every leaf also carries its label: colour is never all there is.

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
