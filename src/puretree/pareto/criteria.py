"""How a point of the front is chosen: by a maximum cost, or by a price for each leaf.

With a price, the tree minimises its cost complexity: its cost, divided by the total weight of the rows, and the price
for each of its leaves. That is what scikit-learn prunes by (``ccp_alpha``) and what GOSDT minimises (λ).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, inf, isfinite
from typing import Any

import numpy as np

from ..errors import InfeasibleError, InputError
from ..problem import Constraints, RowCosts
from .curves import Costs, Curves

MAX_DENOMINATOR = 10**6
TOLERANCE = 1e-12  # relative, of products of floats


def read_alpha(alpha: Any) -> float:
    """Return the price of a leaf; raise InputError unless it is a number of at least 0."""
    is_number = isinstance(alpha, int | float | np.integer | np.floating) and not isinstance(alpha, bool)
    if not is_number or not isfinite(alpha) or alpha < 0:
        raise InputError("is not a number of at least 0", parameter="alpha", value=alpha)
    return float(alpha)


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a leaf in units of cost.

    Parameters
    ----------
    units : Fraction
        The price. Totals are compared exactly, so that ties are ties.
    scale : float
        The total weight of the rows in units: a total divided by it is the cost complexity.
    """

    units: Fraction
    scale: float

    @classmethod
    def of(cls, alpha: float, costs: RowCosts) -> Price:
        """Return the price for a share of the total weight: the simplest fraction within rounding errors."""
        scale = costs.total_weight / costs.unit
        return cls(_simple(alpha * scale), scale)

    def total(self, cost: int, n_tests: int) -> Fraction:
        """Return the cost with the price of the leaves, in units."""
        return int(cost) + self.units * (n_tests + 1)

    def best(self, curves: Curves) -> int:
        """Return the number of tests of the best known tree, of several the smallest."""
        upper = curves.upper.tolist()
        return min(curves.points, key=lambda n_tests: (self.total(upper[n_tests], n_tests), n_tests))

    def affordable(self, lower: Costs, total: Fraction) -> Iterator[tuple[int, int]]:
        """Yield the numbers of tests whose leaves do not cost a total by themselves, with the bound of the cost."""
        room = total - int(lower[-1])
        n_sizes = len(lower) if self.units * len(lower) <= room else floor(room / self.units)
        return enumerate(lower[:n_sizes].tolist())

    def cutoff(self, total: Fraction, n_tests: int) -> int:
        """Return the cost that a tree of some size must stay below for a lower total."""
        return ceil(total - self.units * (n_tests + 1))

    def complexity(self, total: Fraction) -> float:
        """Return a total as cost complexity."""
        return float(total) / self.scale if self.scale else 0.0


@dataclass(frozen=True, slots=True)
class Criterion:
    """A weighted sum of the cost and the number of tests, to be minimised by one formula.

    Parameters
    ----------
    per_cost, per_test : int
        The weights, at least 0.
    max_cost : int, optional
        In units: trees that cost more are not admissible.
    """

    per_cost: int
    per_test: int
    max_cost: int | None = None

    @classmethod
    def tests(cls, max_cost: int) -> Criterion:
        """Return the number of tests of a tree that costs at most so much."""
        return cls(0, 1, max_cost)

    @classmethod
    def cost(cls) -> Criterion:
        """Return the cost."""
        return cls(1, 0)

    @classmethod
    def complexity(cls, price: Price, n_sizes: int) -> Criterion:
        """Return the cost complexity of trees with fewer than so many tests."""
        units = _of_same_order(price.units, n_sizes)
        return cls(units.denominator, units.numerator)

    def value(self, cost: int, n_tests: int) -> int:
        """Return the weighted sum."""
        return self.per_cost * int(cost) + self.per_test * n_tests

    def best(self, curves: Curves) -> int | None:
        """Return the least value of a known tree; None if none is cheap enough."""
        known = ((int(curves.upper[n_tests]), n_tests) for n_tests in curves.points)
        values = (
            self.value(cost, n_tests) for cost, n_tests in known if self.max_cost is None or cost <= self.max_cost
        )
        return min(values, default=None)

    def cutoff(self, best: int | None, n_tests: int) -> int:
        """Return the cost that a tree with so many tests must stay below to be better than the best value."""
        if self.max_cost is not None:
            return self.max_cost + 1 if best is None or self.value(0, n_tests) < best else 0
        assert best is not None  # a single leaf is admissible
        return -((self.per_test * n_tests - best) // self.per_cost)

    @property
    def name(self) -> str:
        """What is minimised, in words."""
        if not self.per_test:
            return "cost"
        return "cost complexity" if self.per_cost else "number of tests"


def _of_same_order(units: Fraction, n_sizes: int) -> Fraction:
    """Return a fraction of small numbers that orders integer costs with the price of fewer than so many leaves alike.

    No fraction with a denominator below ``n_sizes`` lies between the two, so products with such numbers lie between the
    same integers.

    >>> _of_same_order(Fraction(0.3), 6)
    Fraction(3, 10)
    """
    near = units.limit_denominator(n_sizes)
    if near == units:
        return near
    denominator = 2 * n_sizes
    while (simple := units.limit_denominator(denominator)) == near:
        denominator *= 2
    return simple


def read_max_errors(max_errors: Any, costs: RowCosts, name: str = "max_errors") -> int:
    """Return a maximum number of errors; raise InputError if it is none, or if errors have weights."""
    if not isinstance(max_errors, int | np.integer) or isinstance(max_errors, bool) or max_errors < 0:
        raise InputError("is not an integer of at least 0", parameter=name, value=max_errors)
    if not costs.counts_errors:
        raise InputError(
            f"counts errors, but weights, a cost matrix or a teacher weigh them; use {name.replace('errors', 'cost')}",
            parameter=name,
            value=max_errors,
        )
    return int(max_errors)


def read_max_cost(max_cost: Any, costs: RowCosts, name: str = "max_cost") -> int:
    """Return a maximum cost in units, rounded down; raise InputError if it is none."""
    is_number = isinstance(max_cost, int | float | np.integer | np.floating) and not isinstance(max_cost, bool)
    if not is_number or not 0 <= max_cost < inf:
        raise InputError("is not a number of at least 0", parameter=name, value=max_cost)
    return floor(_simple(float(max_cost) / costs.unit))  # 0.3 is three units of 0.1


def infeasible(constraints: Constraints, what: str) -> InfeasibleError:
    """Return the error for a maximum cost that no tree satisfies."""
    if constraints == Constraints():
        return InfeasibleError(f"there is no tree with at most {what}; allow more")
    return InfeasibleError(
        f"there is no tree that satisfies the constraints with at most {what}; allow more, or relax a constraint"
    )


def _simple(number: float) -> Fraction:
    """Return the simplest fraction within the rounding errors of a few operations."""
    exact = Fraction(number)
    simple = exact.limit_denominator(MAX_DENOMINATOR)
    return simple if abs(simple - exact) <= TOLERANCE * exact else exact
