"""Cells on all the cores of this machine, or of a Dask cluster, through joblib; a row is kept as soon as it is there.

A thread for each core is enough here, since every cell is measured in a child process. Rows are written down where the
run was started, so each cell is done once, whatever dies elsewhere.
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
    known = {key: row for key, row in results.rows.items() if row.status == "done" or not retry}
    with _workers(jobs, scheduler) as measured:
        while cells := _to_do(experiment, known):
            with closing(measured(cells)) as rows:  # or workers go on while nobody takes what they measure
                for row in rows:
                    results.append(row)
                    known[row.id] = row
                    if on_row is not None:
                        on_row(row)


def _to_do(experiment: Experiment, known: Mapping[str, Row]) -> list[Cell]:
    cells = {cell.id: cell for cell in experiment.cells(known)}
    return [cell for key, cell in cells.items() if key not in known]


Measured = Callable[[Sequence[Cell]], Generator[Row, None, None]]


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
    def measured(cells: Sequence[Cell]) -> Generator[Row, None, None]:
        # One cell at a time: whoever waits for a batch loses all of it if a worker dies.
        parallel: Any = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=ahead)
        rows = parallel(delayed(measure)(cell) for cell in cells)
        try:
            for row in rows:  # noqa: UP028 (so that it is closed below, not by yield from)
                yield row
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that cells were given up is what stopping means
                rows.close()

    return measured


def _n_jobs(jobs: int | None) -> int:
    most = n_cores()
    if jobs is not None and not 1 <= jobs <= most:
        raise InputError(f"jobs={jobs}: this machine has {most} cores, and a cell wants its own; use 1 to {most}")
    return jobs or most
