"""The results file: no stored row is ever lost."""

import errno
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from puretree.bench.cell import Cell, Row
from puretree.bench.measurement.results import ResultsFile, read_results
from puretree.errors import FormatError, InputError


def row(number: int, **changes: object) -> Row:
    """Make a row with a number."""
    values: dict[str, object] = {"status": "done", "reason": "", "seconds": 0.5, "values": {"count": 10**30}}
    return Row("runtime", {"number": number, "name": "a|ü\u2028\x1f"}, **(values | changes))  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of the results file."""
    return tmp_path / "results.jsonl"


def test_rows_are_read_back(path: Path) -> None:
    """Rows are read as written, by the id of their cell, and so are the sessions."""
    other = row(2, progress=[{"upper": 5}], values={"mpdt": {"n_trees": 10**5000}})
    with ResultsFile(path, {"python": "3.11"}) as results:
        results.append(row(1))
        results.append(other)
    rows, sessions = read_results(path)
    assert rows == {row(1).id: row(1), row(2).id: other}
    assert sessions == [{"python": "3.11"}]
    assert row(1).id == Cell("runtime", {"name": "a|ü\u2028\x1f", "number": 1}, 1.0).id


def test_a_second_run_appends(path: Path) -> None:
    """An existing file is extended; of two rows of a cell the later one counts."""
    with ResultsFile(path, {"run": 1}) as results:
        results.append(row(1, status="crashed"))
    with ResultsFile(path, {"run": 2}) as results:
        assert results.rows[row(1).id].status == "crashed"
        results.append(row(1))
    rows, sessions = read_results(path)
    assert [row.status for row in rows.values()] == ["done"]
    assert sessions == [{"run": 1}, {"run": 2}]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(fraction=st.floats(0, 1))
def test_a_truncated_file_is_resumed(tmp_path_factory: pytest.TempPathFactory, fraction: float) -> None:
    """Wherever a crash truncates the file, all complete lines are read, and the next run appends after them."""
    path = tmp_path_factory.mktemp("truncated") / "results.jsonl"
    with ResultsFile(path, {}) as results:
        for number in range(3):
            results.append(row(number))
    content = path.read_bytes()
    path.write_bytes(content[: round(fraction * len(content))])
    n_complete = max(0, path.read_bytes().count(b"\n") - 1)
    assert len(read_results(path)[0]) == n_complete
    with ResultsFile(path, {}) as results:
        assert len(results.rows) == n_complete
        results.append(row(7))
    assert [row.key["number"] for row in read_results(path)[0].values()] == [*range(n_complete), 7]


def test_concurrent_runs_are_rejected(path: Path) -> None:
    """The second run is rejected, and the first continues."""
    with ResultsFile(path, {}) as results:
        with pytest.raises(InputError, match="written by another run"):
            ResultsFile(path, {})
        results.append(row(1))
    assert len(read_results(path)[0]) == 1


def test_file_systems_without_locks_work(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A results file can be written on a file system without locks."""

    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", fail)
    with ResultsFile(path, {}) as results:
        results.append(row(1))
    assert len(read_results(path)[0]) == 1


@pytest.mark.parametrize(
    "line", ["[]", "1", "{}", '{"experiment": 1}', "not json", '{"session": 3}', "\xff", "[" * 9999]
)
def test_invalid_lines_are_rejected(path: Path, line: str) -> None:
    """The message has the number of an invalid line, and the file is not changed."""
    with ResultsFile(path, {}) as results:
        results.append(row(1))
    with path.open("a", encoding="latin-1") as file:
        file.write(line + "\n")
    with pytest.raises(FormatError, match="line 3 is not a line of results"):
        read_results(path)
    with path.open("a", encoding="latin-1") as file:
        file.write("the rest of it")
    before = path.read_bytes()
    with pytest.raises(FormatError, match="line 3 is not a line of results"):
        ResultsFile(path, {})
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"experiment": 1},
        {"key": 3},
        {"status": "fine"},
        {"seconds": "1"},
        {"progress": {}},
        {"progress": [1]},
        {"values": []},
    ],
)
def test_fields_of_the_wrong_type_are_rejected(wrong: dict[str, object]) -> None:
    """A row with a field of the wrong type is not a row."""
    assert Row.from_dict(row(1).to_dict()) == row(1)
    with pytest.raises(FormatError, match="a field has the wrong type"):
        Row.from_dict(row(1).to_dict() | wrong)


@pytest.fixture
def small_files() -> Iterator[None]:
    """Limit files to 2000 bytes, to simulate a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("small_files")
def test_a_full_disk_leaves_no_partial_line(path: Path) -> None:
    """The error for a row that does not fit names the file, and the file keeps only complete lines."""
    with ResultsFile(path, {}) as results:
        results.append(row(1))
        with pytest.raises(OSError, match=r"results\.jsonl"):
            results.append(row(2, reason="long" * 1000))
        results.append(row(3))
    assert [row.key["number"] for row in read_results(path)[0].values()] == [1, 3]


def test_invalid_paths_are_rejected(tmp_path: Path) -> None:
    """A missing folder, a folder instead of a file, and a missing file raise errors."""
    with pytest.raises(InputError, match="there is no folder"):
        ResultsFile(tmp_path / "none" / "results.jsonl", {})
    with pytest.raises(IsADirectoryError):
        ResultsFile(tmp_path, {})
    with pytest.raises(InputError, match="there are no results"):
        read_results(tmp_path / "results.jsonl")
    assert not [*tmp_path.iterdir()]
