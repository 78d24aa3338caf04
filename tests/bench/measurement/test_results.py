"""The file of results: nothing that was said to be kept is ever lost."""

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
    """Make a row like no other."""
    values: dict[str, object] = {"status": "done", "reason": "", "seconds": 0.5, "values": {"count": 10**30}}
    return Row("runtime", {"number": number, "name": "a|ü\u2028\x1f"}, **(values | changes))  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where results go."""
    return tmp_path / "results.jsonl"


def test_what_was_written_is_read(path: Path) -> None:
    """Rows come back as they were, by the id of their cell, and so does what is known of the run."""
    with ResultsFile(path, {"python": "3.11"}) as results:
        results.append(row(1))
        results.append(row(2, told=[{"upper": 5}]))
    rows, sessions = read_results(path)
    assert rows == {row(1).id: row(1), row(2).id: row(2, told=[{"upper": 5}])}
    assert sessions == [{"python": "3.11"}]
    assert row(1).id == Cell("runtime", {"name": "a|ü\u2028\x1f", "number": 1}, 1.0).id


def test_a_second_run_adds(path: Path) -> None:
    """A file that is there is gone on with; of two rows of a cell the later counts."""
    with ResultsFile(path, {"run": 1}) as results:
        results.append(row(1, status="crashed"))
    with ResultsFile(path, {"run": 2}) as results:
        assert results.rows[row(1).id].status == "crashed"
        results.append(row(1))
    rows, sessions = read_results(path)
    assert [each.status for each in rows.values()] == ["done"]
    assert sessions == [{"run": 1}, {"run": 2}]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(kept=st.floats(0, 1))
def test_cut_anywhere(tmp_path_factory: pytest.TempPathFactory, kept: float) -> None:
    """Wherever a dying machine cuts the file off, every whole line is there, and the run goes on after it."""
    path = tmp_path_factory.mktemp("cut") / "results.jsonl"
    with ResultsFile(path, {}) as results:
        for number in range(3):
            results.append(row(number))
    content = path.read_bytes()
    path.write_bytes(content[: round(kept * len(content))])
    n_whole = max(0, path.read_bytes().count(b"\n") - 1)
    assert len(read_results(path)[0]) == n_whole
    with ResultsFile(path, {}) as results:
        assert len(results.rows) == n_whole
        results.append(row(7))
    assert [each.key["number"] for each in read_results(path)[0].values()] == [*range(n_whole), 7]


def test_two_runs_at_once(path: Path) -> None:
    """The second is refused with the reason, and the first goes on."""
    with ResultsFile(path, {}) as results:
        with pytest.raises(InputError, match="written by another run"):
            ResultsFile(path, {})
        results.append(row(1))
    assert len(read_results(path)[0]) == 1


def test_no_locks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that has no locks is no reason not to write there."""

    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", fail)
    with ResultsFile(path, {}) as results:
        results.append(row(1))
    assert len(read_results(path)[0]) == 1


@pytest.mark.parametrize(
    "line", ["[]", "1", "{}", '{"experiment": 1}', "not json", '{"session": 3}', "\xff", "[" * 9999]
)
def test_a_line_of_something_else(path: Path, line: str) -> None:
    """What is no line of results is refused by its number."""
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
    [{"experiment": 1}, {"key": 3}, {"status": "fine"}, {"seconds": "1"}, {"told": {}}, {"told": [1]}, {"values": []}],
)
def test_fields_of_the_wrong_kind(wrong: dict[str, object]) -> None:
    """A row whose key is no mapping is none; nor is one of which another field was edited into something else."""
    assert Row.from_dict(row(1).to_dict()) == row(1)
    with pytest.raises(FormatError, match="of another kind"):
        Row.from_dict(row(1).to_dict() | wrong)


@pytest.fixture
def small_files() -> Iterator[None]:
    """Let no file grow beyond 2000 bytes: as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("small_files")
def test_a_full_disk(path: Path) -> None:
    """A row that does not fit is told by the name of the file, and leaves no half line behind."""
    with ResultsFile(path, {}) as results:
        results.append(row(1))
        with pytest.raises(OSError, match=r"results\.jsonl"):
            results.append(row(2, reason="long" * 1000))
        results.append(row(3))
    assert [each.key["number"] for each in read_results(path)[0].values()] == [1, 3]


def test_nowhere_to_write(tmp_path: Path) -> None:
    """A folder that is not there is told, and so is a file that is none."""
    with pytest.raises(InputError, match="there is no folder"):
        ResultsFile(tmp_path / "none" / "results.jsonl", {})
    with pytest.raises(IsADirectoryError):
        ResultsFile(tmp_path, {})
    with pytest.raises(InputError, match="there are no results"):
        read_results(tmp_path / "results.jsonl")
    assert not [*tmp_path.iterdir()]
