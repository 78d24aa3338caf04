"""Child processes for work that cannot be stopped from inside.

A solver may spend a minute in one simplification and hear neither a clock nor Ctrl-C; it may eat the memory or crash.
In a process of its own it can be stopped at any moment, and what it had found by then is not lost with it.

A child leads a group of its own, and a signal goes to the whole group. The group is known by the child's number, so a
child is reaped last: before, the number cannot come to mean another process.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

GRACE = 0.3  # seconds between the request to stop and the end


def start(
    command: Sequence[str | Path], *, env: Mapping[str, str] | None = None, **streams: Any
) -> subprocess.Popen[bytes]:
    """Start a child that hears no Ctrl-C of ours: the parent decides when it stops."""
    return subprocess.Popen([*map(str, command)], env=env, start_new_session=True, **streams)


def start_python(script: Path, *arguments: str, **streams: Any) -> subprocess.Popen[bytes]:
    """Start a Python script of this package with the packages that this process sees, and no others."""
    return start([sys.executable, "-P", script, *arguments], env=_seeing_our_packages(), **streams)


def start_module(module: str, *, env: Mapping[str, str], **streams: Any) -> subprocess.Popen[bytes]:
    """Start a module of this package as a program likewise, with some more environment variables."""
    return start([sys.executable, "-P", "-m", module], env=_seeing_our_packages() | dict(env), **streams)


def _seeing_our_packages() -> dict[str, str]:
    path = os.pathsep.join(entry for entry in sys.path if entry and isinstance(entry, str))
    return {**os.environ, "PYTHONPATH": path}


def end_with_parent() -> None:
    """Have Linux end this process with its parent, since one at work would not notice that nobody waits."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def adopt_orphans() -> None:
    """Have Linux make children of this process of those whose parents die, so that none is lost sight of."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def descendants(process: int) -> list[int]:
    """Return the children of a process, theirs and so on, as far as the system tells.

    A child that leads a group of its own cannot be found by the group.
    """
    children_of: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            parent = int(_stat(folder.name)[1])
            children_of.setdefault(parent, []).append(int(folder.name))
    found = children_of.get(process, [])
    for each in found:  # grows as it goes
        found += children_of.get(each, [])
    return found


def has_own_program(process: int) -> bool:
    """Say whether a process that this one or a child of it started runs its program by now.

    Until it does, for some milliseconds, it is a copy of its parent, and what the system tells of it is its parent's.
    """
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() != Path("/proc/self/cmdline").read_bytes()
    except OSError:
        return False


def kill_descendants() -> None:
    """End all that this process started (SIGKILL), and what that started; they are to be reaped by whoever waits."""
    limit = monotonic() + GRACE  # one that belongs to somebody else by now cannot be ended
    while (alive := [each for each in descendants(os.getpid()) if not _is_zombie(each)]) and monotonic() < limit:
        for process in alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        sleep(0.001)  # one with much memory takes a while to end


def _stat(process: int | str) -> list[str]:
    """Return what Linux says of a process, from its state on; raises OSError if there is none."""
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def _is_zombie(process: int) -> bool:
    try:
        return _stat(process)[0] in "ZX"
    except (OSError, IndexError):
        return True


def has_ended(child: subprocess.Popen[bytes]) -> bool:
    """Say whether a child has ended, without reaping it."""
    if child.returncode is not None or not hasattr(os, "waitid"):
        return child.poll() is not None
    try:
        return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # somebody else reaped it
        return True


def ask_to_stop(child: subprocess.Popen[bytes]) -> None:
    """Ask a child and what it started to stop (SIGTERM)."""
    _signal(child, signal.SIGTERM)
    if hasattr(signal, "SIGCONT"):
        _signal(child, signal.SIGCONT)  # one that sleeps (SIGSTOP) would not hear it


def kill(child: subprocess.Popen[bytes]) -> None:
    """End a child and what it started (SIGKILL), and reap it. Its streams stay open, to read what is left in them."""
    if child.returncode is None:  # else it was reaped, and its number may be another's by now
        _signal(child, getattr(signal, "SIGKILL", signal.SIGTERM))
    child.wait()


def stop(child: subprocess.Popen[bytes], grace: float = GRACE) -> None:
    """Ask a child to stop, end it if it has not after a while, and close its streams."""
    if grace > 0 and not has_ended(child):
        ask_to_stop(child)
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
