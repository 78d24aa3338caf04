"""Any MaxSAT solver that is a program: it reads the formula from a file and prints ``o``, ``v`` and ``s`` lines.

The solvers of the MaxSAT Evaluations follow this convention, both complete solvers and anytime solvers, which print
improving models, or their best model on SIGTERM.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path, PurePath

from .._support import processes
from .._support.clock import Clock
from ..errors import InputError
from ..formula import STYLES, Style, Wcnf
from .backend import Answer, OnModel, ignore_model
from .run import STREAMS, run_program

_FILE = "{file}"


@dataclass(frozen=True, slots=True)
class External:
    """An external solver, given by its command. Its models are checked; its claims of optimality are not trusted.

    Parameters
    ----------
    command : str or tuple of str
        The program and its options. A string is split as by a shell, but no shell is run. The path of the formula is
        appended, or replaces ``{file}``.
    style : {"new", "old"}, default="new"
        The format the program reads: with ``h`` lines (MaxSAT Evaluations since 2022) or with a ``p wcnf`` line.
    name : str, optional
        The name in messages; by default the name of the program.

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
            object.__setattr__(self, "name", PurePath(arguments[0]).name)

    @property
    def is_trusted(self) -> bool:
        """False: the command may be any program."""
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
