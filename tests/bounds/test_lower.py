"""The pair-cover bound, compared with an exhaustive search over sets of features."""

from helpers.oracles.brute_force import fewest_separating_features, minimum_inner_nodes
from helpers.random_problems import formula, random_problem, rows_of

from puretree import MaxSat
from puretree._support.clock import NO_LIMIT, Clock
from puretree.bounds.lower import pair_cover_bounds
from puretree.engines import solve
from puretree.sat import LocalOracle


def test_last_bound_is_the_minimum_cover() -> None:
    """Bounds increase up to the smallest set of features that separates the classes, and never exceed the minimum."""
    for seed in range(80):
        problem = random_problem(seed)
        rows, labels = rows_of(problem), problem.labels.tolist()
        bounds = list(pair_cover_bounds(problem, LocalOracle(), NO_LIMIT))
        assert bounds == sorted(set(bounds))
        assert [3, *bounds][-1] == 2 * fewest_separating_features(rows, labels) + 1
        assert [3, *bounds][-1] <= 2 * minimum_inner_nodes(rows, labels) + 1


def test_solve_can_compute_the_bound_before_any_engine() -> None:
    """mux6 needs all six features: the lower bound reaches 13 nodes before the engine starts."""
    outcome = solve(formula("mux6"), MaxSat(isolated=False), pair_cover=True)
    assert [bounds.lower for bounds in outcome.history][:5] == [3, 3, 5, 7, 9]
    assert {bounds.lower for bounds in outcome.history} == {3, 5, 7, 9, 11, 13, 15}
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


def test_no_bound_without_time() -> None:
    """After the time limit no bound is reported."""
    assert list(pair_cover_bounds(formula("mux6"), LocalOracle(), Clock(0))) == []
