"""Runs a solver that is a program of its own: hands it the formula in a file, listens, and stops it in time.

The clock and Ctrl-C are heard at once, whatever the program does: it may hang, ignore the request to stop, sleep, close
its output and go on, print without end, or leave children behind. Nothing of it stays, neither process nor file.
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
from .._support.clock import Clock, TimeIsOver
from ..errors import SolverError
from ..formula import Style, Wcnf, write_wcnf
from .answer_check import Judge
from .backend import Answer, OnModel
from .listener import Listener
from .output import Output

GRACE = 0.5  # seconds for a solver to print its best after the request to stop; the rest of a second is ours
_LOOK = 0.05  # seconds between looks at whether it still lives
_STRAGGLERS = 0.2  # seconds for output that somebody still holds open after the solver has ended

Launch = Callable[[Path], "subprocess.Popen[bytes]"]
STREAMS: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
"""The streams a launched program must have."""


def run(launch: Launch, formula: Wcnf, *, name: str, style: Style, clock: Clock, on_model: OnModel) -> Answer:
    """Let a program look for the cheapest model until the clock is over.

    Parameters
    ----------
    launch : callable
        Starts the program on a file, with :data:`STREAMS`.
    formula : Wcnf
    name : str
        What messages call the program.
    style : {"new", "old"}
        Of the file.
    clock : Clock
    on_model : callable
        Gets every model that is better than those before it, after it was checked.

    Raises
    ------
    SolverError
        If the program cannot be started, dies, lies or cannot be understood.
    """
    judge = Judge(formula, name, on_model)
    with TemporaryDirectory(prefix="puretree-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "formula.wcnf"
        try:
            write_wcnf(replace(formula, names={}), file, style=style, clock=clock)
        except TimeIsOver:
            return judge.best
        except OSError as error:
            raise SolverError(f"the formula for {name} cannot be written: {error}; make room, or set TMPDIR") from None
        if clock.is_over:
            return judge.best
        with ExitStack() as stack:
            child = start(lambda: launch(file), name)
            stack.callback(processes.stop, child, grace=0)
            output = Output(formula.n_vars, _highest_var(formula))
            listener = Listener(child, output, longest_line=max(1 << 20, 64 * formula.n_vars))
            stack.callback(listener.close)
            return _Attendance(child, listener, output, judge, clock, name).attend()


def start(launch: Callable[[], subprocess.Popen[bytes]], name: str) -> subprocess.Popen[bytes]:
    """Start a program; SolverError, with the cause and the remedy, where that cannot be done."""
    try:
        return launch()
    except FileNotFoundError as error:
        cause = f"{error.filename} was not found, or what its first line (#!) names"
        remedy = "give its full path, or install it"
    except PermissionError as error:
        cause, remedy = f"{error.filename} may not be run", "make it executable (chmod +x)"
    except OSError as error:
        cause, remedy = str(error), "see whether it runs by hand"
        if error.errno == errno.ENOEXEC:
            cause, remedy = f"{error.filename} is no program for this machine", "install one that is"
    raise SolverError(f"{name} cannot be started: {cause}; {remedy}")


def _highest_var(formula: Wcnf) -> int:
    hard = (max(int(block.max()), -int(block.min())) for block in formula.hard if block.size)
    soft = (abs(lit) for soft in formula.soft for lit in soft.literals)
    return max([0, *hard, *soft])


@dataclass(slots=True)
class _Attendance:
    """The time from the start of a program to the answer."""

    child: subprocess.Popen[bytes]
    listener: Listener
    output: Output
    judge: Judge
    clock: Clock
    name: str

    def attend(self) -> Answer:
        """Check models as they come until the program has said all or the clock is over; then draw the conclusion."""
        while not self._has_said_all():
            if self.clock.is_over:
                return self._stop()
            if claim := self.listener.wait(min(_LOOK, self.clock.left)):
                self.judge.check(claim)
            self._require_sense()
        self.listener.wait_for_end(_STRAGGLERS)
        self._hear_the_end(is_lenient=False)
        self._require_sense()
        if self.output.status is None and (self.child.returncode != 0 or self.judge.best.model is None):
            self._report_death()
        return self.judge.conclude(self.output.status, self.output.cost)

    def _has_said_all(self) -> bool:
        has_answered = self.listener.has_heard_all and self.output.status is not None
        return has_answered or processes.has_ended(self.child)

    def _stop(self) -> Answer:
        """Ask the program to stop and take what it still prints, as far as that is good."""
        processes.terminate(self.child)
        self.listener.wait_for_end(GRACE)
        self._hear_the_end(is_lenient=True)
        try:
            return self.judge.conclude(self.output.status, self.output.cost)
        except SolverError:  # it was pressed for time: nothing it says now is held against it
            return self.judge.best

    def _hear_the_end(self, *, is_lenient: bool) -> None:
        """End the program and check its last model, which may have been cut off."""
        has_heard_all = self.listener.has_heard_all
        limit = Clock(_STRAGGLERS)
        while has_heard_all and not processes.has_ended(self.child) and not limit.is_over:
            sleep(0.005)  # it closed its output: most likely it is about to end
        has_ended = processes.has_ended(self.child)
        processes.kill(self.child)
        self.listener.close()
        is_cut_off = not has_heard_all or (has_ended and self.child.returncode < 0)
        if not is_cut_off:
            self.output.hear(self.listener.unfinished_line)
        self.output.end()
        if (last := self.output.newest or self.listener.wait(0)) is not None:
            self.judge.check(last, is_lenient=is_lenient or is_cut_off)

    def _require_sense(self) -> None:
        if self.output.garbage:
            raise SolverError(f"{self.name} cannot be understood: it {self.output.garbage}; is it a MaxSAT solver?")

    def _report_death(self) -> NoReturn:
        code = self.child.returncode
        if code < 0:
            death, remedy = f"was ended by {name_of_signal(-code)}", "see whether memory ran out"
        elif code:
            death, remedy = f"ended with exit code {code}", "see whether it runs by hand"
        else:
            death, remedy = "ended", "see whether its options make it print models (v lines) and a status (s line)"
        words = in_print(self.listener.last_words)
        raise SolverError(f"{self.name} {death} without an answer; {remedy}{words and f'. Its last words: {words}'}")


def name_of_signal(number: int) -> str:
    """Return how people call a signal."""
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def in_print(words: bytes, n_lines: int = 3, limit: int = 300) -> str:
    """Return the last lines on one line, without anything a terminal could take for a command."""
    lines = [" ".join(line.split()) for line in words.decode(errors="replace").splitlines()]
    text = " | ".join([line for line in lines if line][-n_lines:])
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return text if len(text) <= limit else f"…{text[-limit:]}"
