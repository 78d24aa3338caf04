"""The appearance of drawings: colours, text widths and line breaking.

The colours are distinguishable to most colour-blind people and keep dark text readable. Every leaf also carries its
label, so colour is never the only cue.

A drawing is laid out before any font is available to measure. Text widths are therefore estimated from DejaVu Sans,
the widest of the usual fonts, so text that fits here fits in every browser.
"""

from __future__ import annotations

import re
import unicodedata

INK = "#1f2933"
FAINT_INK = "#52606d"
LINE = "#9aa5b1"
PAPER = "#ffffff"
SPLIT_FILL = "#f5f7fa"

CLASS_COLOURS = (
    # Okabe and Ito (2008)
    *("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#d6c400"),
    # Tol's muted scheme
    *("#332288", "#882255", "#117733", "#999933", "#44aa99", "#aa4499", "#6699cc", "#888888"),
)

BOLD = 1.12  # width of bold letters relative to regular ones

_WIDTHS = {
    **dict.fromkeys("iljI'|.,:;! ", 0.34),
    **dict.fromkeys('ftr()[]{}/\\-"', 0.45),
    **dict.fromkeys("mMW@%…", 1.0),
    **dict.fromkeys("wNOQGDHU<>=≤≥+_&", 0.85),
}


def class_colour(code: int) -> str:
    """Return the colour of a class by its index; the colours repeat after the last one."""
    return CLASS_COLOURS[code % len(CLASS_COLOURS)]


def tint(colour: str, fraction: float = 0.2) -> str:
    """Mix a fraction of a colour into white.

    >>> tint("#000000", 0.2)
    '#cccccc'
    """
    channels = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - fraction * (255 - channel)):02x}" for channel in channels)


def text_width(text: str, size: float) -> float:
    """Return an upper estimate of the width of a line of text, in the unit of the font size."""
    return size * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in _WIDTHS:
        return _WIDTHS[letter]
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Cf", "Mn"):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.3  # ideographs and emoji
    return 0.72 if letter.isupper() else 0.64


def wrap(text: str, width: float, size: float, max_lines: int) -> tuple[str, ...]:
    """Break a text at spaces into lines of at most a width; a text that does not fit is cut and ends in "…".

    >>> wrap("petal width in {1, 2, 3}", 70, 10, 2)
    ('petal width', 'in {1, 2, 3}')
    >>> wrap("petal width in {1, 2, 3}", 70, 10, 1)
    ('petal width…',)
    """
    lines: list[str] = [""]
    for word in _words(text, width, size):
        if text_width(lines[-1] + word.rstrip(), size) <= width or not lines[-1]:
            lines[-1] += word
        else:
            lines.append(word)
    lines = [line.strip() for line in lines]
    if len(lines) <= max_lines:
        return tuple(lines)
    last = lines[max_lines - 1]
    while last and text_width(last + "…", size) > width + size:
        last = last[:-1]
    return (*lines[: max_lines - 1], last.rstrip(" ,") + "…")


def elide(text: str, max_length: int) -> str:
    """Replace the middle of a long text by "…": the two ends usually distinguish names.

    >>> elide("a very long name of column 13", 16)
    'a very l…lumn 13'
    """
    half = max_length // 2
    return text if len(text) <= max_length else f"{text[:half].rstrip()}…{text[half + 1 - max_length :].lstrip()}"


def _words(text: str, width: float, size: float) -> list[str]:
    """Return the words with their trailing spaces; words wider than a line are broken into fragments."""
    fragments: list[str] = []
    for word in text.split(" "):
        is_wide = text_width(word, size) > width
        for piece in re.split(r"(?<=[_\-/.>,])", word) if is_wide else [word]:
            fragments += _break_anywhere(piece, width, size)
        fragments[-1] += " "
    return fragments


def _break_anywhere(word: str, width: float, size: float) -> list[str]:
    fragments = [""]
    for letter in word:
        if fragments[-1] and text_width(fragments[-1] + letter, size) > width:
            fragments.append("")
        fragments[-1] += letter
    return fragments
