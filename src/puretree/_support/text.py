"""Text output: numbers with their nouns, aligned tables for a terminal, and escaped text for Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NUMBER = re.compile(r"[\d.,]+%?|–")


def quantity(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    >>> quantity(1, "row"), quantity(1200, "row"), quantity(2, "leaf", "leaves")
    ('1 row', '1,200 rows', '2 leaves')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


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
