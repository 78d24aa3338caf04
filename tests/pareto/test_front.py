"""The front: every point against brute force, both bounds at any interruption, the choice of a point."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers.random_problems import brute_force, larger_cost_problem, random_cost_problem, random_cost_table
from helpers.small_forests import front_by_brute_force
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from puretree import Front, FrontBounds, InfeasibleError, InputError, UnfinishedError, UnfinishedWarning, front
from puretree._support.clock import Clock
from puretree.pareto import OpenFront
from puretree.pareto.curves import violated
from puretree.problem import Constraints, CostProblem

MOST = 6  # tests that brute force tries


def least_costs(problem: CostProblem, constraints: Constraints) -> list[int]:
    """Return the least cost with at most 0, 1, 2 … tests."""
    front = brute_force(problem, constraints)
    return [front.least_cost(n_tests) for n_tests in range(MOST + 1)]


def random_constraints(seed: int, problem: CostProblem) -> Constraints:
    """Return constraints: none, a depth, a minimum of rows in a leaf, roots, or all of these."""
    rng = np.random.default_rng([seed, 9])
    has = rng.random(3) < 0.4
    roots = frozenset(rng.choice(problem.n_features, min(2, problem.n_features), replace=False).tolist())
    return Constraints(
        max_depth=int(rng.integers(1, 4)) if has[0] else None,
        min_samples_leaf=int(rng.integers(2, 5)) if has[1] else 1,
        root=roots if has[2] else None,
        max_nodes=2 * MOST + 1,
    )


def least_costs_of_two_levels(
    values: NDArray[np.int64], costs: NDArray[np.int64], n_rows: NDArray[np.int64], min_rows: int
) -> list[int]:
    """Return the least cost with at most 0 to 3 tests of depth 2, over all thresholds of the columns."""
    none = 1 << 40

    def leaf(totals: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        least: NDArray[np.int64] = np.where(rows >= min_rows, totals.min(axis=-1), none)
        return least

    def sides(rows: NDArray[np.intp], column: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        order = rows[np.argsort(values[rows, column], kind="stable")]
        for cut in np.flatnonzero(np.diff(values[order, column])) + 1:
            yield order[:cut], order[cut:]

    def one_test(rows: NDArray[np.intp]) -> tuple[int, int]:
        as_leaf = int(leaf(costs[rows].sum(axis=0), n_rows[rows].sum()))
        best = as_leaf
        for column in range(values.shape[1]):
            order = rows[np.argsort(values[rows, column], kind="stable")]
            is_cut = np.flatnonzero(np.diff(values[order, column]))
            low, n_low = costs[order].cumsum(axis=0), n_rows[order].cumsum()
            both = leaf(low, n_low) + leaf(low[-1] - low, n_low[-1] - n_low)
            best = min([best, *both[is_cut].tolist()])
        return as_leaf, best

    all_rows = np.arange(len(values))
    none_or_one = one_test(all_rows)
    two = three = none_or_one[1]
    for column in range(values.shape[1]):
        for low, high in sides(all_rows, column):
            (leaf_low, one_low), (leaf_high, one_high) = one_test(low), one_test(high)
            two = min(two, leaf_low + one_high, one_low + leaf_high)
            three = min(three, one_low + one_high)
    return [*none_or_one, two, min(two, three)]


@pytest.mark.parametrize("seed", range(4))
def test_columns_of_many_values_are_swept(seed: int) -> None:
    """With chains of more than 256 thresholds, whose pairs are counted by sweeps, all trees of depth 2 are found."""
    rng = np.random.default_rng([seed, 11])
    n, n_classes, min_rows = 1200, 2 + seed % 2, 1 if seed < 2 else 9
    values = np.stack([rng.permutation(n), rng.integers(0, 9, n), rng.permutation(n)], axis=1)
    y = ((values[:, 0] > 600) ^ (values[:, 2] > 300)) * (n_classes - 1)
    is_wrong = rng.random(n) < 0.3
    y[is_wrong] = rng.integers(0, n_classes, is_wrong.sum())
    weights = rng.integers(1, 4, n) if seed else np.ones(n, dtype=np.int64)
    features = [values[:, [column]] > np.unique(values[:, column])[:-1] for column in range(3)]
    X = np.concatenate(features, axis=1)
    X[:, rng.random(X.shape[1]) < 0.3] ^= True
    problem = CostProblem.from_rows(X, y, sample_weight=weights)
    search = OpenFront(problem, Constraints(max_depth=2, min_samples_leaf=min_rows))
    assert search.solve(Clock()) == "optimal"
    costs = (np.arange(n_classes) != y[:, None]) * weights[:, None]
    expected = least_costs_of_two_levels(values, costs, np.ones(n, dtype=np.int64), min_rows)
    upper = (search.curves.upper * problem.unit).tolist()
    assert [*upper, *upper[-1:] * 3][:4] == expected


@pytest.mark.parametrize("seed", range(30))
def test_nested_splits_are_searched_like_others(seed: int) -> None:
    """With long chains of thresholds, which are searched by ranges, the front is that of exhaustive search."""
    rng = np.random.default_rng([seed, 5])
    n_rows, n_classes = int(rng.integers(10, 15)), 2 + seed % 3
    values = rng.integers(0, 12, (n_rows, 2))
    X = np.concatenate([values[:, [column]] <= np.unique(values[:, column])[:-1] for column in range(2)], axis=1)
    X[:, rng.random(X.shape[1]) < 0.3] ^= True
    y = (values.sum(axis=1) // 6 + (rng.random(n_rows) < 0.3)) % n_classes
    y[:n_classes] = np.arange(n_classes)
    weights = rng.integers(1, 5, n_rows) if seed % 2 else None
    problem = CostProblem.from_rows(X, y, sample_weight=weights)
    constraints = Constraints(max_depth=3 if seed % 5 == 4 else None, min_samples_leaf=1 + seed % 3 % 2, max_nodes=11)
    search = OpenFront(problem, constraints)
    assert search.solve(Clock()) == "optimal"
    upper = search.curves.upper.tolist()
    assert [*upper, *upper[-1:] * MOST][:6] == least_costs(problem, constraints)[:6]


@pytest.mark.parametrize("seed", range(12))
def test_sets_are_opened_by_sorted_rows(seed: int) -> None:
    """With a chain of at least 16 thresholds, by which examples are sorted, the front is that of exhaustive search."""
    rng = np.random.default_rng([seed, 6])
    n_rows, n_classes = int(rng.integers(18, 24)), 2 + seed % 3
    values = rng.permutation(n_rows)
    X = np.concatenate([values[:, None] <= np.arange(n_rows - 1), rng.random((n_rows, 3)) < 0.5], axis=1)
    X[:, rng.random(X.shape[1]) < 0.3] ^= True
    y = rng.integers(0, n_classes, n_rows)
    y[:n_classes] = np.arange(n_classes)
    problem = CostProblem.from_rows(X, y, sample_weight=rng.integers(1, 5, n_rows) if seed % 2 else None)
    roots = frozenset(rng.choice(problem.n_features, 3, replace=False).tolist()) if seed % 4 == 3 else None
    constraints = Constraints(
        max_depth=3 if seed % 5 == 4 else None, min_samples_leaf=1 + seed % 3 % 2, root=roots, max_nodes=9
    )
    search = OpenFront(problem, constraints)
    assert search.solve(Clock()) == "optimal"
    upper = search.curves.upper.tolist()
    assert [*upper, *upper[-1:] * MOST][:5] == least_costs(problem, constraints)[:5]


@pytest.mark.parametrize("seed", range(40))
def test_the_front_is_that_of_brute_force(seed: int) -> None:
    """With any costs and constraints, the least cost of every size is that of exhaustive search."""
    problem = random_cost_problem(seed)
    constraints = random_constraints(seed, problem)
    search = OpenFront(problem, constraints)
    assert search.solve(Clock()) == "optimal"
    curves, expected = search.curves, least_costs(problem, constraints)
    found = [*curves.upper.tolist(), *[int(curves.upper[-1])] * MOST][: MOST + 1]
    assert found == expected
    assert (curves.lower == curves.upper).all()
    for n_tests in curves.points:
        tree = curves.tree(n_tests)
        assert problem.cost(tree) == expected[n_tests]
        assert not violated(constraints, tree, problem)


@pytest.mark.parametrize("seed", range(6))
def test_the_bounds_hold_at_every_moment(seed: int) -> None:
    """Whenever a bound changes, all bounds are valid and monotone, and an interrupt there leaves a valid front."""
    problem, constraints = random_cost_problem(seed), Constraints(max_nodes=2 * MOST + 1)
    expected = np.array(least_costs(problem, constraints))

    def require_bounds(search: OpenFront) -> None:
        lower, upper = search.curves.lower, search.curves.upper
        assert (lower <= expected[: len(lower)]).all()
        assert (upper >= expected[: len(upper)]).all()
        assert (np.diff(lower) <= 0).all()
        assert (np.diff(upper) <= 0).all()
        assert [problem.cost(search.curves.tree(size)) for size in search.curves.points] == [
            upper[size] for size in search.curves.points
        ]

    n_changes = 0

    def count(_: int) -> None:
        nonlocal n_changes
        n_changes += 1
        require_bounds(search)

    search = OpenFront(problem, constraints, on_change=count)
    assert search.solve(Clock()) == "optimal"
    for stop in range(1, n_changes + 1):
        left = stop

        def interrupt(_: int) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise KeyboardInterrupt

        search, clock = OpenFront(problem, constraints, on_change=interrupt), Clock()
        status = search.solve(clock)
        assert status == ("optimal" if search.curves.is_complete else "interrupted")
        assert clock.is_stopped
        require_bounds(search)


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.01])
def test_a_time_limit_leaves_a_valid_front(seconds: float) -> None:
    """At a time limit, every point has a tree, and what is not proved says so."""
    problem = larger_cost_problem(3)
    complete = OpenFront(problem, Constraints())
    assert complete.solve(Clock()) == "optimal"
    search = OpenFront(problem, Constraints())
    status = search.solve(Clock(seconds))
    assert status in ("time_limit", "optimal")
    assert search.curves.is_complete == (status == "optimal")
    assert (search.curves.lower <= complete.curves.upper).all()
    assert (search.curves.upper >= complete.curves.upper).all()
    for n_tests in search.curves.points:
        search.curves.tree(n_tests)
    assert search.solve(Clock()) == "optimal"  # it continues
    assert (search.curves.upper == complete.curves.upper).all()


def noisy_table(n_rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of small integers whose labels depend on two columns, with noise."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (n_rows, 4))
    return X, np.where(rng.random(n_rows) < 0.2, rng.integers(0, 3, n_rows), (X[:, 0] > 1) + (X[:, 1] > 2))


@pytest.mark.parametrize("options", [{}, {"max_depth": 3}, {"min_samples_leaf": 4}, {"class_weight": {0: 3, 2: 0.5}}])
def test_the_front_is_never_above_the_pruning_path_of_cart(options: dict[str, Any]) -> None:
    """Even without any time, no tree of scikit-learn's pruning path is below the front."""
    X, y = noisy_table()
    with pytest.warns(UnfinishedWarning):
        found = front(X, y, time_limit=0, **options)
    weights = np.array([options.get("class_weight", {}).get(label, 1) for label in y])
    for criterion in ("gini", "entropy"):
        model = DecisionTreeClassifier(criterion=criterion, random_state=0, **options)
        for alpha in model.cost_complexity_pruning_path(X, y).ccp_alphas:
            tree = DecisionTreeClassifier(criterion=criterion, random_state=0, ccp_alpha=max(0, alpha), **options)
            tree.fit(X, y)
            cost = weights[tree.predict(X) != y].sum()
            assert found.at(max_nodes=tree.tree_.node_count).cost <= cost + 1e-9
    for n_nodes, cost in found.pruning_path():
        assert found.at(max_nodes=n_nodes).cost <= cost + 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_at_is_direct_enumeration(seed: int) -> None:
    """The choice by nodes, by cost and by a price per leaf is that of enumeration over all sizes."""
    X, y, options = random_cost_table(seed)
    found = front(X, y, **options)
    assert found.is_complete
    upper = found.upper
    for max_nodes in range(1, 2 * len(upper) + 2):
        point = found.at(max_nodes=max_nodes)
        assert point.cost == min(upper[: (max_nodes + 1) // 2])
        assert point.n_nodes == 2 * upper.index(point.cost) + 1
        assert point.status == "optimal"
    for cost in {0.0, *upper, *(cost + 0.3 for cost in upper)}:
        if cost < upper[-1]:
            with pytest.raises(InfeasibleError, match="there is no tree with at most a cost"):
                found.at(max_cost=cost)
        else:
            point = found.at(max_cost=cost)
            assert point.n_nodes == 2 * next(k for k, value in enumerate(upper) if value <= cost + 1e-9) + 1
    weight = found.prepared.row_costs.total_weight
    for alpha in (0.0, 0.01, 0.05, 0.2, 1.0):
        point = found.at(alpha=alpha)
        best = min(cost / weight + alpha * (n_tests + 1) for n_tests, cost in enumerate(upper))
        assert point.cost / weight + alpha * point.n_leaves == pytest.approx(best)
        assert point.status == "optimal"


def test_ties_at_a_price_go_to_the_smallest_tree() -> None:
    """Prices are compared exactly: a leaf that saves exactly its price is not worth it."""
    X, y = noisy_table()
    found = front(X, y)
    (_, first), (_, second) = [(point.n_nodes, point) for point in found[:2]]
    price = (first.errors - second.errors) / (second.n_leaves - first.n_leaves)
    assert found.at(alpha=price / len(y)).n_nodes == first.n_nodes


def test_an_open_front_says_what_is_proved() -> None:
    """Answers about an open front are optimal only if no unknown tree could be better."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 6)), rng.integers(0, 3, 120)
    with pytest.warns(UnfinishedWarning, match="before the whole front was proved: it is proved up to"):
        found = front(X, y, time_limit=0.05)
    assert found.status == "time_limit"
    assert not found.is_complete
    assert found[0].status == "optimal"
    assert found.at(max_nodes=1).status == "optimal"
    assert found.at(max_nodes=21).status == "time_limit"
    assert found.at(max_errors=0).status == "time_limit"
    assert found.at(alpha=1.0).status == "optimal"  # a leaf alone: no tree saves that much
    assert found.at(alpha=0.001).status == "time_limit"
    assert "time_limit" in str(found)


def test_missing_answers_are_errors() -> None:
    """Trees that do not exist, or are not known, are not made up; parameters that do not apply are rejected."""
    X, y = noisy_table()
    with pytest.raises(InfeasibleError, match="no tree that satisfies the constraints with at most 0 errors"):
        front(X, y, max_nodes=3).at(max_errors=0)
    with pytest.warns(UnfinishedWarning):
        found = front(X, y, time_limit=0, max_nodes=3)
    with pytest.raises(UnfinishedError, match=r"with at most [0-9]+ errors is known"):
        found.at(max_errors=int(found.lower[-1]))
    found = front(X, y, class_weight={0: 2})
    with pytest.raises(InputError, match=r"max_errors=2 counts errors, but weights.* use max_cost"):
        found.at(max_errors=2)
    for wrong in ({}, {"max_nodes": 3, "alpha": 0.1}):
        with pytest.raises(InputError, match="exactly one of max_nodes, max_errors, max_cost, alpha"):
            found.at(**wrong)
    for name, value in (("alpha", -1), ("max_cost", float("nan")), ("max_nodes", 0), ("alpha", "x")):
        with pytest.raises(InputError, match=name):
            found.at(**{name: value})


@pytest.mark.parametrize("seed", range(12))
def test_points_describe_their_trees(seed: int) -> None:
    """Nodes, errors and costs of a point are those that its tree has on the raw rows."""
    X, y, options = random_cost_table(seed)
    found = front(X, y, **options)
    weights = np.asarray(options.get("sample_weight", np.ones(len(y))))
    kept = np.flatnonzero(weights > 0)
    for point in found:
        assert point.tree.n_nodes == point.n_nodes == 2 * point.n_leaves - 1
        predicted = np.array([point.tree.predict([row])[0] for row in (X[i] for i in kept)])
        assert point.errors == int((predicted != np.array(y)[kept]).sum())
        assert point.lower_bound == point.upper_bound == point.cost
        if not options:
            assert point.cost == point.errors
            assert isinstance(point.cost, int)
    assert found.to_dicts()[0]["n_nodes"] == 1
    assert len(found) == len(found.points) == len(list(found)) == len(found.to_dicts())
    assert found[-1] is found.points[-1]
    assert len({point.cost for point in found}) == len(found)


def test_fronts_are_deterministic() -> None:
    """Two runs find the same trees."""
    X, y = noisy_table()
    first, second = (front(X, y) for _ in range(2))
    assert [point.tree for point in first] == [point.tree for point in second]


def test_progress_is_reported() -> None:
    """Every report is readable, and the bounds of a size only become tighter."""
    X, y = noisy_table()
    reports: list[FrontBounds] = []
    found = front(X, y, on_progress=reports.append)
    assert "errors" in str(reports[0])
    assert "node" in str(reports[0])
    for size in {report.n_nodes for report in reports}:
        lower = [report.lower for report in reports if report.n_nodes == size]
        upper = [report.upper for report in reports if report.n_nodes == size]
        assert lower == sorted(lower)
        assert upper == sorted(upper, reverse=True)
        assert found.at(max_nodes=size).cost in (upper[-1], *found.upper)


def test_the_root_and_forbidden_columns_are_respected() -> None:
    """The root tests the column asked for, and no node a forbidden one."""
    X, y = noisy_table()
    found = front(X, y, root=1, forbidden=[2], max_nodes=9)
    for point in found[1:]:
        assert {predicate.column.index for predicate in point.tree.predicates.values()} <= {0, 1, 3}  # type: ignore[union-attr]
        assert point.tree.predicate(int(point.tree.feature[0])).column.index == 1


def test_a_table_of_one_class_has_one_point() -> None:
    """A single leaf makes no error."""
    found = front([[1], [2]], ["a", "a"])
    assert [(point.n_nodes, point.errors) for point in found] == [(1, 0)]
    assert found.is_complete


def test_a_memory_limit_leaves_a_front() -> None:
    """With very little memory, the front is the same, or says that it is not proved."""
    X, y = noisy_table(30)
    found = front(X, y, memory_limit=1)
    assert isinstance(found, Front)
    assert found.upper == front(X, y).upper


@pytest.mark.parametrize("seed", range(12))
def test_the_trees_of_a_point_and_a_band_are_those_of_brute_force(seed: int) -> None:
    """With any costs, every proved point has all trees of its size and cost, and a band all trees within its limits."""
    X, y, options = random_cost_table(seed)
    found = front(X, y, **options, max_nodes=7)
    unit, counts = found.prepared.problem.unit, front_by_brute_force(found.prepared).counts(3)
    for point in found:
        forest = point.forest()
        least = round(point.cost / unit)
        assert forest.counts_by_cost == {(point.n_nodes, point.cost): counts[point.n_nodes // 2, least]}
        assert point.tree.n_nodes == forest.n_nodes
        extra = {"extra_errors": 2} if found.counts_errors else {"extra_cost": 2 * unit}
        band = point.forest(extra_nodes=3, **extra)  # three nodes more are one test more
        most_tests = min(point.n_nodes // 2 + 1, 3)  # the front ends there
        within = {(k, cost): n for (k, cost), n in counts.items() if k <= most_tests and cost <= least + 2}
        assert sorted(band.counts_by_cost.values()) == sorted(within.values())
        assert band.count == sum(within.values())


def test_the_limits_of_a_band_are_numbers() -> None:
    """Anything else is an error that names the parameter, and so are errors where costs are weighed."""
    point = front([[0], [1], [1]], ["a", "b", "a"])[0]
    weighed = front([[0], [1], [1]], ["a", "b", "a"], class_weight={"b": 3})[-1]
    for of, name, value in [
        *((point, name, value) for name in ("extra_nodes", "extra_errors", "extra_cost") for value in (-1, True, "1")),
        (weighed, "extra_errors", 1),
    ]:
        with pytest.raises(InputError) as caught:
            of.forest(**{name: value})
        assert caught.value.parameter == name
    assert weighed.forest(extra_cost=1).count == 2


def test_a_band_that_is_not_found_in_time_is_an_error() -> None:
    """There is no part of a band, and the message says so."""
    point = front([[0, 1], [1, 1], [1, 0]], ["a", "b", "a"])[-1]
    with pytest.raises(UnfinishedError, match="time limit reached before all trees"):
        point.forest(time_limit=0)
