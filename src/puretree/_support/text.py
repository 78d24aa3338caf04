"""Text output: aligned tables, numbers of trees, JSON, and escaped text for Markdown.

A forest may have more trees than Python converts to text: integers of more than 4300 digits raise a ValueError. People
read :func:`format_count`, programs read :func:`to_json`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, localcontext
from typing import Any

_NUMBER = re.compile(r"[\d.,]+%?|–")


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
    return _ROUNDED.plus(_to_decimal(count))


# Python converts integers of so many digits whatever its limit is set to; the default limit is 4300 digits.
MAX_DIGITS = sys.int_info.str_digits_check_threshold
LONG_INTEGER = 10**MAX_DIGITS
MAX_READ_DIGITS = 10**6  # a second; no forest has so many trees, and a damaged file should not take minutes
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


def to_json(data: Any) -> str:
    """Write data as JSON; an integer of more than 640 digits is written as a string of its digits.

    :func:`read_integer` reads it back.
    """
    return json.dumps(_with_long_integers_as_text(data), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _with_long_integers_as_text(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _with_long_integers_as_text(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_with_long_integers_as_text(value) for value in data]
    return f"{_to_decimal(data):f}" if isinstance(data, int) and abs(data) >= LONG_INTEGER else data


def read_integer(value: Any) -> Any:
    """Return the integer of a string of more than 640 digits, as :func:`to_json` writes it; else the value itself."""
    is_long = isinstance(value, str) and MAX_DIGITS < len(value) <= MAX_READ_DIGITS
    return _from_digits(value) if is_long and value.isascii() and value.isdecimal() else value


def _to_decimal(number: int) -> Decimal:
    """Convert an integer of any length exactly, by halves: converting a long one at once takes quadratic time."""

    def convert(part: int, n_bits: int) -> Decimal:
        if n_bits <= 4096:
            return Decimal(part)
        n_low = n_bits // 2
        high = part >> n_low
        return convert(high, n_bits - n_low) * Decimal(2) ** n_low + convert(part - (high << n_low), n_low)

    with localcontext(_EXACT):
        return convert(number, number.bit_length())


def _from_digits(digits: str) -> int:
    """Convert digits of any length, by halves."""
    if len(digits) <= MAX_DIGITS:
        return int(digits)
    n_low = len(digits) // 2
    power: int = 10**n_low
    return _from_digits(digits[:-n_low]) * power + _from_digits(digits[-n_low:])


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
