"""The progress bar of ``puretree bench``, with the estimated time remaining."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .output import console, printable

if TYPE_CHECKING:
    from ..bench.cell import Experiment, Row

SPEED_PERIOD = 600.0  # seconds that the estimate of the time remaining is based on


class BenchProgress:
    """Shows the progress on standard error: a bar on a terminal, or a line per cell with ``verbose``.

    Parameters
    ----------
    experiment : Experiment
    n_known : int
        The number of cells that are already done.
    quiet : bool, default=False
        Show nothing.
    verbose : bool, default=False
        Print a line for each cell.
    """

    def __init__(self, experiment: Experiment, n_known: int, *, quiet: bool = False, verbose: bool = False) -> None:
        self._lines = verbose and not quiet
        self._live = sys.stderr.isatty() and not quiet and not verbose
        self._n_done, self._n_cells = n_known, experiment.n_cells
        self._statuses: Counter[str] = Counter()
        self._open = ExitStack()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[last]}", style="dim", markup=False),
            console=console(stderr=True),
            transient=True,
            speed_estimate_period=SPEED_PERIOD,
        )
        self._task = self._bar.add_task(experiment.name, total=self._n_cells, completed=n_known, last="")

    def add(self, row: Row) -> None:
        """Count a row."""
        self._n_done += 1
        self._statuses[row.status] += 1
        others = ", ".join(f"{n} {status}" for status, n in self._statuses.items() if status != "done")
        what = " ".join(map(str, row.key.values()))
        self._bar.update(
            self._task, completed=self._n_done, last=printable(f"{what}{f' ({others})' if others else ''}")
        )
        if self._lines:
            status = f"{row.status}: {row.reason}" if row.reason else row.status
            line = f"{self._n_done} of {self._n_cells}: {what}: {status} ({row.seconds:.1f} s)"
            print(printable(line), file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        if self._live:
            self._open.enter_context(self._bar)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()
