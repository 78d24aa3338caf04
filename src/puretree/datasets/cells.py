"""Cells of a text file: what is a number, and what is a name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..predicate import Floats


def parse_cells(cells: Sequence[str]) -> Floats | list[str | None]:
    """Read a column as numbers if every value is a finite one, else as names.

    An empty cell is missing; so is "nan" among numbers.

    >>> parse_cells(["1", "", "2.5", "nan"])
    array([1. , nan, 2.5, nan])
    >>> parse_cells(["1", "", "1_000"])
    ['1', None, '1_000']
    """
    try:
        return parse_numbers(cells)
    except ValueError:
        return [cell or None for cell in cells]


def parse_numbers(cells: Sequence[str]) -> Floats:
    """Read a column of numbers; anything but finite numbers and gaps is a ValueError that names it."""
    numbers = np.array([float(cell) if cell else np.nan for cell in cells])
    for cell, number in zip(cells, numbers, strict=True):
        if "_" in cell or np.isinf(number):  # Python also reads 1_000 and inf as numbers
            raise ValueError(f"could not convert string to float: {cell!r}")
    return numbers
