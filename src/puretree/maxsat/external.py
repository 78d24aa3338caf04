"""Any MaxSAT solver that is a program: it gets the formula as a file and prints ``o``, ``v`` and ``s`` lines.

The solvers of the MaxSAT Evaluations keep to this, complete ones as well as anytime ones, which print better and
better models and their best when they are asked to stop.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path, PurePath

from .._support import processes
from .._support.clock import Clock
from ..errors import InputError
from ..formula import STYLES, Style, Wcnf
from .backend import Answer, OnModel, nobody_listens
from .run import STREAMS, run

_FILE = "{file}"


@dataclass(frozen=True, slots=True)
class External:
    """A solver by its command. Its models are checked; its word for "no better model exists" is not trusted.

    Parameters
    ----------
    command : str or tuple of str
        The program and its options. A string is split as a shell would, but no shell ever sees it. The file's path
        comes last, or wherever ``{file}`` stands.
    style : {"new", "old"}, default="new"
        The format the program reads: with ``h`` lines (MaxSAT Evaluations since 2022) or with a ``p wcnf`` line.
    name : str, optional
        What messages call it; by default the name of the program.

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
            raise InputError(f"style={self.style!r} is not known; use {' or '.join(map(repr, STYLES))}")
        words = self._words()
        if not words or not words[0]:
            raise InputError(f"command={self.command!r} names no program; give its path, with options if it needs any")
        if not self.name:
            object.__setattr__(self, "name", PurePath(words[0]).name)

    @property
    def is_trusted(self) -> bool:
        """No: anything may hide behind a command."""
        return False

    def arguments(self, file: Path) -> tuple[str, ...]:
        """Return the program and its arguments for a file."""
        words = self._words()
        if not any(_FILE in word for word in words):
            words = (*words, _FILE)
        return tuple(word.replace(_FILE, str(file)) for word in words)

    def minimise(self, formula: Wcnf, *, clock: Clock, on_model: OnModel = nobody_listens) -> Answer:
        """Look for the cheapest model until the clock is over; see :class:`~puretree.maxsat.backend.Backend`."""
        return run(
            lambda file: processes.start(self.arguments(file), **STREAMS),
            formula,
            name=self.name,
            style=self.style,
            clock=clock,
            on_model=on_model,
        )

    def _words(self) -> tuple[str, ...]:
        if not isinstance(self.command, str):
            return tuple(self.command)
        try:
            return tuple(shlex.split(self.command))
        except ValueError as error:
            raise InputError(f"command={self.command!r} cannot be split: {error}; check its quotes") from None
