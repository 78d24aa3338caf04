"""Long-running cell servers: starting one takes seconds, while a cell may take less.

Each thread that measures a cell borrows a server from a pool and returns it. On a Dask worker the servers stay alive
between cells, until the worker ends.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from subprocess import DEVNULL, PIPE, TimeoutExpired
from time import monotonic

from ..._support import processes
from ..cell import Cell, Row

ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""A cell runs on one core, so numerical libraries must not start threads."""

EXIT_TIMEOUT = 2.0  # seconds that a server has to exit by itself


class CellServer:
    """A running :mod:`~puretree.bench.measurement.cell_server`."""

    def __init__(self) -> None:
        self._child = processes.start_module(
            f"{__package__}.cell_server", env=ONE_CORE, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
        )

    def measure(self, cell: Cell) -> Row:
        """Measure a cell; return a row even if the cell kills its process or the server."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        start = monotonic()
        try:
            self._child.stdin.write(json.dumps(asdict(cell)).encode() + b"\n")
            self._child.stdin.flush()
            return Row.from_dict(json.loads(self._child.stdout.readline()))
        except (OSError, ValueError):
            self.close()
            reason = f"the cell server exited with code {self._child.returncode}"
            return Row(cell.experiment, cell.key, "crashed", reason, monotonic() - start)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._child.pid

    @property
    def is_open(self) -> bool:
        """Whether the server can measure more cells."""
        return self._child.returncode is None

    def close(self) -> None:
        """Stop the server, and the cell it is measuring, if any."""
        assert self._child.stdin is not None
        with suppress(OSError):
            self._child.stdin.close()  # the server exits when its input closes, and kills its cell
        with suppress(TimeoutExpired):
            self._child.wait(EXIT_TIMEOUT)
        processes.kill(self._child)
        processes.close(self._child)


class CellServerPool:
    """The cell servers of this process, as many as threads measure at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[CellServer] = []
        self._busy: set[CellServer] = set()

    @contextmanager
    def borrow(self) -> Iterator[CellServer]:
        """Borrow an idle server, or a new one."""
        with self._lock:
            server = self._idle.pop() if self._idle else CellServer()
            self._busy.add(server)
        try:
            yield server
        finally:
            with self._lock:
                self._busy.discard(server)
                if server.is_open:
                    self._idle.append(server)

    def close(self) -> None:
        """Stop all servers."""
        with self._lock:
            for server in (*self._idle, *self._busy):
                server.close()
            self._idle.clear()


SERVERS = CellServerPool()


def measure(cell: Cell) -> Row:
    """Measure a cell in a child process."""
    with SERVERS.borrow() as server:
        return server.measure(cell)
