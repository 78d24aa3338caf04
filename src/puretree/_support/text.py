"""Columns of text, for people who look at a screen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NUMBER = re.compile(r"[\d.,]+%?|–")


def text_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    r"""Return the lines of a table, header first: numbers to the right, and the last column as long as it likes.

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


# Text that goes into Markdown and is read there as it is, whatever names of data it holds.

_MARKUP = re.compile(r"[\\`*_\[\]{}|~$#^@]|(?<=www)\.|(?<=:)/(?=/)")  # the last three would make links of names
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}  # not every reader knows a backslash before these


def escape(text: str) -> str:
    r"""Write text such that it is read as it is, wherever in a line it stands.

    >>> print(escape("a|b_<i>"))
    a\|b\_&lt;i&gt;
    """
    on_one_line = " ".join(text.split())
    without_html = "".join(_ENTITIES.get(letter, letter) for letter in on_one_line)
    return _MARKUP.sub(lambda match: "\\" + match[0], without_html)
