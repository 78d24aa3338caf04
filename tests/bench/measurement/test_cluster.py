"""Runs on a Dask cluster: a real scheduler and real workers, some of which die."""

import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from helpers.bench_runs import numbers, rows_of
from helpers.dask_cluster import Cluster
from helpers.misbehaving import Misbehaving

from puretree.bench.cell import Row
from puretree.bench.measurement import cluster as cluster_module
from puretree.bench.measurement.results import ResultsFile
from puretree.bench.measurement.runner import run
from puretree.errors import ClusterLostError, InputError

pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.slow,
    # Dask leaves sockets and event loops to the garbage collector when a process dies.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of the results file."""
    return tmp_path / "results.jsonl"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Start a scheduler without workers."""
    with ExitStack() as processes:
        folder = tmp_path / "cluster"
        folder.mkdir()
        yield Cluster(folder, processes)


def test_cells_of_a_killed_worker_are_reassigned(path: Path, tmp_path: Path, cluster: Cluster) -> None:
    """If one of two workers is killed during a cell, the other measures that cell, and every cell gets one row."""
    for _ in range(2):
        cluster.add_worker()
    cluster.wait_for_workers(2)
    victim = cluster.workers[0]

    def kill_one(row: Row) -> None:
        """Kill the worker after its first row, when it is measuring another cell."""
        if row.values["runner"] == victim.pid:
            time.sleep(0.7)
            victim.kill()

    experiment = Misbehaving(("work 1.5",) * 8, folder=str(tmp_path))
    with ResultsFile(path, {}) as results:
        run(experiment, results, scheduler=cluster.address, on_row=kill_one)
    assert victim.poll() == -signal.SIGKILL
    assert numbers(rows_of(path)) == [*range(8)]
    assert {row.status for row in rows_of(path)} == {"done"}
    starts = Counter(file.name.partition("-")[0] for file in tmp_path.glob("?-*"))
    assert sorted(starts.values()) == [1] * 7 + [2], "one cell must start twice: on the killed worker and on the other"


def test_a_cell_that_kills_its_workers_is_lost(path: Path, cluster: Cluster) -> None:
    """A cell that kills every worker it is assigned to gets the status lost; the other cells are measured."""
    for _ in range(5):  # Dask gives up after four
        cluster.add_worker()
    with ResultsFile(path, {}) as results:
        run(Misbehaving(("work", "kill_runner", "work")), results, scheduler=cluster.address)
    assert {row.key["number"]: row.status for row in rows_of(path)} == {0: "done", 1: "lost", 2: "done"}


def test_a_killed_scheduler_ends_the_run(path: Path, cluster: Cluster) -> None:
    """The run raises ClusterLostError; the row measured before is stored."""
    cluster.add_worker()
    with ResultsFile(path, {}) as results, pytest.raises(ClusterLostError, match="all rows so far are stored"):
        run(
            Misbehaving(("work", "work 3", "work 3")),
            results,
            scheduler=cluster.address,
            on_row=lambda row: cluster.scheduler.kill(),
        )
    assert len(rows_of(path)) == 1


def test_a_cluster_without_workers_is_rejected(path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the command that starts a worker."""
    monkeypatch.setattr(cluster_module, "CONNECT_TIMEOUT", 1)
    with (
        ResultsFile(path, {}) as results,
        pytest.raises(InputError, match="has no workers; start one: dask worker tcp"),
    ):
        run(Misbehaving(("work",)), results, scheduler=cluster.address)


@pytest.mark.parametrize("scheduler", ["tcp://127.0.0.1:9", "not an address", "ftp://a:1"])
def test_an_unreachable_scheduler_is_rejected(path: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address without a scheduler, or an invalid address, is rejected."""
    monkeypatch.setattr(cluster_module, "CONNECT_TIMEOUT", 1)
    with ResultsFile(path, {}) as results, pytest.raises(InputError, match="cannot be reached"):
        run(Misbehaving(("work",)), results, scheduler=scheduler)
