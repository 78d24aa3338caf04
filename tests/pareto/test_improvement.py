"""The improvement of trees that are not proved: it is valid, and it helps."""

import numpy as np
import pytest
from helpers.random_problems import larger_cost_problem

from puretree._support.clock import Clock
from puretree.pareto import OpenFront
from puretree.pareto.cart import min_plus
from puretree.pareto.improvement import improve
from puretree.problem import Constraints, CostProblem


@pytest.mark.parametrize("seed", range(8))
def test_improved_trees_are_valid(seed: int) -> None:
    """Every tree satisfies the constraints, has the cost that is stated, and none is below the proved front."""
    problem = larger_cost_problem(seed)
    constraints = [
        Constraints(),
        Constraints(max_depth=3),
        Constraints(min_samples_leaf=4),
        Constraints(root=frozenset({1, 2}), max_depth=4),
    ][seed % 4]
    exact = OpenFront(problem, constraints)
    assert exact.solve(Clock()) == "optimal"
    search = OpenFront(problem, constraints)
    search.offer_first_trees()
    before = search.curves.upper
    improve(search.curves, search.cart, Clock(0.2))
    assert (search.curves.upper <= before).all()
    assert (search.curves.upper >= exact.curves.upper).all()
    for n_tests in search.curves.points:
        search.curves.tree(n_tests)  # raises an error if it is not valid


def test_improvement_helps() -> None:
    """On noise, small parts of CART's trees have better trees."""
    rng = np.random.default_rng(3)
    problem = CostProblem.from_rows(rng.integers(0, 2, (150, 10)), rng.integers(0, 2, 150))
    search = OpenFront(problem, Constraints())
    search.offer_first_trees()
    before = search.curves.upper
    improve(search.curves, search.cart, Clock(0.5))
    assert search.curves.upper.sum() < before.sum()


def test_the_least_sum_of_two_curves() -> None:
    """It is that of all pairs of sizes."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        first, second = (np.sort(rng.integers(0, 50, rng.integers(1, 6)))[::-1] for _ in range(2))
        sums = min_plus(first, second)
        for size, cost in enumerate(sums):
            pairs = [(i, size - i) for i in range(len(first)) if 0 <= size - i < len(second)]
            assert cost == min(first[i] + second[j] for i, j in pairs)
