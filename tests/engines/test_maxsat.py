"""The MaxSAT engine: costs, and all kinds of MaxSAT solvers."""

import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_cost, minimum_trees, walk
from helpers.random_problems import formula, noise, random_problem, rows_of

from puretree import BinaryProblem, InputError, MaxSat, MinDt, SolverError
from puretree._support.clock import Clock
from puretree._support.resources import resident_bytes
from puretree.bounds.upper import greedy_tree
from puretree.engines import solve
from puretree.maxsat import External, Hermax, Linear, Rc2
from puretree.problem import Constraints


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


@pytest.mark.parametrize("largest", [1, 3, pytest.param(1000, marks=pytest.mark.slow)])
def test_minimum_cost_equals_brute_force(largest: int) -> None:
    """If only the cost is minimised, no pure tree of any size is cheaper."""
    for seed in range(20):
        problem = with_costs(seed, largest)
        minimum = minimum_cost(rows_of(problem), problem.labels.tolist(), problem.costs.tolist())
        outcome = solve(problem, MaxSat(isolated=False), constraints=Constraints(minimise="cost"))
        assert outcome.status == "optimal"
        assert outcome.cost == outcome.lower_bound == outcome.upper_bound == minimum, seed


@pytest.mark.parametrize("backend", ["linear", "rc2"])
def test_nodes_are_minimised_before_cost(backend: str) -> None:
    """The cheapest of the trees with fewest nodes is returned."""
    for seed in range(20 if backend == "linear" else 4):
        problem = with_costs(seed, 9)
        trees = minimum_trees(rows_of(problem), problem.labels.tolist())
        minimum = min(nested_cost(tree, problem.costs.tolist()) for tree in trees)
        outcome = solve(problem, MaxSat(backend, isolated=False), constraints=Constraints(minimise="nodes-then-cost"))
        assert outcome.status == "optimal"
        assert outcome.cost == minimum, seed
        assert outcome.tree is not None
        nested = outcome.tree.to_nested()
        assert [walk(nested, row) for row in rows_of(problem)] == problem.labels.tolist()
        assert outcome.n_nodes == min(str(tree).count("(") for tree in trees) * 2 + 1


def test_outcome_without_a_tree() -> None:
    """If no tree is shallow enough and time is too short for a proof, there is no tree but a lower bound."""
    X = np.array([[number >> bit & 1 for bit in range(8)] for number in range(256)])
    problem = BinaryProblem.from_rows(X, X.sum(axis=1) % 2)
    outcome = solve(problem, MaxSat(), constraints=Constraints(max_depth=7), clock=Clock(3), pair_cover=True)
    assert (outcome.status, outcome.tree, outcome.n_nodes, outcome.upper_bound) == ("time_limit", None, None, None)
    assert outcome.lower_bound >= 17  # from the pair-cover bound; more depends on the machine


def test_mindt_rejects_costs() -> None:
    """MinDT minimises only nodes, and raises an error otherwise."""
    with pytest.raises(InputError, match="engine='mindt' does not support minimise='cost'"):
        solve(random_problem(1), MinDt(isolated=False), constraints=Constraints(minimise="cost"))


def faulty_solver(fault: str) -> MaxSat:
    """Return the engine with a program that finds a model and then misbehaves."""
    program = (sys.executable, str(Path(__file__).parents[1] / "helpers" / "faulty_solver.py"), fault)
    return MaxSat(External(program, name="faulty"))


@pytest.mark.parametrize("backend", ["linear", "rc2", Linear(solver="glucose4"), Rc2("cadical195")])
def test_backends_by_name_and_by_object(backend: object) -> None:
    """Every backend proves the same size."""
    outcome = solve(formula("mux6"), MaxSat(backend))  # type: ignore[arg-type]
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


@pytest.mark.skipif(find_spec("hermax") is None, reason="hermax is not installed")
@pytest.mark.parametrize("solver", ["UWrMaxSAT", "EvalMaxSAT"])
def test_hermax_finds_the_same_size(solver: str) -> None:
    """The solvers of hermax prove the same size."""
    outcome = solve(formula("mux6"), MaxSat(Hermax(solver)))
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


def test_false_optimum_of_an_untrusted_program_is_corrected() -> None:
    """If a program reports any model as optimal, the linear search continues from it and proves the true optimum."""
    outcome = solve(formula("mux6"), faulty_solver("false-optimum"))
    assert (outcome.status, outcome.n_nodes) == ("optimal", 15)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("die", r"faulty was killed by signal 9"),
        ("invalid-model", r"faulty .*hard clause"),
        ("garbage", r"the output of faulty is invalid"),
        ("false-unsatisfiable", r"faulty"),
    ],
)
def test_failure_of_a_program_keeps_the_best_tree(fault: str, message: str) -> None:
    """A program that dies or returns an invalid answer raises SolverError, which carries the best known tree."""
    problem = formula("mux6")
    with pytest.raises(SolverError, match=message) as caught:
        solve(problem, faulty_solver(fault))
    outcome = caught.value.outcome
    assert outcome.status == "failed"
    assert problem.is_pure(outcome.tree)
    assert 3 == outcome.lower_bound < 15 <= outcome.upper_bound == outcome.n_nodes


def test_program_that_hangs_is_stopped_in_time() -> None:
    """The time limit is enforced, and the program's best tree is kept."""
    problem = formula("mux6")
    start = time.monotonic()
    outcome = solve(problem, faulty_solver("hang"), clock=Clock(3))
    assert time.monotonic() - start < 4
    assert outcome.status == "time_limit"
    assert outcome.n_nodes is not None
    assert 15 <= outcome.n_nodes <= greedy_tree(problem).n_nodes


def test_formula_too_large_for_the_memory_limit_is_not_built() -> None:
    """The limit covers the process and the solver; a formula that does not fit gives memory_limit immediately."""
    outcome = solve(noise(250, 40), MaxSat(memory_limit=resident_bytes() + 1e8), clock=Clock(30))
    assert outcome.status == "memory_limit"
    assert outcome.tree is not None
    assert outcome.seconds < 10


@pytest.mark.parametrize("memory_limit", [0, -1, "2 GB", True])
def test_invalid_memory_limit_is_rejected(memory_limit: object) -> None:
    """A limit that is not a positive number of bytes raises an error when the engine is made."""
    with pytest.raises(InputError, match="is not a number of bytes"):
        MaxSat(memory_limit=memory_limit)  # type: ignore[arg-type]
