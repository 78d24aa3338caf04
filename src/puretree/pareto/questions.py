"""Questions about one point of the front, each answered without the rest of the front.

Sizes are asked in ascending order, as for the whole front: what is known about smaller trees is what keeps the search
of larger ones small. But each size is only asked what the question needs: for the smallest tree with few errors,
whether there is one. A price for each leaf has a search of its own, and takes turns with sizes, which are asked whether
a tree saves more than its leaves cost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Protocol, cast

import numpy as np

from .._support.clock import Clock
from .._support.text import quantity
from ..engines import Engine, MaxSat
from ..errors import InputError, SolverError, UnfinishedWarning, warn
from ..outcome import Aim, Bounds, OnProgress, Outcome, Status
from ..problem import Constraints, Minimise, PreparedCosts, nodes_of
from ..problem.constraints import require_positive_integer
from ..selection.fit_result import unfinished
from .criteria import Criterion, Price, infeasible, read_alpha, read_max_cost, read_max_errors
from .curves import Curves, count_errors
from .maxsat import MaxSatFront
from .search import Goal, OpenFront, SizeGoal


class Question(Goal, Protocol):
    """What to minimise, in terms of the curves."""

    @property
    def aim(self) -> Aim:
        """The objective."""

    def best(self, curves: Curves) -> int | None:
        """Return the number of tests of the best known tree; None if there is none."""

    def bounds(self, curves: Curves) -> tuple[float, float | None]:
        """Return the bounds of the objective."""

    def criterion(self, curves: Curves) -> Criterion:
        """Return the objective of a formula."""


@dataclass(frozen=True, slots=True)
class FewestNodes(SizeGoal):
    """The smallest tree that costs at most so much.

    Parameters
    ----------
    max_cost : int
        In units.
    what : str
        The limit in words.
    """

    max_cost: int
    what: str

    @property
    def aim(self) -> Aim:
        """The objective."""
        return "nodes-within-errors"

    def best(self, curves: Curves) -> int | None:
        """Return the number of tests of the smallest known tree."""
        sizes = np.flatnonzero(curves.upper <= self.max_cost)
        return int(sizes[0]) if len(sizes) else None

    def bounds(self, curves: Curves) -> tuple[float, float | None]:
        """Return the bounds of the number of nodes."""
        best = self.best(curves)
        return 2 * self._least(curves) + 1, None if best is None else 2 * best + 1

    def next(self, curves: Curves) -> tuple[int, int] | None:
        """Return the smallest size for which it is not known whether a tree is cheap enough."""
        least = self._least(curves)
        return None if curves.upper[least] <= self.max_cost else (least, self.max_cost + 1)

    def criterion(self, curves: Curves) -> Criterion:
        """Return the number of tests."""
        return Criterion.tests(self.max_cost)

    def _least(self, curves: Curves) -> int:
        sizes = np.flatnonzero(curves.lower <= self.max_cost)
        if not len(sizes):
            raise infeasible(curves.constraints, self.what)
        return int(sizes[0])


@dataclass(frozen=True, slots=True)
class LeastCost(SizeGoal):
    """The tree that costs least, among those that satisfy the constraints.

    Parameters
    ----------
    aim : {"errors", "error-cost", "teacher-cost"}
        What is minimised.
    unit : float
        The cost that an integer unit stands for.
    """

    aim: Aim
    unit: float

    def best(self, curves: Curves) -> int:
        """Return the fewest tests with the least known cost."""
        return curves.last

    def bounds(self, curves: Curves) -> tuple[float, float | None]:
        """Return the bounds of the cost."""
        lower, upper = int(curves.lower[-1]), int(curves.upper[-1])
        return (lower, upper) if self.aim == "errors" else (lower * self.unit, upper * self.unit)

    def next(self, curves: Curves) -> tuple[int, int] | None:
        """Return the smallest size whose least cost is not known."""
        if curves.is_proved(-1):
            return None
        n_tests = int(np.flatnonzero(curves.lower < curves.upper)[0])
        return n_tests, int(curves.upper[n_tests])

    def criterion(self, curves: Curves) -> Criterion:
        """Return the cost."""
        return Criterion.cost()


@dataclass(frozen=True, slots=True)
class LeastComplexity:
    """The tree with the least cost complexity: the cost, and a price for each leaf."""

    price: Price

    @property
    def aim(self) -> Aim:
        """The objective."""
        return "cost-complexity"

    def best(self, curves: Curves) -> int:
        """Return the number of tests of the best known tree, of several the smallest."""
        return self.price.best(curves)

    def bounds(self, curves: Curves) -> tuple[float, float | None]:
        """Return the bounds of the cost complexity."""
        price, best = self.price, self.best(curves)
        upper = price.total(curves.upper[best], best)
        totals = (price.total(cost, n_tests) for n_tests, cost in price.affordable(curves.lower, upper))
        return price.complexity(min((upper, *totals))), price.complexity(upper)

    def next(self, curves: Curves) -> tuple[int, int] | None:
        """Return the smallest size of which a tree may be better."""
        price, best = self.price, self.best(curves)
        total = price.total(curves.upper[best], best)
        for n_tests, lower in price.affordable(curves.lower, total):
            cutoff = price.cutoff(total, n_tests)
            if lower < cutoff:
                return n_tests, cutoff
        return None

    has_price = True

    def prices(self, curves: Curves) -> Iterator[Fraction]:
        """Yield the price."""
        yield self.price.units

    def criterion(self, curves: Curves) -> Criterion:
        """Return the cost complexity."""
        return Criterion.complexity(self.price, len(curves.lower))


@dataclass(frozen=True, slots=True)
class ProvedPoint:
    """The answer to a question as a point of the front: the least cost of its size, and of all smaller sizes.

    All trees of the point can be collected then; their search needs these bounds anyway.
    """

    question: Question

    @property
    def has_price(self) -> bool:
        """Whether prices help to answer the question."""
        return self.question.has_price

    def next(self, curves: Curves) -> tuple[int, int] | None:
        """Return the next request of the question, then the sizes up to the answer that are not proved."""
        request = self.question.next(curves)
        if request is not None:
            return request
        answer = self.question.best(curves)
        assert answer is not None  # the question is answered
        sizes = np.flatnonzero(curves.lower[: answer + 1] < curves.upper[: answer + 1])
        return (int(sizes[0]), int(curves.upper[sizes[0]])) if len(sizes) else None

    def prices(self, curves: Curves) -> Iterator[Fraction]:
        """Yield the prices of the question while it is open."""
        if self.question.next(curves) is not None:
            yield from self.question.prices(curves)


@dataclass(frozen=True, slots=True)
class Request:
    """The parameters of :func:`puretree.minimum_tree` that allow errors.

    Parameters
    ----------
    max_nodes, max_errors, max_cost, alpha, minimise, class_weight, sample_weight, cost_matrix
        As for :func:`puretree.minimum_tree`.
    """

    max_nodes: int | None = None
    max_errors: int | None = None
    max_cost: float | None = None
    alpha: float | None = None
    minimise: str = "nodes"
    class_weight: Any = None
    sample_weight: Any = None
    cost_matrix: Any = None

    def allows_errors(self, engine: Engine, **unsupported: object) -> bool:
        """Return whether a tree with errors is asked for.

        Parameters
        ----------
        engine : Engine
        **unsupported
            Parameters that apply to pure trees only; None or False if they are not given.

        Raises
        ------
        InputError
            If parameters contradict each other, or one does not apply.
        """
        given = self._given
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} contradict each other; use one of them")
        if not given:
            self._require_nothing_else()
            return False
        if self.minimise not in ("nodes", "errors"):
            raise InputError(f"does not apply with {given[0]}; omit it", parameter="minimise", value=self.minimise)
        if engine.name not in ("auto", "search", "maxsat"):
            raise InputError(
                f"does not support {given[0]}; use 'auto', 'search' or 'maxsat'",
                parameter="engine",
                value=engine.name,
            )
        for name, value in unsupported.items():
            if value is not None and value is not False:
                raise InputError(f"does not apply with {given[0]}; omit it", parameter=name, value=value)
        return True

    @property
    def _given(self) -> list[str]:
        limits = {"max_errors": self.max_errors, "max_cost": self.max_cost, "alpha": self.alpha}
        given = [name for name, value in limits.items() if value is not None]
        return [*given, "minimise='errors'"] if self.minimise == "errors" else given

    def constraints(
        self, max_depth: int | None, roots: Collection[int] | None, max_leaf_nodes: int | None, min_samples_leaf: int
    ) -> Constraints:
        """Return the constraints on trees with errors."""
        if self.max_nodes is not None:
            require_positive_integer("max_nodes", self.max_nodes)
        sizes = [size for size in (self.max_nodes, nodes_of(max_leaf_nodes)) if size is not None]
        limits = Constraints(max_depth, max_nodes=min(sizes, default=None), min_samples_leaf=min_samples_leaf)
        if self.minimise == "errors" and limits == Constraints():
            raise InputError(
                "needs a limit of the size, because a pure tree has the fewest errors; use max_nodes or max_depth",
                parameter="minimise",
                value="errors",
            )
        return replace(limits, root=roots)

    @property
    def of_pure_tree(self) -> Minimise:
        """The objective of a pure tree."""
        return cast(Minimise, self.minimise)

    def _require_nothing_else(self) -> None:
        """Raise InputError for a parameter that needs one of the parameters that allow errors."""
        if self.max_nodes is not None:
            raise InputError(
                "limits trees with errors; for a pure tree use max_leaf_nodes",
                parameter="max_nodes",
                value=self.max_nodes,
                use={"minimise": "errors"},
            )
        for name in ("class_weight", "sample_weight", "cost_matrix"):
            if getattr(self, name) is not None:
                raise InputError(
                    f"{name} says what errors cost, and a pure tree has none; allow them with max_cost, alpha or "
                    "minimise='errors'"
                )

    @property
    def costs(self) -> dict[str, Any]:
        """What errors cost."""
        return {
            "class_weight": self.class_weight,
            "sample_weight": self.sample_weight,
            "cost_matrix": self.cost_matrix,
        }

    def question(self, prepared: PreparedCosts) -> Question:
        """Return the question about a table."""
        costs = prepared.solved_costs
        if self.max_errors is not None:
            return FewestNodes(read_max_errors(self.max_errors, costs), quantity(self.max_errors, "error"))
        if self.max_cost is not None:
            return FewestNodes(read_max_cost(self.max_cost, costs), f"a cost of {self.max_cost:g}")
        if self.alpha is not None:
            return LeastComplexity(Price.of(read_alpha(self.alpha), costs))
        return LeastCost(prepared.minimised, costs.unit)


def answer(
    prepared: PreparedCosts,
    constraints: Constraints,
    question: Question,
    *,
    engine: Engine | None = None,
    clock: Clock,
    memory_limit: float | None = None,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Search until a question is answered, or a limit is reached, or Ctrl-C.

    Parameters
    ----------
    prepared, constraints
        The table with its cost problem, and what all trees satisfy.
    question : Question
    engine : Engine, optional
        The exact search by default, or MaxSAT.
    clock, memory_limit, on_progress
        As for :func:`puretree.minimum_tree`.

    Raises
    ------
    InfeasibleError
        If it is proved that no tree is cheap enough.
    SolverError
        If a solver fails; its ``outcome`` is the best tree so far.
    """
    history: list[Bounds] = []

    def report(_: int) -> None:
        lower, upper = question.bounds(search.curves)
        if history and (history[-1].lower, history[-1].upper) == (lower, upper):
            return
        history.append(Bounds(clock.seconds, lower, upper, search.source))
        if on_progress is not None:
            on_progress(history[-1])

    options: Any = {
        "memory_limit": memory_limit,
        "on_change": report,
        "column_of_feature": prepared.column_of_feature,
    }
    search: OpenFront | MaxSatFront
    if isinstance(engine, MaxSat):
        search = MaxSatFront(prepared.problem, constraints, engine, **options)
        run = partial(search.run, question.criterion(search.curves))
    else:
        search = OpenFront(prepared.problem, constraints, **options)
        run = partial(search.run, question)

    def outcome(status: Status) -> Outcome:
        return _outcome(prepared, search.curves, question, status, tuple(history), clock, engine)

    try:
        status = run(clock)
    except SolverError as error:
        error.outcome = outcome("failed")
        raise
    found = outcome("optimal" if question.next(search.curves) is None else status)
    if found.status != "optimal":
        warn(UnfinishedWarning(unfinished(found)))
    return found


def _outcome(
    prepared: PreparedCosts,
    curves: Curves,
    question: Question,
    status: Status,
    history: tuple[Bounds, ...],
    clock: Clock,
    engine: Engine | None,
) -> Outcome:
    best = question.best(curves)
    tree, n_errors = None, 0
    if best is not None:
        tree = prepared.decode_tree(curves.tree(best), int(curves.upper[best]))
        n_errors = count_errors(tree)
    lower, upper = question.bounds(curves)
    return Outcome(
        tree=tree,
        lower_bound=lower,
        upper_bound=upper,
        status=status,
        history=history,
        seconds=clock.seconds,
        minimised=question.aim,
        n_errors=n_errors,
        engine="maxsat" if isinstance(engine, MaxSat) else "search",
    )
