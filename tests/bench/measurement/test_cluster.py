"""A run on a cluster: a real scheduler and real workers, of which some die."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from helpers.bench_runs import ENVIRONMENT, numbers, rows_of, wait_for
from helpers.misbehaving import Misbehaving

from puretree._support.run_script import end_with_parent
from puretree.bench.cell import Row
from puretree.bench.measurement import cluster as cluster_module
from puretree.bench.measurement.results import ResultsFile
from puretree.bench.measurement.runner import run
from puretree.errors import ClusterLostError, InputError

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.slow,
    # Dask leaves sockets and event loops to the collector when something dies.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]


class Cluster:
    """A Dask scheduler and its workers, each a process, on loopback."""

    def __init__(self, folder: Path, processes: ExitStack) -> None:
        self._processes, self._folder = processes, folder
        file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self) -> None:
        """Start a worker for one cell at a time."""
        worker = self._start("worker", self.address, "--nthreads", "1", "--no-nanny", "--local-directory", self._folder)
        self.workers.append(worker)

    def wait_for_workers(self, n_workers: int) -> None:
        """Wait until so many have joined."""
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(n_workers, timeout=60)

    def _start(self, what: str, *arguments: object) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *map(str, arguments), "--no-dashboard"]
        process = subprocess.Popen(  # one that outlived a killed pytest would take from what is measured next
            command, env=ENVIRONMENT, stderr=subprocess.DEVNULL, preexec_fn=end_with_parent
        )
        self._processes.callback(process.wait)
        self._processes.callback(process.kill)
        return process


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where rows go."""
    return tmp_path / "results.jsonl"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Start a scheduler."""
    with ExitStack() as processes:
        folder = tmp_path / "cluster"
        folder.mkdir()
        yield Cluster(folder, processes)


def test_a_worker_that_is_killed(path: Path, tmp_path: Path, cluster: Cluster) -> None:
    """One of two workers is killed while it measures: the other does its cell, and every cell is done once."""
    for _ in range(2):
        cluster.add_worker()
    cluster.wait_for_workers(2)
    victim = cluster.workers[0]

    def kill_one(row: Row) -> None:
        """Kill a worker some time after it has done a cell: it is at another by then."""
        if row.values["runner"] == victim.pid:
            time.sleep(0.7)
            victim.kill()

    experiment = Misbehaving(("work 1.5",) * 8, folder=str(tmp_path))
    with ResultsFile(path, {}) as results:
        run(experiment, results, scheduler=cluster.address, on_row=kill_one)
    assert victim.poll() == -signal.SIGKILL
    assert numbers(rows_of(path)) == [*range(8)]
    assert {row.status for row in rows_of(path)} == {"done"}
    begun = Counter(file.name.partition("-")[0] for file in tmp_path.glob("?-*"))
    assert sorted(begun.values()) == [1] * 7 + [2], "one cell was begun twice, by the worker that died and by the other"


def test_a_cell_that_kills_workers(path: Path, cluster: Cluster) -> None:
    """A cell that takes its worker with it, again and again, is a row that says so; the others are done."""
    for _ in range(5):  # Dask gives up after four
        cluster.add_worker()
    with ResultsFile(path, {}) as results:
        run(Misbehaving(("work", "kill_runner", "work")), results, scheduler=cluster.address)
    assert {row.key["number"]: row.status for row in rows_of(path)} == {0: "done", 1: "lost", 2: "done"}


def test_a_scheduler_that_is_killed(path: Path, cluster: Cluster) -> None:
    """The run ends and says why; the row that was there is kept."""
    cluster.add_worker()
    with ResultsFile(path, {}) as results, pytest.raises(ClusterLostError, match="what was measured is kept"):
        run(
            Misbehaving(("work", "work 3", "work 3")),
            results,
            scheduler=cluster.address,
            on_row=lambda row: cluster.scheduler.kill(),
        )
    assert len(rows_of(path)) == 1


def test_no_workers(path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster without workers is told at once, with what to start."""
    monkeypatch.setattr(cluster_module, "PATIENCE", 1)
    with (
        ResultsFile(path, {}) as results,
        pytest.raises(InputError, match="has no workers; start some: dask worker tcp"),
    ):
        run(Misbehaving(("work",)), results, scheduler=cluster.address)


@pytest.mark.parametrize("scheduler", ["tcp://127.0.0.1:9", "not an address", "ftp://a:1"])
def test_no_scheduler(path: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address where nobody answers, or that is none, is named."""
    monkeypatch.setattr(cluster_module, "PATIENCE", 1)
    with ResultsFile(path, {}) as results, pytest.raises(InputError, match="does not answer"):
        run(Misbehaving(("work",)), results, scheduler=scheduler)
