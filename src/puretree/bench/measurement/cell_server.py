"""A program that measures cells, each in a process of its own: a cell a line comes in, a row a line goes out.

Whatever happens to a cell happens to its process alone: it may crash, take all the memory or hear no clock. The program
has imported everything already when it forks, so a cell begins at once and not after seconds of imports. It watches the
time and the memory of the cell and of the solvers that the cell starts, and ends them all if need be. When nobody
listens any more, because the runner was killed, so are the cell and the program.
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
from ...errors import PuretreeError
from ..cell import Cell, Row, Status, Values, module_of

GRACE = 3.0  # seconds from the limit to the request to stop, and from there to the end
FIRST_LOOK, LOOK = 0.02, 0.25
"""Seconds between looks at the memory: few at first, to see solvers that are done soon, then more, as each look takes
milliseconds of going through all processes."""

LONGEST_REASON = 300  # letters


def serve() -> None:
    """Answer until there are no more questions."""
    adopt_orphans()
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what somebody prints is not a reply
    for line in sys.stdin.buffer:
        cell = Cell(**json.loads(line))
        importlib.import_module(module_of(cell.experiment))
        replies.write(json.dumps(Watch(cell).row().to_dict()).encode() + b"\n")
        replies.flush()


class Watch:
    """A cell at work, watched from outside.

    Parameters
    ----------
    cell : Cell
    """

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self._start = monotonic()
        self._bytes_at_start = private_bytes()  # the cell begins with the same
        self._most_bytes = self._most_bytes_of_solver = 0
        self._pause = FIRST_LOOK
        self._next_look = self._start + self._pause
        self._received = b""
        self._verdict: tuple[Status, str] | None = None
        self._is_asked_to_stop = False

    def row(self) -> Row:
        """Measure the cell, and return what came of it."""
        receiver, sender = os.pipe()
        with tempfile.TemporaryFile() as complaints:
            process = os.fork()
            if process == 0:
                os.close(receiver)
                _measure(self._cell, sender, complaints)
            os.close(sender)
            self._listen(receiver, process)
            _kill(process)  # if it must end; and solvers that it left behind
            _, ending, usage = os.wait4(process, 0)
            _reap()
            os.close(receiver)
            return self._told(ending, usage, _last_line(complaints))

    def _listen(self, receiver: int, process: int) -> None:
        """Take what the cell says until it is done or has to be ended."""
        while True:
            ready, _, _ = select.select([receiver, 0], [], [], self._pause)
            if 0 in ready:  # nobody asks twice: whoever asked is gone
                _kill(process)
                _reap()  # in a container there may be nobody else who does
                sys.exit(0)
            if receiver in ready:
                piece = os.read(receiver, 1 << 16)
                if not piece:
                    return
                self._received += piece
            if self._is_over(process):
                return

    def _is_over(self, process: int) -> bool:
        """Say whether the cell must be ended; ask it to stop by itself first if it is late."""
        if monotonic() >= self._next_look:
            self._pause = min(1.5 * self._pause, LOOK)
            self._next_look = monotonic() + self._pause
            taken = self._look_at_memory(process)
            if self._cell.memory is not None and taken > self._cell.memory:
                reason = f"took {taken / 1e6:.0f} MB, but may take {self._cell.memory / 1e6:.0f}"
                self._verdict = ("memory_limit", reason)
                return True
        late = monotonic() - self._start - self._cell.seconds
        if late > GRACE:
            self._verdict = ("time_limit", f"did not end within {self._cell.seconds:g} seconds")
            if not self._is_asked_to_stop:
                self._is_asked_to_stop = True
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGINT)  # our own engines still tell what they have, and clean up
        return late > 2 * GRACE

    def _look_at_memory(self, process: int) -> int:
        """Return the bytes that the cell and its solvers take now, and remember the most."""
        solvers = [each for each in descendants(os.getpid()) if each != process and has_own_program(each)]
        self._most_bytes_of_solver = max([self._most_bytes_of_solver, *map(peak_resident_bytes, solvers)])
        taken = private_bytes(process) - self._bytes_at_start + sum(map(resident_bytes, solvers))
        self._most_bytes = max(self._most_bytes, taken)
        return taken

    def _told(self, ending: int, usage: resource.struct_rusage, complaint: str) -> Row:
        """Put together what is known at the end."""
        whole, _, _ = self._received.rpartition(b"\n")
        messages: list[Values] = [json.loads(line) for line in whole.splitlines()]
        row = Row(
            self._cell.experiment,
            self._cell.key,
            "crashed",
            _words(ending) + (f": {complaint}" if complaint else ""),
            seconds=monotonic() - self._start,
            processor_seconds=usage.ru_utime + usage.ru_stime,
            peak_bytes=self._most_bytes or None,
            told=[message["told"] for message in messages if "told" in message],
        )
        for end in (message["end"] for message in messages if "end" in message):
            peak = max(0, end["most_bytes"] - self._bytes_at_start) + self._most_bytes_of_solver
            row = replace(
                row, status=end["status"], reason=end["reason"], values=end["values"], peak_bytes=peak or None
            )
        if self._verdict is not None:
            row = replace(row, status=self._verdict[0], reason=self._verdict[1])
        return row


def _measure(cell: Cell, sender: int, complaints: IO[bytes]) -> NoReturn:
    """Measure a cell in the child, and say what came of it."""
    end_with_parent()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(complaints.fileno(), 1)
    os.dup2(complaints.fileno(), 2)
    try:
        measure = importlib.import_module(module_of(cell.experiment)).measure
        _send(sender, {"end": _end("done", "", measure(cell, lambda values: _send(sender, {"told": values})))})
    except MemoryError:
        _send(sender, {"end": _end("memory_limit", "the memory was used up")})
    except PuretreeError as error:
        _send(sender, {"end": _end("failed", str(error))})
    except BaseException as error:
        _send(sender, {"end": _end("failed", f"{type(error).__name__}: {error}")})
    finally:
        os._exit(0)


def _send(sender: int, message: Values) -> None:
    left = json.dumps(message, allow_nan=False).encode() + b"\n"
    while left:
        left = left[os.write(sender, left) :]


def _end(status: Status, reason: str, values: Values | None = None) -> Values:
    return {
        "status": status,
        "reason": reason[:LONGEST_REASON],
        "values": values or {},
        "most_bytes": peak_private_bytes(),
    }


def _kill(process: int) -> None:
    """End a cell, and all that it started as far as the system tells what that is."""
    os.kill(process, signal.SIGKILL)  # it is not reaped yet, so the number is its own
    kill_descendants()


def _reap() -> None:
    """Reap what a cell left behind."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, 0)[0]:
            pass


def _words(ending: int) -> str:
    """Tell how a process ended."""
    if os.WIFSIGNALED(ending):
        return f"ended by {signal.Signals(os.WTERMSIG(ending)).name}"
    return f"ended with code {os.waitstatus_to_exitcode(ending)} and no result"


def _last_line(complaints: IO[bytes]) -> str:
    complaints.seek(0)
    lines = complaints.read().decode("utf-8", errors="replace").split("\n")
    return next((line.strip()[:LONGEST_REASON] for line in reversed(lines) if line.strip()), "")


if __name__ == "__main__":
    serve()
