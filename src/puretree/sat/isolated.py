"""A SAT solver in a child process, so that the time limit and Ctrl-C take effect at any moment.

CaDiCaL may spend a minute between two conflicts of a large formula, ignoring signals and holding Python's global
interpreter lock. The child checks its time limit between conflict budgets; if it does not stop in time, it is killed,
and its earlier results remain valid.
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
from .._support.clock import NO_LIMIT, Clock, TimeLimitReached
from ..errors import SolverError
from ..formula import Block, Model
from . import session
from .oracle import DEFAULT_SOLVER, model_of, require_solver, with_empty_clauses

Argument = TypeVar("Argument")
Result = TypeVar("Result")

GRACE = 0.4  # seconds after the time limit for the child to report that it has stopped
MIN_TIMEOUT = 0.01  # seconds; a timeout of 0 would make the socket non-blocking
MAX_TIMEOUT = 1e8  # seconds: three years; a socket does not accept much more
MAX_MESSAGE = 1 << 22  # bytes of clauses per message; the clock is checked between messages
# Error messages of Python, C++ and the C library when memory runs out; some crashes print none.
OUT_OF_MEMORY = re.compile("memor|bad_alloc", re.IGNORECASE)
SILENT_CRASHES = (-signal.SIGSEGV, -signal.SIGABRT)


class IsolatedOracle:
    """A SAT solver of PySAT in a child process.

    Parameters
    ----------
    solver : str
        The name of a PySAT solver.
    max_bytes : int, optional
        Memory limit of the child. If it is exceeded, the pending call raises MemoryError.
    proof : Path, optional
        Where to write a proof if the formula is unsatisfiable. The file must not exist. A proof obtained under
        assumptions does not refute the formula itself.
    """

    def __init__(
        self, solver: str = DEFAULT_SOLVER, max_bytes: int | None = None, *, proof: Path | None = None
    ) -> None:
        require_solver(solver)
        self._name = solver
        self._has_memory_limit = max_bytes is not None
        self._child_output = tempfile.TemporaryFile()  # noqa: SIM115  closed with the oracle
        self._connection, child_end = socket.socketpair()
        with child_end:
            arguments = (solver, str(max_bytes or 0), *(() if proof is None else (str(proof),)))
            self._child = processes.start_python(
                Path(session.__file__),
                *arguments,
                ends_with_parent=proof is not None,  # with budgets, the session checks whether its parent is alive
                stdin=child_end,
                stdout=self._child_output,
                stderr=self._child_output,
            )
        self._model = np.empty(0, dtype=np.int32)
        self._is_open = True
        self._is_interrupted = False

    def add(self, block: Block, clock: Clock = NO_LIMIT) -> None:
        """Add clauses; raise TimeLimitReached if the time limit is reached first."""
        clock.require_time()
        block = with_empty_clauses(block)
        if not block.size:
            return
        rows = max(1, MAX_MESSAGE // (4 * block.shape[1]))
        for start in range(0, len(block), rows):
            chunk = block[start : start + rows]
            self._send(session.ADD if chunk.all() else session.ADD_PADDED, chunk, clock, width=block.shape[1])

    def solve(
        self, assumptions: Sequence[int], clock: Clock = NO_LIMIT, time_slice: Clock | None = None
    ) -> bool | None:
        """Return whether a model exists under the assumptions; None if a time limit is reached first."""
        try:
            self._send(session.SOLVE, np.asarray(assumptions, dtype=np.int32), clock, time_slice=time_slice)
            status, size = session.REPLY.unpack(self._receive(session.REPLY.size, clock))
            self._model = np.frombuffer(self._receive(size, clock), dtype=np.int32)
        except TimeLimitReached:
            return None
        answers: dict[bytes, bool | None] = {b"T": True, b"F": False, b"U": None}
        return answers[status]

    def model(self, n_vars: int) -> Model:
        """Return the model of the last call of :meth:`solve`."""
        return model_of(self._model, n_vars)

    def set_phases(self, literals: Sequence[int], clock: Clock = NO_LIMIT) -> None:
        """Set the preferred values of variables; raise TimeLimitReached if the time limit is reached first."""
        self._send(session.SET_PHASES, np.asarray(literals, dtype=np.int32), clock)

    def interrupt(self) -> None:
        """Interrupt the running call from another thread; it and all later calls behave as after the time limit."""
        self._is_interrupted = True
        with suppress(OSError):  # it may be closed already
            self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Stop the child process."""
        if self._is_open:
            self._is_open = False
            self._connection.close()
            processes.stop(self._child, grace=0)
            self._child_output.close()

    def __enter__(self) -> IsolatedOracle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(
        self, command: bytes, literals: Block, clock: Clock, *, width: int = 0, time_slice: Clock | None = None
    ) -> None:
        payload = np.ascontiguousarray(literals).tobytes()
        header = session.HEADER.pack(command, width, min(clock.left, (time_slice or clock).left), len(payload))
        self._exchange(clock.left, self._connection.sendall, header + payload)

    def _receive(self, size: int, clock: Clock) -> bytearray:
        data = bytearray()
        while len(data) < size:
            received = self._exchange(clock.left + GRACE, self._connection.recv, size - len(data))
            if not received:
                raise self._connection_error()
            data += received
        return data

    def _exchange(self, seconds: float, transfer: Callable[[Argument], Result], argument: Argument) -> Result:
        """Send or receive within a timeout; any failure stops the child."""
        if not self._is_open or self._is_interrupted:
            raise TimeLimitReached
        try:
            self._connection.settimeout(None if seconds > MAX_TIMEOUT else max(seconds, MIN_TIMEOUT))
            return transfer(argument)
        except TimeoutError:
            self.close()
            raise TimeLimitReached from None
        except OSError:
            raise self._connection_error() from None
        except BaseException:  # above all Ctrl-C: after a partial message the connection is unusable
            self.close()
            raise

    def _connection_error(self) -> Exception:
        """Return the exception to raise when the connection is lost."""
        if self._is_interrupted:
            self.close()
            return TimeLimitReached()
        return self._child_error()

    def _child_error(self) -> Exception:
        """Return the exception for a child process that has terminated."""
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(GRACE)  # it may need a moment to exit
        processes.kill(self._child)
        code = self._child.returncode
        self._child_output.seek(0)
        lines = self._child_output.read()[-2000:].decode(errors="replace").strip().splitlines()
        self.close()
        if self._has_memory_limit and (code in SILENT_CRASHES or OUT_OF_MEMORY.search(" ".join(lines))):
            return MemoryError(f"the solver {self._name} exceeded its memory limit")
        cause = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
        return SolverError(f"the solver {self._name} {cause}{f' ({lines[-1]})' if lines else ''}")
