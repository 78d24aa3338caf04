"""A cell in a process of its own: whatever it does, there is a row that says so."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.misbehaving import Misbehaving

from puretree._support.processes import has_own_program
from puretree.bench.cell import Row
from puretree.bench.measurement.isolation import CellServer, CellServers


@pytest.fixture(scope="module")
def server() -> Iterator[CellServer]:
    """Start a program that measures cells; one is enough for all, which is the point of it."""
    server = CellServer()
    yield server
    assert server.is_open
    server.close()


def measured(server: CellServer, deed: str, **limits: float) -> Row:
    """Let a cell do something."""
    (cell,) = Misbehaving((deed,), **limits).cells({})  # type: ignore[arg-type]
    row = server.measure(cell)
    assert row.id == cell.id
    return row


def test_a_cell_that_behaves(server: CellServer) -> None:
    """It is done; what it told, measured and took is in the row, and it ran in a process of its own."""
    row = measured(server, "work 0.3")
    assert (row.status, row.reason, row.told) == ("done", "", [{"begun": "work"}])
    assert row.values["answer"] == 42
    assert row.values["pid"] != os.getpid()
    assert 0.3 <= row.seconds < 5
    assert row.processor_seconds is not None
    assert row.processor_seconds < 0.3


@pytest.mark.parametrize(
    ("deed", "status", "reason"),
    [
        ("crash", "crashed", "ended by SIGSEGV: about to fall"),
        ("exit", "crashed", "ended with code 3 and no result"),
        ("refuse", "failed", "column 'a' is no column"),
        ("raise", "failed", "ZeroDivisionError: one by none"),
        ("out_of_memory", "memory_limit", "the memory was used up"),
        ("not_json", "failed", "TypeError: Object of type object is not JSON serializable"),
        ("print", "done", ""),
    ],
)
def test_a_cell_that_does_not(server: CellServer, deed: str, status: str, reason: str) -> None:
    """The row says what happened and keeps what was told before; the next cell is not touched by it."""
    row = measured(server, deed)
    assert (row.status, row.reason, row.told) == (status, reason, [{"begun": deed}])
    assert measured(server, "work").status == "done"


def test_too_much_memory(server: CellServer) -> None:
    """A cell that takes more than it may is ended, and both amounts are told."""
    row = measured(server, "eat 2000", memory=1e8)
    assert row.status == "memory_limit"
    assert row.reason.endswith("MB, but may take 100")
    assert row.peak_bytes is not None
    assert 1e8 < row.peak_bytes < 1.5e9
    assert row.seconds < 15


def test_the_peak_of_memory(server: CellServer) -> None:
    """What a cell took at most is measured above what its process began with, though it lasts only a moment."""
    row = measured(server, "touch 60")  # once as it is made, and a copy
    assert row.peak_bytes is not None
    assert 118e6 < row.peak_bytes < 140e6


def test_a_copy_is_no_solver() -> None:
    """A process counts as a solver when it runs a program of its own: before, its memory is its parent's."""
    receiver, sender = os.pipe()
    copy = os.fork()
    if copy == 0:
        os.close(sender)
        os.read(receiver, 1)
        os._exit(0)
    with subprocess.Popen(["sleep", "60"]) as solver:
        assert not has_own_program(copy)
        assert has_own_program(solver.pid)
        solver.kill()
    os.close(sender)
    os.waitpid(copy, 0)
    os.close(receiver)
    assert not has_own_program(copy)


@pytest.mark.slow
def test_too_much_time(server: CellServer) -> None:
    """One that hears a request to stop keeps what it has; one that does not is ended all the same."""
    row = measured(server, "stop_late", seconds=0.2)
    assert (row.status, row.values) == ("time_limit", {"kept": True})
    assert row.reason == "did not end within 0.2 seconds"
    row = measured(server, "hang", seconds=0.2)
    assert (row.status, row.values, row.told) == ("time_limit", {}, [{"begun": "hang"}])
    assert row.seconds < 15


def test_nothing_is_left_behind(server: CellServer) -> None:
    """A process that a dying cell had started ends with it."""
    row = measured(server, "leave_child")
    assert row.status == "crashed"
    child = int(row.reason.rpartition(" ")[2])
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@pytest.mark.slow
def test_the_program_dies() -> None:
    """The row says so, and whoever wants to measure more gets another program."""
    servers = CellServers()
    (cell,) = Misbehaving(("work 30",)).cells({})
    with servers.borrowed() as server:
        killer = threading.Timer(1.0, os.kill, (server.process, signal.SIGKILL))
        killer.start()
        row = server.measure(cell)
        assert row.status == "crashed"
        assert "ended with code -9" in row.reason
    with servers.borrowed() as another:
        assert another is not server
        assert measured(another, "work").status == "done"
    servers.close()


@pytest.mark.slow
def test_nobody_listens(tmp_path: Path) -> None:
    """When the runner is gone, the program ends, and with it the cell that it is at."""
    server = CellServer()
    (cell,) = Misbehaving(("work 60",), folder=str(tmp_path)).cells({})
    waiting = threading.Thread(target=server.measure, args=(cell,))
    waiting.start()
    while not (begun := [*tmp_path.iterdir()]):
        time.sleep(0.05)
    server.close()
    waiting.join(10)
    assert not waiting.is_alive()
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun[0].name.partition("-")[2]), 0)
