"""Ctrl-C while the command line starts: one line and an exit code, as after Ctrl-C in a command.

Importing scikit-learn takes a second or two, in which no command runs yet that could handle Ctrl-C: Python would print
the traceback of some import. An exception is no way out, because modules may be half imported, and callbacks of the
import system swallow exceptions. So the process exits in the signal handler.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import PurePath
from typing import Any

MESSAGE = "interrupted before there was a result"
EXIT_CODE = 130  # the shell's code for SIGINT


def is_command_line() -> bool:
    """Return whether this process was started as ``puretree`` or ``python -m puretree``.

    While Python imports the package of ``-m``, the name of the program is ``-m``.
    """
    program = next(iter(getattr(sys, "argv", ())), "")  # an embedded interpreter may have no arguments
    return PurePath(program).stem in ("-m", "puretree")


@contextmanager
def exiting_on_interrupt(active: bool = True) -> Iterator[None]:
    """Exit on Ctrl-C with one line; do nothing where Python would not raise KeyboardInterrupt either."""
    is_main_thread = threading.current_thread() is threading.main_thread()
    if not active or not is_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _exit(number: int, frame: Any) -> None:
    with suppress(OSError):  # standard error may be closed
        os.write(2, f"error: {MESSAGE}\n".encode())
    os._exit(EXIT_CODE)
