"""Folds on a Dask cluster: a real scheduler and two real workers."""

from contextlib import ExitStack
from pathlib import Path

import joblib
import numpy as np
import pytest
from helpers.dask_cluster import Cluster

from puretree import OptimalTreeClassifier

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.slow,
    # Dask leaves sockets and event loops to the garbage collector when a process dies.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]


def test_a_cluster_finds_the_same_tree(tmp_path: Path) -> None:
    """The result is the same, byte for byte, and both workers solved folds."""
    X, y = np.random.default_rng(0).integers(0, 4, (120, 4)), np.random.default_rng(1).integers(0, 2, 120)
    model = OptimalTreeClassifier(binarize="thresholds", max_leaf_nodes=5, random_state=0)
    expected = model.fit(X, y).to_json()
    with ExitStack() as processes:
        cluster = Cluster(tmp_path, processes)
        for _ in range(2):
            cluster.add_worker()
        cluster.wait_for_workers(2)
        client = processes.enter_context(distributed.Client(cluster.address, set_as_default=False))
        processes.enter_context(joblib.parallel_config(backend="dask", client=client))
        assert model.fit(X, y).to_json() == expected
        story = client.run(lambda dask_worker: len(dask_worker.state.log))
    assert len(story) == 2
    assert min(story.values()) > 0
