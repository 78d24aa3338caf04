"""The trees that vote: the band that was asked for, or the widest one for which there is time."""

from typing import Any

import numpy as np
import pytest

from puretree import FrontPoint, InputError, UnfinishedError, front
from puretree._support.clock import Clock
from puretree.selection.candidates import CandidateSet
from puretree.tuning import check_vote, find_voters, trees_of_point

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(0, 4, (80, 3))
Y = ((X[:, 0] > 1) ^ (RANDOM.random(80) < 0.2)).astype(int)


def point_and_trees() -> tuple[FrontPoint, CandidateSet]:
    """Return a point with errors, and its trees."""
    found = front(X, Y)
    point = found.at(max_nodes=5)
    assert point.errors >= 4
    return point, trees_of_point(found, point, Clock(), None)


def test_a_band_holds_trees_with_more_errors() -> None:
    """Of at most the size of the point; a fraction of its errors, rounded down."""
    point, candidates = point_and_trees()
    voters = find_voters(0.5, point, candidates, Clock(), None)
    assert voters is not None
    assert voters.fraction == 0.5
    assert voters.forest.counts_by_cost == point.forest(extra_errors=point.errors // 2).counts_by_cost
    assert max(size for size, _ in voters.forest.counts_by_cost) == point.n_nodes
    of_point = find_voters("point", point, candidates, Clock(), None)
    assert of_point is not None
    assert of_point.forest is candidates.forest
    assert of_point.fraction == 0
    assert find_voters(None, point, candidates, Clock(), None) is None


@pytest.mark.parametrize(("n_failures", "fraction"), [(1, 0.25), (2, 0.125), (3, 0.0)])
def test_a_smaller_band_votes_if_a_limit_is_reached(
    monkeypatch: pytest.MonkeyPatch, n_failures: int, fraction: float
) -> None:
    """Each is half as wide as the one before; at the end, the trees of the point vote."""
    point, candidates = point_and_trees()
    asked, find = [], FrontPoint.forest

    def forest(point: FrontPoint, **options: Any) -> Any:
        asked.append(options["extra_cost"] / point.cost)
        if len(asked) <= n_failures:
            raise UnfinishedError("time limit reached", None)
        return find(point, **options)

    monkeypatch.setattr(FrontPoint, "forest", forest)
    voters = find_voters(0.5, point, candidates, Clock(), None)
    assert voters is not None
    assert voters.fraction == fraction
    assert asked == [0.5, 0.25, 0.125][: n_failures + 1]


def test_an_interrupt_stops_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a result without the band."""
    point, candidates = point_and_trees()

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FrontPoint, "forest", interrupt)
    clock = Clock(60.0)
    find_voters(0.5, point, candidates, clock, None)
    assert clock.is_stopped


@pytest.mark.parametrize("vote", [-1.0, "all", True, float("nan"), float("inf")])
def test_wrong_votes_are_named(vote: Any) -> None:
    """The message lists what is possible."""
    with pytest.raises(InputError, match=r"vote=.* is neither 'point', nor a number"):
        check_vote(vote)
