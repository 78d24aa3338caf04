"""A program that measures cells, each in a forked process: reads one cell per line, writes one row per line.

A failing cell affects only its own process: it may crash, exhaust the memory or ignore its time limit. The server
imports everything, and calls the experiment's ``prepare(cell)`` if it has one, before it forks: a cell starts at once
instead of after seconds. It monitors the time and the memory of the cell and of the solvers that the cell starts, and
kills them all if a limit is exceeded. If the runner dies, standard input closes, and the server kills the cell and
exits.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import select
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import IO, NoReturn

from ..._support.processes import adopt_orphans, descendants, has_own_program, kill_descendants
from ..._support.resources import peak_private_bytes, peak_resident_bytes, private_bytes, resident_bytes
from ..._support.run_script import end_with_parent
from ..._support.strict_json import long_integers_as_text, read_integers
from ...errors import PuretreeError
from ..cell import Cell, Row, Status, Values, module_of

GRACE = 3.0  # seconds from the time limit to SIGINT, and from SIGINT to SIGKILL
MIN_POLL, MAX_POLL = 0.02, 0.25
"""Seconds between memory checks: short at first, to see solvers that finish quickly, then longer, since each check
scans all processes, which takes milliseconds."""

MAX_REASON = 300  # characters


def serve() -> None:
    """Measure cells until standard input closes."""
    adopt_orphans()
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # anything printed goes to standard error, not into the replies
    for line in sys.stdin.buffer:
        cell = Cell(**json.loads(line))
        module = importlib.import_module(module_of(cell.experiment))
        if hasattr(module, "prepare"):
            module.prepare(cell)
        replies.write(json.dumps(CellMonitor(cell).run().to_dict()).encode() + b"\n")
        replies.flush()


class CellMonitor:
    """Runs a cell in a forked process and enforces its limits.

    Parameters
    ----------
    cell : Cell
    """

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._start = monotonic()
        self._bytes_at_start = private_bytes()  # the forked process starts with the same amount
        self._peak_bytes = self._peak_bytes_of_solver = 0
        self._poll = MIN_POLL
        self._next_check = self._start + self._poll
        self._received = b""
        self._exceeded: tuple[Status, str] | None = None
        self._is_interrupted = False

    def run(self) -> Row:
        """Measure the cell and return its row."""
        receiver, sender = os.pipe()
        with tempfile.TemporaryFile() as stderr:
            process = os.fork()
            if process == 0:
                os.close(receiver)
                _measure(self._cell, sender, stderr)
            os.close(sender)
            self._receive(receiver, process)
            _kill(process)  # if it exceeded a limit; and any solvers it left running
            _, wait_status, usage = os.wait4(process, 0)
            _reap()
            os.close(receiver)
            return self._row(wait_status, usage, _last_line(stderr))

    def _receive(self, receiver: int, process: int) -> None:
        """Receive messages from the cell until it is done or exceeds a limit."""
        while True:
            ready, _, _ = select.select([receiver, 0], [], [], self._poll)
            if 0 in ready:  # the runner sends one cell at a time, so standard input was closed: the runner is gone
                _kill(process)
                _reap()  # in a container there may be no other process that does
                sys.exit(0)
            if receiver in ready:
                piece = os.read(receiver, 1 << 16)
                if not piece:
                    return
                self._received += piece
            if self._must_be_killed(process):
                return

    def _must_be_killed(self, process: int) -> bool:
        """Return whether to kill the cell; when it is late, interrupt it first."""
        if monotonic() >= self._next_check:
            self._poll = min(1.5 * self._poll, MAX_POLL)
            self._next_check = monotonic() + self._poll
            n_bytes = self._check_memory(process)
            if self._cell.memory is not None and n_bytes > self._cell.memory:
                reason = f"used {n_bytes / 1e6:.0f} MB, the limit is {self._cell.memory / 1e6:.0f}"
                self._exceeded = ("memory_limit", reason)
                return True
        late = monotonic() - self._start - self._cell.seconds
        if late > GRACE:
            self._exceeded = ("time_limit", f"did not finish within {self._cell.seconds:g} seconds")
            if not self._is_interrupted:
                self._is_interrupted = True
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGINT)  # puretree's engines then return their incumbent and clean up
        return late > 2 * GRACE

    def _check_memory(self, process: int) -> int:
        """Return the bytes that the cell and its solvers use now, and update the peak."""
        solvers = [pid for pid in descendants(os.getpid()) if pid != process and has_own_program(pid)]
        self._peak_bytes_of_solver = max([self._peak_bytes_of_solver, *map(peak_resident_bytes, solvers)])
        n_bytes = private_bytes(process) - self._bytes_at_start + sum(map(resident_bytes, solvers))
        self._peak_bytes = max(self._peak_bytes, n_bytes)
        return n_bytes

    def _row(self, wait_status: int, usage: resource.struct_rusage, last_error_line: str) -> Row:
        """Combine the messages of the cell and the exit status of its process."""
        complete, _, _ = self._received.rpartition(b"\n")
        messages: list[Values] = [json.loads(line) for line in complete.splitlines()]
        row = Row(
            self._cell.experiment,
            self._cell.key,
            "crashed",
            _format_exit(wait_status) + (f": {last_error_line}" if last_error_line else ""),
            seconds=monotonic() - self._start,
            processor_seconds=usage.ru_utime + usage.ru_stime,
            peak_bytes=self._peak_bytes or None,
            progress=[message["progress"] for message in messages if "progress" in message],
        )
        for end in (message["end"] for message in messages if "end" in message):
            peak = max(0, end["peak_bytes"] - self._bytes_at_start) + self._peak_bytes_of_solver
            row = replace(
                row,
                status=end["status"],
                reason=end["reason"],
                values=read_integers(end["values"]),
                peak_bytes=peak or None,
            )
        if self._exceeded is not None:
            row = replace(row, status=self._exceeded[0], reason=self._exceeded[1])
        return row


def _measure(cell: Cell, sender: int, stderr: IO[bytes]) -> NoReturn:
    """Measure a cell in the forked process and send the result."""
    end_with_parent()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(stderr.fileno(), 1)
    os.dup2(stderr.fileno(), 2)
    try:
        measure = importlib.import_module(module_of(cell.experiment)).measure
        _send(sender, {"end": _end("done", "", measure(cell, lambda values: _send(sender, {"progress": values})))})
    except MemoryError:
        _send(sender, {"end": _end("memory_limit", "out of memory")})
    except PuretreeError as error:
        _send(sender, {"end": _end("failed", str(error))})
    except BaseException as error:
        _send(sender, {"end": _end("failed", f"{type(error).__name__}: {error}")})
    finally:
        os._exit(0)


def _send(sender: int, message: Values) -> None:
    remaining = json.dumps(long_integers_as_text(message), allow_nan=False).encode() + b"\n"
    while remaining:
        remaining = remaining[os.write(sender, remaining) :]


def _end(status: Status, reason: str, values: Values | None = None) -> Values:
    return {
        "status": status,
        "reason": reason[:MAX_REASON],
        "values": values or {},
        "peak_bytes": peak_private_bytes(),
    }


def _kill(process: int) -> None:
    """Kill a cell and all processes it started, as far as the system reports them."""
    os.kill(process, signal.SIGKILL)  # not reaped yet, so no other process can have this id
    kill_descendants()


def _reap() -> None:
    """Reap the orphaned processes of a cell."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, 0)[0]:
            pass


def _format_exit(wait_status: int) -> str:
    if os.WIFSIGNALED(wait_status):
        return f"killed by {signal.Signals(os.WTERMSIG(wait_status)).name}"
    return f"exited with code {os.waitstatus_to_exitcode(wait_status)} without a result"


def _last_line(stderr: IO[bytes]) -> str:
    stderr.seek(0)
    lines = stderr.read().decode("utf-8", errors="replace").split("\n")
    return next((line.strip()[:MAX_REASON] for line in reversed(lines) if line.strip()), "")


if __name__ == "__main__":
    serve()
