"""A table of results in Markdown, as GitHub and most others read it.

Markdown has no words above groups of columns, so they come before the name of each column; and no lines within a table.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...markdown_text import escape
from ..result_table import ResultTable
from .value_text import columns_of_words, texts_of


def to_markdown(table: ResultTable) -> str:
    """Return the caption and the table."""
    sides = ["---" if is_words else "---:" for is_words in columns_of_words(table)]
    lines = [_line([escape(name) for name in table.columns]), f"|{'|'.join(sides)}|"]
    lines += [_line([escape(text) for text in row]) for row in texts_of(table)]
    return "\n".join([escape(table.caption), "", *lines, ""])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
