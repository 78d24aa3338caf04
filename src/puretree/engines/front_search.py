"""The native search for the front between size and cost, which also collects all trees within limits of both."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.resources import LEAST_BYTES
from ..problem import Constraints, CostProblem

LARGEST_LEAF = 2**30
FEATURE_BYTES = 64  # of the native problem, without the examples
MOST_TOTAL = (2**30 - 1) // 4  # of a leaf at a price


def has_unaffected(problem: CostProblem) -> bool:
    """Return whether some examples cost the same whatever a leaf predicts: the front does not depend on them."""
    return bool((problem.costs.min(axis=1) == problem.costs.max(axis=1)).any())


@dataclass(frozen=True, slots=True)
class NativePrice:
    """A price of a test as the native search takes it: totals are integers of at most 2**28.

    Parameters
    ----------
    price, unit : int
        A total is the cost times ``unit``, and ``price`` for each test.
    """

    price: int
    unit: int

    @classmethod
    def of(cls, price: Fraction, leaf: int) -> NativePrice | None:
        """Return a price, rounded down where it must be, so that bounds remain valid; None if it rounds to 0.

        Parameters
        ----------
        price : Fraction
        leaf : int
            The cost of a single leaf.
        """
        most = MOST_TOTAL // max(leaf, 1)
        unit = price.denominator if price.denominator <= most else most
        rounded = min(floor(price * unit), MOST_TOTAL + 1)
        return cls(rounded, unit) if rounded > 0 else None

    def total(self, cost: int, n_tests: int) -> int:
        """Return the total of a tree."""
        return cost * self.unit + self.price * n_tests

    def costs(self, total: int, n_sizes: int) -> NDArray[np.int64]:
        """Return the least cost of a tree with 0, 1, … tests whose total is not below a bound."""
        return -((self.price * np.arange(n_sizes, dtype=np.int64) - total) // self.unit)


def open_front_search(
    problem: CostProblem, constraints: Constraints, max_bytes: float, *, keeps_all: bool = False
) -> _native.FrontSearch:
    """Open a native search.

    Parameters
    ----------
    problem : CostProblem
    constraints : Constraints
        What all trees satisfy; ``max_nodes`` has no effect.
    max_bytes : float
        That the search may use.
    keeps_all : bool, default=False
        Keep also examples that cost the same whatever a leaf predicts, as the trees that are counted split them.

    Raises
    ------
    MemoryError
        If the examples do not fit.
    """
    copies = 4 * problem.examples.words.nbytes + FEATURE_BYTES * problem.n_features
    if copies > max(max_bytes, LEAST_BYTES):
        raise MemoryError("the search needs copies of the examples, which exceed the memory limit")
    is_root = np.empty(0, dtype=np.uint8)
    if constraints.root is not None:
        is_root = np.isin(np.arange(problem.n_features), list(constraints.root)).astype(np.uint8)
    deepest = min(problem.n_features, problem.n_examples - 1)  # of trees without useless tests
    is_limited = constraints.max_depth is not None and constraints.max_depth < deepest
    return _native.FrontSearch(
        problem.examples.words,
        problem.n_features,
        problem.costs,
        problem.n_rows if constraints.min_samples_leaf > 1 else np.ones(problem.n_examples, dtype=np.int64),
        is_root,
        constraints.max_depth if is_limited else None,
        min(int(constraints.min_samples_leaf), LARGEST_LEAF),
        int(max(max_bytes - copies, min(max_bytes, LEAST_BYTES))),
        keeps_all=keeps_all and has_unaffected(problem),
    )
