"""The exact search for the front, and the schedule: trees at once, then proofs in ascending order of size.

The native search (``native/front``) answers sizes in ascending order, which is what keeps it small. Known trees hardly
help it: with the costs of the best trees as cutoffs it is at most a fifth faster. So first trees are for the user, who
has the upper curve of CART's trees after milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock
from .._support.resources import free_bytes
from .._support.text import quantity
from ..engines.front_search import NativePrice, open_front_search
from ..errors import PuretreeError, UnfinishedWarning, warn
from ..outcome import Status
from ..problem import Constraints, CostProblem, PreparedCosts
from .cart import Cart, offer_cart
from .curves import Curves, FoundTree, OnChange
from .front import REASONS, Front, FrontBounds
from .improvement import improve

OnFront = Callable[[FrontBounds], None]

FIRST_TREES, SEARCH, IMPROVEMENT = "scikit-learn", "search", "local-improvement"
N_SEEDS = 1  # of CART before the search
FIRST_TURN = 20_000  # sets
FIRST_SETS = 100  # that are searched before first trees are grown: a question about a few tests needs no more
MAX_FIRST_WORDS = 2**26  # that their pairs of features may have, so that they take some hundredths of a second at most
PRICE_SHARE = Fraction(1, 8)  # of the work, as a ratio to that for sizes, unless a price is asked for
SIMILAR = Fraction(3, 4)  # the ratio of prices whose bounds of sets are similar
MOST_TESTS = 16_382  # of the native search

# Of the time, for better trees of the sizes that are not proved.
IMPROVEMENT_SHARE, IMPROVEMENT_SECONDS = 0.1, 6.0

Ints = NDArray[np.int32]


class Goal(Protocol):
    """What the search is for."""

    @property
    def has_price(self) -> bool:
        """Whether the least total at a price is asked for, so that prices are more useful than sizes."""

    def next(self, curves: Curves) -> tuple[int, int] | None:
        """Return the next number of tests to ask, and the cutoff of the cost; None if it is reached."""

    def prices(self, curves: Curves) -> Iterator[Fraction]:
        """Yield prices of a test whose least totals would help, the best first."""


class OpenFront:
    """A search for the front that keeps what it learns, and can be continued.

    Parameters
    ----------
    problem : CostProblem
    constraints : Constraints
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    on_change : callable, optional
        Called with the number of tests for which a bound became tighter.
    column_of_feature : ndarray of intp, optional
        The column that each merged feature tests, which makes the first trees faster.
    """

    def __init__(
        self,
        problem: CostProblem,
        constraints: Constraints,
        *,
        memory_limit: float | None = None,
        on_change: OnChange | None = None,
        column_of_feature: NDArray[np.intp] | None = None,
    ) -> None:
        self.problem, self.constraints, self.memory_limit = problem, constraints, memory_limit
        self.curves = Curves(problem, constraints, on_change)
        self.cart = Cart(problem, constraints, column_of_feature)
        self.asked_prices: set[Fraction] = set()  # those that are answered
        self.open_price: Fraction | None = None  # one that is not
        self.source = FIRST_TREES  # who makes the improvements at the moment

    @classmethod
    def of(
        cls,
        prepared: PreparedCosts,
        constraints: Constraints,
        *,
        memory_limit: float | None = None,
        on_change: OnChange | None = None,
    ) -> OpenFront:
        """Return a search for the front of a table."""
        return cls(
            prepared.problem,
            constraints,
            memory_limit=memory_limit,
            on_change=on_change,
            column_of_feature=prepared.column_of_feature,
        )

    @cached_property
    def native(self) -> _native.FrontSearch:
        """The native search, made when it is first needed."""
        return open_front_search(self.problem, self.constraints, free_bytes(self.memory_limit))

    @property
    def native_if_made(self) -> _native.FrontSearch | None:
        """The native search; None if it was not needed."""
        return self.__dict__.get("native")

    def offer_first_trees(self) -> None:
        """Offer the trees that take little time."""
        offer_cart(self.curves, self.cart, range(N_SEEDS))

    def ask_size(self, n_tests: int, cutoff: int, seconds: float, max_sets: int | None = None) -> bool:
        """Look for a tree with at most so many tests that costs less than a cutoff.

        Parameters
        ----------
        n_tests, cutoff : int
        seconds : float
        max_sets : int, optional
            The number of sets of examples that are searched at most.

        Returns
        -------
        bool
            True if there is an answer: the upper curve is below the cutoff and is the least cost, or the lower curve
            reaches the cutoff. False if a limit was reached; ask again to continue.
        """
        curves = self.curves
        if curves.lower[n_tests] >= min(cutoff, curves.upper[n_tests]):
            return True
        cutoffs = np.zeros(n_tests + 1, dtype=np.int64)
        cutoffs[n_tests] = cutoff

        def on_tree(_: int, cost: int, *tree: Ints) -> None:
            self._offer(cost, *tree)

        return self.native.run(cutoffs, curves.raise_lower, on_tree, seconds, max_sets)

    def ask_price(self, price: Fraction, seconds: float, max_sets: int | None = None) -> bool:
        """Look for the tree with the least sum of its cost and a price for each test, which bounds every size.

        Parameters
        ----------
        price : Fraction
            In units of cost.
        seconds, max_sets
            As for :meth:`ask_size`.
        """
        curves, least = self.curves, self.problem.least_cost
        native = NativePrice.of(price, self.problem.leaf()[1] - least)
        if native is None or price in self.asked_prices:
            self.asked_prices.add(price)
            return True
        upper = curves.upper.tolist()
        cutoff = min(native.total(upper[n_tests], n_tests) for n_tests in curves.points)

        def on_lower(total: int) -> None:
            curves.raise_all(native.costs(total, len(curves.lower)))

        self.open_price = price
        if not self.native.run_price(native.price, native.unit, cutoff, on_lower, self._offer, seconds, max_sets):
            return False
        self.asked_prices.add(price)
        self.open_price = None
        return True

    def _offer(self, cost: int, feature: Ints, left: Ints, label: Ints) -> None:
        n_tests = len(left) // 2
        if n_tests < len(self.curves.upper):  # a price does not limit the size
            found = FoundTree(feature, left, label, self.problem.classes)
            self.curves.offer(n_tests, cost, found, replaces_equal=True)

    def solve(self, clock: Clock) -> Status:
        """Find the whole front; return "optimal", or why it is not proved.

        Ctrl-C stops the clock.
        """
        return self.run(WholeFront(), clock)

    def run(self, goal: Goal, clock: Clock) -> Status:
        """Search until the goal is reached; offer better trees at the end if a limit is reached.

        Parameters
        ----------
        goal : Goal
        clock : Clock
            Ctrl-C stops it.

        Returns
        -------
        str
            "optimal", or why the goal is not reached.
        """
        status: Status = "interrupted"
        try:
            self.curves.announce()
            if FIRST_SETS * self._n_words_of_pairs <= MAX_FIRST_WORDS:
                self.source = SEARCH
                self._search(goal, clock, FIRST_SETS)
            if goal.next(self.curves) is not None:
                self.source = FIRST_TREES
                self.offer_first_trees()
            self.source = SEARCH
            limit = clock.limit - min(IMPROVEMENT_SHARE * clock.limit, IMPROVEMENT_SECONDS)
            status = self._search(goal, Clock(limit, clock.start) if clock.limit < inf else clock)
            if status != "optimal" and goal.next(self.curves) is not None:
                self.source = IMPROVEMENT
                improve(self.curves, self.cart, clock)
        except KeyboardInterrupt:
            clock.stop()
            status = "interrupted"
        return "optimal" if goal.next(self.curves) is None else status

    @property
    def _n_words_of_pairs(self) -> int:
        """The work of the search for all examples: the words of the columns of all pairs of features."""
        return self.problem.n_features**2 // 2 * -(-self.problem.n_examples // 64)

    def _search(self, goal: Goal, clock: Clock, max_sets: int | None = None) -> Status:
        """Ask sizes and prices in turns, divided by their work in sets: the answer must not depend on the machine.

        Where all sizes are asked for, prices help the last ones on large tables, and bound those that are not reached.
        """
        of_sizes, of_prices = FIRST_TURN if goal.has_price else 0, FIRST_TURN
        share = 1 if goal.has_price else PRICE_SHARE
        answered = None
        try:
            while (request := goal.next(self.curves)) is not None:
                if request == answered:
                    raise PuretreeError("a search ended without an answer: this is a bug, please report it")
                if request[0] > MOST_TESTS:
                    return "unproved"
                price = self._next_price(goal)
                turn, before = max(FIRST_TURN, (of_sizes + of_prices) // 4), self.native.n_sets
                if max_sets is not None:
                    if before >= max_sets:
                        return "unproved"
                    turn = max_sets - before
                if price is not None and of_prices <= of_sizes * share:
                    self.ask_price(price, clock.left, turn)
                    of_prices += self.native.n_sets - before
                else:
                    is_limited = price is not None or max_sets is not None
                    answered = request if self.ask_size(*request, clock.left, turn if is_limited else None) else None
                    of_sizes += self.native.n_sets - before
                if clock.is_over:
                    return "time_limit"
        except MemoryError:
            return "memory_limit"
        return "optimal"

    def _next_price(self, goal: Goal) -> Fraction | None:
        """Return the price to ask: the one that is open while prices help, else the first that is a new one."""
        prices = list(goal.prices(self.curves))
        if self.open_price is not None and prices:
            return self.open_price
        for price in prices:
            if not any(price * SIMILAR <= asked <= price / SIMILAR for asked in self.asked_prices):
                return price
        return None


class SizeGoal:
    """A goal that no price helps."""

    has_price = False

    def prices(self, curves: Curves) -> Iterator[Fraction]:
        """Yield nothing."""
        yield from ()


class WholeFront:
    """The least cost of every size."""

    has_price = False

    def next(self, curves: Curves) -> tuple[int, int] | None:
        """Return the smallest size that is not proved, with the cost of its tree as the cutoff."""
        sizes = np.flatnonzero(curves.lower < curves.upper)
        return (int(sizes[0]), int(curves.upper[sizes[0]])) if len(sizes) else None

    def prices(self, curves: Curves) -> Iterator[Fraction]:
        """Yield the slopes of the convex hull of the upper curve where it is not proved: the steepest are the easiest.

        If a slope is proved the least total, so are the points at both ends of its step.
        """
        for left, right in curves.steps():
            if (curves.lower[left : right + 1] < curves.upper[left : right + 1]).any():
                yield Fraction(int(curves.upper[left] - curves.upper[right]), right - left)


def find_front(
    prepared: PreparedCosts,
    constraints: Constraints,
    *,
    goal: Goal | None = None,
    clock: Clock,
    memory_limit: float | None = None,
    on_progress: OnFront | None = None,
) -> Front:
    """Search for the front until it is proved, or a limit is reached, or Ctrl-C.

    Parameters
    ----------
    prepared, constraints
        The table with its cost problem, and what all trees satisfy.
    goal : Goal, optional
        Where the search ends; by default when the whole front is proved.
    clock, memory_limit, on_progress
        As for :func:`puretree.front`.
    """
    costs = prepared.solved_costs

    def on_change(n_tests: int) -> None:
        if on_progress is not None:
            lower, upper = (
                int(curve[n_tests]) * (1 if costs.counts_errors else costs.unit)
                for curve in (search.curves.lower, search.curves.upper)
            )
            unit = "errors" if costs.counts_errors else "cost"
            on_progress(FrontBounds(clock.seconds, 2 * n_tests + 1, lower, upper, unit))

    search = OpenFront.of(prepared, constraints, memory_limit=memory_limit, on_change=on_change)
    status = search.run(goal or WholeFront(), clock)
    search.curves.finish()
    return Front(prepared, constraints, search.curves, search.native_if_made, status, clock.seconds)


def warn_if_open(front: Front) -> None:
    """Warn if points are not proved."""
    if front.is_complete:
        return
    proved = [point.n_nodes for point in front if point.status == "optimal"]
    open_ = next((point for point in front if point.status != "optimal"), front[-1])
    warn(
        UnfinishedWarning(
            f"{REASONS.get(front.status, 'the search ended')} before the whole front was proved: it is proved up to "
            f"{quantity(proved[-1], 'node')}; of {quantity(open_.n_nodes, 'node')}, the least "
            f"{'number of errors' if front.counts_errors else 'cost'} lies between {open_.lower_bound:g} and "
            f"{open_.upper_bound:g}; allow more time, or a smaller max_nodes"
        )
    )
