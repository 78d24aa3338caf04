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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import numpy as np

from .._support.text import quantity
from ..errors import FormatError, InputError, MixedColumnWarning, near, shorten
from ..table import LARGEST_EXACT_INTEGER, Floats, Level
from .formats import open_text

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
class CsvColumn:
    """The text cells of a column.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        The name of the column.
    texts : list of str
        The cells, or the distinct ones in the order of their first occurrence.
    lines : list of int
        For each of them the line of the file where its row ends; of a distinct one, the first.
    missing_values : tuple of str
        The cells that are missing values, besides empty ones.
    counts : list of int, optional
        How often each distinct cell occurs; once by default.
    """

    path: Path
    name: str
    texts: list[str]
    lines: list[int]
    missing_values: tuple[str, ...] = ()
    counts: list[int] | None = None

    @property
    def cells(self) -> list[str]:
        """The text of each cell; missing values are empty."""
        missing = frozenset(self.missing_values)
        return ["" if text in missing else text for text in self.texts]

    def count_texts(self) -> Counter[str]:
        """Count the cells with each text."""
        if self.counts is None:
            return Counter(self.texts)
        return Counter(dict(zip(self.texts, self.counts, strict=True)))

    def require_labels(self) -> None:
        """Raise InputError if a cell is missing: every row needs a label."""
        cells = self.cells
        if "" not in cells:
            return
        row = cells.index("")
        text, where = self.texts[row], f"{self.path}, line {self.lines[row]}"
        if not text:
            raise InputError(f"{where}: no label in column {self.name!r}; remove the row, or add its label")
        raise InputError(
            f"{where}: the label {text!r} in column {self.name!r} is read as a missing value; remove the row, add its "
            "label, or change the texts of missing values",
            use={"missing_values": ()},
        )

    def values(self) -> Floats | list[str | None]:
        """Return the column as numbers if every value is a number, else as names; infinite numbers raise InputError."""
        cells = self.cells
        values = parse_cells(cells)
        row = find_infinite(cells) if isinstance(values, list) else None
        if row is not None:
            raise InputError(
                f"{self.path}, line {self.lines[row]}, column {self.name!r}: {cells[row]!r} is infinite, but the other "
                "values are numbers; replace it by a finite number, or leave the cell empty for a missing value"
            )
        if isinstance(values, list):
            self._warn_if_mostly_numbers(cells)
        else:
            self._require_distinct_floats(cells, values)
        return values

    def _require_distinct_floats(self, cells: list[str], numbers: Floats) -> None:
        """Raise InputError if different numbers become the same float: the rows would seem contradictory."""
        if not any(len(cell) > MAX_EXACT_DIGITS or "e" in cell.lower() for cell in cells):
            return
        first_row: dict[float, int] = {}
        for row, number in enumerate(numbers.tolist()):
            first = first_row.setdefault(number, row)
            if not _are_equal_numbers(cells[first], cells[row]):
                raise InputError(
                    f"{self.path}, column {self.name!r}: {cells[first]!r} in line {self.lines[first]} and "
                    f"{cells[row]!r} in line {self.lines[row]} are different numbers, but equal in double precision; "
                    "round them, or subtract a constant"
                )

    def _warn_if_mostly_numbers(self, cells: list[str]) -> None:
        """Warn of a column with few cells that are not numbers: every number becomes a category of its own."""
        counts = [1] * len(cells) if self.counts is None else self.counts
        n_present = sum(count for cell, count in zip(cells, counts, strict=True) if cell)
        name_rows = [row for row, cell in enumerate(cells) if cell and not _is_number(cell)]
        n_names = sum(counts[row] for row in name_rows)
        if 0 < n_names <= MAX_NAME_FRACTION * n_present and not any(LEADING_ZERO.fullmatch(cell) for cell in cells):
            warnings.warn(
                f"{self.path}, column {self.name!r} is read as categories: {n_names} of {n_present} values are not "
                f"numbers, the first {cells[name_rows[0]]!r} in line {self.lines[name_rows[0]]}; write numbers with a "
                "decimal point, and leave a cell empty for a missing value",
                MixedColumnWarning,
                stacklevel=2,
            )

    def numbers(self) -> Floats:
        """Return a column of numbers, with NaN for missing values; other values raise InputError with the line."""
        cells = self.cells
        try:
            numbers = parse_numbers(cells)
        except ValueError:
            row = next(row for row, cell in enumerate(cells) if not _is_number(cell))
            raise InputError(
                f"{self.path}, line {self.lines[row]}, column {self.name!r}: {cells[row]!r} is not a number; every "
                "value of the column must be a number"
            ) from None
        self._require_distinct_floats(cells, numbers)
        return numbers


def describe_missing(columns: Iterable[CsvColumn], levels: Mapping[str, Collection[Level]] | None = None) -> str | None:
    """Describe the cells that are missing values but not empty; None if there are none.

    Parameters
    ----------
    columns : iterable of CsvColumn
        The columns to search.
    levels : mapping of str to collection of str, int, float or bool, optional
        For a column by name, texts that are no missing values there.
    """
    counts: Counter[str] = Counter()
    names, path = [], None
    for column in columns:
        path, texts, known = column.path, column.count_texts(), (levels or {}).get(column.name, ())
        found = {text: texts[text] for text in column.missing_values if text in texts and text not in known}
        counts.update(found)
        names += [repr(column.name)] if found else []
    if not counts:
        return None
    spellings = ", ".join(f"{text!r} ({count})" for text, count in counts.most_common())
    return f"{path}: cells read as missing values in {shorten(names, 10)}: {spellings}"


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
        texts = check_missing_values(missing_values)
        with open_rows(Path(path)) as (header, rows):
            numbered = list(rows)
        if not numbered:
            raise no_rows(Path(path))
        return cls(Path(path), header, [row for _, row in numbered], [line for line, _ in numbered], texts)

    def require(self, name: str) -> None:
        """Raise InputError if there is no such column, with a suggestion."""
        require_column(self.path, self.header, name)

    def column(self, name: str) -> CsvColumn:
        """Return a column."""
        index = self.header.index(name)
        return CsvColumn(self.path, name, [row[index] for row in self.rows], self.lines, self.missing_values)


def check_missing_values(missing_values: Collection[str]) -> tuple[str, ...]:
    """Return the texts of missing values; raise InputError for a string, which is a collection of letters."""
    if isinstance(missing_values, str):
        raise InputError("is a string; pass a list of spellings", parameter="missing_values", value=missing_values)
    return tuple(missing_values)


def require_column(path: Path, header: list[str], name: str) -> None:
    """Raise InputError if a file has no such column, with a suggestion."""
    if name in header:
        return
    if message := _describe_separator(path, header):
        raise InputError(message)
    raise InputError(f"{path} has no column {name!r}{near(name, header)}; its columns are {shorten(header, 20)}")


def require_columns(path: Path, header: list[str], target: str, numbers: Collection[str] | None) -> list[str]:
    """Return the columns other than the label; raise InputError if there are none, or if named columns are missing."""
    require_column(path, header, target)
    names = [name for name in header if name != target]
    if not names:
        raise InputError(f"{path} has no column other than the label")
    unknown = sorted(set(numbers or ()) - set(names))
    if unknown:
        raise InputError(f"numbers={shorten(map(repr, unknown))}: {path} has no such column")
    return names


def parse_column(column: CsvColumn, numbers: Collection[str] | None) -> Floats | list[str | None]:
    """Return the values of a column: numbers if it is one of ``numbers``, by default if every value is a number."""
    if numbers is None:
        return column.values()
    return column.numbers() if column.name in numbers else [cell or None for cell in column.cells]


def read_header(path: Path) -> list[str]:
    """Return the names of the columns."""
    with open_rows(path) as (header, _):
        return header


@contextmanager
def open_rows(path: Path) -> Iterator[tuple[list[str], Iterator[tuple[int, list[str]]]]]:
    """Open a CSV file, compressed or not; return the header, and an iterator over the line numbers and rows."""
    with open_text(path) as text:
        reader = csv.reader(text, strict=True)
        lines = _numbered_lines(path, reader)
        _, header = next(lines, (0, []))
        if not header:
            raise no_rows(path)
        repeated = sorted({name for name in header if header.count(name) > 1})
        if repeated:
            raise InputError(f"{path} has columns with the same name: {', '.join(repeated)}; rename them")
        yield header, _checked_rows(path, header, lines)


def no_rows(path: Path) -> InputError:
    """Return the error for a file without rows."""
    return InputError(f"{path} has no rows; it needs a header line and at least one row")


def _numbered_lines(path: Path, reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines from the header on, with their numbers."""
    try:
        header = next((row for row in reader if row), None)
        if header is None:
            return
        yield reader.line_num, header
        blank = [""] if len(header) == 1 else []  # with one column, a blank line is an empty cell
        for row in reader:
            if row or blank:
                yield reader.line_num, row or blank
    except csv.Error as error:
        raise FormatError(f"{path}, line {reader.line_num}: this is not a CSV file: {error}; {QUOTE_REMEDY}") from None


def _checked_rows(
    path: Path, header: list[str], lines: Iterator[tuple[int, list[str]]]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows; raise FormatError for a row that is shorter or longer than the header."""
    n_columns = len(header)
    for numbered in lines:
        if len(numbered[1]) != n_columns:
            remedy = _describe_separator(path, header) or "add or remove commas, and quote values with commas"
            raise FormatError(
                f"{path}, line {numbered[0]}: {quantity(len(numbered[1]), 'value')}, but the header has "
                f"{quantity(n_columns, 'column')}; {remedy}"
            )
        yield numbered


def _describe_separator(path: Path, header: list[str]) -> str | None:
    """Return a message if a file seems to be separated by another character than the comma."""
    separator = next((mark for mark in (";", "\t") if len(header) == 1 and mark in header[0]), None)
    return separator and f"{path} seems to be separated by {separator!r}; save it with commas"


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
