"""Large and compressed CSV files, with equal rows merged."""

import csv
import io
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from puretree._support.clock import Clock
from puretree.datasets import files, read_csv, read_file
from puretree.datasets.merged_csv import read_merged_csv
from puretree.errors import MissingValuesWarning, MixedColumnWarning, PuretreeError, UnfinishedError

cells = st.sampled_from(["1", "1.0", "2", "", "NA", "?", "x", "007", "1e400", "9007199254740993", "a,b", "two\nlines"])
tidy = st.sampled_from(["1", "1.0", "2", "", "NA", "30"])
labels = st.sampled_from(["yes", "no", "no", "NA"])
tables = st.lists(st.tuples(tidy, cells, labels), min_size=1, max_size=30)


def outcome(read: Any, path: Path, **options: Any) -> tuple[Any, list[str]]:
    """Return a data set or the text of an error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = read(path, **options)
        except PuretreeError as error:
            result = f"{type(error).__name__}: {error}"
    return result, [f"{warning.category.__name__}: {warning.message}" for warning in caught]


def rows_of(dataset: Any) -> list[tuple[Any, ...]]:
    """Return the rows with their labels as text, so that missing values are equal."""
    columns = [values.tolist() for values in dataset.table.to_dict().values()]
    return [tuple(map(repr, row)) for row in zip(*columns, dataset.target.tolist(), strict=True)]


@given(tables, st.integers(1, 7), st.sampled_from([None, (), ("x",)]), st.sampled_from([None, ("a",), ()]))
def test_the_result_is_that_of_the_plain_reader_with_equal_rows_merged(
    tmp_path_factory: pytest.TempPathFactory, rows: Any, batch_rows: int, missing_values: Any, numbers: Any
) -> None:
    """Kinds, levels, values, errors and warnings are those of read_csv; rows are counted, and lines are the first."""
    text = io.StringIO()
    csv.writer(text).writerows([("a", "b", "class"), *rows])
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    path.write_text(text.getvalue(), newline="")
    options = {"target": "class", "numbers": numbers, "missing_values": missing_values}
    plain, plain_warnings = outcome(read_csv, path, **options)
    merged, merged_warnings = outcome(read_merged_csv, path, batch_rows=batch_rows, **options)
    assert merged_warnings == plain_warnings
    if isinstance(plain, str):
        assert merged == plain
        return
    assert [(c.name, c.kind, c.levels) for c in merged.table] == [(c.name, c.kind, c.levels) for c in plain.table]
    counts = Counter(rows_of(plain))
    assert rows_of(merged) == list(counts)
    assert merged.table.row_weights.tolist() == list(counts.values())
    assert merged.table.total_weight == plain.n_rows
    first_line = dict(reversed(list(zip(rows_of(plain), plain.positions.tolist(), strict=True))))
    assert merged.positions.tolist() == [first_line[row] for row in rows_of(merged)]
    assert (merged.name, merged.source, merged.missing_values) == (plain.name, plain.source, plain.missing_values)


def test_large_plain_files_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A CSV file beyond a size is merged; a smaller one has a row for each line."""
    path = tmp_path / "table.csv"
    path.write_text("a,class\n" + "1,x\n2,y\n" * 10)
    assert read_file(path).n_rows == 20
    monkeypatch.setattr(files, "MAX_BYTES_UNMERGED", 10)
    merged = read_file(path)
    assert merged.n_rows == 2
    assert merged.table.total_weight == 20
    assert repr(merged) == "<Dataset table: 20 rows, distinct: 2 rows × 1 column, 2 classes>"
    frame = merged.to_frame()
    assert frame["a"].tolist() == [1.0] * 10 + [2.0] * 10
    assert frame["class"].tolist() == ["x"] * 10 + ["y"] * 10


def test_a_file_of_distinct_rows_has_no_weights(tmp_path: Path) -> None:
    """If no rows are equal, the table is the same as from the plain reader."""
    path = tmp_path / "table.csv"
    path.write_text("a,class\n1,x\n2,y\n")
    assert read_merged_csv(path, "class").table.weights is None


def test_counts_of_all_rows_decide_whether_a_column_is_mostly_numbers(tmp_path: Path) -> None:
    """Warnings count rows, not distinct texts."""
    path = tmp_path / "table.csv"
    path.write_text("a,b,class\n" + "1,NA,x\n" * 30 + "none,1,y\n")
    mixed = pytest.warns(MixedColumnWarning, match="1 of 31 values are not numbers, the first 'none' in line 32")
    missing = pytest.warns(MissingValuesWarning, match=r"in 'b': 'NA' \(30\)")
    with mixed, missing:
        read_merged_csv(path, "class")


def test_reading_stops_at_the_time_limit(tmp_path: Path) -> None:
    """The time limit applies to reading."""
    path = tmp_path / "table.csv"
    path.write_text("a,class\n1,x\n2,y\n")
    with pytest.raises(UnfinishedError, match=r"table\.csv: the time limit was reached"):
        read_merged_csv(path, "class", clock=Clock(0))
