"""Lines that live while something goes on: both bounds of a search, the part of a proof at hand, and the seconds."""

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
    """Tells the bounds on standard error: one line that changes on a terminal, a line for each with ``verbose``.

    Parameters
    ----------
    quiet : bool, default=False
        Tell nothing.
    verbose : bool, default=False
        A line for each improvement, terminal or not.
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
        """Tell the bounds of another engine from now on, with its name."""
        self._bounds = None
        self._engine = f"{engine}: "
        self._unit = UNITS[guarantees.aim] if guarantees.aim != "nodes" else "nodes"
        self._start = monotonic()

    def __call__(self, bounds: Bounds) -> None:
        """Take better bounds."""
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
        """Draw the line, for the time that it is now."""
        seconds = f"{monotonic() - self._start:.0f} s"
        if self._bounds is None:
            return Text(f"{self._engine or 'reading the table'} · {seconds}", style="dim")
        lower, upper = self._bounds.lower, self._bounds.upper
        what = f"{self._engine}{self._unit}"
        if lower == upper and not self._engine:
            return Text(f"{what} {lower} = min · {seconds} · looking for all such trees")
        return Text(f"{what} {lower} ≤ min{'' if upper is None else f' ≤ {upper}'} · {seconds}")


class PartAtHand:
    """Tells on a terminal which part of a longer work is under way, and for how long, until it ends.

    Parameters
    ----------
    quiet : bool, default=False
        Tell nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._is_wanted = sys.stderr.isatty() and not quiet
        self._open = ExitStack()
        self._name = ""
        self._start = monotonic()

    def begin(self, name: str) -> None:
        """Begin a part."""
        self._name, self._start = name, monotonic()
        if self._is_wanted:
            self._open.enter_context(Live(self, console=console(stderr=True), transient=True, refresh_per_second=4))

    def end(self) -> None:
        """Take the line away: what came of the part can be printed."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    def __rich__(self) -> Text:
        """Draw the line, for the time that it is now."""
        return Text(f"{self._name}: at work · {monotonic() - self._start:.0f} s", style="dim")
