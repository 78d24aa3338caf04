"""Infer-depth and infer-size: pure trees of minimum depth, and the smallest at that depth."""

import time
from functools import cache
from math import inf

import pytest
from helpers.oracles.brute_force import minimum_cost
from helpers.random_problems import formula, noise, random_problem, rows_of

from puretree import InfeasibleError, InputError
from puretree._support.clock import Clock
from puretree.engines import solve
from puretree.engines.infer_depth import InferDepth
from puretree.engines.infer_size import InferSize
from puretree.problem import Constraints

N_RANDOM = 160


@cache
def minimum_of(seed: int) -> tuple[int, int]:
    """Return the minimum depth of a pure tree of a random problem, and the minimum size at that depth."""
    problem = random_problem(seed)
    for depth in range(1, problem.n_features + 1):
        n_inner = minimum_cost(rows_of(problem), problem.labels.tolist(), [1] * problem.n_features, max_depth=depth)
        if n_inner < inf:
            return depth, 2 * int(n_inner) + 1
    raise AssertionError("rows are contradictory")


@pytest.mark.parametrize("part", range(4))
def test_depth_equals_brute_force(part: int) -> None:
    """Infer-depth: the tree is pure, no pure tree is shallower, and the size is not claimed to be minimum."""
    for seed in range(part, N_RANDOM, 4):
        problem = random_problem(seed)
        outcome = solve(problem, InferDepth(isolated=False))
        assert outcome.tree is not None
        assert problem.is_pure(outcome.tree)
        assert outcome.lower_bound == outcome.upper_bound == outcome.tree.depth == minimum_of(seed)[0], seed
        assert (outcome.status, outcome.minimised, outcome.is_minimum) == ("optimal", "depth", False)


@pytest.mark.parametrize("part", range(4))
def test_size_at_minimum_depth_equals_brute_force(part: int) -> None:
    """Infer-size: the tree has minimum depth, and no pure tree of that depth is smaller; deeper ones may be."""
    for seed in range(part, N_RANDOM, 4):
        outcome = solve(random_problem(seed), InferSize(isolated=False))
        assert outcome.tree is not None
        assert (outcome.tree.depth, outcome.n_nodes) == minimum_of(seed), seed
        assert outcome.lower_bound == outcome.upper_bound == minimum_of(seed)[0]
        assert (outcome.status, outcome.minimised, outcome.is_minimum) == ("optimal", "depth-then-nodes", False)


@pytest.mark.parametrize("engine", [InferDepth(), InferSize()], ids=lambda engine: engine.name)
def test_defaults(engine: InferDepth | InferSize) -> None:
    """With the solver in its own process: mux6 needs three tests on every path."""
    outcome = solve(formula("mux6"), engine)
    assert outcome.tree is not None
    assert (outcome.status, outcome.tree.depth, outcome.n_nodes) == ("optimal", 3, 15)


def test_minimum_depth_does_not_imply_minimum_size() -> None:
    """The smallest tree of minimum depth may be larger than the minimum tree, as the paper's Table 1 states."""
    sizes = [
        (
            minimum_of(seed)[1],
            2 * minimum_cost(rows_of(problem), problem.labels.tolist(), [1] * problem.n_features) + 1,
        )
        for seed in range(N_RANDOM)
        for problem in [random_problem(seed)]
    ]
    assert any(size_at_depth > minimum for size_at_depth, minimum in sizes)


@pytest.mark.parametrize("engine", [InferDepth(isolated=False), InferSize(isolated=False)], ids=lambda e: e.name)
def test_constraints_are_satisfied(engine: InferDepth | InferSize) -> None:
    """Root and max_depth are satisfied or proved infeasible; other constraints are rejected by name."""
    n_infeasible = 0
    for seed in range(40):
        problem = random_problem(seed)
        ones = [1] * problem.n_features
        rows, labels = rows_of(problem), problem.labels.tolist()
        constraints = Constraints(max_depth=2, root=[seed % 2])
        if minimum_cost(rows, labels, ones, max_depth=2, root=[seed % 2]) == inf:
            n_infeasible += 1
            with pytest.raises(InfeasibleError, match="at most 2 tests"):
                solve(problem, engine, constraints=constraints)
            continue
        outcome = solve(problem, engine, constraints=constraints)
        assert outcome.tree is not None
        assert (outcome.status, int(outcome.tree.feature[0])) == ("optimal", seed % 2)
        assert minimum_cost(rows, labels, ones, max_depth=outcome.tree.depth - 1, root=[seed % 2]) == inf
    assert 0 < n_infeasible < 40
    with pytest.raises(InputError, match="does not support max_leaf_nodes"):
        solve(random_problem(0), engine, constraints=Constraints(max_nodes=31))


@pytest.mark.parametrize("engine", [InferDepth(), InferSize()], ids=lambda engine: engine.name)
def test_time_limit_is_enforced(engine: InferDepth | InferSize) -> None:
    """At the time limit a pure tree and both bounds are returned, without a proof."""
    start = time.monotonic()
    problem = noise(250, 20)
    outcome = solve(problem, engine, clock=Clock(1.0))
    assert time.monotonic() - start < 4
    assert outcome.status == "time_limit"
    assert outcome.tree is not None
    assert problem.is_pure(outcome.tree)
    assert outcome.upper_bound is not None
    assert outcome.lower_bound < outcome.upper_bound == outcome.tree.depth
