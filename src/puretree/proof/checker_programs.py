"""External proof checkers, run as programs: drat-trim for DRAT, the formally verified cake_lpr for LRAT.

A verdict counts only if the program's output and its exit code agree. Anything else (a hang, a crash, other output,
output without end) is no verdict, and is reported as such.
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

_POLL_SECONDS = 0.02
_MAX_OUTPUT = 1 << 24  # bytes; more is no verdict
_MAX_QUOTED = 2000  # bytes of the output that an error message quotes


@dataclass(frozen=True, slots=True)
class CheckerResult:
    """Result of one checker.

    Parameters
    ----------
    checker : str
        Name of the checker.
    verdict : bool or None
        Whether the proof holds; None if the checker gave no verdict.
    reason : str
        Why the proof does not hold, or why there is no verdict; else empty.
    seconds : float
    """

    checker: str
    verdict: bool | None
    reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class CheckerKind:
    """A known checker: its proof format, and the line that it prints if the proof holds."""

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
    """A checker that is installed on this machine.

    Parameters
    ----------
    kind : CheckerKind
    path : str
    """

    kind: CheckerKind
    path: str

    def check(self, formula: Path, proof: Path, clock: Clock) -> CheckerResult:
        """Check a proof in the checker's own format, within the time limit."""
        watch = Clock()
        with TemporaryFile() as file:
            try:
                code = _run(self._command(formula, proof, clock), self.kind.name, file, clock)
            except SolverError as error:
                return CheckerResult(self.kind.name, None, str(error), watch.seconds)
            file.seek(0)
            output = file.read(_MAX_OUTPUT)
        verdict, reason = _judge(self.kind, code, output)
        return CheckerResult(self.kind.name, verdict, reason, watch.seconds)

    def _command(self, formula: Path, proof: Path, clock: Clock) -> list[str]:
        # absolute paths: a file name that begins with a dash is not an option
        command = [self.path, str(formula.absolute()), str(proof.absolute())]
        if self.kind.takes_limit and isfinite(clock.left):  # else it would stop by itself after some hours
            command += ["-t", str(ceil(clock.left) + 1)]
        return command


def find_checker(checker: str | None, form: Form) -> CheckerProgram | None:
    """Return the requested checker, or one on PATH for a proof format; None if there is none.

    Parameters
    ----------
    checker : str or None
        A path whose last component is the name of a known checker, or such a name and a path:
        ``drat-trim:/opt/checker``.
    form : {"drat", "lrat"}
        A DRAT proof can be checked by either program, since it can be converted to LRAT; an LRAT proof by cake_lpr
        only.
    """
    if checker is not None:
        return _find_requested(checker, form)
    for kind in KINDS.values():
        if (form == "drat" or kind.form == form) and (path := shutil.which(kind.name)):
            return CheckerProgram(kind, path)
    return None


def _find_requested(checker: str, form: Form) -> CheckerProgram:
    name, colon, path = checker.partition(":")
    if not colon or name not in KINDS:
        name, path = PurePath(checker).name, checker
    if name not in KINDS:
        known = " or ".join(f"{kind}:PATH" for kind in KINDS)
        raise InputError(f"is not a known checker; write it as {known}", parameter="checker", value=checker)
    executable = shutil.which(path)
    if executable is None:
        raise InputError(
            "was not found or is not executable; give its full path, or install it", parameter="checker", value=checker
        )
    if form == "lrat" and KINDS[name].form != "lrat":
        raise InputError(
            "does not read LRAT proofs; use cake_lpr, or make a DRAT proof", parameter="checker", value=checker
        )
    return CheckerProgram(KINDS[name], executable)


def _run(command: Sequence[str], name: str, output: IO[bytes], clock: Clock) -> int:
    """Run a program to its end and return its exit code; raise SolverError if it does not end in time."""
    with ExitStack() as stack:
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        process = start_program(lambda: processes.start(command, **streams), name)
        stack.callback(processes.stop, process, grace=0)
        while not processes.has_ended(process):
            if clock.is_over:
                raise SolverError(f"{name} did not finish within the time limit; allow more time")
            if output.seek(0, 2) > _MAX_OUTPUT:
                raise SolverError(f"{name} printed more than {_MAX_OUTPUT} bytes; is it a proof checker?")
            sleep(_POLL_SECONDS)
        processes.kill(process)
        return process.returncode


def _judge(kind: CheckerKind, code: int, output: bytes) -> tuple[bool | None, str]:
    """Return the verdict that the exit code and the output give, and the reason if it is not True."""
    # drat-trim writes \r before its s line
    lines = {line.strip() for line in output.replace(b"\r", b"\n").split(b"\n")}
    accepts, rejects = kind.accepts in lines, _REJECTS in lines
    excerpt = printable_tail(output[-_MAX_QUOTED:])
    if code < 0:
        return None, f"{kind.name} was ended by {signal_name(-code)}; check whether memory ran out"
    if accepts and code == 0 and not rejects:
        return True, ""
    if rejects and not accepts:
        return False, f"{kind.name} rejects the proof: {excerpt}"
    if accepts:
        return None, f"{kind.name} contradicts itself: {kind.accepts.decode()!r} with exit code {code}: {excerpt}"
    return None, f"{kind.name} gives no verdict (exit code {code}){excerpt and f'. End of its output: {excerpt}'}"
