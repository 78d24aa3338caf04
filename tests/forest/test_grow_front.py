"""All trees of a point of the front and of a band around it, against brute force."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers.oracles.front import BruteForceFront, canonical_with_costs
from helpers.random_problems import larger_cost_problem, noise, random_cost_table, rows_of
from helpers.small_forests import front_by_brute_force, relabelled

from puretree import Forest, InfeasibleError, InputError, PuretreeError, UnfinishedError, _native
from puretree._support.clock import Clock
from puretree.forest import Graph, grow_front_forest
from puretree.outcome import Outcome
from puretree.problem import Constraints, CostProblem, PreparedCosts, prepare_costs

CONSTRAINTS: list[dict[str, Any]] = [
    {},
    {"max_depth": 2},
    {"min_samples_leaf": 3},
    {"root": 1},
    {"max_depth": 1, "min_samples_leaf": 2, "root": 0},
]


def constrained(seed: int, options: dict[str, Any]) -> tuple[PreparedCosts, Constraints, BruteForceFront]:
    """Make a table with constraints, and the brute-force front of its original features."""
    X, y, costs = random_cost_table(seed)
    prepared = prepare_costs(X, y, root=options.get("root"), **costs)
    others = {name: value for name, value in options.items() if name != "root"}
    roots = np.flatnonzero(prepared.policy.is_root).tolist() if "root" in options else None
    return prepared, Constraints(root=prepared.roots, **others), front_by_brute_force(prepared, root=roots, **others)


def in_units(forest: Forest) -> Counter[tuple[int, int]]:
    """Return the counts by the number of tests and the cost in units."""
    unit = forest.prepared.problem.unit  # type: ignore[union-attr]  # of a cost problem
    return Counter({(n_nodes // 2, round(cost / unit)): n for (n_nodes, cost), n in forest.counts_by_cost.items()})


@pytest.mark.parametrize("options", CONSTRAINTS)
@pytest.mark.parametrize("seed", range(30))
def test_the_trees_of_every_point_and_band_are_those_of_brute_force(seed: int, options: dict[str, Any]) -> None:
    """On 150 tables: as many trees of each size and cost; those listed are distinct, and in canonical order."""
    prepared, constraints, front = constrained(seed, options)
    key = canonical_with_costs(front.rows, front.costs)
    counts = front.counts(3)
    for n_tests, extra, slack in [(1, 0, 0), (2, 0, 0), (3, 0, 0), (1, 1, 2), (2, 1, 5), (0, 2, 0)]:
        cost = front.least_cost(n_tests)
        forest = grow_front_forest(prepared, n_tests, cost, constraints, extra=extra, slack=slack)
        limits = n_tests + extra, cost + slack
        within = {pair: n for pair, n in counts.items() if pair[0] <= limits[0] and pair[1] <= limits[1]}
        assert in_units(forest) == within
        assert forest.count == sum(within.values())
        if forest.count <= 500:
            trees = [tree for pair in within for tree in front.trees(*pair)]
            codes = {label: code for code, label in enumerate(prepared.problem.classes)}
            listed = [relabelled(tree.to_nested(), codes) for tree in forest]
            assert listed == sorted(trees, key=key)
            assert len(set(listed)) == forest.count


def native_search(problem: CostProblem, max_bytes: int = 2**28, **constraints: Any) -> _native.FrontSearch:
    """Open the native search of a problem."""
    is_root = np.empty(0, dtype=np.uint8)
    if "root" in constraints:
        is_root = np.isin(np.arange(problem.n_features), constraints["root"]).astype(np.uint8)
    depth, leaf = constraints.get("max_depth"), constraints.get("min_samples_leaf", 1)
    words, n_features = problem.examples.words, problem.n_features
    return _native.FrontSearch(
        words, n_features, problem.costs, problem.n_rows, is_root, depth, leaf, max_bytes, keeps_all=True
    )


def counts_of(arrays: Any, least_cost: int) -> dict[tuple[int, int], int]:
    """Count the trees of a native graph by size and cost."""
    graph = Graph(*arrays)
    assert graph.cost is not None
    n_trees: list[int] = []
    for node, label in enumerate(graph.label.tolist()):
        edges = range(graph.edge_start[node], graph.edge_start[node + 1])
        n_trees.append(1 if label >= 0 else sum(n_trees[graph.no[edge]] * n_trees[graph.yes[edge]] for edge in edges))
    return {(int(graph.size[root]), int(graph.cost[root]) + least_cost): n_trees[root] for root in graph.roots}


@pytest.mark.parametrize("seed", range(60))
def test_larger_forests_have_as_many_trees(seed: int) -> None:
    """On 60 problems of few examples and up to 7 tests, the counts over merged features are those of brute force."""
    rng = np.random.default_rng([seed, 6])
    X = rng.integers(0, 2, (int(rng.integers(5, 10)), int(rng.integers(2, 5))))
    y = [*range(2 + seed % 3), *rng.integers(0, 2 + seed % 3, len(X) - 2 - seed % 3).tolist()]
    matrix = rng.integers(0, 4, (2 + seed % 3, 2 + seed % 3))
    problem = CostProblem.from_rows(X, y, sample_weight=rng.integers(1, 4, len(X)), cost_matrix=matrix)
    options: dict[str, Any] = [{}, {"max_depth": 3}, {"min_samples_leaf": 2}, {"root": [0, 1]}][seed % 4]
    front = BruteForceFront(rows_of(problem), problem.costs.tolist(), problem.n_rows.tolist(), **options)
    counts = front.counts(7)
    for cost in sorted({cost for _, cost in counts})[:6]:
        arrays = native_search(problem, **options).forest(7, cost, 2**28, 1e9)
        within = {pair: n for pair, n in counts.items() if pair[1] <= cost}
        assert counts_of(arrays, problem.least_cost) == within


@pytest.mark.parametrize("seed", range(6))
def test_an_interruption_and_little_memory_change_no_tree(seed: int) -> None:
    """A search continued after time limits, and one that has dropped most bounds, find the same graph."""
    problem = larger_cost_problem(seed)
    expected = native_search(problem).forest(5, problem.least_cost + 12, 2**30, 1e9)
    small = native_search(problem, max_bytes=1).forest(5, problem.least_cost + 12, 2**30, 1e9)
    interrupted, found, seconds = native_search(problem), None, 1e-4
    while found is None:
        found = interrupted.forest(5, problem.least_cost + 12, 2**30, seconds)
        seconds *= 2
    for arrays in (small, found):
        assert all(np.array_equal(one, other) for one, other in zip(arrays, expected, strict=True))


def test_tests_that_separate_only_rows_without_a_cost_count() -> None:
    """A row that costs the same whatever is predicted changes no cost, but a test may separate it from others."""
    prepared = prepare_costs([[0, 0], [0, 0], [0, 1], [1, 0]], ["a", "b", "b", "a"], binarize="bits")
    assert (prepared.problem.costs[0] == 1).all()  # contradictory rows
    forest = grow_front_forest(prepared, 1, 1, extra=1)
    assert forest.counts_by_cost == {(3, 1): 2, (5, 1): 1}
    assert in_units(forest) == {pair: n for pair, n in front_by_brute_force(prepared).counts(2).items() if pair[1] == 1}


def test_the_outcome_is_the_cheapest_tree() -> None:
    """The outcome has the cheapest tree of a band with its errors, the smallest of several."""
    X, y, _ = random_cost_table(4)
    prepared = prepare_costs(X, y)
    front = front_by_brute_force(prepared)
    forest = grow_front_forest(prepared, 1, front.least_cost(1), extra=2, slack=3)
    outcome = forest.outcome
    cost = min(cost for _, cost in forest.counts_by_cost)
    assert (outcome.lower_bound, outcome.upper_bound, outcome.n_errors) == (cost, cost, cost)
    assert outcome.n_nodes == min(n_nodes for n_nodes, of in forest.counts_by_cost if of == cost)
    assert outcome.status == "optimal"
    assert not outcome.is_minimum  # it is not pure
    assert outcome.tree in forest


def test_costs_are_reported_in_the_unit_of_the_user() -> None:
    """With weights of classes, the cost is not a number of units."""
    prepared = prepare_costs([[0], [1], [1]], ["a", "a", "b"], class_weight={"a": 0.5, "b": 1.0})
    assert prepared.problem.unit == 0.5
    assert grow_front_forest(prepared, 1, 1, slack=1).counts_by_cost == {(1, 1.0): 1, (3, 0.5): 1}


def test_limits_raise_an_error_that_says_so() -> None:
    """Where time or memory is not enough, there is no forest, and the message says what to do."""
    X = noise(200, 12).examples.unpack().astype(int)
    prepared = prepare_costs(X, np.random.default_rng(0).integers(0, 2, len(X)))
    with pytest.raises(UnfinishedError, match=r"time limit reached .* 25 nodes and a cost of at most 70 .* time_limit"):
        grow_front_forest(prepared, 12, 70, clock=Clock(0))
    with pytest.raises(UnfinishedError, match=r"do not fit into memory; raise memory_limit, or ask for fewer trees"):
        grow_front_forest(prepared, 4, 80, extra=1, slack=20, memory_limit=1)
    with pytest.raises(InfeasibleError, match="there is no tree with at most 1 node and a cost of at most 0"):
        grow_front_forest(prepared, 0, 0)


@pytest.mark.parametrize("name", ["extra", "slack"])
@pytest.mark.parametrize("value", [-1, 1.0, True, None])
def test_only_numbers_from_0_are_allowances(name: str, value: Any) -> None:
    """Anything else is an InputError with the parameter's name."""
    prepared = prepare_costs([[0], [1]], ["a", "b"])
    with pytest.raises(InputError, match="integer of at least 0") as caught:
        grow_front_forest(prepared, 1, 0, **{name: value})
    assert caught.value.parameter == name


def test_no_tree_with_errors_is_the_cheapest() -> None:
    """Trees with errors have no feature costs, which the message says."""
    prepared = prepare_costs([[0], [1]], ["a", "b"])
    with pytest.raises(InputError, match="no feature costs"):
        grow_front_forest(prepared, 1, 0).cheapest()


def test_a_wrong_cost_yields_no_tree() -> None:
    """If a graph says another cost than the tree has, both iteration and access by rank raise an error."""
    prepared = prepare_costs([[0], [0], [1], [1], [1]], ["a", "a", "b", "b", "a"])
    graph = grow_front_forest(prepared, 1, 1).graph
    assert graph.cost is not None
    wrong = Graph(
        *(graph.label, graph.size, graph.edge_start, graph.feature, graph.no, graph.yes, graph.roots),
        graph.cost + np.array([1, 0, 1], dtype=np.int32),
    )
    forest = Forest(prepared, wrong, Outcome(None, 1, 1, "optimal", (), 0.0, minimised="errors"))
    with pytest.raises(PuretreeError, match="costs 1 on the examples, not 2"):
        next(iter(forest))
    with pytest.raises(PuretreeError, match="costs 1 on the training rows, not 2"):
        forest[0]


def test_a_graph_whose_costs_do_not_add_up_is_rejected() -> None:
    """The cost of a node is the sum of the costs of its sides, and every node has one."""
    label, size, start = np.array([0, 1, -1]), np.array([0, 0, 1]), np.array([0, 0, 0, 1])
    feature, no, yes, roots = np.array([0]), np.array([0]), np.array([1]), np.array([2])
    assert Graph(label, size, start, feature, no, yes, roots, np.array([1, 2, 3])).cost is not None
    for cost, message in (([1, 2, 4], "sum of the costs"), ([1, 2], "a cost for each node")):
        with pytest.raises(InputError, match=message):
            Graph(label, size, start, feature, no, yes, roots, np.array(cost))
