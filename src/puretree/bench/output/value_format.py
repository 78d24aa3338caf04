"""Format the values of result tables, the same for the terminal, Markdown and LaTeX."""

from __future__ import annotations

import math

from ..._support.text import format_count
from ..result_table import Estimate, Reproduction, ResultTable, Value

MISSING = "–"
MAX_UNGROUPED = 99_999  # larger integers get thousands separators


def format_value(value: Value, digits: int = 2) -> str:
    """Format a value: floats with ``digits`` decimals, a standard error after ±, the published value in brackets.

    >>> format_value(Reproduction(Estimate(71.054, 0.312), 70.48)), format_value(Reproduction(23, 21, "*"))
    ('71.05 ± 0.31 (70.48)', '23* (21)')
    >>> format_value(30000), format_value(1234567), format_value(-0.5), format_value(None)
    ('30000', '1,234,567', '−0.50', '–')
    """
    if isinstance(value, Reproduction):
        return _format_reproduction(value, digits)
    if isinstance(value, Estimate):
        return _format_estimate(value, digits)
    if value is None or isinstance(value, str):
        return MISSING if value is None else value
    return _format_number(value, digits)


def format_rows(table: ResultTable) -> list[list[str]]:
    """Format all values of a table."""
    return [[format_value(value, table.digits) for value in row] for row in table.rows]


def reproduced_mean(value: Value) -> Value:
    """Return a value without its standard error and without the published value.

    >>> reproduced_mean(Estimate(71.05, 0.31)), reproduced_mean(Reproduction(Estimate(71.05, 0.31), 70.48, "*"))
    (71.05, Reproduction(ours=71.05, paper=None, mark='*'))
    """
    if isinstance(value, Reproduction):
        mean = value.ours.mean if isinstance(value.ours, Estimate) else value.ours
        return Reproduction(mean, None, value.mark)
    return value.mean if isinstance(value, Estimate) else value


def is_text_column(table: ResultTable) -> list[bool]:
    """Return whether each column contains text, which is left-aligned; numbers are right-aligned."""
    return [any(isinstance(row[i], str) for row in table.rows) for i in range(len(table.header))]


def _format_reproduction(value: Reproduction, digits: int) -> str:
    ours = format_value(value.ours, digits) + value.mark
    return ours if value.paper is None else f"{ours} ({_format_number(value.paper, digits)})"


def _format_estimate(value: Estimate, digits: int) -> str:
    mean = _format_number(value.mean, digits)
    return mean if value.error is None else f"{mean} ± {_format_number(value.error, digits)}"


def _format_number(number: int | float, digits: int) -> str:
    if isinstance(number, int):
        text = str(number) if abs(number) <= MAX_UNGROUPED else format_count(number)
    elif math.isnan(number):
        return MISSING
    elif math.isinf(number):
        text = f"{number:+.0f}".replace("inf", "∞").lstrip("+")
    else:
        text = f"{number:.{digits}f}"
        if not float(text):  # no −0.00
            text = text.lstrip("-")
    return text.replace("-", "−", 1) if text.startswith("-") else text
