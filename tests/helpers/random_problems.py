"""Random problems, small enough for brute force or larger, and well-known ones."""

from collections.abc import Iterator
from functools import cache

import numpy as np

from puretree import BinaryProblem
from puretree.datasets import load
from puretree.pipeline import prepare


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


def rows_of(problem: BinaryProblem) -> list[list[int]]:
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
