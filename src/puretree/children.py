"""Child processes for work that cannot be stopped from inside.

A solver may spend a minute in one simplification and hear neither a clock nor Ctrl-C; it may eat the memory or crash.
In a process of its own it can be stopped at any moment, and what it had found by then is not lost with it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

GRACE = 0.3  # seconds between the request to stop and the end


def start(command: Sequence[str | Path], *, env: Mapping[str, str] | None = None, **streams: Any) -> subprocess.Popen[bytes]:
    """Start a child that hears no Ctrl-C of ours: the parent decides when it stops."""
    return subprocess.Popen([*map(str, command)], env=env, start_new_session=True, **streams)


def start_python(script: Path, *arguments: str, **streams: Any) -> subprocess.Popen[bytes]:
    """Start a Python script of this package with the packages that this process sees, and no others."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return start([sys.executable, "-P", script, *arguments], env={**os.environ, "PYTHONPATH": path}, **streams)


def stop(child: subprocess.Popen[bytes], grace: float = GRACE) -> None:
    """Ask a child and what it started to stop (SIGTERM), and end them if they have not after a while (SIGKILL)."""
    if grace > 0 and child.poll() is None:
        _signal(child, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(grace)
    _signal(child, getattr(signal, "SIGKILL", signal.SIGTERM))
    child.wait()
    for stream in (child.stdin, child.stdout, child.stderr):
        _close(stream)


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, number)  # the child leads a group of its own
        else:
            child.send_signal(number)


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        with suppress(BrokenPipeError):
            stream.close()
