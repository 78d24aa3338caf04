"""A SAT solver in a process of its own, so that the time limit and Ctrl-C hold whatever it does.

CaDiCaL may think for a minute between two conflicts of a large formula, deaf to signals and with Python's lock held.
The child is asked to stop politely, between budgets of conflicts; if it does not, it is ended, and what it had
answered before stays.
"""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import numpy as np

from .._support import processes
from .._support.clock import NO_LIMIT, Clock, TimeIsOver
from ..errors import SolverError
from ..formula import Block, Model
from . import session
from .oracle import DEFAULT_SOLVER, model_of, require_solver, with_empty_clauses

Given = TypeVar("Given")
Result = TypeVar("Result")

GRACE = 0.4  # seconds after the limit in which the child may still say that it has stopped
SHORTEST = 0.01  # seconds for a transfer that need not wait; a timeout of 0 would mean something else
LONGEST = 1e8  # seconds: three years are as good as no limit, and a socket takes no more
LARGEST_PIECE = 1 << 22  # bytes of clauses sent at once: the clock is looked at in between
# The last words of Python, of C++ and of the C library where the system gives no more memory; or there are none.
OUT_OF_MEMORY = re.compile("memor|bad_alloc", re.IGNORECASE)
WITHOUT_WORDS = (-signal.SIGSEGV, -signal.SIGABRT)


class IsolatedOracle:
    """A solver of python-sat in a child process.

    Parameters
    ----------
    solver : str
        The name of a solver of python-sat.
    most_bytes : int, optional
        Memory that the child may take. If it needs more, MemoryError is raised where an answer was waited for.
    proof : Path, optional
        Where to leave a proof if there is no model. The file must not exist. A proof under assumptions refutes nothing.
    """

    def __init__(
        self, solver: str = DEFAULT_SOLVER, most_bytes: int | None = None, *, proof: Path | None = None
    ) -> None:
        require_solver(solver)
        self._name = solver
        self._is_held = most_bytes is not None
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  closed with the oracle
        self._connection, child_end = socket.socketpair()
        with child_end:
            arguments = (solver, str(most_bytes or 0), *(() if proof is None else (str(proof),)))
            self._child = processes.start_python(
                Path(session.__file__),
                *arguments,
                ends_with_parent=proof is not None,  # with budgets, the session checks whether its parent is alive
                stdin=child_end,
                stdout=self._complaints,
                stderr=self._complaints,
            )
        self._model = np.empty(0, dtype=np.int32)
        self._is_open = True
        self._is_interrupted = False

    def add(self, block: Block, clock: Clock = NO_LIMIT) -> None:
        """Take clauses; TimeIsOver if the clock is over first."""
        clock.require_time()
        block = with_empty_clauses(block)
        if not block.size:
            return
        rows = max(1, LARGEST_PIECE // (4 * block.shape[1]))
        for start in range(0, len(block), rows):
            piece = block[start : start + rows]
            self._send(session.ADD if piece.all() else session.ADD_PADDED, piece, clock, width=block.shape[1])

    def solve(self, assumptions: Sequence[int], clock: Clock = NO_LIMIT, turn: Clock | None = None) -> bool | None:
        """Return whether a model exists under the assumptions; None if the clock is over first, or this turn is."""
        try:
            self._send(session.SOLVE, np.asarray(assumptions, dtype=np.int32), clock, turn=turn)
            status, size = session.REPLY.unpack(self._receive(session.REPLY.size, clock))
            self._model = np.frombuffer(self._receive(size, clock), dtype=np.int32)
        except TimeIsOver:
            return None
        answers: dict[bytes, bool | None] = {b"T": True, b"F": False, b"U": None}
        return answers[status]

    def model(self, n_vars: int) -> Model:
        """Return the last model."""
        return model_of(self._model, n_vars)

    def suggest(self, literals: Sequence[int], clock: Clock = NO_LIMIT) -> None:
        """Ask the solver to try these values first; TimeIsOver if the clock is over first."""
        self._send(session.SUGGEST, np.asarray(literals, dtype=np.int32), clock)

    def interrupt(self) -> None:
        """End the question under way, from another thread; it and all later ones go as if the clock were over."""
        self._is_interrupted = True
        with suppress(OSError):  # it may be closed by now
            self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the child."""
        if self._is_open:
            self._is_open = False
            self._connection.close()
            processes.stop(self._child, grace=0)
            self._complaints.close()

    def __enter__(self) -> IsolatedOracle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, what: bytes, literals: Block, clock: Clock, *, width: int = 0, turn: Clock | None = None) -> None:
        payload = np.ascontiguousarray(literals).tobytes()
        header = session.HEADER.pack(what, width, min(clock.left, (turn or clock).left), len(payload))
        self._exchange(clock.left, self._connection.sendall, header + payload)

    def _receive(self, size: int, clock: Clock) -> bytearray:
        data = bytearray()
        while len(data) < size:
            piece = self._exchange(clock.left + GRACE, self._connection.recv, size - len(data))
            if not piece:
                raise self._end()
            data += piece
        return data

    def _exchange(self, seconds: float, transfer: Callable[[Given], Result], given: Given) -> Result:
        """Send or receive until the time is over; whatever goes wrong ends the child."""
        if not self._is_open or self._is_interrupted:
            raise TimeIsOver
        try:
            self._connection.settimeout(None if seconds > LONGEST else max(seconds, SHORTEST))
            return transfer(given)
        except TimeoutError:
            self.close()
            raise TimeIsOver from None
        except OSError:
            raise self._end() from None
        except BaseException:  # Ctrl-C above all: half a message makes the connection useless
            self.close()
            raise

    def _end(self) -> Exception:
        """Return what to raise where the connection has ended."""
        if self._is_interrupted:
            self.close()
            return TimeIsOver()
        return self._death()

    def _death(self) -> Exception:
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(GRACE)  # it may need a moment to end in order
        processes.kill(self._child)
        code = self._child.returncode
        self._complaints.seek(0)
        said = self._complaints.read()[-2000:].decode(errors="replace").strip().splitlines()
        self.close()
        if self._is_held and (code in WITHOUT_WORDS or OUT_OF_MEMORY.search(" ".join(said))):
            return MemoryError(f"the solver {self._name} needs more memory than it may take")
        how = f"was killed by signal {-code}" if code < 0 else f"stopped with code {code}"
        return SolverError(f"the solver {self._name} {how}{f' ({said[-1]})' if said else ''}")
