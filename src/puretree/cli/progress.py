"""Live status lines: both bounds of a search, or the current step of a longer task, with the elapsed time."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.live import Live
from rich.text import Text

from ..outcome import UNITS
from .output import console

if TYPE_CHECKING:
    from ..engines import Guarantees
    from ..outcome import Bounds


class Progress:
    """Shows the bounds on standard error: a live line on a terminal, or a line per improvement with ``verbose``.

    Parameters
    ----------
    quiet : bool, default=False
        Show nothing.
    verbose : bool, default=False
        Print a line for each improvement.
    """

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._lines = verbose and not quiet
        self._live = sys.stderr.isatty() and not quiet and not verbose
        self._bounds: Bounds | None = None
        self._engine = ""
        self._unit = "nodes"
        self._start = monotonic()
        self._open = ExitStack()

    def begin(self, engine: str, guarantees: Guarantees) -> None:
        """Show the bounds of another engine from now on, with its name."""
        self._bounds = None
        self._engine = f"{engine}: "
        self._unit = UNITS[guarantees.aim] if guarantees.aim != "nodes" else "nodes"
        self._start = monotonic()

    def __call__(self, bounds: Bounds) -> None:
        """Update the bounds."""
        self._bounds = bounds
        if self._lines:
            print(f"{self._engine}{self._unit} {bounds}", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        if self._live:
            self._open.enter_context(Live(self, console=console(stderr=True), transient=True, refresh_per_second=4))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def __rich__(self) -> Text:
        """Return the line with the current time."""
        seconds = f"{monotonic() - self._start:.0f} s"
        if self._bounds is None:
            return Text(f"{self._engine or 'reading the table'} · {seconds}", style="dim")
        lower, upper = self._bounds.lower, self._bounds.upper
        what = f"{self._engine}{self._unit}"
        if lower == upper and not self._engine:
            return Text(f"{what} {lower} = min · {seconds} · collecting all trees of this size")
        return Text(f"{what} {lower} ≤ min{'' if upper is None else f' ≤ {upper}'} · {seconds}")


class StepProgress:
    """Shows the current step of a longer task on a terminal, with the elapsed time.

    Parameters
    ----------
    quiet : bool, default=False
        Show nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._is_shown = sys.stderr.isatty() and not quiet
        self._open = ExitStack()
        self._name = ""
        self._start = monotonic()

    def begin(self, name: str) -> None:
        """Begin a step."""
        self._name, self._start = name, monotonic()
        if self._is_shown:
            self._open.enter_context(Live(self, console=console(stderr=True), transient=True, refresh_per_second=4))

    def end(self) -> None:
        """Remove the line, so that the result of the step can be printed."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    def __rich__(self) -> Text:
        """Return the line with the current time."""
        return Text(f"{self._name} · {monotonic() - self._start:.0f} s", style="dim")
