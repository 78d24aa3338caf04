"""Rows of results as flat columns, for CSV and Parquet files."""

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

_ROW_FIELDS = ("status", "reason", "seconds", "processor_seconds", "peak_bytes")
_MAX_INT = 2**63 - 1  # the largest integer that a 64-bit column holds


def flat_columns(rows: Sequence[Row]) -> dict[str, list[Scalar]]:
    """Return columns with one item per row, of one type each; None for missing items.

    The columns are those of the key, then the status and resources of the row, then the values. Lists and dictionaries
    become JSON text, integers beyond 64 bits floats. Duplicate names get a prefix: ``value_status`` is the status that
    an engine returned.
    """
    records = [dict(_items(row)) for row in rows]
    names = dict.fromkeys(
        name for part in ("key", "row", "value") for record in records for name in record if name[0] == part
    )
    return {_column_name(name, names): _unify_types([record.get(name) for record in records]) for name in names}


def to_csv(rows: Sequence[Row]) -> bytes:
    """Return rows of results as CSV with a header; missing items are empty."""
    columns = flat_columns(rows)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def to_parquet(rows: Sequence[Row]) -> bytes:
    """Return rows of results as Parquet; raise InputError if polars is missing."""
    try:
        import polars
    except ImportError as error:
        raise InputError('Parquet needs polars: pip install "puretree[bench]", or read the CSV instead') from error
    target = io.BytesIO()
    polars.DataFrame(flat_columns(rows), infer_schema_length=None).write_parquet(target)
    return target.getvalue()


Name = tuple[str, str]  # part of a row and name within it


def _items(row: Row) -> Iterator[tuple[Name, Scalar]]:
    yield ("key", "experiment"), row.experiment
    for name, value in row.key.items():
        yield ("key", name), _scalar(value)
    for name in _ROW_FIELDS:
        yield ("row", name), _scalar(getattr(row, name))
    for name, value in row.values.items():
        yield ("value", name), _scalar(value)


def _column_name(name: Name, names: dict[Name, None]) -> str:
    """Return the name of a column, prefixed by the part if an earlier part has the same name."""
    part, plain = name
    earlier = {"key": (), "row": ("key",), "value": ("key", "row")}[part]
    return f"{part}_{plain}" if any((other, plain) in names for other in earlier) else plain


def _scalar(value: Any) -> Scalar:
    if value is None or isinstance(value, str | bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _MAX_INT else _as_float(value)
    return json.dumps(value, ensure_ascii=False)


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:  # numbers of trees can exceed the range of floats
        return math.inf if number > 0 else -math.inf


def _unify_types(items: list[Scalar]) -> list[Scalar]:
    """Convert items to one type: integers and floats to floats, other mixtures to text."""
    types = {type(item) for item in items if item is not None}
    if types == {int, float}:
        return [None if item is None else float(item) for item in items]
    if len(types) > 1:
        return [item if item is None or isinstance(item, str) else json.dumps(item) for item in items]
    return items
