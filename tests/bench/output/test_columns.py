"""Rows of results as CSV and Parquet."""

import csv
import io
import json
import math
import sys

import pytest
from helpers.result_tables import NASTY, ROWS

from puretree.bench.cell import Row
from puretree.bench.output.columns import flat_columns, to_csv, to_parquet
from puretree.errors import InputError

NAMES = [
    *("experiment", "dataset", "limit", "status", "reason", "seconds", "processor_seconds", "peak_bytes"),
    *("value_status", "upper", "bounds", "n_trees", "odd"),
]


def test_columns_are_named_and_filled() -> None:
    """Key, status and values have one item for each row, and duplicate names are disambiguated."""
    columns = flat_columns(ROWS)
    assert list(columns) == NAMES
    assert columns["dataset"] == [NASTY, "iris", "wine"]
    assert columns["status"] == ["done", "crashed", "done"]
    assert columns["value_status"] == ["optimal", None, "time_limit"]
    assert columns["upper"] == [7, None, None]
    assert columns["peak_bytes"] == [2**20, None, 2**21]
    assert [item and json.loads(str(item)) for item in columns["bounds"]] == [ROWS[0].values["bounds"], None, None]


def test_a_column_has_one_type() -> None:
    """Integers beyond 64 bits turn a column into floats, infinite beyond their range; text turns it into text."""
    columns = flat_columns(ROWS)
    assert columns["n_trees"] == [5.0, None, 2.0**64]
    assert isinstance(columns["n_trees"][0], float)
    assert columns["odd"] == [None, None, math.inf]
    mixed = [Row("x", {"n": 1}, "done", "", 0.0, values={"v": value}) for value in (1, "a", True, None)]
    assert flat_columns(mixed)["v"] == ["1", "a", "true", None]


def test_csv_is_read_back() -> None:
    """Commas, quotes and newlines in a reason are preserved; missing values are empty fields."""
    lines = list(csv.DictReader(io.StringIO(to_csv(ROWS).decode(), newline="")))
    assert list(lines[0]) == NAMES
    assert lines[1]["reason"] == 'signal 11,\n"bad"'
    assert lines[1]["upper"] == ""
    assert [line["dataset"] for line in lines] == [NASTY, "iris", "wine"]
    assert float(lines[2]["n_trees"]) == 2.0**64


def test_parquet_is_read_back() -> None:
    """The file has the same columns, of the same types."""
    polars = pytest.importorskip("polars")
    frame = polars.read_parquet(io.BytesIO(to_parquet(ROWS)))
    assert frame.to_dict(as_series=False) == flat_columns(ROWS)
    assert frame["upper"].dtype == polars.Int64
    assert frame["n_trees"].dtype == polars.Float64


def test_without_rows_the_files_are_empty() -> None:
    """An experiment without rows can be written."""
    assert to_csv([]) == b"\n"
    polars = pytest.importorskip("polars")
    assert polars.read_parquet(io.BytesIO(to_parquet([]))).shape == (0, 0)


def test_without_polars_the_message_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parquet needs a package, and the message says how to install it."""
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(InputError, match=r"pip install \"puretree\[bench\]\""):
        to_parquet(ROWS)
