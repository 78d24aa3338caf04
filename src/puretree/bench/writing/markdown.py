"""A table of results in Markdown, as GitHub and most others read it.

Markdown has no words above groups of columns, so they come before the name of each column; and no lines within a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..result_table import ResultTable
from .value_text import columns_of_words, texts_of

_MARKUP = re.compile(r"[\\`*_\[\]{}|~$#^]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}  # not every reader knows a backslash before these


def to_markdown(table: ResultTable) -> str:
    """Return the caption and the table."""
    sides = ["---" if is_words else "---:" for is_words in columns_of_words(table)]
    lines = [_line([escape(name) for name in table.columns]), f"|{'|'.join(sides)}|"]
    lines += [_line([escape(text) for text in row]) for row in texts_of(table)]
    return "\n".join([escape(table.caption), "", *lines, ""])


def escape(text: str) -> str:
    r"""Write text such that it is read as it is, wherever in a line it stands.

    >>> print(escape("a|b_<i>"))
    a\|b\_&lt;i&gt;
    """
    on_one_line = " ".join(text.split())
    without_html = "".join(_ENTITIES.get(letter, letter) for letter in on_one_line)
    return _MARKUP.sub(lambda match: "\\" + match[0], without_html)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
