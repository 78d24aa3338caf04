"""A table of results as lines of text, for people who look at a screen."""

from __future__ import annotations

from dataclasses import replace

from ..._support.text import text_table
from ..cell import ResultTable
from .value_text import columns_of_words, our_mean, texts_of

GAP = 2  # between columns, as text_table leaves it


SHORTENED = "On this screen without errors and the paper's figures, for which it is too narrow: they are in the files."


def to_text(table: ResultTable, width: int | None = None) -> list[str]:
    """Return the caption and the lines of a table; words above groups of columns, lines where it has rules.

    Parameters
    ----------
    table : ResultTable
    width : int, optional
        Of the screen: a table that is wider is told with nothing but our means.
    """
    lines = _lines(table)
    if width is None or max(map(len, lines)) <= width:
        return [table.caption, "", *lines]
    short = _lines(replace(table, rows=tuple(tuple(map(our_mean, row)) for row in table.rows)))
    return [table.caption, SHORTENED, "", *short] if short != lines else [table.caption, "", *lines]


def _lines(table: ResultTable) -> list[str]:
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
    lines = [_group_line(table, widths)] if table.groups else []
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
