"""Memory and processors of this machine, and how much memory a process may still use under a limit."""

from __future__ import annotations

import os
from functools import lru_cache
from numbers import Integral, Real
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # ships no types

from ..errors import InputError

MOST_BYTES = psutil.virtual_memory().total / 2
"""The default memory limit, half of the machine's memory: what needs more is rejected before it is allocated."""

LEAST_BYTES = 2**24
"""Memory that is granted under any limit: no computation can start with less."""

RESERVED_BYTES = 48e6
"""Reserved when a limit is shared with a child: a block of clauses and its copies, and the child's file pages."""

COUNTED = 15 / 16
"""The fraction of the memory that is distributed; the rest covers allocations too small to be counted."""


def n_cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def require_n_jobs(n_jobs: int | None) -> None:
    """Raise InputError unless a number of jobs is one that joblib accepts."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0):
        raise InputError(
            "is not a number of jobs; use 1 or more, or -1 for all processors", parameter="n_jobs", value=n_jobs
        )


def _process(process: int | None) -> psutil.Process:
    """Return a process; this one is opened once, which takes longer than reading its memory."""
    return _open_process(os.getpid()) if process is None else psutil.Process(process)


_open_process = lru_cache(maxsize=1)(psutil.Process)  # another one after a fork


def resident_bytes(process: int | None = None) -> int:
    """Return the resident memory of a process, by default of this one; 0 if it cannot be read."""
    try:
        return int(_process(process).memory_info().rss)
    except psutil.Error:
        return 0


def private_bytes(process: int | None = None) -> int:
    """Return the resident memory of a process without pages of files, by default of this one; 0 if it cannot be read.

    A forked process starts with its parent's private pages, but not with its pages of files. These are loaded when
    they are used, and other processes share them. Where the system does not report them, they are included.
    """
    try:
        memory = _process(process).memory_info()
    except psutil.Error:
        return 0
    return int(memory.rss - getattr(memory, "shared", 0))


def peak_private_bytes() -> int:
    """Return the peak of this process's private memory, assuming that its pages of files only increase."""
    return max(0, peak_resident_bytes() - (resident_bytes() - private_bytes()))


def peak_resident_bytes(process: int | None = None) -> int:
    """Return the peak of a process's resident memory, by default of this one; 0 if it cannot be read.

    Read from /proc: psutil reports the peak on Windows only, and getrusage has no peak of another running process.
    """
    try:
        lines = Path(f"/proc/{process or 'self'}/status").read_text(encoding="utf-8", errors="replace").splitlines()
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)
    except (OSError, ValueError, IndexError):
        return 0


def require_memory_limit(memory_limit: float | None) -> None:
    """Raise InputError unless the limit is a positive number of bytes or None."""
    if memory_limit is not None and (
        not isinstance(memory_limit, Real) or isinstance(memory_limit, bool) or not memory_limit > 0
    ):
        raise InputError(
            "is not a number of bytes above 0; 2e9 is two gigabytes", parameter="memory_limit", value=memory_limit
        )


def bytes_for_child(memory_limit: float) -> int:
    """Return how many bytes a child process may use under a limit for this process and the child together.

    Some memory is reserved for what this process allocates while the child runs, and for the child's pages of files,
    which its own limit does not count.
    """
    require_memory_limit(memory_limit)
    return int(max(LEAST_BYTES, COUNTED * (min(memory_limit, 2.0**62) - resident_bytes()) - RESERVED_BYTES))


def free_bytes(memory_limit: float | None) -> float:
    """Return how many bytes may still be allocated under a limit for the whole process, at least 16 MB.

    Parameters
    ----------
    memory_limit : float or None
        Bytes; None for half of the machine's memory.
    """
    require_memory_limit(memory_limit)
    limit = MOST_BYTES if memory_limit is None else float(memory_limit)
    return max(LEAST_BYTES, COUNTED * (min(limit, 2.0**62) - resident_bytes()))
