"""Run a script on a problem in a child process, where it can be stopped: scikit-learn and the peers check no clock.

The script reads the problem from its standard input as three arrays in NumPy's format (packed examples, labels,
weights), then optionally requests as lines of JSON, and prints a line of JSON for each answer. At the time limit and on
Ctrl-C the child is killed; answers that it has sent before are kept.
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

MIN_TIMEOUT, MAX_TIMEOUT = 0.01, 1e8  # seconds: 0 would make a socket non-blocking, and much more is not accepted
EXIT_SECONDS = 0.4  # for a child that has closed its output to exit
OUT_OF_MEMORY = (b"bad_alloc", b"MemoryError")


class ProblemProgram:
    """A script in a child process that has received a problem.

    Parameters
    ----------
    name : str
        The name in messages.
    script : Path
        It must not import puretree, which would slow down its start.
    *arguments : str
        Arguments of the script.
    problem : BinaryProblem
    clock : Clock

    Raises
    ------
    TimeLimitReached
        If the time limit is reached before the problem is sent.
    """

    def __init__(self, name: str, script: Path, *arguments: str, problem: BinaryProblem, clock: Clock) -> None:
        clock.require_time()
        self._name, self._clock = name, clock
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the program
        self._input, child_input = socket.socketpair()
        self._output, child_output = socket.socketpair()
        with child_input, child_output:
            self._child = processes.start_python(
                script, *arguments, stdin=child_input, stdout=child_output, stderr=self._errors
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
        _set_timeout(self._input, self._clock.left)
        try:
            with self._input.makefile("wb") as stream:
                for array in (problem.examples.words, problem.labels, problem.weights):
                    np.lib.format.write_array(stream, array)
        except TimeoutError:
            raise TimeLimitReached from None
        except OSError:  # the child has ended; its answer or its error is read later
            pass

    def send(self, request: dict[str, Any]) -> None:
        """Send a request; if the child has ended, :meth:`receive` raises the error."""
        _set_timeout(self._input, self._clock.left)
        try:
            self._input.sendall(json.dumps(request).encode() + b"\n")
        except TimeoutError:
            raise TimeLimitReached from None
        except OSError:
            pass

    def end_input(self) -> None:
        """Tell the child that no request follows."""
        with suppress(OSError):  # it may have ended
            self._input.shutdown(socket.SHUT_WR)

    def receive(self, grace: float = 0.0) -> Any:
        """Return the next answer; wait for it until the time limit, and ``grace`` seconds longer.

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
        errors = self._errors.read()
        if any(words in errors for words in OUT_OF_MEMORY):
            return MemoryError(f"{self._name} exceeded the memory limit")
        last_line = errors.decode(errors="replace").strip().splitlines()[-1:]
        return SolverError(f"{self._name} failed with exit code {self._child.returncode}: {' '.join(last_line)}")


def _set_timeout(connection: socket.socket, seconds: float) -> None:
    connection.settimeout(None if seconds > MAX_TIMEOUT else max(seconds, MIN_TIMEOUT))
