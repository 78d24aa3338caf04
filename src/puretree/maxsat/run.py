"""Run a MaxSAT solver as a child process: write the formula to a file, parse the output, and stop it in time.

The time limit and Ctrl-C take effect immediately, whatever the program does: it may hang, ignore SIGTERM, stop itself,
close its output and continue, print without end, or start processes of its own. No process and no temporary file
remains.
"""

from __future__ import annotations

import errno
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any, NoReturn

from .._support import processes
from .._support.clock import Clock, TimeLimitReached
from ..errors import SolverError
from ..formula import Style, Wcnf, write_wcnf
from .backend import Answer, OnModel
from .checker import ModelChecker
from .output import OutputParser
from .reader import OutputReader

GRACE = 0.5  # seconds for a solver to print its best model after SIGTERM; the rest of the second is for the parent
_POLL_INTERVAL = 0.05  # seconds between checks whether the child is still running
_PIPE_TIMEOUT = 0.2  # seconds to wait for a pipe that another process holds open after the solver has ended

Launch = Callable[[Path], "subprocess.Popen[bytes]"]
STREAMS: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
"""The streams of a launched program."""


def run_program(launch: Launch, formula: Wcnf, *, name: str, style: Style, clock: Clock, on_model: OnModel) -> Answer:
    """Let a program search for a model of minimum cost until the time limit.

    Parameters
    ----------
    launch : callable
        Starts the program on a file, with :data:`STREAMS`.
    formula : Wcnf
    name : str
        The name of the program in messages.
    style : {"new", "old"}
        The format of the file.
    clock : Clock
    on_model : callable
        Called with every checked model that is better than those before it.

    Raises
    ------
    SolverError
        If the program cannot be started, fails, or its output is invalid.
    """
    checker = ModelChecker(formula, name, on_model)
    with TemporaryDirectory(prefix="puretree-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "formula.wcnf"
        try:
            write_wcnf(replace(formula, names={}), file, style=style, clock=clock)
        except TimeLimitReached:
            return checker.best
        except OSError as error:
            raise SolverError(
                f"the formula for {name} cannot be written: {error}; free disk space, or set TMPDIR"
            ) from None
        if clock.is_over:
            return checker.best
        with ExitStack() as stack:
            child = start_program(lambda: launch(file), name)
            stack.callback(processes.stop, child, grace=0)
            parser = OutputParser(formula.n_vars, _highest_var(formula))
            reader = OutputReader(child, parser, max_line=max(1 << 20, 64 * formula.n_vars))
            stack.callback(reader.close)
            return _ProgramRun(child, reader, parser, checker, clock, name).wait()


def start_program(launch: Callable[[], subprocess.Popen[bytes]], name: str) -> subprocess.Popen[bytes]:
    """Start a program; raise SolverError with the cause and the remedy if that fails."""
    try:
        return launch()
    except FileNotFoundError as error:
        cause = f"{error.filename} was not found, or the interpreter in its first line (#!)"
        remedy = "give its full path, or install it"
    except PermissionError as error:
        cause, remedy = f"{error.filename} is not executable", "make it executable (chmod +x)"
    except OSError as error:
        cause, remedy = str(error), "check whether it runs in a terminal"
        if error.errno == errno.ENOEXEC:
            cause, remedy = f"{error.filename} is not a program for this machine", "install one that is"
        elif error.errno == errno.ELOOP:
            cause, remedy = f"{error.filename} is a symbolic link to itself", "give the path of the program"
    raise SolverError(f"{name} cannot be started: {cause}; {remedy}")


def _highest_var(formula: Wcnf) -> int:
    hard = (max(int(block.max()), -int(block.min())) for block in formula.hard if block.size)
    soft = (abs(lit) for soft in formula.soft for lit in soft.literals)
    return max([0, *hard, *soft])


@dataclass(slots=True)
class _ProgramRun:
    """A running program, from its start to the answer."""

    child: subprocess.Popen[bytes]
    reader: OutputReader
    parser: OutputParser
    checker: ModelChecker
    clock: Clock
    name: str

    def wait(self) -> Answer:
        """Check models as they are printed, until the program ends or the time limit; return the answer."""
        while not self._has_finished():
            if self.clock.is_over:
                return self._stop()
            if reported := self.reader.wait(min(_POLL_INTERVAL, self.clock.left)):
                self.checker.check(reported)
            self._require_valid_output()
        self.reader.wait_for_end(_PIPE_TIMEOUT)
        self._check_last_model(is_lenient=False)
        self._require_valid_output()
        if self.parser.status is None and (self.child.returncode != 0 or self.checker.best.model is None):
            self._raise_failure()
        return self.checker.conclude(self.parser.status, self.parser.cost)

    def _has_finished(self) -> bool:
        has_answered = self.reader.is_at_end and self.parser.status is not None
        return has_answered or processes.has_ended(self.child)

    def _stop(self) -> Answer:
        """Send SIGTERM and use what the program still prints, as far as it is valid."""
        processes.terminate(self.child)
        self.reader.wait_for_end(GRACE)
        self._check_last_model(is_lenient=True)
        try:
            return self.checker.conclude(self.parser.status, self.parser.cost)
        except SolverError:  # output printed while being stopped may be inconsistent
            return self.checker.best

    def _check_last_model(self, *, is_lenient: bool) -> None:
        """End the program and check its last model, which may be truncated."""
        is_at_end = self.reader.is_at_end
        limit = Clock(_PIPE_TIMEOUT)
        while is_at_end and not processes.has_ended(self.child) and not limit.is_over:
            sleep(0.005)  # it closed its output, so it is probably about to exit
        has_ended = processes.has_ended(self.child)
        processes.kill(self.child)
        self.reader.close()
        is_truncated = not is_at_end or (has_ended and self.child.returncode < 0)
        if not is_truncated:
            self.parser.feed(self.reader.unfinished_line)
        self.parser.finish_model()
        if (last := self.parser.newest or self.reader.wait(0)) is not None:
            self.checker.check(last, is_lenient=is_lenient or is_truncated)

    def _require_valid_output(self) -> None:
        if self.parser.error:
            raise SolverError(f"the output of {self.name} is invalid: it {self.parser.error}; is it a MaxSAT solver?")

    def _raise_failure(self) -> NoReturn:
        code = self.child.returncode
        if code < 0:
            failure, remedy = f"was killed by {signal_name(-code)}", "check whether memory ran out"
        elif code:
            failure, remedy = f"ended with exit code {code}", "check whether it runs in a terminal"
        else:
            failure, remedy = "ended", "check whether its options make it print models (v lines) and a status (s line)"
        stderr = printable_tail(self.reader.stderr_tail)
        last_output = f". Its last output: {stderr}" if stderr else ""
        raise SolverError(f"{self.name} {failure} without an answer; {remedy}{last_output}")


def signal_name(number: int) -> str:
    """Return the number of a signal with its name, such as "signal 9 (SIGKILL)"."""
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def printable_tail(output: bytes, n_lines: int = 3, limit: int = 300) -> str:
    """Return the last lines of some output on one line, without control characters."""
    lines = [" ".join(line.split()) for line in output.decode(errors="replace").splitlines()]
    text = " | ".join([line for line in lines if line][-n_lines:])
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return text if len(text) <= limit else f"…{text[-limit:]}"
