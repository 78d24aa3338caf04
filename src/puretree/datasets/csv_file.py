"""Cells of a text file: what is a number, and what is a name."""

from __future__ import annotations

import csv
import math
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import DataNotFoundError, FormatError, InputError, MixedColumnWarning, near, shorten
from ..table import LARGEST_EXACT_INTEGER, Floats

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


# CSV files as text: a header line, then rows, each with the line it ends on, so that what is wrong can be found.

FEW = 0.1  # of the values of a column
REMEDY = "look for a double quote that is opened and never closed, and write one that is meant as such twice"


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A table of texts.

    Parameters
    ----------
    path : Path
        Where it was read.
    header : list of str
        The names of the columns, all different.
    rows : list of list of str
        As many cells in each as the header has.
    lines : list of int
        The line of the file that each row ends on.
    """

    path: Path
    header: list[str]
    rows: list[list[str]]
    lines: list[int]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> CsvFile:
        """Read a file in UTF-8; blank lines are passed over."""
        path = Path(path)
        lines = _read_lines(path)
        if len(lines) < 2:
            raise InputError(f"{path} has no rows; a header line and at least one row are needed")
        (_, header), *rows = lines
        repeated = sorted({name for name in header if header.count(name) > 1})
        if repeated:
            raise InputError(f"{path} names a column twice: {', '.join(repeated)}; give every column its own name")
        for number, row in rows:
            if len(row) != len(header):
                remedy = _separator(path, header) or "add or remove commas, and put a value that holds one into quotes"
                raise FormatError(
                    f"{path}, line {number}: {len(row)} values where the header names {len(header)} columns; {remedy}"
                )
        return cls(path, header, [row for _, row in rows], [number for number, _ in rows])

    def require(self, name: str) -> None:
        """Refuse a column that is not there, with the one that may be meant."""
        if name in self.header:
            return
        if wrong := _separator(self.path, self.header):
            raise InputError(wrong)
        raise InputError(
            f"{self.path} has no column {name!r}{near(name, self.header)}; its columns are {shorten(self.header, 20)}"
        )

    def cells(self, name: str) -> list[str]:
        """Return the texts of a column."""
        place = self.header.index(name)
        return [row[place] for row in self.rows]

    def values(self, name: str) -> Floats | list[str | None]:
        """Return a column as numbers if every value is one, else as names; an infinite number is an InputError."""
        cells = self.cells(name)
        values = parse_cells(cells)
        row = find_infinite(cells) if isinstance(values, list) else None
        if row is not None:
            raise InputError(
                f"{self.path}, line {self.lines[row]}, column {name!r}: {cells[row]!r} is infinite, where the other "
                "values are numbers; replace it by a number, or leave it empty to make it missing"
            )
        if isinstance(values, list):
            self._warn_of_few_names(name, cells)
        return values

    def _warn_of_few_names(self, name: str, cells: list[str]) -> None:
        """Warn of a column that would be numbers but for a few cells: each number becomes a category of its own."""
        n_present = sum(map(bool, cells))
        odd = [row for row, cell in enumerate(cells) if cell and not _is_number(cell)]
        if 0 < len(odd) <= FEW * n_present and not any(LEADING_ZERO.fullmatch(cell) for cell in cells):
            warnings.warn(
                f"{self.path}, column {name!r} is read as categories: {len(odd)} of {n_present} values are no numbers, "
                f"the first {cells[odd[0]]!r} in line {self.lines[odd[0]]}; write numbers with a point, and leave a "
                "cell empty to make it missing",
                MixedColumnWarning,
                stacklevel=2,
            )

    def numbers(self, name: str) -> Floats:
        """Return a column of numbers, NaN for gaps; anything else is an InputError that names the line."""
        cells = self.cells(name)
        try:
            return parse_numbers(cells)
        except ValueError:
            row = next(row for row, cell in enumerate(cells) if not _is_number(cell))
        raise InputError(
            f"{self.path}, line {self.lines[row]}, column {name!r}: {cells[row]!r} is not a number; every value of the "
            "column must be one"
        )


def _separator(path: Path, header: list[str]) -> str | None:
    """Tell what a file seems to be separated by, if that is not the comma."""
    mark = next((mark for mark in (";", "\t") if len(header) == 1 and mark in header[0]), None)
    return mark and f"{path} seems to be separated by {mark!r}; save it with commas"


def _read_lines(path: Path) -> list[tuple[int, list[str]]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            try:
                return [(reader.line_num, row) for row in reader if row]
            except csv.Error as error:
                raise FormatError(
                    f"{path}, line {reader.line_num}: this is not a CSV file: {error}; {REMEDY}"
                ) from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; give a CSV file") from None
    except FileNotFoundError:
        raise DataNotFoundError(f"there is no file {path}") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def _is_number(cell: str) -> bool:
    try:
        parse_numbers([cell])
    except ValueError:
        return False
    return True
