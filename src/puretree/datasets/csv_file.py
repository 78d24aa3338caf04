"""CSV files: a header line and rows of text, parsed into columns of numbers or names.

Each row keeps the number of its line, so that errors name the line of the file.
"""

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
MAX_NAME_FRACTION = 0.1  # of a column's values, to warn that it is not numeric
QUOTE_REMEDY = "look for an unclosed double quote; a double quote inside a value must be written twice"


def parse_cells(cells: Sequence[str]) -> Floats | list[str | None]:
    """Parse a column as numbers if every value is a finite number, else as names.

    An empty cell is a missing value; so is "nan" among numbers. A value with a leading zero is a name: 00123 is a code,
    not a quantity.

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
    """Return the first row with an infinite value in an otherwise numeric column; None if there is none.

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
    """Parse a column of numbers and missing values; raise ValueError with the first value that is not finite."""
    numbers = np.array([float(cell) if cell else np.nan for cell in cells])
    for cell, number in zip(cells, numbers, strict=True):
        # Python also parses 1_000 and inf as numbers, and rounds long integers: these are names.
        if "_" in cell or np.isinf(number) or (abs(number) >= LARGEST_EXACT_INTEGER and cell.lstrip("+-").isdigit()):
            raise ValueError(f"could not convert string to float: {cell!r}")
    return numbers


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A table of text cells.

    Parameters
    ----------
    path : Path
        The file.
    header : list of str
        Distinct names of the columns.
    rows : list of list of str
        The cells, one for each column.
    lines : list of int
        For each row the line of the file that it ends on.
    """

    path: Path
    header: list[str]
    rows: list[list[str]]
    lines: list[int]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> CsvFile:
        """Read a file in UTF-8; blank lines are skipped."""
        path = Path(path)
        lines = _read_lines(path)
        if len(lines) < 2:
            raise InputError(f"{path} has no rows; it needs a header line and at least one row")
        (_, header), *rows = lines
        repeated = sorted({name for name in header if header.count(name) > 1})
        if repeated:
            raise InputError(f"{path} has columns with the same name: {', '.join(repeated)}; rename them")
        for number, row in rows:
            if len(row) != len(header):
                remedy = _describe_separator(path, header) or "add or remove commas, and quote values with commas"
                raise FormatError(
                    f"{path}, line {number}: {len(row)} values, but the header has {len(header)} columns; {remedy}"
                )
        return cls(path, header, [row for _, row in rows], [number for number, _ in rows])

    def require(self, name: str) -> None:
        """Raise InputError if there is no such column, with a suggestion."""
        if name in self.header:
            return
        if message := _describe_separator(self.path, self.header):
            raise InputError(message)
        raise InputError(
            f"{self.path} has no column {name!r}{near(name, self.header)}; its columns are {shorten(self.header, 20)}"
        )

    def cells(self, name: str) -> list[str]:
        """Return the text cells of a column."""
        index = self.header.index(name)
        return [row[index] for row in self.rows]

    def values(self, name: str) -> Floats | list[str | None]:
        """Return a column as numbers if every value is a number, else as names; infinite numbers raise InputError."""
        cells = self.cells(name)
        values = parse_cells(cells)
        row = find_infinite(cells) if isinstance(values, list) else None
        if row is not None:
            raise InputError(
                f"{self.path}, line {self.lines[row]}, column {name!r}: {cells[row]!r} is infinite, but the other "
                "values are numbers; replace it by a finite number, or leave the cell empty for a missing value"
            )
        if isinstance(values, list):
            self._warn_if_mostly_numbers(name, cells)
        return values

    def _warn_if_mostly_numbers(self, name: str, cells: list[str]) -> None:
        """Warn of a column with few cells that are not numbers: every number becomes a category of its own."""
        n_present = sum(map(bool, cells))
        name_rows = [row for row, cell in enumerate(cells) if cell and not _is_number(cell)]
        if 0 < len(name_rows) <= MAX_NAME_FRACTION * n_present and not any(
            LEADING_ZERO.fullmatch(cell) for cell in cells
        ):
            warnings.warn(
                f"{self.path}, column {name!r} is read as categories: {len(name_rows)} of {n_present} values are not "
                f"numbers, the first {cells[name_rows[0]]!r} in line {self.lines[name_rows[0]]}; write numbers with a "
                "decimal point, and leave a cell empty for a missing value",
                MixedColumnWarning,
                stacklevel=2,
            )

    def numbers(self, name: str) -> Floats:
        """Return a column of numbers, with NaN for missing values; other values raise InputError with the line."""
        cells = self.cells(name)
        try:
            return parse_numbers(cells)
        except ValueError:
            row = next(row for row, cell in enumerate(cells) if not _is_number(cell))
        raise InputError(
            f"{self.path}, line {self.lines[row]}, column {name!r}: {cells[row]!r} is not a number; every value of the "
            "column must be a number"
        )


def _describe_separator(path: Path, header: list[str]) -> str | None:
    """Return a message if a file seems to be separated by another character than the comma."""
    separator = next((mark for mark in (";", "\t") if len(header) == 1 and mark in header[0]), None)
    return separator and f"{path} seems to be separated by {separator!r}; save it with commas"


def _read_lines(path: Path) -> list[tuple[int, list[str]]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            try:
                return [(reader.line_num, row) for row in reader if row]
            except csv.Error as error:
                raise FormatError(
                    f"{path}, line {reader.line_num}: this is not a CSV file: {error}; {QUOTE_REMEDY}"
                ) from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; pass a CSV file") from None
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
