"""Child processes for work that cannot be stopped from inside.

A solver may spend a minute in one simplification without checking a clock or reacting to Ctrl-C; it may exhaust the
memory or crash. In its own process it can be stopped at any time, and the results it has sent so far are kept.

Each child leads its own process group, and signals go to the whole group. The group is identified by the child's
process ID, so the child is reaped last: until then, the system cannot reuse the ID.

A program may start processes in sessions of their own, which have other groups, and other parents when it ends. They
inherit its environment, so each program gets a variable with a unique name, and processes with this variable are killed
together with it. Only a process that clears its environment or changes its user escapes.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

import psutil  # type: ignore[import-untyped]  # ships no types

from . import run_script

GRACE = 0.3  # seconds between SIGTERM and SIGKILL
PR_SET_CHILD_SUBREAPER = 36


class Program(subprocess.Popen[bytes]):
    """A program of somebody else, in its own session; see :func:`start`."""

    def __init__(self, command: Sequence[str | Path], **streams: Any) -> None:
        self.mark = f"PURETREE_{uuid4().hex}"  # an environment variable that identifies its descendants
        super().__init__([*map(str, command)], env={**os.environ, self.mark: "1"}, start_new_session=True, **streams)

    def kill_descendants(self) -> None:
        """Send SIGKILL to all processes that descend from this one."""
        _kill_all(lambda: (process for process in psutil.process_iter() if _has_variable(process, self.mark)))


def start(command: Sequence[str | Path], **streams: Any) -> Program:
    """Start a program in its own session: Ctrl-C does not reach it, the parent decides when it stops."""
    return Program(command, **streams)


def start_python(
    script: Path, *arguments: str, ends_with_parent: bool = True, **streams: Any
) -> subprocess.Popen[bytes]:
    """Start a Python script of this package, with the import path of this process.

    Parameters
    ----------
    script : Path
        The script, which must not import puretree: that would slow down its start.
    *arguments : str
        Arguments of the script.
    ends_with_parent : bool, default=True
        Whether Linux kills the script when the thread that starts it ends.
    **streams
        Passed to :class:`subprocess.Popen`.
    """
    launcher = [run_script.__file__] if ends_with_parent else []
    return _start_own([sys.executable, "-P", *launcher, str(script), *arguments], _environment(), **streams)


def start_module(module: str, *, env: Mapping[str, str], **streams: Any) -> subprocess.Popen[bytes]:
    """Start a module of this package as a program, with the import path of this process and more variables."""
    return _start_own([sys.executable, "-P", "-m", module], _environment() | dict(env), **streams)


def _start_own(command: Sequence[str], env: Mapping[str, str], **streams: Any) -> subprocess.Popen[bytes]:
    """Start a program of this package in its own session."""
    return subprocess.Popen(command, env=env, start_new_session=True, **streams)


def _environment() -> dict[str, str]:
    path = os.pathsep.join(entry for entry in sys.path if entry and isinstance(entry, str))
    return {**os.environ, "PYTHONPATH": path}


def adopt_orphans() -> None:
    """Make this process the parent of descendants whose parent ends (Linux only), so that it can still find them."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def descendants(process: int) -> list[int]:
    """Return the process IDs of the children of a process, of their children and so on.

    A process group does not suffice for this: a child may lead its own group.
    """
    return [child.pid for child in _descendants(process)]


def _descendants(process: int) -> list[psutil.Process]:
    try:
        return list(psutil.Process(process).children(recursive=True))
    except psutil.Error:  # it has ended
        return []


def has_own_program(process: int) -> bool:
    """Return whether a descendant of this process has replaced the program it was forked from.

    For some milliseconds after the fork it is a copy of its parent, and its reported memory is its parent's.
    """
    try:
        return bool(psutil.Process(process).cmdline() != psutil.Process().cmdline())
    except psutil.Error:
        return False


def kill_descendants() -> None:
    """Send SIGKILL to all descendants of this process, without reaping them."""
    _kill_all(lambda: _descendants(os.getpid()))


def _kill_all(find: Callable[[], Iterable[psutil.Process]]) -> None:
    """Send SIGKILL to processes until none is found alive."""
    limit = monotonic() + GRACE  # a process of another user cannot be killed: do not wait for it forever
    while (alive := [process for process in find() if not _is_zombie(process)]) and monotonic() < limit:
        for process in alive:
            with suppress(psutil.Error):
                process.kill()
        sleep(0.001)  # a process with much memory takes a while to end


def _has_variable(process: psutil.Process, name: str) -> bool:
    try:
        return name in process.environ()
    except psutil.Error:  # it has ended, or belongs to another user
        return False


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.Error:
        return True


def has_ended(child: subprocess.Popen[bytes]) -> bool:
    """Return whether a child has ended, without reaping it."""
    if child.returncode is not None or not hasattr(os, "waitid"):
        return child.poll() is not None
    try:
        return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # reaped elsewhere
        return True


def terminate(child: subprocess.Popen[bytes]) -> None:
    """Send SIGTERM to a child and its group."""
    _signal(child, signal.SIGTERM)
    if hasattr(signal, "SIGCONT"):
        _signal(child, signal.SIGCONT)  # a stopped process (SIGSTOP) does not handle SIGTERM


def kill(child: subprocess.Popen[bytes]) -> None:
    """Send SIGKILL to a child and its descendants, and reap it. Its streams stay open: the rest can be read."""
    if child.returncode is None:  # otherwise it was reaped, and its ID may belong to another process
        _signal(child, getattr(signal, "SIGKILL", signal.SIGTERM))
        if isinstance(child, Program):
            child.kill_descendants()
    child.wait()


def stop(child: subprocess.Popen[bytes], grace: float = GRACE) -> None:
    """Terminate a child, kill it if it has not ended after ``grace`` seconds, and close its streams."""
    if grace > 0 and not has_ended(child):
        terminate(child)
        limit = monotonic() + grace
        while not has_ended(child) and monotonic() < limit:
            sleep(0.01)
    kill(child)
    close(child)


def close(child: subprocess.Popen[bytes]) -> None:
    """Close the streams of a child."""
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, number)
        else:
            child.send_signal(number)
