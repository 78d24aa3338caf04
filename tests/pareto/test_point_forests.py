"""The forests of points of a front, which use the bounds of its search."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np
import pytest
from helpers.random_problems import random_cost_table

from puretree import UnfinishedError, front
from puretree._support.clock import Clock
from puretree.forest import grow_front
from puretree.pareto import find_front
from puretree.pareto import front as pareto_front
from puretree.problem import Constraints, prepare_costs

CONSTRAINTS: list[dict[str, Any]] = [{}, {"max_depth": 2}, {"min_samples_leaf": 3}, {"root": 1}]


@pytest.mark.parametrize("options", CONSTRAINTS)
@pytest.mark.parametrize("seed", range(12))
def test_bounds_of_the_front_change_no_tree(seed: int, options: dict[str, Any]) -> None:
    """With the search of a whole front, or of a part of it, the graph is that of a search of its own.

    Tables have contradictory rows, of which some cost the same whatever is predicted: the front does not need them.
    """
    X, y, costs = random_cost_table(seed)
    whole = front(X, y, **options, **costs)
    for max_nodes in (3, None):
        some = front(X, y, max_nodes=max_nodes, **options, **costs)
        for point in some:
            for extra_nodes, extra_cost in ((0, 0.0), (2, 0.0), (2, whole.upper[0] / 10)):
                forest = point.forest(extra_nodes, extra_cost=extra_cost)
                alone = pickle.loads(pickle.dumps(some))[some.points.index(point)]
                assert not alone._front._kept
                expected = alone.forest(extra_nodes, extra_cost=extra_cost)
                assert forest.counts_by_cost == expected.counts_by_cost
                assert list(islice(forest, 50)) == list(islice(expected, 50))


def test_a_front_can_be_copied_and_used_by_threads() -> None:
    """Copies have no search; of several threads one uses it, and the others open their own."""
    X, y, _ = random_cost_table(4)
    whole = front(X, y)
    expected = whole[-1].forest(2, 1).counts_by_cost
    for other in (copy.copy(whole), copy.deepcopy(whole), pickle.loads(pickle.dumps(whole))):
        assert other.to_dicts() == whole.to_dicts()
        assert other[-1].forest(2, 1).counts_by_cost == expected
    with ThreadPoolExecutor(4) as pool:
        assert all(
            counts == expected for counts in pool.map(lambda _: whole[-1].forest(2, 1).counts_by_cost, range(20))
        )
    assert len(whole._kept) == 1


def test_little_memory_and_time_leave_the_front_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a limit the next forest is complete, and a search that takes too much memory is not kept."""
    rng = np.random.default_rng(0)
    prepared = prepare_costs(rng.integers(0, 2, (60, 8)), rng.integers(0, 2, 60))
    whole = find_front(prepared, Constraints(max_nodes=9), clock=Clock())
    expected = whole[-1].forest(0, 3).counts_by_cost
    with pytest.raises(UnfinishedError, match="time limit reached"):
        whole[-1].forest(0, 3, time_limit=0)
    assert whole[-1].forest(0, 3).counts_by_cost == expected
    monkeypatch.setattr(grow_front, "free_bytes", lambda limit: 2000.0)
    with pytest.raises(UnfinishedError, match="do not fit into memory"):
        whole[-1].forest(0, 3)
    monkeypatch.undo()
    assert whole[-1].forest(0, 3).counts_by_cost == expected
    monkeypatch.setattr(pareto_front, "MAX_KEPT_BYTES", 0)
    whole = find_front(prepared, Constraints(max_nodes=9), clock=Clock())
    assert not whole._kept
    assert whole[-1].forest(0, 3).counts_by_cost == expected
