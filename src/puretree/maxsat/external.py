"""Any MaxSAT solver that is a program: it reads the formula from a file and prints ``o``, ``v`` and ``s`` lines.

The solvers of the MaxSAT Evaluations follow this convention, both complete solvers and anytime solvers, which print
improving models, or their best model on SIGTERM.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import cast

from .._support import processes
from .._support.clock import Clock
from ..errors import InputError
from ..formula import STYLES, Style, Wcnf
from .backend import Answer, OnModel, ignore_model
from .run import STREAMS, run_program

_FILE = "{file}"
_INTERPRETER = re.compile(r"(python|pypy|perl|ruby|node|java|bash|dash|zsh|ksh|sh|env)[\d.]*(\.exe)?", re.IGNORECASE)
_OPTION = re.compile(r"(?P<command>.*)\?(?P<name>\w+)=(?P<value>\w*)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class External:
    """An external solver, given by its command. Its models are checked; its claims of optimality are not trusted.

    Parameters
    ----------
    command : str or tuple of str
        The program and its options. A string is split as by a shell, but no shell is run. The path of the formula is
        appended, or replaces ``{file}``.
    style : {"new", "old"}, default="new"
        The format the program reads: with ``h`` lines (MaxSAT Evaluations since 2022) or with a ``p wcnf`` line. By
        name it is ``external:COMMAND?format=old``; see :meth:`parse`.
    name : str, optional
        The name in messages; by default the name of the program, or of the script if the program is an interpreter
        such as ``python`` or ``java``.

    Examples
    --------
    >>> External("/opt/open-wbo -print-model '{file}'", style="old").arguments(Path("/tmp/f.wcnf"))
    ('/opt/open-wbo', '-print-model', '/tmp/f.wcnf')
    """

    command: str | tuple[str, ...]
    style: Style = "new"
    name: str = ""

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise InputError(f"is unknown; use {' or '.join(map(repr, STYLES))}", parameter="style", value=self.style)
        arguments = self._split_command()
        if not all(isinstance(argument, str) for argument in arguments):
            raise self._error("is not a string or a sequence of strings; give the path, and options if needed")
        if not arguments or not arguments[0]:
            raise self._error("names no program; give its path, and options if needed")
        if any("\0" in argument for argument in arguments):
            raise self._error("contains a null character, which no path or option can; remove it")
        if not self.name:
            object.__setattr__(self, "name", _program_name(arguments))

    @classmethod
    def parse(cls, text: str) -> External:
        """Return the solver that the text after ``external:`` describes: a command, and optionally a format.

        Only ``?format=new`` or ``?format=old`` at the end is not part of the command, so that a path may contain a
        question mark. A command that itself ends in ``?NAME=VALUE`` needs quotes around its last argument.

        Examples
        --------
        >>> External.parse("/opt/open-wbo -print-model?format=old")
        External(command='/opt/open-wbo -print-model', style='old', name='open-wbo')
        >>> External.parse("'/opt/a?b=c'").name
        'a?b=c'
        """
        option = _OPTION.fullmatch(text)
        if option is None:
            return cls(text)
        if option["name"] != "format" or option["value"] not in STYLES:
            formats = " or ".join(f"?format={style}" for style in STYLES)
            raise InputError(
                f"ends in an unknown option; use {formats}, or put the last argument in quotes if it contains the "
                "question mark",
                parameter="backend",
                value=f"external:{text}",
            )
        return cls(option["command"], style=cast(Style, option["value"]))

    @property
    def is_trusted(self) -> bool:
        """False: the command may be any program."""
        return False

    @property
    def proves(self) -> bool:
        """False: its claims are not accepted."""
        return False

    def arguments(self, file: Path) -> tuple[str, ...]:
        """Return the program and its arguments for a file."""
        arguments = self._split_command()
        if not any(_FILE in argument for argument in arguments):
            arguments = (*arguments, _FILE)
        return tuple(argument.replace(_FILE, str(file)) for argument in arguments)

    def minimise(self, formula: Wcnf, *, clock: Clock, on_model: OnModel = ignore_model) -> Answer:
        """Search for a model of minimum cost; see :class:`~puretree.maxsat.backend.Backend`."""
        return run_program(
            lambda file: processes.start(self.arguments(file), **STREAMS),
            formula,
            name=self.name,
            style=self.style,
            clock=clock,
            on_model=on_model,
        )

    def _split_command(self) -> tuple[str, ...]:
        if isinstance(self.command, list | tuple):
            return tuple(self.command)
        if not isinstance(self.command, str):
            return (self.command,)  # rejected above
        try:
            return tuple(shlex.split(self.command))
        except ValueError as error:
            raise self._error(f"cannot be split: {error}; check its quotes") from None

    def _error(self, reason: str) -> InputError:
        return InputError(reason, parameter="command", value=self.command)


def _program_name(arguments: tuple[str, ...]) -> str:
    """Return the name of the program, or of the script or module that an interpreter runs.

    >>> _program_name(("/usr/bin/env", "LC_ALL=C", "python3", "-u", "/opt/solver.py", "-v"))
    'solver.py'
    """
    program = PurePath(arguments[0]).name
    if not _INTERPRETER.fullmatch(program) or "-c" in arguments:
        return program
    names = [PurePath(argument).name for argument in arguments[1:] if not re.match(r"-|\w+=|.*\{file\}", argument)]
    return next((name for name in names if not _INTERPRETER.fullmatch(name)), program)
