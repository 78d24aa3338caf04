"""Cells on all the cores of this machine, or of a Dask cluster, through joblib; a row is kept as soon as it is there.

A thread for each core is enough here, since every cell is measured in a child process. On a cluster joblib's Dask
backend sends the cells: a cell whose worker dies is measured by another, and as rows are written down where the run was
started, each cell is done once. A worker needs puretree installed and the data folder under the same path.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from joblib import Parallel, delayed, parallel_config

from ..errors import InputError
from .cell import Cell, Experiment, Row
from .isolation import SERVERS, measure
from .results import ResultsFile

PATIENCE = 10  # seconds until a scheduler or its first worker must answer
DEATHS = 3  # of workers in a row without any row, until what is left is given up

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
            for row in _rows(cells, measured):
                results.append(row)
                if on_row is not None:
                    on_row(row)


def _to_do(experiment: Experiment, results: ResultsFile, again: set[str]) -> list[Cell]:
    cells = {cell.id: cell for cell in experiment.cells(results.rows)}
    return [cell for key, cell in cells.items() if key not in results.rows or key in again]


Measured = Callable[[Sequence[Cell]], Iterator[Row]]


def _rows(cells: Sequence[Cell], measured: Measured) -> Iterator[Row]:
    """Yield a row for each cell, also for those that workers die over again and again."""
    left = {cell.id: cell for cell in cells}
    n_deaths = 0
    while left and n_deaths < DEATHS:
        try:
            for row in measured([*left.values()]):
                n_deaths = 0
                del left[row.id]
                yield row
        except _worker_deaths():
            n_deaths += 1
    for cell in left.values():
        yield Row(cell.experiment, cell.key, "lost", "every worker that measured it died", 0.0)


def _worker_deaths() -> tuple[type[Exception], ...]:
    """Return what Dask raises of a task whose workers died; nothing if there is no Dask."""
    try:
        return (importlib.import_module("distributed").KilledWorker,)
    except ImportError:
        return ()


@contextmanager
def _workers(jobs: int | None, scheduler: str | None) -> Iterator[Measured]:
    """Have workers, and a way to let them measure; none is left at the end."""
    if scheduler is not None:
        with _cluster(scheduler):
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


@contextmanager
def _cluster(scheduler: str) -> Iterator[None]:
    """Let joblib send cells to a cluster."""
    with _client(scheduler) as client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise InputError(
                f"scheduler={scheduler!r} has no workers; start some: dask worker {scheduler} --nthreads 1"
            ) from None
        with parallel_config(backend=_dask_backend(client)):
            yield


def _dask_backend(client: Any) -> Any:
    """Return joblib's Dask backend with two things set right.

    A cluster of one core gets the cells as well: joblib would keep them and measure here. And a cell that Dask gives
    up, since every worker it was given to died, is told: joblib would wait for it for ever.
    """
    base: Any = importlib.import_module("joblib._dask").DaskDistributedBackend

    class DaskBackend(base):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int) -> int:
            return max(2, super().effective_n_jobs(n_jobs))

        def submit(self, func: Any, callback: Any = None) -> Any:
            future = super().submit(func, callback=callback)
            future.add_done_callback(lambda done: callback(done.exception()) if done.exception() else None)
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            if isinstance(out, Exception):
                raise out
            return super().retrieve_result_callback(out)

    return DaskBackend(client=client)


def _client(scheduler: str) -> Any:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise InputError('scheduler= needs Dask; run: pip install "puretree[bench]"') from None
    try:
        return distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"scheduler={scheduler!r} does not answer ({error}); use the address that 'dask scheduler' prints, such as "
            "tcp://host:8786"
        ) from None
