"""Cells in processes of their own: whatever a cell does, it gets a row with its status."""

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
from puretree.bench.measurement.isolation import CellServer, CellServerPool


@pytest.fixture(scope="module")
def server() -> Iterator[CellServer]:
    """Start a cell server that all tests share: it must survive all misbehaving cells."""
    server = CellServer()
    yield server
    assert server.is_open
    server.close()


def measure(server: CellServer, action: str, **limits: float) -> Row:
    """Measure a cell that performs an action."""
    (cell,) = Misbehaving((action,), **limits).cells({})  # type: ignore[arg-type]
    row = server.measure(cell)
    assert row.id == cell.id
    return row


def test_a_cell_is_measured(server: CellServer) -> None:
    """The row has the progress, values and resources of a cell, which ran in a process of its own."""
    row = measure(server, "work 0.3")
    assert (row.status, row.reason, row.progress) == ("done", "", [{"started": "work"}])
    assert row.values["answer"] == 42
    assert row.values["pid"] != os.getpid()
    assert 0.3 <= row.seconds < 5
    assert row.processor_seconds is not None
    assert row.processor_seconds < 0.3


@pytest.mark.parametrize(
    ("action", "status", "reason"),
    [
        ("crash", "crashed", "killed by SIGSEGV: about to crash"),
        ("exit", "crashed", "exited with code 3 without a result"),
        ("reject", "failed", "column 'a' does not exist"),
        ("raise", "failed", "ZeroDivisionError: division by zero"),
        ("out_of_memory", "memory_limit", "out of memory"),
        ("not_json", "failed", "TypeError: Object of type object is not JSON serializable"),
        ("print", "done", ""),
    ],
)
def test_a_cell_that_misbehaves(server: CellServer, action: str, status: str, reason: str) -> None:
    """The row has the status, the reason and the progress so far; the next cell is not affected."""
    row = measure(server, action)
    assert (row.status, row.reason, row.progress) == (status, reason, [{"started": action}])
    assert measure(server, "work").status == "done"


def test_the_memory_limit(server: CellServer) -> None:
    """A cell that exceeds its memory limit is killed, and the reason has the amount used and the limit."""
    row = measure(server, "allocate 2000", memory=1e8)
    assert row.status == "memory_limit"
    assert row.reason.endswith("MB, the limit is 100")
    assert row.peak_bytes is not None
    assert 1e8 < row.peak_bytes < 1.5e9
    assert row.seconds < 15


def test_the_peak_memory(server: CellServer) -> None:
    """The peak memory of a cell is measured relative to the start of its process, even if it lasts only briefly."""
    row = measure(server, "touch 60")  # twice: the bytes and a copy
    assert row.peak_bytes is not None
    assert 118e6 < row.peak_bytes < 140e6


def test_a_forked_process_is_not_a_solver() -> None:
    """A process counts as a solver once it runs its own program; before, its memory is shared with its parent."""
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
def test_the_time_limit(server: CellServer) -> None:
    """A cell that handles SIGINT keeps its partial result; one that ignores it is killed."""
    row = measure(server, "stop_late", seconds=0.2)
    assert (row.status, row.values) == ("time_limit", {"partial": True})
    assert row.reason == "did not finish within 0.2 seconds"
    row = measure(server, "hang", seconds=0.2)
    assert (row.status, row.values, row.progress) == ("time_limit", {}, [{"started": "hang"}])
    assert row.seconds < 15


def test_no_process_is_left_running(server: CellServer) -> None:
    """A process that a cell started is killed when the cell dies."""
    row = measure(server, "leave_child")
    assert row.status == "crashed"
    child = int(row.reason.rpartition(" ")[2])
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@pytest.mark.slow
def test_a_dead_server_is_replaced() -> None:
    """The cell of a server that dies gets a row, and the next cell gets a new server."""
    servers = CellServerPool()
    (cell,) = Misbehaving(("work 30",)).cells({})
    with servers.borrow() as server:
        killer = threading.Timer(1.0, os.kill, (server.pid, signal.SIGKILL))
        killer.start()
        row = server.measure(cell)
        assert row.status == "crashed"
        assert "exited with code -9" in row.reason
    with servers.borrow() as another:
        assert another is not server
        assert measure(another, "work").status == "done"
    servers.close()


@pytest.mark.slow
def test_closing_a_server_kills_its_cell(tmp_path: Path) -> None:
    """When its input closes, the server exits and its cell is killed."""
    server = CellServer()
    (cell,) = Misbehaving(("work 60",), folder=str(tmp_path)).cells({})
    waiting = threading.Thread(target=server.measure, args=(cell,))
    waiting.start()
    while not (started := [*tmp_path.iterdir()]):
        time.sleep(0.05)
    server.close()
    waiting.join(10)
    assert not waiting.is_alive()
    with pytest.raises(ProcessLookupError):
        os.kill(int(started[0].name.partition("-")[2]), 0)
