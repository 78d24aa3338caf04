"""Random problems, small enough for brute force or larger, and well-known ones."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from helpers.oracles.front import BruteForceFront

from puretree import BinaryProblem
from puretree.datasets import load
from puretree.pipeline import prepare
from puretree.problem import Constraints, CostProblem, MergedRows, prepare_costs


def random_problem(seed: int) -> BinaryProblem:
    """Make a problem of 2 to 4 classes, 2 to 5 features and up to 14 rows."""
    rng = np.random.default_rng(seed)
    while True:
        n_rows, n_features = rng.integers(4, 15), rng.integers(2, 6)
        n_classes = 2 + seed % 3
        X = rng.integers(0, 2, (n_rows, n_features))
        problem = BinaryProblem.from_rows(X, rng.integers(0, n_classes, n_rows), on_conflict="majority")
        if problem.n_classes == n_classes:
            return problem


def larger_problem(seed: int, *, with_costs: bool = False) -> BinaryProblem:
    """Make a problem of 2 to 4 classes, 6 to 10 features and 30 to 60 rows; with costs of 0 to 7 on request.

    With an odd seed, every feature is a threshold on one of three numbers, so that many features are nested; with an
    even seed, some features are almost always true or false.
    """
    rng = np.random.default_rng([seed, 1])
    n_rows, n_features, n_classes = rng.integers(30, 61), rng.integers(6, 11), 2 + seed % 3
    X = rng.random((n_rows, n_features)) < rng.uniform(0.05, 0.95, n_features)
    if seed % 2:
        X = rng.normal(size=(n_rows, 3))[:, np.arange(n_features) % 3] <= rng.normal(size=n_features)
    y = rng.integers(0, n_classes, n_rows)
    costs = rng.integers(0, 8, n_features) if with_costs else None
    return BinaryProblem.from_rows(X.astype(int), y, on_conflict="majority", costs=costs)


def decision_list(seed: int) -> BinaryProblem:
    """Make a problem whose minimum trees are deep: the first of seven features that is true determines the class."""
    rng = np.random.default_rng([seed, 2])
    X = rng.random((20, 7)) < 0.35
    y = np.where(X.any(axis=1), X.argmax(axis=1), 7) % 2
    return BinaryProblem.from_rows(X[:, rng.permutation(7)].astype(int), y)


def noise(n_rows: int, n_features: int, fraction: float = 0.5) -> BinaryProblem:
    """Make a problem of random labels and random bits, each true in a fraction of the rows."""
    rng = np.random.default_rng(0)
    X = (rng.random((n_rows, n_features)) < fraction).astype(int)
    return BinaryProblem.from_rows(X, rng.integers(0, 2, n_rows), on_conflict="majority")


def random_problems(n: int) -> Iterator[BinaryProblem]:
    """Yield problems of 2, 3 and 4 classes in turn."""
    return map(random_problem, range(n))


def random_cost_table(seed: int) -> tuple[list[list[Any]], list[int], dict[str, Any]]:
    """Make a table of 2 to 4 classes with contradictory and equal rows, and the parameters about costs.

    One of four tables counts errors; others have sample weights, some of them 0, weights of classes, or a cost matrix,
    or all of these. Columns are numbers with up to five values, whose thresholds are nested, or categories.
    """
    rng = np.random.default_rng([seed, 3])
    n_rows, n_columns, n_classes = int(rng.integers(8, 19)), int(rng.integers(2, 4)), 2 + seed % 3
    columns: list[list[Any]] = [rng.integers(0, rng.integers(2, 6), n_rows).tolist() for _ in range(n_columns)]
    if seed % 5 == 0:
        columns[-1] = ["abc"[value % 3] for value in columns[-1]]
    if seed % 7 == 0:
        columns.append([4 - value if isinstance(value, int) else value for value in columns[0]])
    y = [*range(n_classes), *rng.integers(0, n_classes, n_rows - n_classes).tolist()]
    options: dict[str, Any] = {}
    if seed % 4 == 1 or seed % 12 == 0:
        options["sample_weight"] = [*rng.integers(1, 4, n_classes), *rng.integers(0, 4, n_rows - n_classes)]
    if seed % 4 == 2 or seed % 12 == 0:
        options["class_weight"] = {label: float(rng.integers(1, 8)) / 4 for label in range(n_classes)}
    if seed % 4 == 3 or seed % 12 == 0:
        matrix = rng.integers(0, 6, (n_classes, n_classes)) * rng.integers(1, 3)
        options["cost_matrix"] = matrix + 1 - np.eye(n_classes, dtype=int)
    return [list(row) for row in zip(*columns, strict=True)], y, options


def random_cost_problem(seed: int) -> CostProblem:
    """Make the cost problem of :func:`random_cost_table`."""
    X, y, options = random_cost_table(seed)
    return prepare_costs(X, y, **options).problem


def larger_cost_problem(seed: int) -> CostProblem:
    """Make a problem of 2 to 4 classes and 40 to 80 rows, whose labels are noisy, over bits or nested thresholds."""
    rng = np.random.default_rng([seed, 4])
    n_rows, n_features, n_classes = int(rng.integers(40, 81)), int(rng.integers(5, 11)), 2 + seed % 3
    values = rng.normal(size=(n_rows, 3))
    X = rng.random((n_rows, n_features)) < rng.uniform(0.1, 0.9, n_features)
    if seed % 2:
        X = values[:, np.arange(n_features) % 3] <= rng.normal(size=n_features)
    y = (X[:, 0].astype(int) + X[:, 1] + (rng.random(n_rows) < 0.2)) % n_classes
    y[:n_classes] = np.arange(n_classes)
    weights = rng.integers(1, 6, n_rows) if seed % 4 > 1 else None
    return CostProblem.from_rows(X, y, sample_weight=weights)


def rows_of(problem: MergedRows) -> list[list[int]]:
    """Return the examples of a problem as lists of 0 and 1, for the brute-force functions."""
    return problem.examples.unpack().astype(int).tolist()


def xor() -> BinaryProblem:
    """Make the exclusive or of two features: every pure tree tests both on every path."""
    return BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])


def parity(n_bits: int) -> BinaryProblem:
    """Make the parity of some bits: every minimum tree is complete, and there are many of them."""
    X = np.arange(2**n_bits)[:, None] >> np.arange(n_bits) & 1
    return BinaryProblem.from_rows(X, X.sum(axis=1) % 2)


@cache
def formula(name: str) -> BinaryProblem:
    """Load a problem defined by a formula, binarised as in the paper."""
    dataset = load(f"formula:{name}")
    return prepare(dataset.table, dataset.target, binarize="bits").problem


def brute_force(problem: CostProblem, constraints: Constraints | None = None) -> BruteForceFront:
    """Return the front of a problem by exhaustive search."""
    constraints = constraints or Constraints()
    return BruteForceFront(
        rows_of(problem),
        problem.costs.tolist(),
        problem.n_rows.tolist(),
        max_depth=constraints.max_depth,
        min_samples_leaf=constraints.min_samples_leaf,
        root=None if constraints.root is None else list(constraints.root),
    )
