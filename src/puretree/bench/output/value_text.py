"""How a single value of a table of results is written, the same on a screen, in Markdown and in LaTeX."""

from __future__ import annotations

import math

from ...tree import format_count
from ..cell import Beside, Estimate, ResultTable, Value

NOTHING = "–"
LARGEST_PLAIN = 99_999  # larger counts are set in groups of three


def value_text(value: Value, digits: int = 2) -> str:
    """Write a value: floats with so many decimals, an error after ±, the paper's figure in brackets.

    >>> value_text(Beside(Estimate(71.054, 0.312), 70.48))
    '71.05 ± 0.31 (70.48)'
    >>> value_text(30000), value_text(1234567), value_text(-0.5), value_text(None)
    ('30000', '1,234,567', '−0.50', '–')
    """
    if isinstance(value, Beside):
        return _beside(value, digits)
    if isinstance(value, Estimate):
        return _estimate(value, digits)
    if value is None or isinstance(value, str):
        return NOTHING if value is None else value
    return _number(value, digits)


def texts_of(table: ResultTable) -> list[list[str]]:
    """Write all values of a table, row by row."""
    return [[value_text(value, table.digits) for value in row] for row in table.rows]


def our_mean(value: Value) -> Value:
    """Leave an error and the paper's figure out.

    >>> our_mean(Beside(Estimate(71.05, 0.31), 70.48))
    71.05
    """
    if isinstance(value, Beside):
        return our_mean(value.ours)
    return value.mean if isinstance(value, Estimate) else value


def columns_of_words(table: ResultTable) -> list[bool]:
    """Tell which columns hold words, and begin at the left; those of figures end at the right."""
    return [any(isinstance(row[i], str) for row in table.rows) for i in range(len(table.header))]


def _beside(value: Beside, digits: int) -> str:
    ours = value_text(value.ours, digits)
    return ours if value.paper is None else f"{ours} ({_number(value.paper, digits)})"


def _estimate(value: Estimate, digits: int) -> str:
    mean = _number(value.mean, digits)
    return mean if value.error is None else f"{mean} ± {_number(value.error, digits)}"


def _number(number: int | float, digits: int) -> str:
    if isinstance(number, int):
        text = str(number) if abs(number) <= LARGEST_PLAIN else format_count(number)
    elif math.isnan(number):
        return NOTHING
    elif math.isinf(number):
        text = f"{number:+.0f}".replace("inf", "∞").lstrip("+")
    else:
        text = f"{number:.{digits}f}"
        if not float(text):  # there is no −0.00
            text = text.lstrip("-")
    return text.replace("-", "−", 1) if text.startswith("-") else text
