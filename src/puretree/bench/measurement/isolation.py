"""Cells measured in child processes, by programs that stay: starting one takes seconds, a cell may take less.

Each thread that measures borrows such a program and gives it back; so does a thread of a Dask worker, where the same
programs serve one cell after another until the worker ends, and they with it.
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
"""A cell is measured on one core, whatever the libraries below it would like."""

PATIENCE = 2.0  # seconds in which a program may end by itself


class CellServer:
    """A running :mod:`~puretree.bench.cell_server`."""

    def __init__(self) -> None:
        self._child = processes.start_module(
            f"{__package__}.cell_server", env=ONE_CORE, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
        )

    def measure(self, cell: Cell) -> Row:
        """Return what came of a cell; its process, and even the program, may have died over it."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        start = monotonic()
        try:
            self._child.stdin.write(json.dumps(asdict(cell)).encode() + b"\n")
            self._child.stdin.flush()
            return Row.from_dict(json.loads(self._child.stdout.readline()))
        except (OSError, ValueError):
            self.close()
            reason = f"the program that measures cells ended with code {self._child.returncode}"
            return Row(cell.experiment, cell.key, "crashed", reason, monotonic() - start)

    @property
    def process(self) -> int:
        """Its number."""
        return self._child.pid

    @property
    def is_open(self) -> bool:
        """Whether it can measure more."""
        return self._child.returncode is None

    def close(self) -> None:
        """End the program, and the cell that it may be at."""
        assert self._child.stdin is not None
        with suppress(OSError):
            self._child.stdin.close()  # it ends when nobody listens, and what it started with it
        with suppress(TimeoutExpired):
            self._child.wait(PATIENCE)
        processes.kill(self._child)
        processes.close(self._child)


class CellServers:
    """The programs of this process, as many as there are threads that measure at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[CellServer] = []
        self._busy: set[CellServer] = set()

    @contextmanager
    def borrowed(self) -> Iterator[CellServer]:
        """Lend a program."""
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
        """End them all."""
        with self._lock:
            for server in (*self._idle, *self._busy):
                server.close()
            self._idle.clear()


SERVERS = CellServers()


def measure(cell: Cell) -> Row:
    """Measure a cell in a child process of this one."""
    with SERVERS.borrowed() as server:
        return server.measure(cell)
