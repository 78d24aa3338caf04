"""Run joblib on a Dask cluster: the scheduler assigns cells to workers, and reassigns the cell of a worker that dies.

A worker needs puretree installed and the data folder at the same path. Workers may join and leave at any time; without
any worker, a run waits for the next one.
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

CONNECT_TIMEOUT = 10.0  # seconds to reach the scheduler, and to wait for the first worker


@contextmanager
def on_cluster(scheduler: str) -> Iterator[None]:
    """Make joblib use a Dask cluster within this context.

    Parameters
    ----------
    scheduler : str
        Address, such as ``tcp://10.0.0.1:8786``.
    """
    with _client(scheduler) as client:
        try:
            client.wait_for_workers(1, timeout=CONNECT_TIMEOUT)
        except TimeoutError:
            raise InputError(
                f"has no workers; start one: dask worker {scheduler} --nthreads 1",
                parameter="scheduler",
                value=scheduler,
            ) from None
        try:
            with parallel_config(backend=_backend(client)):
                yield
        except CancelledError:
            raise ClusterLostError(f"lost the scheduler at {scheduler}; all rows so far are stored") from None


def _client(scheduler: str) -> Any:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise InputError('scheduler= needs Dask; run: pip install "puretree[bench]"') from None
    try:
        distributed.comm.get_address_host_port(scheduler)  # a client with an invalid address would retry for a while
        return distributed.Client(scheduler, timeout=CONNECT_TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot be reached ({error}); use the address that 'dask scheduler' prints, such as tcp://host:8786",
            parameter="scheduler",
            value=scheduler,
        ) from None


def _backend(client: Any) -> Any:
    """Return joblib's Dask backend with two corrections.

    With a cluster of one core, joblib would run the cells locally; here the cluster runs them. If Dask gives up a cell
    because every worker it was assigned to died, joblib would wait for it forever; here it gets a row with the status
    ``lost``.
    """
    base: Any = importlib.import_module("joblib._dask").DaskDistributedBackend

    class DaskBackend(base):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int) -> int:
            return max(2, int(super().effective_n_jobs(n_jobs)))

        def submit(self, func: Any, callback: Any = None) -> Any:
            ((_, (cell,), _),) = func.items

            def report_loss(future: Any) -> None:
                if error := future.exception():
                    callback([Row(cell.experiment, cell.key, "lost", f"no worker could measure it: {error}", 0.0)])

            future = super().submit(func, callback=callback)
            future.add_done_callback(report_loss)
            return future

    return DaskBackend(client=client)
