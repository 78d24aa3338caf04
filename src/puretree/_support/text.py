"""Text output: numbers with their nouns, numbers of trees, aligned tables, and escaped text for Markdown.

A forest may have more trees than Python converts to text: integers of more than 4300 digits raise a ValueError. People
read :func:`format_count`, programs read :func:`~puretree._support.strict_json.to_json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, localcontext

_NUMBER = re.compile(r"[\d.,]+%?|–")


def quantity(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    >>> quantity(1, "row"), quantity(1200, "row"), quantity(2, "leaf", "leaves")
    ('1 row', '1,200 rows', '2 leaves')
    """
    return f"{format_count(number)} {noun if number == 1 else plural or noun + 's'}"


def text_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    r"""Return the lines of a table, header first, with columns of numbers aligned to the right.

    >>> print(*text_table(["engine", "nodes"], [("search", 15), ("mindt", 7)]), sep="\n")
    engine  nodes
    search     15
    mindt       7
    """
    table = [[str(cell) for cell in row] for row in rows]
    right = [bool(table) and all(_NUMBER.fullmatch(row[i]) for row in table) for i in range(len(header))]
    widths = [max(len(row[i]) for row in [list(header), *table]) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        aligned = [
            f"{cell:>{width}}" if is_right else f"{cell:<{width}}"
            for cell, width, is_right in zip(cells, widths, right, strict=True)
        ]
        return "  ".join(aligned).rstrip()

    return [line(row) for row in [list(header), *table]]


EXACT_BELOW = 10**15
_ROUNDED = Context(prec=3, rounding=ROUND_HALF_EVEN, Emax=MAX_EMAX)


def format_count(count: int) -> str:
    """Format a number of trees for people: exact if it is small, else rounded.

    >>> format_count(5616), format_count(10**5000)
    ('5,616', 'about 1.00e5000')
    """
    if abs(count) < EXACT_BELOW:
        return f"{count:,}"
    return f"about {rounded(count):.2e}".replace("e+", "e")


def rounded(count: int) -> Decimal:
    """Round an integer of any length to three digits; the result always has a repr."""
    return _ROUNDED.plus(to_decimal(count))


_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


def to_decimal(number: int) -> Decimal:
    """Convert an integer of any length exactly, by halves: converting a long one at once takes quadratic time."""

    def convert(part: int, n_bits: int) -> Decimal:
        if n_bits <= 4096:
            return Decimal(part)
        n_low = n_bits // 2
        high = part >> n_low
        return convert(high, n_bits - n_low) * Decimal(2) ** n_low + convert(part - (high << n_low), n_low)

    with localcontext(_EXACT):
        return convert(number, number.bit_length())


_MARKUP = re.compile(r"[\\`*_\[\]{}|~$#^@]|(?<=www)\.|(?<=:)/(?=/)")  # "@", "www." and "://" would start a link
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}  # not every Markdown renderer supports a backslash before these


def escape(text: str) -> str:
    r"""Escape text so that Markdown shows it unchanged at any position of a line, for example a column name.

    >>> print(escape("a|b_<i>"))
    a\|b\_&lt;i&gt;
    """
    on_one_line = " ".join(text.split())
    without_html = "".join(_ENTITIES.get(letter, letter) for letter in on_one_line)
    return _MARKUP.sub(lambda match: "\\" + match[0], without_html)
