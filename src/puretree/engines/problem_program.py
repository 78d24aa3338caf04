"""Third-party solvers in a child process, where they can be stopped: scikit-learn and the peers check no clock.

The child runs ``programs/peers.py``: it gets the problem once, then requests as lines of JSON, and answers each of them
with a line of JSON. At the time limit and on Ctrl-C the child is killed; answers that it has sent before are kept.
"""

from __future__ import annotations

import json
import socket
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np

from .._support import processes
from .._support.clock import Clock, TimeLimitReached
from ..errors import SolverError
from ..problem import BinaryProblem
from ..sat.isolated import OUT_OF_MEMORY

PROGRAM = Path(__file__).with_name("programs") / "peers.py"
MIN_TIMEOUT, MAX_TIMEOUT = 0.01, 1e8  # seconds: 0 would make a socket non-blocking, and much more is not accepted
START_BYTES = 2e8  # of a child that has imported NumPy and a solver
CELL_BYTES = 5  # of an example and a feature: a boolean, and a number for the solver
EXIT_SECONDS = 0.4  # for a child that has closed its output to exit


class ProblemProgram:
    """A solver in a child process that has received a problem.

    Parameters
    ----------
    name : {"dl85", "streed", "scikit-learn", "cp-sat"}
        The solver.
    problem : BinaryProblem
    clock : Clock
    max_bytes : int
        Memory limit of the child, where the system supports one.

    Raises
    ------
    TimeLimitReached
        If the time limit is reached before the problem is sent.
    MemoryError
        If the memory limit is too low for the solver to start: OpenBLAS, for example, would wait for memory forever.
    """

    def __init__(self, name: str, problem: BinaryProblem, clock: Clock, max_bytes: int) -> None:
        clock.require_time()
        if START_BYTES + CELL_BYTES * problem.n_examples * problem.n_features > max_bytes:
            raise MemoryError(f"{name} needs more than the memory limit")
        self._name, self._clock = name, clock
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the program
        self._input, child_input = socket.socketpair()
        self._output, child_output = socket.socketpair()
        with child_input, child_output:
            self._child = processes.start_python(
                PROGRAM, name, str(max_bytes), stdin=child_input, stdout=child_output, stderr=self._errors
            )
        self._answers = self._output.makefile("rb")
        try:
            self._send_problem(problem)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send_problem(self, problem: BinaryProblem) -> None:
        self._send(_line([problem.n_examples, problem.n_features]))
        arrays = (problem.examples.words, problem.labels, problem.weights)
        for array, kind in zip(arrays, ("<u8", "<i4", "<i8"), strict=True):
            self._send(np.ascontiguousarray(array, dtype=kind).data.cast("B"))

    def request(self, request: dict[str, Any]) -> None:
        """Send a request."""
        self._send(_line(request))

    def _send(self, data: bytes | memoryview) -> None:
        _set_timeout(self._input, self._clock.left)
        try:
            self._input.sendall(data)
        except TimeoutError:
            raise TimeLimitReached from None
        except OSError:  # the child has ended; its answer or its error is received later
            pass

    def receive(self, grace: float = 0.0) -> Any:
        """Return the next answer. Wait for it until the time limit, and ``grace`` seconds longer.

        Raises
        ------
        TimeLimitReached
            If there is no answer in time.
        MemoryError
            If the child ran out of memory.
        SolverError
            If it failed, or if its answer is not JSON.
        """
        _set_timeout(self._output, self._clock.left + grace)
        try:
            line = self._answers.readline()
        except TimeoutError:
            raise TimeLimitReached from None
        try:
            return json.loads(line)
        except ValueError:
            raise self._failure() from None

    def close(self) -> None:
        """Stop the child."""
        processes.stop(self._child, grace=0)
        for stream in (self._answers, self._input, self._output, self._errors):
            with suppress(OSError):
                stream.close()

    def _failure(self) -> Exception:
        """Return the exception for a child that gave no answer."""
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(EXIT_SECONDS)
        processes.kill(self._child)
        self._errors.seek(0)
        lines = self._errors.read()[-2000:].decode(errors="replace").strip().splitlines()
        if OUT_OF_MEMORY.search(" ".join(lines)):
            return MemoryError(f"{self._name} exceeded the memory limit")
        return SolverError(f"{self._name} failed with exit code {self._child.returncode}: {' '.join(lines[-1:])}")


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _set_timeout(connection: socket.socket, seconds: float) -> None:
    connection.settimeout(None if seconds > MAX_TIMEOUT else max(seconds, MIN_TIMEOUT))
