"""Live status lines: both bounds of a search, or the current step of a longer task, with the time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from math import inf
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.live import Live
from rich.text import Text

from .._support.clock import Clock
from .._support.text import quantity
from ..outcome import UNITS
from .output import console

if TYPE_CHECKING:
    from ..engines import Guarantees
    from ..outcome import Bounds
    from ..pareto import FrontBounds
    from ..tuning import FoldsSolved


class Progress:
    """Shows the bounds on standard error: a live line on a terminal, or a line per improvement with ``verbose``.

    The line names the rows of the table, the size of the best tree and of the first one, the lower bound, and the
    seconds left: ``20,000 rows · 3,661 nodes, 4,227 at the start · at least 101 · 23 s left``.

    Parameters
    ----------
    n_rows : int
        The number of rows of the table.
    time_limit : float, Clock or None
        Seconds, or the clock that counts them; None for no limit.
    quiet : bool, default=False
        Show nothing.
    verbose : bool, default=False
        Print a line for each improvement.
    """

    def __init__(
        self, n_rows: int, time_limit: float | Clock | None, *, quiet: bool = False, verbose: bool = False
    ) -> None:
        self._lines = verbose and not quiet
        self._live = sys.stderr.isatty() and not quiet and not verbose
        self._rows = quantity(n_rows, "row")
        self._clock = Clock.of(time_limit)
        self._bounds: Bounds | None = None
        self._first: float | None = None
        self._engine = ""
        self._unit = "size"
        self._open = ExitStack()

    def begin(self, engine: str, guarantees: Guarantees, *, time_limit: float | None) -> None:
        """Show the bounds of another engine from now on, with its name and its time limit."""
        self._bounds = self._first = None
        self._engine = f"{engine}: "
        self._unit = UNITS[guarantees.aim]
        self._clock = Clock.of(time_limit)

    def __call__(self, bounds: Bounds) -> None:
        """Update the bounds."""
        self._bounds = bounds
        self._first = bounds.upper if self._first is None else self._first
        if self._lines:
            time = f"{bounds.seconds:.1f} s" if self._clock.limit == inf else f"{bounds.seconds:.1f} s, {self._time()}"
            by = [bounds.by] if bounds.by else []
            print(self._engine + " · ".join([self._rows, *self._facts(), time, *by]), file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        if self._live:
            self._open.enter_context(Live(self, console=console(stderr=True), transient=True, refresh_per_second=4))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def __rich__(self) -> Text:
        """Return the line with the current time."""
        style = "dim" if self._is_starting else ""
        return Text(self.line(console(stderr=True).width), style=style, no_wrap=True, overflow="ellipsis")

    def line(self, width: int) -> str:
        """Return the line with the current time; on a narrow terminal the least important parts are left out.

        Parameters
        ----------
        width : int
            The number of characters that fit into a line.
        """
        lines = [self._engine + " · ".join([*facts, self._time()]) for facts in self._versions()]
        return next((line for line in lines if len(line) < width), lines[-1])

    def _versions(self) -> Iterator[list[str]]:
        """Yield the parts of the line without the time, fewer and fewer of them."""
        collecting = ["collecting trees of this size"] if self._is_proved and not self._engine else []
        yield [self._rows, *self._facts(), *collecting]
        yield [*self._facts(), *collecting]
        yield self._facts(with_start=False)

    def _facts(self, *, with_start: bool = True) -> list[str]:
        """Return what is known: the best tree, the first one, and the lower bound."""
        if self._bounds is None:
            return ["starting" if self._engine else "preparing the table"]
        lower, upper = self._bounds.lower, self._bounds.upper
        if upper is None:
            return ["looking for a first tree", f"at least {self._measured(lower)}"]
        if self._is_proved:
            return [f"{self._measured(upper)}, proved minimum"]
        start = f", {self._first:,} at the start" if with_start and self._first != upper else ""
        return [f"{self._measured(upper)}{start}", f"at least {lower:,}"]

    @property
    def _is_starting(self) -> bool:
        return self._bounds is None

    @property
    def _is_proved(self) -> bool:
        return self._bounds is not None and self._bounds.lower == self._bounds.upper

    def _measured(self, value: float) -> str:
        """Format a bound with what it measures."""
        if self._unit == "size":
            return quantity(int(value), "node")
        return quantity(int(value), "error") if self._unit == "errors" else f"{self._unit} {value:,}"

    def _time(self) -> str:
        if self._clock.is_stopped:
            return "interrupted"
        if self._clock.limit == inf:
            return f"{self._clock.seconds:,.0f} s"
        return "time limit reached" if self._clock.is_over else f"{self._clock.left:,.0f} s left"


class FrontProgress(Progress):
    """Shows the bounds of the front where errors are allowed: ``150 rows · 7 nodes: 2 ≤ errors ≤ 3 · 23 s left``.

    During a cross-validation: ``150 rows · cross-validation: 2 of 5 folds · 23 s left``.

    Parameters
    ----------
    n_rows, time_limit, quiet, verbose
        As for :class:`Progress`.
    """

    _latest: FrontBounds | FoldsSolved | None = None

    def __call__(self, latest: Any) -> None:
        """Update the bounds, or the number of folds."""
        self._latest = latest
        if self._lines:
            print(f"{self._rows} · {latest}", file=sys.stderr, flush=True)

    def _versions(self) -> Iterator[list[str]]:
        facts = ["preparing the table" if self._latest is None else self._latest.text]
        yield [self._rows, *facts]
        yield facts

    @property
    def _is_starting(self) -> bool:
        return self._latest is None


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
