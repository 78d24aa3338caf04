"""How a command ends: an exit code that scripts can tell apart, and a line that people can act on.

A traceback is for bugs. What a person can set right (a file, a column, an option) gets one line that names it.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import typer

from ..errors import InfeasibleError, InputTypeError, PuretreeError, RejectedError, SolverError, UnfinishedError
from .output import printable

UsageError: Any = typer.BadParameter.__base__  # typer brings its own click or takes another's: this one is its


class ExitCode(IntEnum):
    """What the exit codes mean; those above 128 are the shell's for signals."""

    OK = 0
    BUG = 1
    BAD_INPUT = 2
    INCUMBENT = 10
    NO_SOLUTION = 20
    REJECTED = 30
    INTERRUPTED = 130
    BROKEN_PIPE = 141


NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)

# Messages speak of parameters as Python writes them: on_conflict='drop' is --on-conflict drop here.
PARAMETERS = (
    *("engine", "binarize", "selection", "selection_size", "n_trees", "diversity", "delta", "on_conflict", "root"),
    *("max_depth", "time_limit", "memory_limit", "n_jobs", "random_state", "extra"),
    *("jobs", "scheduler", "datasets", "families", "methods", "samples", "shares", "seeds", "splits", "trees", "limit"),
    *("train_seeds", "engines", "checker"),
)
OPTION_OF = {name: name.replace("_", "-") for name in PARAMETERS} | {"forbidden": "forbid", "costs": "cost"}
IN_PYTHON_ONLY = (", or None for no limit", ", or an engine object")
_PARAMETER = re.compile(rf"\b({'|'.join(OPTION_OF)})=(?:'([^']*)'|([^\s;,]+))|\b(forbidden|costs|root) names\b")


def guarded(command: Callable[[], Any]) -> int:
    """Run a command, and turn whatever it raises into a line and an exit code."""
    try:
        code = command()
        sys.stdout.flush()
        return int(code or 0)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it ends
        return ExitCode.BROKEN_PIPE
    except KeyboardInterrupt:
        return _fail("interrupted before there was anything to keep", ExitCode.INTERRUPTED)
    except UsageError as error:
        where = error.ctx.command_path if error.ctx else "puretree"
        return _fail(f"{error.format_message().rstrip('.')}; see {where} --help", ExitCode.BAD_INPUT)
    except UnfinishedError as error:
        found = error.outcome is not None and error.outcome.tree is not None
        return _fail(str(error), ExitCode.INCUMBENT if found else ExitCode.NO_SOLUTION)
    except InfeasibleError as error:
        return _fail(str(error), ExitCode.NO_SOLUTION)
    except RejectedError as error:
        return _fail(f"rejected: {error}", ExitCode.REJECTED)
    except SolverError as error:
        return _fail(str(error), ExitCode.BUG)
    except PuretreeError as error:
        is_input = isinstance(error, ValueError | LookupError | InputTypeError)
        return _fail(str(error), ExitCode.BAD_INPUT if is_input else ExitCode.BUG)
    except OSError as error:
        return _fail(_tell_os_error(error), ExitCode.BAD_INPUT)
    except MemoryError:
        return _fail("the memory is used up; set --memory-limit, or use fewer rows or columns", ExitCode.BUG)
    except Exception as error:
        traceback.print_exc()
        return _fail(f"this is a bug, please report it with the lines above: {error!r}", ExitCode.BUG)


def as_options(message: str) -> str:
    """Tell parameters as the command line calls them.

    >>> as_options("pass on_conflict='drop', or forbidden=['a']")
    "pass --on-conflict drop, or --forbid ['a']"
    """

    def told(match: re.Match[str]) -> str:
        name, quoted, bare, naming = match.groups()
        return f"--{OPTION_OF[naming]} names" if naming else f"--{OPTION_OF[name]} {bare or quoted}"

    for words in IN_PYTHON_ONLY:
        message = message.replace(words, "")
    return _PARAMETER.sub(told, message)


def _tell_os_error(error: OSError) -> str:
    names = " and ".join(str(name) for name in (error.filename, error.filename2) if name is not None)
    reason = error.strerror or str(error)
    if not names and error.errno in NO_ROOM:  # whatever else is written to has a name
        names = "standard output"
    return f"{names}: {reason}" if names else reason


def _fail(message: str, code: ExitCode) -> int:
    print(f"error: {printable(as_options(message))}", file=sys.stderr)
    return int(code)
