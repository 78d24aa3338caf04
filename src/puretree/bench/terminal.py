"""A table of results as lines of text, for people who look at a screen."""

from __future__ import annotations

from ..text_table import text_table
from .result_table import ResultTable
from .value_text import columns_of_words, texts_of

GAP = 2  # between columns, as text_table leaves it


def to_text(table: ResultTable) -> list[str]:
    """Return the caption and the lines of a table; words above groups of columns, lines where it has rules."""
    cells = [list(table.header), *texts_of(table)]
    widths = _widths(table, cells)
    is_words = columns_of_words(table)
    padded = [
        [
            f"{cell:<{width}}" if left else f"{cell:>{width}}"
            for cell, width, left in zip(row, widths, is_words, strict=True)
        ]
        for row in cells
    ]
    header, *rows = text_table(padded[0], padded[1:])
    rule = "─" * (sum(widths) + GAP * (len(widths) - 1))
    lines = [table.caption, ""]
    if table.groups:
        lines.append(_group_line(table, widths))
    lines += [header, rule]
    for number, row in enumerate(rows):
        lines += [rule, row] if number in table.rules and number else [row]
    return lines


def _widths(table: ResultTable, cells: list[list[str]]) -> list[int]:
    """Return how wide each column must be, so that the words above fit over their group."""
    widths = [max(len(row[i]) for row in cells) for i in range(len(table.header))]
    start = 0
    for words, n_columns in table.groups:
        room = sum(widths[start : start + n_columns]) + GAP * (n_columns - 1)
        widths[start] += max(0, len(words) - room)
        start += n_columns
    return widths


def _group_line(table: ResultTable, widths: list[int]) -> str:
    parts, start = [], 0
    for words, n_columns in table.groups:
        room = sum(widths[start : start + n_columns]) + GAP * (n_columns - 1)
        parts.append(f"{words:^{room}}")
        start += n_columns
    return (" " * GAP).join(parts).rstrip()
