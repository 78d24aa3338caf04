"""The exact search for the front, and the schedule: trees at once, then proofs in ascending order of size.

The native search (``native/front``) answers sizes in ascending order, which is what keeps it small. Known trees hardly
help it: with the costs of the best trees as cutoffs it is at most a fifth faster. So first trees are for the user, who
has the upper curve of CART's trees after milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock
from .._support.resources import free_bytes
from .._support.text import quantity
from ..engines.front_search import open_front_search
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
MOST_TESTS = 16_382  # of the native search

# Of the time, for better trees of the sizes that are not proved.
IMPROVEMENT_SHARE, IMPROVEMENT_SECONDS = 0.1, 6.0

Ints = NDArray[np.int32]
Request = tuple[int, int]


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

    def ask(self, n_tests: int, cutoff: int, seconds: float) -> bool:
        """Look for a tree with at most so many tests that costs less than a cutoff.

        Returns
        -------
        bool
            True if there is an answer: the upper curve is below the cutoff and is the least cost, or the lower curve
            reaches the cutoff. False if there was no time for one.
        """
        curves = self.curves
        if curves.lower[n_tests] >= min(cutoff, curves.upper[n_tests]):
            return True

        def on_tree(_: int, cost: int, feature: Ints, left: Ints, label: Ints) -> None:
            found = FoundTree(feature, left, label, self.problem.classes)
            curves.offer(len(left) // 2, cost, found, replaces_equal=True)

        cutoffs = np.zeros(n_tests + 1, dtype=np.int64)
        cutoffs[n_tests] = cutoff
        return self.native.run(cutoffs, curves.raise_lower, on_tree, seconds)

    def solve(self, clock: Clock) -> Status:
        """Find the whole front; return "optimal", or why it is not proved.

        Ctrl-C stops the clock.
        """
        return self.run(_next_open, clock)

    def run(self, next_request: Callable[[Curves], Request | None], clock: Clock) -> Status:
        """Ask sizes until none is left, and offer better trees at the end if a limit is reached.

        Parameters
        ----------
        next_request : callable
            Returns the number of tests and the cutoff to ask next, or None.
        clock : Clock
            Ctrl-C stops it.
        """
        status: Status = "interrupted"
        try:
            self.curves.announce()
            self.offer_first_trees()
            self.source = SEARCH
            limit = clock.limit - min(IMPROVEMENT_SHARE * clock.limit, IMPROVEMENT_SECONDS)
            status = self._ask_all(next_request, Clock(limit, clock.start) if clock.limit < inf else clock)
            if status != "optimal" and next_request(self.curves) is not None:
                self.source = IMPROVEMENT
                improve(self.curves, self.cart, clock)
        except KeyboardInterrupt:
            clock.stop()
            status = "interrupted"
        return "optimal" if next_request(self.curves) is None else status

    def _ask_all(self, next_request: Callable[[Curves], Request | None], clock: Clock) -> Status:
        asked = None
        try:
            while (request := next_request(self.curves)) is not None:
                if request == asked:
                    raise PuretreeError("a search ended without an answer: this is a bug, please report it")
                if request[0] > MOST_TESTS:
                    return "unproved"
                if not self.ask(*request, clock.left):
                    return "time_limit"
                asked = request
        except MemoryError:
            return "memory_limit"
        return "optimal"


def _next_open(curves: Curves) -> Request | None:
    """Return the smallest size that is not proved, with the cost of its tree as the cutoff."""
    sizes = np.flatnonzero(curves.lower < curves.upper)
    return (int(sizes[0]), int(curves.upper[sizes[0]])) if len(sizes) else None


def find_front(
    prepared: PreparedCosts,
    constraints: Constraints,
    *,
    clock: Clock,
    memory_limit: float | None = None,
    on_progress: OnFront | None = None,
) -> Front:
    """Search for the front until it is proved, or a limit is reached, or Ctrl-C.

    Parameters
    ----------
    prepared, constraints
        The table with its cost problem, and what all trees satisfy.
    clock, memory_limit, on_progress
        As for :func:`puretree.front`.
    """
    costs = prepared.row_costs

    def on_change(n_tests: int) -> None:
        if on_progress is not None:
            lower, upper = (
                int(curve[n_tests]) * (1 if costs.counts_errors else costs.unit)
                for curve in (search.curves.lower, search.curves.upper)
            )
            unit = "errors" if costs.counts_errors else "cost"
            on_progress(FrontBounds(clock.seconds, 2 * n_tests + 1, lower, upper, unit))

    search = OpenFront.of(prepared, constraints, memory_limit=memory_limit, on_change=on_change)
    status = search.solve(clock)
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
