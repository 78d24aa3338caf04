"""Checkers of proofs that others wrote, run as programs: drat-trim for DRAT, cake_lpr (itself proved right) for LRAT.

What such a program says counts only if its words and its exit code agree; whatever else it does (hang, crash, print
something else or without end) is no verdict, and told as such.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import ceil, isfinite
from pathlib import Path, PurePath
from tempfile import TemporaryFile
from time import sleep
from typing import IO, Any

from .._support import processes
from .._support.clock import Clock
from ..errors import InputError, SolverError
from ..maxsat.run import printable_tail, signal_name, start_program
from .refutation import Form

_LOOK = 0.02  # seconds between looks at whether it still runs
_LONGEST_OUTPUT = 1 << 24  # bytes; more is no verdict
_LAST_WORDS = 2000  # bytes


@dataclass(frozen=True, slots=True)
class Check:
    """What one checker found.

    Parameters
    ----------
    by : str
        The name of the checker.
    verdict : bool or None
        Whether the proof holds; None if the checker did not find out.
    reason : str
        Why it does not hold, or why that is not known; else empty.
    seconds : float
    """

    by: str
    verdict: bool | None
    reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class CheckerKind:
    """How a checker is run and what it says."""

    name: str
    form: Form
    accepts: bytes
    takes_limit: bool = False


KINDS = {
    "drat-trim": CheckerKind("drat-trim", "drat", b"s VERIFIED", takes_limit=True),
    "cake_lpr": CheckerKind("cake_lpr", "lrat", b"s VERIFIED UNSAT"),
}
_REJECTS = b"s NOT VERIFIED"


@dataclass(frozen=True, slots=True)
class CheckerProgram:
    """A checker on this machine.

    Parameters
    ----------
    kind : CheckerKind
    path : str
    """

    kind: CheckerKind
    path: str

    def check(self, formula: Path, proof: Path, clock: Clock) -> Check:
        """Let it check a proof in its own form, until the clock is over."""
        watch = Clock()
        with TemporaryFile() as output:
            try:
                code = _run(self._command(formula, proof, clock), self.kind.name, output, clock)
            except SolverError as error:
                return Check(self.kind.name, None, str(error), watch.seconds)
            output.seek(0)
            said = output.read(_LONGEST_OUTPUT)
        verdict, reason = _judge(self.kind, code, said)
        return Check(self.kind.name, verdict, reason, watch.seconds)

    def _command(self, formula: Path, proof: Path, clock: Clock) -> list[str]:
        # absolute: a file whose name begins with a dash is no option
        command = [self.path, str(formula.absolute()), str(proof.absolute())]
        if self.kind.takes_limit and isfinite(clock.left):  # else it would stop by itself after some hours
            command += ["-t", str(ceil(clock.left) + 1)]
        return command


def find_checker(given: str | None, form: Form) -> CheckerProgram | None:
    """Return the checker that is given, or one on PATH for a form of proof; None if there is none.

    Parameters
    ----------
    given : str or None
        A path whose last part is the name of a kind, or a kind and a path: ``drat-trim:/opt/checker``.
    form : {"drat", "lrat"}
        A DRAT proof can be given to either kind, since it can be made LRAT; an LRAT proof to cake_lpr only.
    """
    if given is not None:
        return _given(given, form)
    for kind in KINDS.values():
        if (form == "drat" or kind.form == form) and (path := shutil.which(kind.name)):
            return CheckerProgram(kind, path)
    return None


def _given(text: str, form: Form) -> CheckerProgram:
    name, colon, path = text.partition(":")
    if not colon or name not in KINDS:
        name, path = PurePath(text).name, text
    if name not in KINDS:
        known = " or ".join(f"{kind}:PATH" for kind in KINDS)
        raise InputError(f"checker={text!r} is of no kind that is known; write it as {known}")
    found = shutil.which(path)
    if found is None:
        raise InputError(f"checker={text!r} was not found, or may not be run; give its full path, or install it")
    if form == "lrat" and KINDS[name].form != "lrat":
        raise InputError(f"checker={text!r} does not read LRAT proofs; use cake_lpr, or make the proof as DRAT")
    return CheckerProgram(KINDS[name], found)


def _run(command: Sequence[str], name: str, output: IO[bytes], clock: Clock) -> int:
    """Run a program to its end and return its exit code; SolverError if it does not come to one."""
    with ExitStack() as stack:
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        child = start_program(lambda: processes.start(command, **streams), name)
        stack.callback(processes.stop, child, grace=0)
        while not processes.has_ended(child):
            if clock.is_over:
                raise SolverError(f"{name} was not done when the time was over; allow more")
            if output.seek(0, 2) > _LONGEST_OUTPUT:
                raise SolverError(f"{name} prints without end; is it a checker of proofs?")
            sleep(_LOOK)
        processes.kill(child)
        return child.returncode


def _judge(kind: CheckerKind, code: int, said: bytes) -> tuple[bool | None, str]:
    lines = {line.strip() for line in said.replace(b"\r", b"\n").split(b"\n")}  # drat-trim writes \r before its s line
    accepts, rejects = kind.accepts in lines, _REJECTS in lines
    words = printable_tail(said[-_LAST_WORDS:])
    if code < 0:
        return None, f"{kind.name} was ended by {signal_name(-code)}; see whether memory ran out"
    if accepts and code == 0 and not rejects:
        return True, ""
    if rejects and not accepts:
        return False, f"{kind.name} says that the proof does not hold: {words}"
    if accepts:
        return None, f"{kind.name} contradicts itself: it says {kind.accepts.decode()!r} with exit code {code}: {words}"
    return None, f"{kind.name} gives no verdict (exit code {code}){words and f'. Its last words: {words}'}"
