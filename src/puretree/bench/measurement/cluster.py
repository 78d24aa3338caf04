"""A Dask cluster for joblib: cells go to its workers, and a cell whose worker dies goes to another.

A worker needs puretree installed, and the data folder under the same path. Workers may join and leave at any time; when
the last one has gone, a run waits for the next.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from joblib import parallel_config

from ...errors import ClusterLostError, InputError
from ..cell import Row

PATIENCE = 10.0  # seconds until a scheduler and its first worker must answer


@contextmanager
def on_cluster(scheduler: str) -> Iterator[None]:
    """Let joblib send what it is given to a cluster.

    Parameters
    ----------
    scheduler : str
        Its address, such as ``tcp://10.0.0.1:8786``.
    """
    with _client(scheduler) as client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise InputError(
                f"scheduler={scheduler!r} has no workers; start some: dask worker {scheduler} --nthreads 1"
            ) from None
        try:
            with parallel_config(backend=_backend(client)):
                yield
        except CancelledError:
            raise ClusterLostError(f"the scheduler at {scheduler} is gone; what was measured is kept") from None


def _client(scheduler: str) -> Any:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise InputError('scheduler= needs Dask; run: pip install "puretree[bench]"') from None
    try:
        distributed.comm.get_address_host_port(scheduler)  # a client of no address at all would not end for a while
        return distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"scheduler={scheduler!r} does not answer ({error}); use the address that 'dask scheduler' prints, such as "
            "tcp://host:8786"
        ) from None


def _backend(client: Any) -> Any:
    """Return joblib's Dask backend with two things set right.

    A cluster of one core gets the cells as well: joblib would keep them and measure here. And a cell that Dask gives
    up, since every worker it was given to died, is a row that says so: joblib would wait for it for ever.
    """
    base: Any = importlib.import_module("joblib._dask").DaskDistributedBackend

    class DaskBackend(base):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int) -> int:
            return max(2, int(super().effective_n_jobs(n_jobs)))

        def submit(self, func: Any, callback: Any = None) -> Any:
            ((_, (cell,), _),) = func.items

            def tell_loss(future: Any) -> None:
                if error := future.exception():
                    callback([Row(cell.experiment, cell.key, "lost", f"no worker could measure it: {error}", 0.0)])

            future = super().submit(func, callback=callback)
            future.add_done_callback(tell_loss)
            return future

    return DaskBackend(client=client)
