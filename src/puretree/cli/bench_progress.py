"""The bar that shows how many cells are done, and when all of them will be."""

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

PACE_OF = 600.0  # seconds: how far back the pace is taken from that tells the time remaining


class BenchProgress:
    """Tells on standard error what is done: a bar on a terminal, a line for each cell with ``verbose``.

    Parameters
    ----------
    experiment : Experiment
    n_known : int
        The cells that were done before.
    quiet : bool, default=False
        Tell nothing.
    verbose : bool, default=False
        A line for each cell, terminal or not.
    """

    def __init__(self, experiment: Experiment, n_known: int, *, quiet: bool = False, verbose: bool = False) -> None:
        self._lines = verbose and not quiet
        self._live = sys.stderr.isatty() and not quiet and not verbose
        self._n_done, self._n_cells = n_known, experiment.n_cells
        self._endings: Counter[str] = Counter()
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
            speed_estimate_period=PACE_OF,
        )
        self._task = self._bar.add_task(experiment.name, total=self._n_cells, completed=n_known, last="")

    def add(self, row: Row) -> None:
        """Count a row."""
        self._n_done += 1
        self._endings[row.status] += 1
        others = ", ".join(f"{n} {status}" for status, n in self._endings.items() if status != "done")
        what = " ".join(map(str, row.key.values()))
        self._bar.update(
            self._task, completed=self._n_done, last=printable(f"{what}{f' ({others})' if others else ''}")
        )
        if self._lines:
            ending = f"{row.status}: {row.reason}" if row.reason else row.status
            line = f"{self._n_done} of {self._n_cells}: {what}: {ending} ({row.seconds:.1f} s)"
            print(printable(line), file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        if self._live:
            self._open.enter_context(self._bar)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()
