"""The exact search, held against brute force and MaxSAT: sizes, numbers of trees, wishes and limits."""

import subprocess
import sys
import time
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.brute_force import minimum_cost, minimum_trees
from oracles.forest import size_of
from random_problems import formula, larger_problem, noise, random_problem, rows_of

from puretree import BinaryProblem, InfeasibleError, InputError, MaxSat, Search, Tree, minimum_tree
from puretree.clock import Clock
from puretree.datasets.paper import load_paper, paper_binarizer
from puretree.encoding import TreeEncoding
from puretree.engines import solve
from puretree.engines.search import run
from puretree.forest import Graph, grow_forest
from puretree.record import Record
from puretree.sat import LocalOracle
from puretree.steering import Minimise, Steering

N_RANDOM = 1000
N_LARGER = 60
LARGE = 10**6
N_SLICES = 10  # so that they are shared out among test processes


def count_trees(graph: Graph) -> int:
    """Count the trees of a graph: at each node the sum over its edges of one side times the other."""
    trees: list[int] = []
    for node in range(graph.n_nodes):
        edges = range(graph.edge_start[node], graph.edge_start[node + 1])
        trees.append(sum(trees[graph.no[e]] * trees[graph.yes[e]] for e in edges) if edges else 1)
    return sum(trees[root] for root in graph.roots)


def count_models(problem: BinaryProblem, n_nodes: int) -> int:
    """Count the models of the encoding with exactly so many nodes: a model is shut out by its tree's literals."""
    encoding = TreeEncoding(problem, n_nodes, lower=n_nodes)
    oracle = LocalOracle()
    encoding.write(oracle)
    n_models = 0
    while oracle.solve([]):
        n_models += 1
        tree = encoding.tree(oracle.model(encoding.pool.n_vars))
        oracle.add(-np.array([encoding.literals(tree)], dtype=np.int32))
    oracle.close()
    return n_models


@pytest.mark.parametrize("part", range(N_SLICES))
def test_the_optimum_and_the_count_are_those_of_brute_force(part: int) -> None:
    """On 1000 random problems of 2, 3 and 4 classes: the size of minimum trees, and how many there are."""
    for seed in range(part, N_RANDOM, N_SLICES):
        problem = random_problem(seed)
        trees = minimum_trees(rows_of(problem), problem.labels.tolist())
        n_nodes = 2 * size_of(next(iter(trees))) + 1
        outcome = solve(problem, Search())
        assert (outcome.status, outcome.lower_bound, outcome.n_nodes) == ("optimal", n_nodes, n_nodes), seed
        assert count_trees(grow_forest(problem)[1]) == len(trees), seed


@pytest.mark.parametrize("part", range(N_SLICES))
def test_the_optimum_and_the_count_are_those_of_maxsat(part: int) -> None:
    """On the same 1000 problems: the size that MaxSAT proves, and the number of models of its encoding."""
    for seed in range(part, N_RANDOM, N_SLICES):
        problem = random_problem(seed)
        proved = solve(problem, MaxSat(isolated=False))
        outcome, graph = grow_forest(problem)
        assert proved.status == outcome.status == "optimal"
        assert outcome.n_nodes == proved.n_nodes, seed
        assert proved.n_nodes is not None
        assert count_trees(graph) == count_models(problem, proved.n_nodes), seed


WISHES: dict[str, dict[str, Any]] = {
    "none": {},
    "max_depth": {"max_depth": 5},
    "root": {"root": [1, 3]},
    "min_leaf": {"min_leaf": 2},
    "max_nodes": {"max_nodes": 22},
    "large leaves, not deep": {"max_depth": 5, "min_leaf": 3},
    "all": {"max_depth": 6, "root": [0, 2], "min_leaf": 2, "max_nodes": 29},
}
REFUSED = {
    "max_depth": "with at most 5 tests on every path",
    "min_leaf": "with at least 2 rows at every leaf",
    "max_nodes": "of at most 22 nodes",
    "large leaves, not deep": "with at most 5 tests on every path with at least 3 rows at every leaf",
    "all": "with the root asked for with at most 6 tests on every path of at most 29 nodes with at least 2 rows at",
}


def truth(problem: BinaryProblem, costs: list[Any], steering: Steering) -> Any:
    """Return the least total of the costs, by brute force; infinite if no tree keeps to the wishes."""
    return minimum_cost(
        rows_of(problem),
        problem.labels.tolist(),
        costs,
        max_depth=inf if steering.max_depth is None else steering.max_depth,
        root=None if steering.root is None else list(steering.root),
        min_leaf=steering.min_leaf,
        weights=problem.weights.tolist(),
    )


@pytest.mark.parametrize("wish", WISHES)
def test_larger_problems_with_every_wish(wish: str) -> None:
    """On 60 problems of up to 60 rows, with much memory and with none: the smallest tree that keeps to the wish."""
    steering = Steering(**WISHES[wish])
    n_infeasible = 0
    for seed in range(N_LARGER):
        problem = larger_problem(seed)
        least = truth(problem, [1] * problem.n_features, steering)
        is_feasible = 2 * least + 1 <= (steering.max_nodes or LARGE)
        n_infeasible += not is_feasible
        for engine in (Search(), Search(memory_limit=1)):
            if not is_feasible:
                with pytest.raises(InfeasibleError, match=f"there is no pure tree {REFUSED[wish]}"):
                    solve(problem, engine, steering=steering)
                continue
            outcome = solve(problem, engine, steering=steering)
            assert (outcome.status, outcome.n_nodes) == ("optimal", 2 * least + 1), seed
            assert outcome.tree is not None
            assert steering.allows(outcome.tree, problem)
    assert (0 < n_infeasible < N_LARGER) == (wish in REFUSED)


@pytest.mark.parametrize("minimise", ["nodes", "nodes-then-cost", "cost"])
@pytest.mark.parametrize("wish", ["none", "max_depth", "root", "min_leaf"])
def test_larger_problems_with_costs(minimise: Minimise, wish: str) -> None:
    """Fewest nodes, of those the cheapest, or the cheapest and of those the smallest: as brute force says."""
    steering = Steering(**WISHES[wish], minimise=minimise)
    for seed in range(N_LARGER // 2):
        problem = larger_problem(seed, dear=True)
        costs = problem.costs.tolist()
        scale = sum(costs) * problem.n_examples + 1  # the second aim never makes up for the first
        nodes_first, cost_first = [scale + cost for cost in costs], [scale * cost + 1 for cost in costs]
        best = truth(problem, cost_first if minimise == "cost" else nodes_first, steering)
        if best == inf:
            with pytest.raises(InfeasibleError):
                solve(problem, Search(), steering=steering)
            continue
        outcome = solve(problem, Search(), steering=steering)
        n_tests, cost = (best % scale, best // scale) if minimise == "cost" else (best // scale, best % scale)
        assert outcome.status == "optimal"
        assert outcome.lower_bound == outcome.upper_bound == (cost if minimise == "cost" else 2 * n_tests + 1), seed
        assert outcome.n_nodes == 2 * n_tests + 1, seed
        assert (outcome.cost == cost) or minimise == "nodes", seed
