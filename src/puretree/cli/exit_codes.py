"""How a command ends: with an exit code for scripts, and one line for people if something is wrong.

Tracebacks are for bugs. Errors that a user can fix (a file, a column, an option) are one line that names the cause.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable, Collection
from enum import IntEnum
from functools import partial
from typing import Any

import typer

from .._support import interrupts
from ..errors import (
    InfeasibleError,
    InputError,
    InputTypeError,
    PuretreeError,
    RejectedError,
    SolverError,
    UnfinishedError,
    as_keyword,
)
from .options import as_option, option_name
from .output import printable

UsageError: Any = typer.BadParameter.__base__  # typer may bundle click, so its own base class is used


class ExitCode(IntEnum):
    """The exit codes; those above 128 are the shell's codes for signals."""

    OK = 0
    BUG = 1
    BAD_INPUT = 2
    INCUMBENT = 10
    NO_SOLUTION = 20
    REJECTED = 30
    INTERRUPTED = interrupts.EXIT_CODE
    BROKEN_PIPE = 141


DISK_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


def guarded(command: Callable[[], Any], options: Collection[str] = ()) -> int:
    """Run a command, and turn every exception into an error line and an exit code.

    Parameters
    ----------
    command : callable
    options : collection of str
        The options of the command, such as ``--engine``: error messages write these parameters as options, and
        others, such as the backend of an engine, as in Python.
    """
    try:
        code = command()
        sys.stdout.flush()
        return int(code or 0)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python prints an error at exit
        return ExitCode.BROKEN_PIPE
    except KeyboardInterrupt:
        return _fail(interrupts.MESSAGE, ExitCode.INTERRUPTED)
    except UsageError as error:
        command_path = error.ctx.command_path if error.ctx else "puretree"
        return _fail(f"{error.format_message().rstrip('.')}; see {command_path} --help", ExitCode.BAD_INPUT)
    except UnfinishedError as error:
        has_tree = error.outcome is not None and error.outcome.tree is not None
        return _fail(str(error), ExitCode.INCUMBENT if has_tree else ExitCode.NO_SOLUTION)
    except InfeasibleError as error:
        return _fail(str(error), ExitCode.NO_SOLUTION)
    except RejectedError as error:
        return _fail(f"rejected: {error}", ExitCode.REJECTED)
    except SolverError as error:
        return _fail(str(error), ExitCode.BUG)
    except InputError as error:
        return _fail(error.describe(partial(_write, options)), ExitCode.BAD_INPUT)
    except PuretreeError as error:
        is_input = isinstance(error, ValueError | LookupError | InputTypeError)
        return _fail(str(error), ExitCode.BAD_INPUT if is_input else ExitCode.BUG)
    except OSError as error:
        return _fail(_describe_os_error(error), ExitCode.BAD_INPUT)
    except MemoryError:
        return _fail("out of memory; set --memory-limit, or use fewer rows or columns", ExitCode.BUG)
    except Exception as error:
        traceback.print_exc()
        return _fail(f"this is a bug, please report it with the lines above: {error!r}", ExitCode.BUG)


def _write(options: Collection[str], name: str, value: Any) -> str:
    """Write a parameter as an option if the command has it."""
    return as_option(name, value) if option_name(name) in options else as_keyword(name, value)


def _describe_os_error(error: OSError) -> str:
    names = " and ".join(str(name) for name in (error.filename, error.filename2) if name is not None)
    reason = error.strerror or str(error)
    if not names and error.errno in DISK_FULL:  # files have names, so it is the only stream without one
        names = "standard output"
    return f"{names}: {reason}" if names else reason


def _fail(message: str, code: ExitCode) -> int:
    print(f"error: {printable(message)}", file=sys.stderr)
    return int(code)
