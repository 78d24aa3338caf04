"""Run a script that Linux kills together with its parent: ``run_script.py SCRIPT ARGUMENTS...``.

A solver in the middle of a computation does not notice that its parent is gone. :func:`.processes.start_python` starts
the package's scripts through this file, so none of them repeats the system call. The file imports only the standard
library: importing puretree would take a child process longer than many solvers run.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Make Linux kill this process when its parent ends; do nothing on other systems."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    parent = os.getppid()
    end_with_parent()
    if os.getppid() != parent:
        sys.exit("the parent process ended before this one started")
    del sys.argv[0]  # the script sees its own path and arguments
    runpy.run_path(sys.argv[0], run_name="__main__")
