"""Result tables as text for a terminal."""

from __future__ import annotations

from dataclasses import replace

from ..._support.text import text_table
from ..result_table import ResultTable
from .value_format import format_rows, is_text_column, reproduced_mean

SEPARATOR = 2  # spaces between columns, as in text_table

SHORTENED = "Without standard errors and published values, since the terminal is too narrow; the files have them."


def to_text(table: ResultTable, width: int | None = None) -> list[str]:
    """Return the caption and the lines of a table, with group titles and horizontal rules.

    Parameters
    ----------
    table : ResultTable
    width : int, optional
        Width of the terminal. A table that is too wide is printed with reproduced means only.
    """
    lines = _lines(table)
    if width is None or max(map(len, lines)) <= width:
        return [table.caption, "", *lines]
    short = _lines(replace(table, rows=tuple(tuple(map(reproduced_mean, row)) for row in table.rows)))
    return [table.caption, SHORTENED, "", *short] if short != lines else [table.caption, "", *lines]


def _lines(table: ResultTable) -> list[str]:
    texts = [list(table.header), *format_rows(table)]
    widths = _widths(table, texts)
    is_text = is_text_column(table)
    padded = [
        [
            f"{text:<{width}}" if left else f"{text:>{width}}"
            for text, width, left in zip(row, widths, is_text, strict=True)
        ]
        for row in texts
    ]
    header, *rows = text_table(padded[0], padded[1:])
    rule = "─" * (sum(widths) + SEPARATOR * (len(widths) - 1))
    lines = [_group_line(table, widths)] if table.groups else []
    lines += [header, rule]
    for index, row in enumerate(rows):
        lines += [rule, row] if index in table.rules and index else [row]
    return lines


def _widths(table: ResultTable, texts: list[list[str]]) -> list[int]:
    """Return the width of each column, wide enough for the titles of the groups."""
    widths = [max(len(row[i]) for row in texts) for i in range(len(table.header))]
    start = 0
    for title, n_columns in table.groups:
        group_width = sum(widths[start : start + n_columns]) + SEPARATOR * (n_columns - 1)
        widths[start] += max(0, len(title) - group_width)
        start += n_columns
    return widths


def _group_line(table: ResultTable, widths: list[int]) -> str:
    titles, start = [], 0
    for title, n_columns in table.groups:
        group_width = sum(widths[start : start + n_columns]) + SEPARATOR * (n_columns - 1)
        titles.append(f"{title:^{group_width}}")
        start += n_columns
    return (" " * SEPARATOR).join(titles).rstrip()
