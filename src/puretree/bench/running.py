"""Cells on all the cores of this machine, or of a Dask cluster, through joblib; a row is kept as soon as it is there.

A thread for each core is enough here, since every cell is measured in a child process. Rows are written down where the
run was started, so each cell is done once, whatever dies elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from joblib import Parallel, delayed, parallel_config

from ..errors import InputError
from .cell import Cell, Experiment, Row
from .cluster import on_cluster
from .isolation import SERVERS, measure
from .results import ResultsFile

OnRow = Callable[[Row], None]


def run(
    experiment: Experiment,
    results: ResultsFile,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    retry: bool = False,
    on_row: OnRow | None = None,
) -> None:
    """Measure the cells of an experiment that have no row yet.

    Parameters
    ----------
    experiment : Experiment
    results : ResultsFile
        Where rows are kept.
    jobs : int, optional
        Cells at a time; one for each core by default. On a cluster its workers say.
    scheduler : str, optional
        The address of a Dask scheduler, such as ``tcp://10.0.0.1:8786``.
    retry : bool, default=False
        Measure again what was not done last time.
    on_row : callable, optional
        Gets each row when it is kept.
    """
    again = {row.id for row in results.rows.values() if row.status != "done"} if retry else set()
    with _workers(jobs, scheduler) as measured:
        while cells := _to_do(experiment, results, again):
            again -= {cell.id for cell in cells}
            for row in measured(cells):
                results.append(row)
                if on_row is not None:
                    on_row(row)


def _to_do(experiment: Experiment, results: ResultsFile, again: set[str]) -> list[Cell]:
    cells = {cell.id: cell for cell in experiment.cells(results.rows)}
    return [cell for key, cell in cells.items() if key not in results.rows or key in again]


Measured = Callable[[Sequence[Cell]], Iterator[Row]]


@contextmanager
def _workers(jobs: int | None, scheduler: str | None) -> Iterator[Measured]:
    """Have workers, and a way to let them measure; none is left at the end."""
    if scheduler is not None:
        with on_cluster(scheduler):
            yield _in_parallel(n_jobs=-1, ahead="all")  # workers may join at any time
        return
    try:
        with parallel_config(backend="threading"):
            yield _in_parallel(n_jobs=_n_jobs(jobs), ahead="2*n_jobs")
    finally:
        SERVERS.close()


def _in_parallel(n_jobs: int, ahead: str) -> Measured:
    def measured(cells: Sequence[Cell]) -> Iterator[Row]:
        # One cell at a time: whoever waits for a batch loses all of it if a worker dies.
        parallel: Any = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=ahead)
        yield from parallel(delayed(measure)(cell) for cell in cells)

    return measured


def _n_jobs(jobs: int | None) -> int:
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if jobs is None:
        return n_cores
    if not 1 <= jobs <= n_cores:
        raise InputError(f"jobs={jobs}: this machine has {n_cores} cores, and a cell wants its own; use 1 to {n_cores}")
    return jobs
