"""The exact search, compared with brute force and MaxSAT: sizes, numbers of trees, constraints and limits."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.oracles.brute_force import minimum_cost, minimum_trees
from helpers.oracles.forest import size_of
from helpers.random_problems import formula, larger_problem, noise, random_problem, rows_of

from puretree import (
    Auto,
    BinaryProblem,
    InfeasibleError,
    InputError,
    MaxSat,
    Search,
    Tree,
    UnfinishedWarning,
    minimum_tree,
)
from puretree._support.clock import Clock
from puretree.bounds.upper import greedy_tree
from puretree.datasets.paper import load_paper, paper_binarizer
from puretree.encoding import TreeEncoding
from puretree.engines import solve
from puretree.engines.incumbent import Incumbent
from puretree.engines.search import OpenSearch, prove_depth
from puretree.forest import Graph, grow_graph
from puretree.problem import Constraints, Minimise
from puretree.sat import LocalOracle

N_RANDOM = 1000
N_LARGER = 60
LARGE = 10**6
N_SLICES = 10  # to distribute the problems over test processes


def count_trees(graph: Graph) -> int:
    """Count the trees of a graph: at each node the sum over its edges of the product of both sides."""
    trees: list[int] = []
    for node in range(graph.n_nodes):
        edges = range(graph.edge_start[node], graph.edge_start[node + 1])
        trees.append(sum(trees[graph.no[e]] * trees[graph.yes[e]] for e in edges) if edges else 1)
    return sum(trees[root] for root in graph.roots)


def count_models(problem: BinaryProblem, n_nodes: int) -> int:
    """Count the models of the encoding with exactly `n_nodes` nodes, by blocking the literals of each tree."""
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
def test_optimum_and_count_equal_brute_force(part: int) -> None:
    """The size and number of minimum trees agree on 1000 random problems of 2, 3 and 4 classes."""
    for seed in range(part, N_RANDOM, N_SLICES):
        problem = random_problem(seed)
        trees = minimum_trees(rows_of(problem), problem.labels.tolist())
        n_nodes = 2 * size_of(next(iter(trees))) + 1
        outcome = solve(problem, Search())
        assert (outcome.status, outcome.lower_bound, outcome.n_nodes) == ("optimal", n_nodes, n_nodes), seed
        assert count_trees(grow_graph(problem)[1]) == len(trees), seed


@pytest.mark.slow
@pytest.mark.parametrize("part", range(N_SLICES))
def test_optimum_and_count_equal_maxsat(part: int) -> None:
    """On the same 1000 problems, MaxSAT proves the same size, and its encoding has as many models."""
    for seed in range(part, N_RANDOM, N_SLICES):
        problem = random_problem(seed)
        proved = solve(problem, MaxSat(isolated=False))
        outcome, graph = grow_graph(problem)
        assert proved.status == outcome.status == "optimal"
        assert outcome.n_nodes == proved.n_nodes, seed
        assert proved.n_nodes is not None
        assert count_trees(graph) == count_models(problem, proved.n_nodes), seed


CONSTRAINTS: dict[str, dict[str, Any]] = {
    "none": {},
    "max_depth": {"max_depth": 5},
    "root": {"root": [1, 3]},
    "min_samples_leaf": {"min_samples_leaf": 2},
    "max_nodes": {"max_nodes": 22},
    "large leaves, not deep": {"max_depth": 5, "min_samples_leaf": 3},
    "all": {"max_depth": 6, "root": [0, 2], "min_samples_leaf": 2, "max_nodes": 29},
}
INFEASIBLE = {
    "max_depth": "with at most 5 tests on every path",
    "min_samples_leaf": "with at least 2 rows in every leaf",
    "max_nodes": r"with at most 11 leaves \(22 nodes\)",
    "large leaves, not deep": "with at most 5 tests on every path, with at least 3 rows in every leaf",
    "all": r"with the required root column, with at most 6 tests on every path, with at most 15 leaves \(29 nodes\), ",
}


def brute_force_minimum(problem: BinaryProblem, costs: list[Any], constraints: Constraints) -> Any:
    """Return the minimum total cost, by brute force; infinite if no tree satisfies the constraints."""
    return minimum_cost(
        rows_of(problem),
        problem.labels.tolist(),
        costs,
        max_depth=inf if constraints.max_depth is None else constraints.max_depth,
        root=None if constraints.root is None else list(constraints.root),
        min_samples_leaf=constraints.min_samples_leaf,
        weights=problem.weights.tolist(),
    )


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_larger_problems_with_constraints(name: str) -> None:
    """On 60 problems of up to 60 rows, with and without memory, the tree is the smallest that satisfies them."""
    constraints = Constraints(**CONSTRAINTS[name])
    n_infeasible = 0
    for seed in range(N_LARGER):
        problem = larger_problem(seed)
        min_tests = brute_force_minimum(problem, [1] * problem.n_features, constraints)
        is_feasible = 2 * min_tests + 1 <= (constraints.max_nodes or LARGE)
        n_infeasible += not is_feasible
        for engine in (Search(), Search(memory_limit=1)):
            if not is_feasible:
                with pytest.raises(InfeasibleError, match=f"there is no pure tree {INFEASIBLE[name]}"):
                    solve(problem, engine, constraints=constraints)
                continue
            outcome = solve(problem, engine, constraints=constraints)
            assert (outcome.status, outcome.n_nodes) == ("optimal", 2 * min_tests + 1), seed
            assert outcome.tree is not None
            assert constraints.allows(outcome.tree, problem)
    assert (0 < n_infeasible < N_LARGER) == (name in INFEASIBLE)


@pytest.mark.parametrize("minimise", ["nodes", "nodes-then-cost", "cost"])
@pytest.mark.parametrize("name", ["none", "max_depth", "root", "min_samples_leaf"])
def test_larger_problems_with_costs(minimise: Minimise, name: str) -> None:
    """All three objectives agree with brute force: nodes, nodes then cost, and cost then nodes."""
    constraints = Constraints(**CONSTRAINTS[name], minimise=minimise)
    for seed in range(N_LARGER // 2):
        problem = larger_problem(seed, with_costs=True)
        costs = problem.costs.tolist()
        scale = sum(costs) * problem.n_examples + 1  # the first objective dominates the second
        nodes_first, cost_first = [scale + cost for cost in costs], [scale * cost + 1 for cost in costs]
        best = brute_force_minimum(problem, cost_first if minimise == "cost" else nodes_first, constraints)
        if best == inf:
            with pytest.raises(InfeasibleError):
                solve(problem, Search(), constraints=constraints)
            continue
        outcome = solve(problem, Search(), constraints=constraints)
        n_tests, cost = (best % scale, best // scale) if minimise == "cost" else (best // scale, best % scale)
        assert outcome.status == "optimal"
        assert outcome.lower_bound == outcome.upper_bound == (cost if minimise == "cost" else 2 * n_tests + 1), seed
        assert outcome.n_nodes == 2 * n_tests + 1, seed
        assert (outcome.cost == cost) or minimise == "nodes", seed


def test_little_memory_does_not_change_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum is the same with no cache at all, or with one megabyte instead of ten."""
    for min_bytes, problems in ((0, [noise(100, 20), formula("mux6")]), (2**20, [noise(200, 20), formula("monks-1")])):
        for problem in problems:
            expected = solve(problem, Search())
            monkeypatch.setattr("puretree._support.resources.LEAST_BYTES", min_bytes)
            outcome = solve(problem, Search(memory_limit=1))
            assert (outcome.status, outcome.n_nodes) == ("optimal", expected.n_nodes)


@pytest.mark.data
@pytest.mark.parametrize("name", ["soybean-cp4im", "house-votes-84"])
def test_little_memory_on_real_data(name: str, paper_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum is the same with little memory on all rows of two data sets of the paper."""
    dataset = load_paper(name, paper_folder)
    bits = paper_binarizer(name).fit(dataset.table).transform_bits(dataset.table)
    problem = BinaryProblem.from_bits(bits, dataset.target, on_conflict="majority")
    monkeypatch.setattr("puretree._support.resources.LEAST_BYTES", 2**20)
    outcomes = [solve(problem, engine) for engine in (Search(), Search(memory_limit=1))]
    assert [outcome.status for outcome in outcomes] == ["optimal"] * 2
    assert outcomes[0].n_nodes == outcomes[1].n_nodes


def test_search_is_deterministic() -> None:
    """The same problem gives the same tree and history of bounds, also if the cache is too small."""
    for problem in (noise(150, 25), formula("monks-1"), *map(larger_problem, range(20))):
        for memory_limit in (None, 1):
            first, second = (solve(problem, Search(memory_limit)) for _ in range(2))
            assert first.tree == second.tree
            assert [(b.lower, b.upper) for b in first.history] == [(b.lower, b.upper) for b in second.history]


def hard_table() -> tuple[np.ndarray, np.ndarray]:
    """Make a table of noise whose minimum cannot be proved in a minute."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(120, 6)), rng.integers(0, 3, 120)


@pytest.mark.filterwarnings("ignore::puretree.errors.NoisyLabelsWarning")  # the labels are random
@pytest.mark.parametrize("options", [{}, {"min_samples_leaf": 2}, {"max_depth": 12}, {"root": 0}, {"minimise": "cost"}])
def test_time_limit_is_enforced(options: dict[str, Any]) -> None:
    """Within 0.3 s of the limit there are a pure tree and valid bounds, the lower one above the trivial one."""
    X, y = hard_table()
    if "min_samples_leaf" in options:
        X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    start = time.monotonic()
    with pytest.warns(UnfinishedWarning, match="time limit reached"):
        outcome = minimum_tree(X, y, engine="search", time_limit=1, **options)
    assert time.monotonic() - start < 1.3
    assert outcome.status == "time_limit"
    assert outcome.tree is not None
    assert (outcome.tree.predict(X) == y).all()
    trivial = 2 if "minimise" in options else 5  # three classes need two tests
    assert trivial < outcome.lower_bound < outcome.upper_bound  # type: ignore[operator]


INTERRUPTED = """
import os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
sys.path[:0] = [sys.argv[1]]
from sklearn.datasets import load_wine
from test_search import hard_table
from puretree import UnfinishedError, minimum_tree, minimum_trees
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
def on_progress(bounds):
    if bounds.upper and not timer.is_alive() and not sent:
        timer.start()
timer = threading.Timer(1, interrupt)
"""
SEARCHING = """
X, y = hard_table()
outcome = minimum_tree(X, y, engine="search", time_limit=None, on_progress=on_progress)
delay = time.monotonic() - sent[0]
print(outcome.status, (outcome.tree.predict(X) == y).all(), 5 < outcome.lower_bound < outcome.upper_bound, delay)
"""
GROWING = """
X, y = load_wine(return_X_y=True)
try:
    print(minimum_trees(X, y, extra=2, time_limit=None, on_progress=on_progress))
except UnfinishedError as error:
    print(error.outcome.status, error.outcome.n_nodes, "interrupted" in str(error), time.monotonic() - sent[0])
"""


def run_interrupted(script: str) -> list[str]:
    """Run a script in a process that gets SIGINT a second after its first tree; return its output."""
    command = [sys.executable, "-c", INTERRUPTED + script, str(Path(__file__).parent)]
    paths = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    completed = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert completed.returncode == 0, completed.stderr
    print(completed.stdout)
    return completed.stdout.split()


def test_keyboard_interrupt_returns_the_incumbent() -> None:
    """The tree and the bounds are returned within 0.2 s of the signal."""
    *output, delay = run_interrupted(SEARCHING)
    assert output == ["interrupted", "True", "True"]
    assert float(delay) < 0.2  # a few milliseconds on an idle machine


def test_keyboard_interrupt_stops_growing_a_forest() -> None:
    """An incomplete forest raises an error that holds the proof and its tree, within 0.2 s of the signal."""
    *output, delay = run_interrupted(GROWING)
    assert output == ["optimal", "11", "True"]
    assert float(delay) < 0.2  # a few milliseconds on an idle machine


def test_minimum_tree_of_the_caller_is_kept() -> None:
    """If the incumbent already holds a minimum tree, the search proves it and keeps that very tree."""
    for seed in range(40):
        problem = random_problem(seed)
        for nested in sorted(minimum_trees(rows_of(problem), problem.labels.tolist()), key=repr)[:3]:
            incumbent = Incumbent(problem, Constraints(), Clock())
            incumbent.offer(Tree.from_nested(with_labels(nested, problem), problem.classes))
            initial = incumbent.tree
            assert Search().search(incumbent) == "optimal"
            assert incumbent.is_proved
            assert incumbent.lower == incumbent.upper
            assert incumbent.tree is initial


def with_labels(nested: Any, problem: BinaryProblem) -> Any:
    """Replace the class codes in nested triples by the problem's labels."""
    if not isinstance(nested, tuple):
        return problem.classes[nested]
    return (nested[0], with_labels(nested[1], problem), with_labels(nested[2], problem))


def test_larger_tree_of_the_caller_is_replaced() -> None:
    """If the incumbent holds a larger tree, the search replaces it by a minimum one."""
    problem = formula("mux6")
    incumbent = Incumbent(problem, Constraints(), Clock())
    incumbent.offer(greedy_tree(problem))
    assert incumbent.upper is not None
    assert incumbent.upper > 15
    assert Search().search(incumbent) == "optimal"
    assert (incumbent.lower, incumbent.upper) == (15, 15)


def test_search_can_be_resumed() -> None:
    """A search that reached its time limit keeps its results, and proves the same minimum when it is resumed."""
    problem = noise(150, 25)
    incumbent = Incumbent(problem, Constraints(), Clock())
    search = OpenSearch(problem, Constraints())
    statuses = [search.run(incumbent, Clock(0.01))]
    while statuses[-1] == "time_limit" and len(statuses) < 1000:
        statuses.append(search.run(incumbent, Clock(0.01)))
    assert len(statuses) > 1
    assert statuses[-1] == "optimal"
    assert incumbent.upper == solve(problem, Search()).n_nodes


@pytest.mark.parametrize("minimise", ["cost", "nodes-then-cost"])
def test_costs_that_are_too_large_are_rejected(minimise: Minimise) -> None:
    """Costs that would overflow a machine word raise an error with a remedy; on few examples they are accepted."""
    cost = 10**12
    for n_bits, fits in ((2, True), (11, False)):
        rows = [[i >> bit & 1 for bit in range(n_bits)] for i in range(2**n_bits)]
        labels = [sum(row) % 2 for row in rows]
        problem = BinaryProblem.from_rows(rows, labels, costs=[cost] + [1] * (n_bits - 1))
        constraints = Constraints(minimise=minimise)
        if fits:
            assert solve(problem, Search(), constraints=constraints).cost == cost + 2
            continue
        with pytest.raises(InputError, match=f"costs up to {cost} for 2048 .* use smaller costs .* or engine='maxsat'"):
            solve(problem, Search(), constraints=constraints)


@pytest.mark.parametrize("memory_limit", [0, -1, float("nan"), "1e9", True])
def test_invalid_memory_limit_is_rejected(memory_limit: Any) -> None:
    """The error is raised when the engine is made, not when it is used."""
    for make in (Search, Auto):
        with pytest.raises(InputError, match=r"memory_limit=.* is not a number of bytes above 0; 2e9 is two gigabytes"):
            make(memory_limit=memory_limit)


@pytest.mark.parametrize(
    "others",
    [
        {"max_nodes": 22},
        *(pytest.param(other, marks=pytest.mark.slow) for other in ({}, {"min_samples_leaf": 2}, {"root": [1, 3]})),
    ],
)
def test_an_infeasible_depth_names_the_least_depth(others: dict[str, Any]) -> None:
    """The error names the minimum depth under the other constraints, by brute force, and what fits an impure tree."""
    n_named = 0
    for seed in range(N_LARGER // 4):
        problem, other = larger_problem(seed), Constraints(**others)
        most = ((other.max_nodes or LARGE) - 1) // 2
        costs = [1] * problem.n_features
        depths = range(1, problem.n_features + 1)
        minima = [brute_force_minimum(problem, costs, replace(other, max_depth=depth)) for depth in depths]
        least = next((depth for depth, n_tests in zip(depths, minima, strict=True) if n_tests <= most), None)
        too_shallow = 2 if least is None else least - 1
        if not too_shallow:
            continue
        with pytest.raises(InfeasibleError) as raised:
            solve(problem, Search(), constraints=replace(other, max_depth=too_shallow))
        if least is None:
            assert "relax a constraint" in str(raised.value)
            continue
        n_named += 1
        assert f"has a depth of at least {least};" in str(raised.value), seed
        assert ("that satisfies the other constraints" in str(raised.value)) == bool(others)
        assert f"DtMaxClassifier(depth={too_shallow})" in str(raised.value)
        assert prove_depth(problem, replace(other, max_depth=too_shallow), Clock(0)) == too_shallow + 1
    assert n_named > 1
