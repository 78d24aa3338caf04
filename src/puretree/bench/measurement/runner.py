"""Run the cells of an experiment in parallel with joblib, on the cores of this machine or on a Dask cluster.

One thread per core is enough, since every cell is measured in a child process. Rows are written as soon as they arrive,
by the process that started the run, so each cell gets one row even if workers die.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from joblib import Parallel, delayed, parallel_config

from ..._support.resources import n_cores
from ...errors import InputError
from ..cell import Cell, Experiment, Row
from .cluster import on_cluster
from .isolation import SERVERS, measure
from .results import ResultsFile

OnRow = Callable[[Row], None]


def run(
    experiment: Experiment,
    results: ResultsFile,
    *,
    n_jobs: int | None = None,
    scheduler: str | None = None,
    retry: bool = False,
    on_row: OnRow | None = None,
) -> None:
    """Measure the cells of an experiment that have no row yet.

    Parameters
    ----------
    experiment : Experiment
    results : ResultsFile
        Rows are appended to it.
    n_jobs : int, optional
        Number of cells measured at the same time; by default one per core. Ignored on a cluster, where the number of
        workers determines it.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``tcp://10.0.0.1:8786``.
    retry : bool, default=False
        Also measure cells whose last row is not ``done``.
    on_row : callable, optional
        Called with each row after it is stored.
    """
    rows_so_far = {key: row for key, row in results.rows.items() if row.status == "done" or not retry}
    with _workers(n_jobs, scheduler) as measure_all:
        while cells := _pending_cells(experiment, rows_so_far):
            with closing(measure_all(cells)) as rows:  # otherwise workers continue after an error here
                for row in rows:
                    results.append(row)
                    rows_so_far[row.id] = row
                    if on_row is not None:
                        on_row(row)


def _pending_cells(experiment: Experiment, rows_so_far: Mapping[str, Row]) -> list[Cell]:
    cells = {cell.id: cell for cell in experiment.cells(rows_so_far)}
    return [cell for key, cell in cells.items() if key not in rows_so_far]


MeasureAll = Callable[[Sequence[Cell]], Generator[Row, None, None]]


@contextmanager
def _workers(n_jobs: int | None, scheduler: str | None) -> Iterator[MeasureAll]:
    """Provide a function that measures cells in parallel; stop the workers of this machine at the end."""
    if scheduler is not None:
        with on_cluster(scheduler):
            yield _parallel(n_jobs=-1, pre_dispatch="all")  # workers may join at any time
        return
    try:
        with parallel_config(backend="threading"):
            yield _parallel(n_jobs=_checked_n_jobs(n_jobs), pre_dispatch="2*n_jobs")
    finally:
        SERVERS.close()


def _parallel(n_jobs: int, pre_dispatch: str) -> MeasureAll:
    def measure_all(cells: Sequence[Cell]) -> Generator[Row, None, None]:
        # Batches of one: if a worker dies, all cells of its batch are lost.
        parallel: Any = Parallel(
            n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=pre_dispatch
        )
        rows = parallel(delayed(measure)(cell) for cell in cells)
        try:
            for row in rows:  # noqa: UP028 (yield from would close the generator before the code below)
                yield row
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib warns about cancelled cells, which is intended here
                rows.close()

    return measure_all


def _checked_n_jobs(n_jobs: int | None) -> int:
    n_available = n_cores()
    if n_jobs is not None and not 1 <= n_jobs <= n_available:
        fault = "is too many" if n_jobs > 0 else "is not a number of jobs"
        raise InputError(
            f"{fault}: this machine has {n_available} cores, and each cell needs one; use 1 to {n_available}",
            parameter="n_jobs",
            value=n_jobs,
        )
    return n_jobs or n_available
