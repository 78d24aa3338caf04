"""Rows of results as plain columns, for programs that read CSV or Parquet."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import InputError
from ..cell import Row

Scalar = str | int | float | bool | None

_OF_ROW = ("status", "reason", "seconds", "processor_seconds", "peak_bytes")
_LARGEST = 2**63 - 1  # that a column of integers holds


def flat_columns(rows: Sequence[Row]) -> dict[str, list[Scalar]]:
    """Return columns with an item for each row, all of one kind in each column, None where there is nothing.

    First what the key says, then how it went, then each value; lists and dictionaries as JSON text, integers beyond 64
    bits as floats. A value whose name is taken has ``value_`` before it: ``value_status`` is what an engine says.
    """
    lines = [dict(_named(row)) for row in rows]
    names = dict.fromkeys(name for part in ("key", "row", "value") for line in lines for name in _names(line, part))
    return {_column_name(name, names): _one_kind([line.get(name) for line in lines]) for name in names}


def to_csv(rows: Sequence[Row]) -> bytes:
    """Write rows of results as CSV, a header first; nothing where there is nothing."""
    columns = flat_columns(rows)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def to_parquet(rows: Sequence[Row]) -> bytes:
    """Write rows of results as Parquet; InputError without polars."""
    try:
        import polars
    except ImportError as error:
        raise InputError('Parquet needs polars: pip install "puretree[bench]", or read the CSV instead') from error
    target = io.BytesIO()
    polars.DataFrame(flat_columns(rows), infer_schema_length=None).write_parquet(target)
    return target.getvalue()


Name = tuple[str, str]  # the part of a row and the name in it


def _named(row: Row) -> Iterator[tuple[Name, Scalar]]:
    yield ("key", "experiment"), row.experiment
    for name, value in row.key.items():
        yield ("key", name), _scalar(value)
    for name in _OF_ROW:
        yield ("row", name), _scalar(getattr(row, name))
    for name, value in row.values.items():
        yield ("value", name), _scalar(value)


def _names(line: dict[Name, Scalar], part: str) -> list[Name]:
    return [name for name in line if name[0] == part]


def _column_name(name: Name, names: dict[Name, None]) -> str:
    """Return the name of a column: the part comes before it where an earlier part has the same name."""
    part, word = name
    earlier = {"key": (), "row": ("key",), "value": ("key", "row")}[part]
    return f"{part}_{word}" if any((other, word) in names for other in earlier) else word


def _scalar(value: Any) -> Scalar:
    if value is None or isinstance(value, str | bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST else _as_float(value)
    return json.dumps(value, ensure_ascii=False)


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:  # there are more trees than that
        return math.inf if number > 0 else -math.inf


def _one_kind(items: list[Scalar]) -> list[Scalar]:
    """Make all items one kind: integers beside floats become floats, anything beside text becomes text."""
    kinds = {type(item) for item in items if item is not None}
    if kinds == {int, float}:
        return [None if item is None else float(item) for item in items]
    if len(kinds) > 1:
        return [item if item is None or isinstance(item, str) else json.dumps(item) for item in items]
    return items
