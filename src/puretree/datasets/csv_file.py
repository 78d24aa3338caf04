"""CSV files: a header line and rows of text, parsed into columns of numbers or names.

A missing value is an empty cell, or a cell with one of the usual spellings, such as NA: read as a name, it would turn a
column of numbers into categories. Each row keeps the number of its line, so that errors name the line of the file.
"""

from __future__ import annotations

import csv
import math
import os
import re
import warnings
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

import numpy as np

from .._support.text import quantity
from ..errors import DataNotFoundError, FormatError, InputError, MixedColumnWarning, near, shorten
from ..table import LARGEST_EXACT_INTEGER, Floats, Level

LEADING_ZERO = re.compile(r"\s*[+-]?0\d.*", re.DOTALL)
MAX_NAME_FRACTION = 0.1  # of a column's values, to warn that it is not numeric
MAX_EXACT_DIGITS = 15  # different numbers with so many digits are different floats
# The spellings of a missing value, besides the empty cell: those of pandas.read_csv, and "?".
MISSING_VALUES = (
    *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "?", "N/A", "NA"),
    *("NULL", "NaN", "None", "n/a", "nan", "null"),
)
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
    missing_values : tuple of str
        The cells that are missing values, besides empty ones.
    """

    path: Path
    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    missing_values: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: str | os.PathLike[str], missing_values: Collection[str] = ()) -> CsvFile:
        """Read a file in UTF-8; blank lines are skipped, but in a file with one column they are empty cells."""
        if isinstance(missing_values, str):
            raise InputError("is a string; pass a list of spellings", parameter="missing_values", value=missing_values)
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
                    f"{path}, line {number}: {quantity(len(row), 'value')}, but the header has "
                    f"{quantity(len(header), 'column')}; {remedy}"
                )
        return cls(path, header, [row for _, row in rows], [number for number, _ in rows], tuple(missing_values))

    def require(self, name: str) -> None:
        """Raise InputError if there is no such column, with a suggestion."""
        if name in self.header:
            return
        if message := _describe_separator(self.path, self.header):
            raise InputError(message)
        raise InputError(
            f"{self.path} has no column {name!r}{near(name, self.header)}; its columns are {shorten(self.header, 20)}"
        )

    def texts(self, name: str) -> list[str]:
        """Return the text of each cell of a column."""
        index = self.header.index(name)
        return [row[index] for row in self.rows]

    def cells(self, name: str) -> list[str]:
        """Return the text of each cell of a column; missing values are empty."""
        missing = frozenset(self.missing_values)
        return ["" if text in missing else text for text in self.texts(name)]

    def describe_missing(self, levels: Mapping[str, Collection[Level]]) -> str | None:
        """Describe the cells that are missing values but not empty; None if there are none.

        Parameters
        ----------
        levels : mapping of str to collection of str, int, float or bool
            The columns to search, each with texts that are no missing values there.
        """
        counts: Counter[str] = Counter()
        columns = []
        for name, known in levels.items():
            texts = Counter(self.texts(name))
            found = {text: texts[text] for text in self.missing_values if text in texts and text not in known}
            counts.update(found)
            columns += [repr(name)] if found else []
        if not counts:
            return None
        spellings = ", ".join(f"{text!r} ({count})" for text, count in counts.most_common())
        return f"{self.path}: cells read as missing values in {shorten(columns, 10)}: {spellings}"

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
        else:
            self._require_distinct_floats(name, cells, values)
        return values

    def _require_distinct_floats(self, name: str, cells: list[str], numbers: Floats) -> None:
        """Raise InputError if different numbers become the same float: the rows would seem contradictory."""
        if not any(len(cell) > MAX_EXACT_DIGITS or "e" in cell.lower() for cell in cells):
            return
        first_row: dict[float, int] = {}
        for row, number in enumerate(numbers.tolist()):
            first = first_row.setdefault(number, row)
            if not _are_equal_numbers(cells[first], cells[row]):
                raise InputError(
                    f"{self.path}, column {name!r}: {cells[first]!r} in line {self.lines[first]} and {cells[row]!r} in "
                    f"line {self.lines[row]} are different numbers, but equal in double precision; round them, or "
                    "subtract a constant"
                )

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
            numbers = parse_numbers(cells)
        except ValueError:
            row = next(row for row, cell in enumerate(cells) if not _is_number(cell))
            raise InputError(
                f"{self.path}, line {self.lines[row]}, column {name!r}: {cells[row]!r} is not a number; every value of "
                "the column must be a number"
            ) from None
        self._require_distinct_floats(name, cells, numbers)
        return numbers


def _describe_separator(path: Path, header: list[str]) -> str | None:
    """Return a message if a file seems to be separated by another character than the comma."""
    separator = next((mark for mark in (";", "\t") if len(header) == 1 and mark in header[0]), None)
    return separator and f"{path} seems to be separated by {separator!r}; save it with commas"


def _read_lines(path: Path) -> list[tuple[int, list[str]]]:
    """Return the lines from the header on, with their numbers."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            try:
                header = next(((reader.line_num, row) for row in reader if row), None)
                if header is None:
                    return []
                blank = [""] if len(header[1]) == 1 else []  # with one column, a blank line is an empty cell
                return [header, *((reader.line_num, row or blank) for row in reader if row or blank)]
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


def _are_equal_numbers(cell: str, other: str) -> bool:
    try:
        return cell == other or Decimal(cell) == Decimal(other)
    except InvalidOperation:  # an exponent of twenty digits
        return False


def _is_number(cell: str) -> bool:
    try:
        parse_numbers([cell])
    except ValueError:
        return False
    return True
