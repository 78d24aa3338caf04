"""Infer-depth and infer-size: pure trees of minimum depth, and the smallest at that depth."""

import time
from functools import cache
from math import inf
from typing import get_args

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_cost
from helpers.random_problems import formula, noise, random_problem, rows_of

from puretree import BinaryProblem, InfeasibleError, InputError
from puretree._support.clock import Clock
from puretree.encoding import CompleteTreeEncoding
from puretree.engines import infer_depth, solve
from puretree.engines.incumbent import Incumbent
from puretree.engines.infer_depth import Direction, InferDepth
from puretree.engines.infer_size import InferSize
from puretree.problem import Constraints

N_RANDOM = 160
ENGINES = [
    make(direction=direction, isolated=False) for make in (InferDepth, InferSize) for direction in get_args(Direction)
]


def name_of(engine: InferDepth) -> str:
    """Return the name of an engine and its direction."""
    return f"{engine.name}, {engine.direction}"


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
@pytest.mark.parametrize("direction", get_args(Direction))
def test_depth_equals_brute_force(direction: Direction, part: int) -> None:
    """Infer-depth: the tree is pure, no pure tree is shallower, and the size is not claimed to be minimum."""
    for seed in range(part, N_RANDOM, 4):
        problem = random_problem(seed)
        outcome = solve(problem, InferDepth(direction=direction, isolated=False))
        assert outcome.tree is not None
        assert problem.is_pure(outcome.tree)
        assert outcome.lower_bound == outcome.upper_bound == outcome.tree.depth == minimum_of(seed)[0], seed
        assert (outcome.status, outcome.minimised, outcome.is_minimum) == ("optimal", "depth", False)


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("direction", get_args(Direction))
def test_size_at_minimum_depth_equals_brute_force(direction: Direction, part: int) -> None:
    """Infer-size: the tree has minimum depth, and no pure tree of that depth is smaller; deeper ones may be."""
    for seed in range(part, N_RANDOM, 4):
        outcome = solve(random_problem(seed), InferSize(direction=direction, isolated=False))
        assert outcome.tree is not None
        assert (outcome.tree.depth, outcome.n_nodes) == minimum_of(seed), seed
        assert outcome.lower_bound == outcome.upper_bound == minimum_of(seed)[0]
        assert (outcome.status, outcome.minimised, outcome.is_minimum) == ("optimal", "depth-then-nodes", False)


@pytest.mark.parametrize("engine", [InferDepth(), InferSize()], ids=lambda engine: engine.name)
def test_defaults(engine: InferDepth) -> None:
    """With the solver in its own process: mux6 needs three tests on every path."""
    outcome = solve(formula("mux6"), engine)
    assert outcome.tree is not None
    assert (outcome.status, outcome.tree.depth, outcome.n_nodes) == ("optimal", 3, 15)


def depths_tried(
    problem: BinaryProblem, engine: InferDepth, monkeypatch: pytest.MonkeyPatch, constraints: Constraints | None = None
) -> list[int]:
    """Solve a problem and return the depths of the formulas, in order."""
    depths: list[int] = []
    make_encoding = infer_depth.make_encoding

    def record(incumbent: Incumbent, depth: int) -> CompleteTreeEncoding:
        depths.append(depth)
        return make_encoding(incumbent, depth)

    monkeypatch.setattr(infer_depth, "make_encoding", record)
    assert solve(problem, engine, constraints=constraints).status == "optimal"
    return depths


def test_the_depth_decreases_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the depth of the heuristics' tree, 5, down to the first depth without a tree, 2; the option goes up to 3."""
    depths = depths_tried(formula("mux6"), InferDepth(isolated=False), monkeypatch)
    assert depths in ([4, 3, 2], [4, 2])  # the tree of at most 4 tests on a path may have 3
    assert depths_tried(formula("mux6"), InferDepth(isolated=False, direction="up"), monkeypatch) == [1, 2, 3]


def test_the_depth_increases_while_no_tree_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the heuristics' trees are too deep for max_depth, there is nothing to decrease."""
    depths = depths_tried(formula("mux6"), InferDepth(isolated=False), monkeypatch, Constraints(max_depth=3))
    assert depths == [1, 2, 3]


@pytest.mark.parametrize("make", [InferDepth, InferSize])
def test_formulas_for_deep_trees_reach_the_memory_limit(make: type[InferDepth]) -> None:
    """If the heuristics' tree is so deep that the next formula cannot be built, that tree is the result."""
    problem = chain(40)
    outcome = solve(problem, make(isolated=False))
    assert outcome.tree is not None
    assert problem.is_pure(outcome.tree)
    assert (outcome.status, outcome.upper_bound, outcome.tree.depth) == ("memory_limit", 40, 40)
    assert outcome.lower_bound < 40
    assert CompleteTreeEncoding.n_bytes(problem, 5000, 1) > 1e300  # no overflow for any depth


def chain(n_tests: int) -> BinaryProblem:
    """Return a problem whose trees have to test all features on one path, that of the example in which none is true."""
    X = np.vstack([np.zeros(n_tests), np.eye(n_tests)])
    return BinaryProblem.from_rows(X, X.any(axis=1))


def test_a_formula_has_no_more_examples_than_the_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few examples do not exceed the memory that they need: the chain of 8 tests has 9 examples, not 2**7."""
    monkeypatch.setattr("puretree.engines.incumbent.MOST_BYTES", CompleteTreeEncoding.n_bytes(chain(8), 7, 9))
    assert solve(chain(8), InferDepth(isolated=False)).status == "optimal"


def test_unknown_directions_are_rejected() -> None:
    """The error names the option and its values."""
    for make in (InferDepth, InferSize):
        with pytest.raises(InputError, match="direction='left' is unknown; use one of down, up"):
            make(direction="left")  # type: ignore[arg-type]


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


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
def test_constraints_are_satisfied(engine: InferDepth) -> None:
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


@pytest.mark.parametrize("engine", [InferDepth(), InferDepth(direction="up"), InferSize()], ids=name_of)
def test_time_limit_is_enforced(engine: InferDepth) -> None:
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
