"""Parquet and Arrow files, read in batches."""

import datetime
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puretree import minimum_tree
from puretree._support.clock import Clock
from puretree.datasets import Dataset, load, read_file
from puretree.datasets.arrow_file import read_arrow, read_arrow_columns
from puretree.errors import DataNotFoundError, FormatError, InputError, InputTypeError, UnfinishedError
from puretree.table import read_table


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a Parquet file with small row groups."""
    pa.parquet.write_table(table, path, row_group_size=7)


def write_feather(table: pa.Table, path: Path) -> None:
    """Write a compressed Arrow file in small chunks."""
    pa.feather.write_feather(table, path, chunksize=7)


def write_stream(table: pa.Table, path: Path) -> None:
    """Write a stream of Arrow."""
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=7)


WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    "t.parquet": write_parquet,
    "t.pq": write_parquet,
    "t.feather": write_feather,
    "t.arrow": write_stream,
}

FRAME = {
    "number": [1.5, None, float("nan"), -0.0, 0.0, 7.25] * 3,
    "integer": [3, None, 5, 3, 3, 2**53] * 3,
    "name": ["10", None, "9", "x", "x", ""] * 3,
    "flag": [True, None, False, True, True, False] * 3,
    "nothing": [None] * 18,
    "y": ["b", "a", "a", "b", "c", "a"] * 3,
}


def write(tmp_path: Path, columns: dict[str, Any], name: str = "t.parquet") -> Path:
    """Write columns to a file and return its path."""
    path = tmp_path / name
    WRITERS[name](pa.table(columns), path)
    return path


def rows_of(dataset: Dataset) -> list[tuple[str, ...]]:
    """Return the rows with their labels as text, so that missing values are equal."""
    columns = [values.tolist() for values in dataset.table.to_dict().values()]
    return [tuple(map(repr, row)) for row in zip(*columns, dataset.target.tolist(), strict=True)]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("batch_rows", [1, 4, 1000])
def test_a_file_is_the_data_frame_with_equal_rows_merged(tmp_path: Path, name: str, batch_rows: int) -> None:
    """Kinds, levels and values are those of the data frame, in any format and any batches."""
    path = write(tmp_path, FRAME, name)
    dataset = read_arrow(path, "y", batch_rows=batch_rows)
    frame = read_table(pa.table(FRAME).drop_columns("y"))
    assert [(c.name, c.kind, c.levels) for c in dataset.table] == [(c.name, c.kind, c.levels) for c in frame]
    n_distinct = 6  # -0.0 is 0.0, but the labels differ
    for column, expected in zip(dataset.table, frame, strict=True):
        np.testing.assert_array_equal(column.values, expected.values[:n_distinct])
        assert not column.values.flags.writeable
    assert dataset.target.tolist() == FRAME["y"][:n_distinct]
    assert dataset.table.row_weights.tolist() == [3] * n_distinct
    assert dataset.positions is not None
    assert dataset.positions.tolist() == list(range(n_distinct))
    assert (dataset.name, dataset.target_name, dataset.source) == ("t", "y", str(path))
    assert rows_of(load(str(path), target="y")) == rows_of(dataset)


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from([None, 1.0, 2.5]), st.booleans(), st.sampled_from("xy")),
        min_size=1,
        max_size=25,
    ),
    st.integers(1, 9),
)
def test_merged_rows_are_the_distinct_rows_and_have_the_same_minimum(
    tmp_path_factory: pytest.TempPathFactory, rows: Any, batch_rows: int
) -> None:
    """Reading in any batches gives the distinct rows with their counts, and a tree of the same size."""
    columns = dict(zip(["s", "n", "b", "y"], map(list, zip(*rows, strict=True)), strict=True))
    path = write(tmp_path_factory.mktemp("parquet"), columns)
    dataset = read_arrow(path, "y", batch_rows=batch_rows)
    cells = [tuple(repr(np.nan if cell is None else cell) for cell in row) for row in rows]
    if all(n is None for n in columns["n"]):
        assert dataset.table.columns[1].kind == "number"
    counts = Counter(cells)
    assert rows_of(dataset) == list(counts)
    assert dataset.table.row_weights.tolist() == list(counts.values())
    frame = pa.table(columns)
    pure = {row[:3]: row[3] for row in rows}
    if len(pure) == len(set(rows)):  # no contradictory rows
        unmerged = minimum_tree(frame.drop_columns("y"), columns["y"], engine="search")
        assert minimum_tree(dataset.table, dataset.target, engine="search").n_nodes == unmerged.n_nodes


def test_dictionaries_are_categories_and_may_be_ordered(tmp_path: Path) -> None:
    """Levels of a dictionary are those that occur; an ordered one keeps all of them in order."""
    size = pd.Categorical(["small", "large", "small"], categories=["small", "mid", "large"], ordered=True)
    code = pd.Categorical([30.0, 10.0, 30.0], categories=[30.0, 20.0, 10.0])
    frame = pd.DataFrame({"size": size, "code": code, "y": [1, 0, 1]})
    path = tmp_path / "t.feather"
    frame.to_feather(path)
    dataset = read_file(path, target="y")
    ordered, category = dataset.table
    assert (ordered.kind, ordered.levels) == ("ordered", ("small", "mid", "large"))
    assert ordered.values.tolist() == [0, 2]
    assert (category.kind, category.levels) == ("category", (10, 30))
    assert category.values.tolist() == [1, 0]


def test_ordered_categories_whose_order_changes_are_rejected(tmp_path: Path) -> None:
    """If the batches of a file list ordered levels differently, their order is unknown."""
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    arrays = [
        pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), levels, ordered=True)
        for levels in (["a", "b"], ["b", "a"])
    ]
    schema = pa.schema([("s", kind), ("y", pa.int64())])
    path = tmp_path / "t.arrow"
    with pa.ipc.new_stream(path, schema) as writer:
        for array in arrays:
            writer.write_batch(pa.record_batch([array, pa.array([0, 1])], schema=schema))
    with pytest.raises(InputError, match=r"t\.arrow, row 2, column 's': the categories are ordered, but their order"):
        read_file(path, target="y")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([3, 1, 3], [3, 1, 3]),
        ([2.0, -1.0, 2.0], [2, -1, 2]),
        ([True, False, True], [True, False, True]),
        (pd.Categorical(["b", "a", "b"]), ["b", "a", "b"]),
        ([Decimal("2"), Decimal("1"), Decimal("2")], [2, 1, 2]),
    ],
    ids=["integers", "floats", "booleans", "dictionary", "decimals"],
)
def test_labels_keep_their_type(tmp_path: Path, labels: Any, expected: list[Any]) -> None:
    """Labels are strings, booleans or integers, as in a data frame."""
    dataset = read_file(write(tmp_path, {"a": [1, 2, 3], "y": labels}), target="y")
    assert dataset.target.tolist() == expected
    assert [type(label) for label in dataset.target.tolist()] == [type(label) for label in expected]


FIFTEEN = [1] * 15


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"a": [datetime.date(2020, 1, 1)], "y": [1]}, InputTypeError, r"'a' holds date32\[day\] values"),
        ({"a": [[1, 2]], "y": [1]}, InputTypeError, "'a' holds list<.*> values, which are neither numbers nor"),
        ({"a": [b"x"], "y": [1]}, InputTypeError, "'a' holds binary values"),
        ({"a": [1], "y": [datetime.datetime(2020, 1, 1)]}, InputTypeError, "'y' holds timestamp"),
        ({"a": [*FIFTEEN, 2**53 + 2], "y": [*FIFTEEN, 1]}, InputError, r"row 15, column 'a': the integer is beyond 2"),
        ({"a": [*FIFTEEN, -(2**60)], "y": [*FIFTEEN, 1]}, InputError, "row 15, column 'a': the integer is beyond"),
        ({"a": [*map(float, FIFTEEN), np.inf], "y": [*FIFTEEN, 1]}, InputError, "row 15, column 'a': .* infinite"),
        ({"a": [*FIFTEEN, 2], "y": [*FIFTEEN, None]}, InputError, "row 15, column 'y': no label in this row; remove"),
        ({"a": [1, 2], "y": ["u", None]}, InputError, "row 1, column 'y': no label"),
        ({"a": [1, 2], "y": [True, None]}, InputError, "row 1, column 'y': no label"),
        ({"a": [1, 2], "y": [1.0, 2.5]}, InputError, "row 1, column 'y': the label is not an integer"),
        ({"a": [Decimal("1.00000000000000000001")], "y": [1]}, InputError, "row 0, column 'a': .* more digits"),
        ({"b": [1]}, InputError, "has no column 'y'; its columns are b"),
        ({"y": [1]}, InputError, "has no column other than the label"),
        ({"a": pa.array([], pa.int64()), "y": pa.array([], pa.int64())}, InputError, "has no rows"),
    ],
)
@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
def test_what_cannot_be_used_is_rejected_by_file_column_and_row(
    tmp_path: Path, name: str, columns: dict[str, Any], error: type[Exception], message: str
) -> None:
    """An error names the file, the column and the row of the file, also beyond the first batch."""
    path = write(tmp_path, columns, name)
    with pytest.raises(error, match=message) as caught:
        read_arrow(path, "y", batch_rows=4)
    assert str(caught.value).startswith(str(path))


def test_repeated_names_are_rejected(tmp_path: Path) -> None:
    """Columns with the same name cannot be told apart."""
    path = tmp_path / "t.feather"
    table = pa.Table.from_arrays([pa.array([1])] * 3, names=["a", "a", "y"])
    write_stream(table, path)
    with pytest.raises(InputError, match="has columns with the same name: a; rename them"):
        read_file(path, target="y")


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.arrow"])
def test_damaged_files_are_rejected(tmp_path: Path, name: str) -> None:
    """Truncated, empty and foreign files, folders and missing files are rejected by name."""
    path = write(tmp_path, {"a": list(range(500)), "y": list(range(500))}, name)
    data = path.read_bytes()
    for content in (data[: len(data) // 2], data[:-9], b"", b"a,y\n1,2\n"):
        path.write_bytes(content)
        with pytest.raises((FormatError, InputError), match=r"is not an? (Parquet|Arrow) file, or is damaged"):
            read_file(path, target="y")
    path.unlink()
    with pytest.raises(DataNotFoundError, match="there is no file"):
        read_file(path, target="y")
    path.mkdir()
    with pytest.raises(InputError, match="is a folder; pass a"):
        read_file(path, target="y")


def test_any_damaged_byte_gives_an_error_or_a_table(tmp_path: Path) -> None:
    """A file with a wrong byte raises an error of this package, or is read; nothing else happens."""
    path = write(tmp_path, FRAME, "t.parquet")
    data, random = path.read_bytes(), np.random.default_rng(0)
    for position in random.integers(len(data), size=150).tolist():
        damaged = bytearray(data)
        damaged[position] ^= int(random.integers(1, 256))
        path.write_bytes(bytes(damaged))
        with suppress(FormatError, InputError, InputTypeError):
            read_file(path, target="y")


def test_limits_of_time_and_memory(tmp_path: Path) -> None:
    """Reading stops at the time limit; an invalid memory limit is rejected."""
    path = write(tmp_path, FRAME)
    with pytest.raises(UnfinishedError, match=r"t\.parquet: the time limit was reached"):
        read_file(path, target="y", time_limit=0)
    with pytest.raises(UnfinishedError):
        read_file(path, target="y", time_limit=Clock(0))
    with pytest.raises(InputError, match="memory_limit=0 is not a number of bytes"):
        read_file(path, target="y", memory_limit=0)


def test_some_columns_are_read_unmerged(tmp_path: Path) -> None:
    """Rows to predict are read one by one, in the order of the file."""
    path = write(tmp_path, FRAME)
    table = read_arrow_columns(path, ["name", "number"])
    assert table.column_names == ["name", "number"]
    assert table.num_rows == 18
    assert table.column("name").to_pylist() == FRAME["name"]
