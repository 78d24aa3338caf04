"""Cells of a text file: what is a number, and what is a name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..predicate import Floats


def parse_cells(cells: Sequence[str]) -> Floats | list[str | None]:
    """Read a column as numbers if every value is a finite one, else as names; an empty cell is missing.

    >>> parse_cells(["1", "", "2.5"])
    array([1. , nan, 2.5])
    >>> parse_cells(["1", "", "1_000"])
    ['1', None, '1_000']
    """
    try:
        return parse_numbers(cells)
    except ValueError:
        return [cell or None for cell in cells]


def parse_numbers(cells: Sequence[str]) -> Floats:
    """Read a column of numbers; anything but finite numbers and empty cells is a ValueError that names it."""
    numbers = np.array([float(cell) if cell else np.nan for cell in cells])
    for cell, number in zip(cells, numbers, strict=True):
        # Python also reads "nan", "inf" and "1_000" as numbers; nobody else does.
        if cell and ("_" in cell or not np.isfinite(number)):
            raise ValueError(f"could not convert string to float: {cell!r}")
    return numbers
