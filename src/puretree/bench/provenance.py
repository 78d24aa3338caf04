"""The versions and the machine that produced the results, without user or host names."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .._support.resources import n_cores

PACKAGES = ("puretree", "numpy", "scikit-learn", "python-sat", "pystreed", "imodels")


def provenance() -> dict[str, str]:
    """Return what is needed to reproduce the results; "unknown" where the system does not provide it."""
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
