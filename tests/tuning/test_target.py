"""Which point of the front is wanted."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from puretree import InputError
from puretree._support.clock import Clock
from puretree.pareto import find_front
from puretree.selection import Rows
from puretree.table import read_labels, read_table
from puretree.tuning import FrontParameters, Target
from puretree.tuning.target import distinct_points

X = np.random.default_rng(0).integers(0, 4, (90, 3))
Y = np.random.default_rng(1).integers(0, 2, 90)
ROWS = Rows.read(read_table(X), read_labels(Y, 90))
PREPARED = FrontParameters().prepare(ROWS, Clock())
CONSTRAINTS = FrontParameters().constraints(PREPARED, None)


@pytest.mark.parametrize("options", [{"alpha": 0.02}, {"alpha": 0.05}, {"alpha": 0}, {"max_errors": 30}])
def test_the_search_ends_when_the_point_is_proved(options: dict[str, Any]) -> None:
    """The point is that of the whole front, ties included, and larger sizes may be open."""
    whole = find_front(PREPARED, CONSTRAINTS, clock=Clock())
    target = Target(**options)
    part = find_front(PREPARED, CONSTRAINTS, goal=target.goal(PREPARED), clock=Clock())
    found, expected = part.at(**options), whole.at(**options)
    assert (found.n_nodes, found.cost, found.status) == (expected.n_nodes, expected.cost, "optimal")
    assert target.choose(part, ROWS, (), FrontParameters(), Clock()).point.n_nodes == expected.n_nodes
    assert target.split(ROWS.table, ROWS.labels, np.random.RandomState(0)) == ()


def test_time_is_shared() -> None:
    """A third is for the front of all rows if there are folds, else five sixths."""
    assert Target().clock(Clock(60)).limit == pytest.approx(20, rel=0.01)
    assert Target(alpha=0.1).clock(Clock(60)).limit == pytest.approx(50, rel=0.01)


def test_after_an_interrupt_each_leaf_saves_two_rows() -> None:
    """There is no cross-validation then."""
    whole = find_front(PREPARED, CONSTRAINTS, clock=Clock())
    clock = Clock()
    clock.stop()
    tuned = Target().choose(whole, ROWS, (), FrontParameters(), clock)
    assert (tuned.validated, tuned.index, tuned.smoothing) == (None, None, 1.0)
    assert tuned.point.n_nodes == whole.at(alpha=2 / 90).n_nodes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": "lowest"}, "alpha='lowest' is neither a price nor 'cv'"),
        ({"alpha": 0.1, "max_errors": 1}, "alpha=0.1 contradicts max_errors"),
        ({"rule": "one"}, "rule='one' is unknown; use one of best, one-se"),
        ({"smoothing": -1}, "smoothing=-1 is not a number of at least 0, nor 'cv'"),
        ({"smoothing": "much"}, "smoothing='much'"),
    ],
)
def test_wrong_parameters_are_named(options: dict[str, Any], message: str) -> None:
    """The message says what to use."""
    with pytest.raises(InputError, match=message):
        Target(**options)


def test_points_of_similar_size_are_not_compared() -> None:
    """All sizes up to 21 nodes are, then those that are 10 % larger than the one before, and the last one."""
    random = np.random.default_rng(0)
    rows = Rows.read(read_table(random.random((500, 3))), read_labels(random.integers(0, 2, 500), 500))
    prepared = FrontParameters().prepare(rows, Clock())
    front = find_front(prepared, FrontParameters().constraints(prepared, None), clock=Clock(0.2))
    sizes, compared = [point.n_nodes for point in front], [point.n_nodes for point in distinct_points(front)]
    assert [size for size in sizes if size <= 21] == [size for size in compared if size <= 21]
    assert compared[-1] == sizes[-1] > 100
    assert all(larger >= 1.1 * size for size, larger in pairwise(compared[:-1]))
    assert len(compared) < len(sizes)
