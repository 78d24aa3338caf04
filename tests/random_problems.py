"""Small random problems whose truth brute force can tell, and the famous ones."""

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


def random_problems(n: int) -> Iterator[BinaryProblem]:
    """Yield problems of 2, 3 and 4 classes in turn."""
    return map(random_problem, range(n))


def rows_of(problem: BinaryProblem) -> list[list[int]]:
    """Return a problem's examples as brute force wants them."""
    return problem.examples.unpack().astype(int).tolist()


def xor() -> BinaryProblem:
    """Two features, both needed twice."""
    return BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])


@cache
def formula(name: str) -> BinaryProblem:
    """Make one of the problems that are given by a formula, in the paper's bits."""
    dataset = load(f"formula:{name}")
    return prepare(dataset.table, dataset.target, binarize="bits").problem
