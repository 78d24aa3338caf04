"""What only the MaxSAT engine does: costs."""

import numpy as np
import pytest
from oracles.brute_force import minimum_cost, minimum_trees, walk
from random_problems import random_problem, rows_of

from puretree import BinaryProblem, InputError, MaxSat, MinDt
from puretree.engines import solve
from puretree.steering import Steering


def with_costs(seed: int, largest: int) -> BinaryProblem:
    """Make a random problem whose features cost 0 to ``largest``."""
    problem = random_problem(seed)
    costs = np.random.default_rng(seed).integers(0, largest + 1, problem.n_features)
    return BinaryProblem.from_rows(rows_of(problem), problem.labels, costs=costs)


def nested_cost(nested: object, costs: list[int]) -> int:
    """Return the cost of a tree of nested triples."""
    if not isinstance(nested, tuple):
        return 0
    feature, no, yes = nested
    return costs[feature] + nested_cost(no, costs) + nested_cost(yes, costs)


@pytest.mark.parametrize("largest", [1, 3, 1000])
def test_the_cheapest_tree_is_that_of_brute_force(largest: int) -> None:
    """The cost alone: no pure tree of any size is cheaper."""
    for seed in range(20):
        problem = with_costs(seed, largest)
        truth = minimum_cost(rows_of(problem), problem.labels.tolist(), problem.costs.tolist())
        outcome = solve(problem, MaxSat(isolated=False), steering=Steering(minimise="cost"))
        assert outcome.status == "optimal"
        assert outcome.cost == outcome.lower_bound == outcome.upper_bound == truth, seed


@pytest.mark.parametrize("backend", ["linear", "rc2"])
def test_nodes_first_then_cost(backend: str) -> None:
    """Of the trees with fewest nodes the cheapest one comes out."""
    for seed in range(20 if backend == "linear" else 4):
        problem = with_costs(seed, 9)
        trees = minimum_trees(rows_of(problem), problem.labels.tolist())
        truth = min(nested_cost(tree, problem.costs.tolist()) for tree in trees)
        outcome = solve(problem, MaxSat(backend, isolated=False), steering=Steering(minimise="nodes-then-cost"))
        assert outcome.status == "optimal"
        assert outcome.cost == truth, seed
        assert outcome.tree is not None
        nested = outcome.tree.to_nested()
        assert [walk(nested, row) for row in rows_of(problem)] == problem.labels.tolist()
        assert outcome.n_nodes == min(str(tree).count("(") for tree in trees) * 2 + 1


def test_mindt_minimises_nodes_only() -> None:
    """MinDT says so instead of returning something else."""
    with pytest.raises(InputError, match="mindt minimises nodes only"):
        solve(random_problem(1), MinDt(isolated=False), steering=Steering(minimise="cost"))
