"""Cells of a text file: what is a number, and what is a name."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from ..reading import LARGEST_EXACT_INTEGER
from ..region import Floats

LEADING_ZERO = re.compile(r"0\d+")


def parse_cells(cells: Sequence[str]) -> Floats | list[str | None]:
    """Read a column as numbers if every value is a finite one, else as names.

    An empty cell is missing; so is "nan" among numbers. A leading zero makes a name: 00123 is a code, not an amount.

    >>> parse_cells(["1", "", "2.5", "nan"])
    array([1. , nan, 2.5, nan])
    >>> parse_cells(["1", "", "1_000"])
    ['1', None, '1_000']
    """
    if not any(LEADING_ZERO.fullmatch(cell) for cell in cells):
        try:
            return parse_numbers(cells)
        except ValueError:
            pass
    return [cell or None for cell in cells]


def find_infinite(cells: Sequence[str]) -> int | None:
    """Return the first row that is infinite in a column of numbers otherwise; None if there is none.

    >>> find_infinite(["1", "", "1e400", "-inf"]), find_infinite(["inf", "sup"])
    (2, None)
    """
    infinite = [row for row, cell in enumerate(cells) if _is_infinite(cell)]
    if not infinite:
        return None
    others = parse_cells(["" if _is_infinite(cell) else cell for cell in cells])
    are_numbers = not isinstance(others, list) and not np.isnan(others).all()
    return infinite[0] if are_numbers else None


def _is_infinite(cell: str) -> bool:
    try:
        return math.isinf(float(cell))
    except ValueError:
        return False


def parse_numbers(cells: Sequence[str]) -> Floats:
    """Read a column of numbers; anything but finite numbers and gaps is a ValueError that names it."""
    numbers = np.array([float(cell) if cell else np.nan for cell in cells])
    for cell, number in zip(cells, numbers, strict=True):
        # Python also reads 1_000 and inf as numbers, and long integers as ones nearby: such are names.
        if "_" in cell or np.isinf(number) or (abs(number) >= LARGEST_EXACT_INTEGER and cell.lstrip("+-").isdigit()):
            raise ValueError(f"could not convert string to float: {cell!r}")
    return numbers
