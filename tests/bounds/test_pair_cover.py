"""The pair-cover bound, held against trying every set of features."""

from helpers.oracles.brute_force import fewest_telling_features, minimum_inner_nodes
from helpers.random_problems import formula, random_problem, rows_of

from puretree import MaxSat
from puretree._support.clock import NO_LIMIT, Clock
from puretree.bounds.lower import pair_cover_bounds
from puretree.engines import solve
from puretree.sat import LocalOracle


def test_the_last_bound_is_the_smallest_cover() -> None:
    """Bounds rise to the smallest set of features that tells all classes apart, and never above the minimum tree."""
    for seed in range(80):
        problem = random_problem(seed)
        rows, labels = rows_of(problem), problem.labels.tolist()
        bounds = list(pair_cover_bounds(problem, LocalOracle(), NO_LIMIT))
        assert bounds == sorted(set(bounds))
        assert [3, *bounds][-1] == 2 * fewest_telling_features(rows, labels) + 1
        assert [3, *bounds][-1] <= 2 * minimum_inner_nodes(rows, labels) + 1


def test_it_is_an_option_of_every_engine() -> None:
    """mux6 needs all six features: at least 13 nodes, before any engine starts."""
    outcome = solve(formula("mux6"), MaxSat(isolated=False), pair_cover=True)
    assert [bounds.lower for bounds in outcome.history][:5] == [3, 3, 5, 7, 9]
    assert {bounds.lower for bounds in outcome.history} == {3, 5, 7, 9, 11, 13, 15}
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


def test_no_time_no_bound() -> None:
    """With the clock over nothing is claimed."""
    assert list(pair_cover_bounds(formula("mux6"), LocalOracle(), Clock(0))) == []
