"""Local improvement on a Dask cluster: a real scheduler and two real workers, some of which die."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from helpers.dask_cluster import Cluster

from puretree import BinaryProblem, Tree, prepare
from puretree.engines import LocalImprovement, local_improvement, solve

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.slow,
    # Dask leaves sockets and event loops to the garbage collector when a process dies.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]

N_STEPS = 1500


@cache
def problem() -> BinaryProblem:
    """Make a table of random numbers and labels, with arrays large enough that Dask would store them on a worker."""
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 8)), rng.integers(0, 3, 3000)
    return prepare(X, y).problem


@cache
def expected() -> Tree:
    """Return the tree that one job finds."""
    tree = solve(problem(), LocalImprovement(max_steps=N_STEPS, n_jobs=1)).tree
    assert tree is not None
    return tree


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Start a scheduler and two workers."""
    with ExitStack() as processes:
        cluster = Cluster(tmp_path, processes)
        for _ in range(2):
            cluster.add_worker()
        cluster.wait_for_workers(2)
        yield cluster


@contextmanager
def on_cluster(cluster: Cluster) -> Iterator[Any]:
    """Use the cluster as joblib's documentation says."""
    with (
        distributed.Client(cluster.address, set_as_default=False) as client,
        joblib.parallel_config(backend="dask", client=client),
    ):
        yield client


class Applied:
    """Counts the parts whose results have arrived, and calls a function after some of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, after: int, then: Any) -> None:
        self.n, self.is_over = 0, False
        applied, solve_batch = self, local_improvement.OpenImprovement._solve

        def count(improvement: Any, native: Any, n_parts: int, clock: Any) -> Any:
            for result in solve_batch(improvement, native, n_parts, clock):
                yield result
                applied.n += 1
                if applied.n == after:
                    then()

        monkeypatch.setattr(local_improvement.OpenImprovement, "_solve", count)


def improve() -> Tree | None:
    """Improve the tree with two jobs."""
    return solve(problem(), LocalImprovement(max_steps=N_STEPS, n_jobs=2)).tree


def test_a_cluster_finds_the_tree_of_one_job(cluster: Cluster) -> None:
    """The tree is the same, and both workers solved parts."""
    with on_cluster(cluster) as client:
        assert improve() == expected()
        story = client.run(lambda dask_worker: len(dask_worker.state.log))
    assert len(story) == 2
    assert min(story.values()) > 100


@pytest.mark.parametrize("after", [5, 200])
def test_a_killed_worker_does_not_change_the_tree(
    after: int, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one of two workers is killed at work, the run ends with the same tree, without a warning."""
    reference, victim = expected(), cluster.workers[0]
    applied = Applied(monkeypatch, after, victim.kill)
    start = time.monotonic()
    with on_cluster(cluster):
        assert improve() == reference
    assert victim.wait() == -signal.SIGKILL
    assert applied.n == N_STEPS
    assert time.monotonic() - start < 60


def test_a_worker_killed_during_a_part(cluster: Cluster) -> None:
    """If a worker is killed in the middle of a part, that part is solved elsewhere."""
    reference, victim = expected(), cluster.workers[1]
    killer = threading.Timer(1.0, victim.kill)
    with on_cluster(cluster):
        killer.start()
        assert improve() == reference
    assert not killer.is_alive(), "the run ended before the worker was killed"
    assert victim.wait() == -signal.SIGKILL


@pytest.mark.parametrize("what", ["workers", "scheduler"])
def test_a_lost_cluster_does_not_lose_the_tree(what: str, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """If all workers or the scheduler are killed, the rest is done in this process, with a warning."""
    reference = expected()
    victims = cluster.workers if what == "workers" else [cluster.scheduler]
    monkeypatch.setattr(local_improvement, "MAX_RESULT_SECONDS", 3.0)
    Applied(monkeypatch, 200, lambda: [victim.kill() for victim in victims])
    with pytest.warns(RuntimeWarning, match="joblib failed"), on_cluster(cluster):
        assert improve() == reference
