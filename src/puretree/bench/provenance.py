"""What every experiment asks of its options: refused with the option's name before anything is measured."""

from __future__ import annotations

import os
import platform
from collections.abc import Collection, Sequence
from importlib.metadata import PackageNotFoundError, version
from math import inf
from numbers import Real
from pathlib import Path

from .._support.resources import n_cores
from ..errors import InputError, near


def require_some(option: str, values: Sequence[object]) -> None:
    """Refuse nothing at all, and anything twice."""
    if not values or len(set(values)) < len(values):
        raise InputError(f"{option}={values!r} must name one or more, and each once")


def require_known(option: str, names: Sequence[str], known: Collection[str]) -> None:
    """Refuse names that are not known, besides."""
    require_some(option, names)
    for name in names:
        if name not in known:
            raise InputError(f"{option}={name!r} is not known{near(name, known)}; use some of {', '.join(known)}")


def require_count(option: str, count: int) -> None:
    """Refuse what is not a whole number of at least 1."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError(f"{option}={count!r} is not a whole number of at least 1")


def require_limits(limit: float, memory: float | None) -> None:
    """Refuse what is not a time and not an amount of memory."""
    if not _is_positive(limit):
        raise InputError(f"limit={limit!r} is not a finite number of seconds above 0")
    if memory is not None and not _is_positive(memory):
        raise InputError(f"memory={memory!r} is not a number of bytes above 0; leave it out for no limit")


def _is_positive(number: float) -> bool:
    return isinstance(number, Real) and not isinstance(number, bool) and 0 < number < inf


# On what results were made: versions and machine, without the names of either its owner or itself.

PACKAGES = ("puretree", "numpy", "scikit-learn", "python-sat")


def provenance() -> dict[str, str]:
    """Return what somebody who makes the results again should know; "unknown" where the system does not tell."""
    return {
        **{name: _version(name) for name in PACKAGES},
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(n_cores()),
        "memory": _memory(),
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _memory() -> str:
    if not hasattr(os, "sysconf"):
        return "unknown"
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name") and ":" in line]
    return names[0] if names else platform.processor() or "unknown"
