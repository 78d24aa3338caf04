"""What this machine has."""

from __future__ import annotations

import math
import os
from numbers import Real
from pathlib import Path

from ..errors import InputError

MOST_BYTES = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 if hasattr(os, "sysconf") else math.inf
"""Half of the memory, where the system tells: what would need more is refused before the machine gives up."""

LEAST_BYTES = 2**24
KEPT_BACK = 48e6
"""Of the memory shared with a child: a block of clauses and what is made of it, and the pages of the child's files."""

COUNTED = 15 / 16
"""The part of the memory that is shared out; the rest is for what is too small to be counted."""


def n_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def resident_bytes(process: int | None = None) -> int:
    """Return the memory that a process takes now, this one unless said; 0 where the system does not tell."""
    try:
        n_pages = int(Path(f"/proc/{process or 'self'}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return n_pages * os.sysconf("SC_PAGE_SIZE")


def own_bytes(process: int | None = None) -> int:
    """Return the memory that is a process's own, this one's unless said: without pages of files, which many share.

    A process that is forked begins with the own pages of its parent, but not with those of files: these come back when
    they are used, and are no memory that anybody takes.
    """
    try:
        statm = Path(f"/proc/{process or 'self'}/statm").read_text(encoding="ascii").split()
        return (int(statm[1]) - int(statm[2])) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def most_own_bytes() -> int:
    """Return the most memory of its own that this process had so far, as far as its pages of files only get more."""
    return max(0, most_resident_bytes() - (resident_bytes() - own_bytes()))


def most_resident_bytes(process: int | None = None) -> int:
    """Return the most memory that a process took so far, this one unless said; 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{process or 'self'}/status").read_text(encoding="utf-8", errors="replace").splitlines()
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)
    except (OSError, ValueError, IndexError):
        return 0


def require_memory_limit(memory_limit: float | None) -> None:
    """Refuse what is not a number of bytes."""
    if memory_limit is not None and (
        not isinstance(memory_limit, Real) or isinstance(memory_limit, bool) or not memory_limit > 0
    ):
        raise InputError(f"memory_limit={memory_limit!r} is not a number of bytes above 0; 2e9 is two gigabytes")


def bytes_for_child(memory_limit: float) -> int:
    """Return how many bytes a child process may take under a limit for this process and the child together.

    What this one may still come to take while the child works is kept back, and pages of files, of which a child has
    some that its own limit does not count.
    """
    require_memory_limit(memory_limit)
    return int(max(LEAST_BYTES, COUNTED * (min(memory_limit, 2.0**62) - resident_bytes()) - KEPT_BACK))


def free_bytes(memory_limit: float | None) -> float:
    """Return how many bytes may still be taken under a limit for the whole process, at least 16 MB.

    Parameters
    ----------
    memory_limit : float or None
        Bytes; None for half of the machine's.
    """
    require_memory_limit(memory_limit)
    limit = MOST_BYTES if memory_limit is None else float(memory_limit)
    return max(LEAST_BYTES, COUNTED * (min(limit, 2.0**62) - resident_bytes()))
