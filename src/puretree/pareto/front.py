"""The front of size and errors: the least cost for every number of nodes, with a tree of each point."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .. import _native
from .._support.clock import Clock
from .._support.resources import free_bytes
from .._support.text import quantity, text_table
from ..errors import InputError, UnfinishedError
from ..forest import Forest, grow_front_forest
from ..outcome import Status, number
from ..problem import Constraints, PreparedCosts
from ..problem.constraints import require_positive_integer
from ..tree import Tree
from .cart import Cart
from .criteria import Price, infeasible, read_alpha, read_max_cost, read_max_errors
from .curves import Costs, Curves, count_errors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_KEPT_BYTES = 2**28  # of the bounds of a search

REASONS = {"time_limit": "time limit reached", "memory_limit": "memory limit reached", "interrupted": "interrupted"}


@dataclass(frozen=True, slots=True)
class FrontBounds:
    """Bounds of the least cost of a tree with at most some number of nodes, at some time of the search.

    Parameters
    ----------
    seconds : float
        Since the start.
    n_nodes : int
        The maximum number of nodes.
    lower, upper : float
        No tree of that size costs less than ``lower``, and one that costs ``upper`` is known.
    unit : str
        What the costs are: "errors" or "cost".
    """

    seconds: float
    n_nodes: int
    lower: float
    upper: float
    unit: str = "errors"

    @property
    def text(self) -> str:
        """The bounds without the time."""
        return f"{quantity(self.n_nodes, 'node')}: {number(self.lower)} ≤ {self.unit} ≤ {number(self.upper)}"

    def __str__(self) -> str:
        return f"{self.text} · {self.seconds:.1f} s"


@dataclass(frozen=True, eq=False, repr=False)
class FrontPoint:
    """A tree of the front: no smaller tree costs as little.

    Parameters
    ----------
    n_nodes : int
        The number of nodes, leaves included.
    cost : float
        The total cost of the training rows; the number of errors unless they are weighed.
    lower_bound, upper_bound : float
        The least cost of a tree with at most so many nodes lies between them; ``upper_bound`` is ``cost``.
    status : {"optimal", "time_limit", "memory_limit", "interrupted", "unproved"}
        ``optimal``: it is proved that no tree with at most so many nodes costs less, and that no smaller tree costs as
        little. Otherwise, why it is not.
    """

    n_nodes: int
    cost: float
    lower_bound: float
    upper_bound: float
    status: Status
    _front: Front

    @property
    def front(self) -> Front:
        """The front that it is a point of."""
        return self._front

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return (self.n_nodes + 1) // 2

    @property
    def tree(self) -> Tree:
        """The tree over the columns of the raw table, its cost checked on the training rows."""
        return self._front.tree_of(self.n_nodes)

    @property
    def errors(self) -> int:
        """The number of training rows that the tree misclassifies; rows of weight 0 are ignored."""
        return self._front.errors_of(self.n_nodes)

    @property
    def accuracy(self) -> float:
        """The fraction of the training rows that the tree classifies correctly."""
        return 1 - self.errors / self._front.n_rows

    def forest(
        self,
        extra_nodes: int = 0,
        extra_errors: int = 0,
        *,
        extra_cost: float = 0.0,
        time_limit: float | Clock | None = 60.0,
        memory_limit: float | None = None,
    ) -> Forest:
        """Find all trees of the point, or of a band around it: a few more nodes, a few more errors (the Rashomon set).

        Parameters
        ----------
        extra_nodes : int, default=0
            How many more nodes a tree may have; every test adds two. Not more than ``max_nodes`` of the front allows.
        extra_errors : int, default=0
            How many more errors a tree may make; only where errors are counted.
        extra_cost : float, default=0
            How much more a tree may cost.
        time_limit, memory_limit
            As for :func:`~puretree.front`.

        Returns
        -------
        Forest
            All trees within both limits, smaller ones included: count, sample, compare and choose among them.
            ``counts_by_cost`` says how many there are of each size and cost. Without a band, all trees of this size and
            cost.

        Raises
        ------
        UnfinishedError
            If a limit was reached before all trees were found.

        Notes
        -----
        Two trees are different if their shapes differ or some node tests another feature. Every test splits its rows,
        and no test has two leaves of the same class, which would change nothing.

        Examples
        --------
        >>> from puretree import front
        >>> rows = [[1, 1], [2, 1], [3, 1], [4, 2], [5, 2], [6, 2]]
        >>> point = front(rows, ["a", "a", "b", "a", "b", "b"]).at(max_nodes=3)
        >>> point.forest().count
        2
        >>> point.forest(extra_errors=1).counts_by_cost
        {(3, 1): 2, (3, 2): 4}
        """
        return self._front.forest_of(self, extra_nodes, extra_errors, extra_cost, Clock.of(time_limit), memory_limit)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of the point as plain values."""
        return {
            "n_nodes": self.n_nodes,
            "n_leaves": self.n_leaves,
            "errors": self.errors,
            "accuracy": self.accuracy,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "upper_bound": self.upper_bound,
            "status": self.status,
        }

    def __repr__(self) -> str:
        return f"<FrontPoint: {self}>"

    def __str__(self) -> str:
        """Return the point in one line."""
        found = quantity(self.errors, "error")
        cost = "" if self._front.counts_errors else f", cost {self.cost:g}"
        proof = "optimal" if self.status == "optimal" else f"at least {self.lower_bound:g}, {self.status}"
        return f"{quantity(self.n_nodes, 'node')}, {found}{cost} ({proof})"


class Front(Sequence[FrontPoint]):
    """The front of size and errors: for every number of nodes, the tree that costs least.

    Its points are the sizes at which the cost drops, smallest tree first. It can be iterated and indexed.

    Parameters
    ----------
    prepared : PreparedCosts
        The table and its cost problem.
    constraints : Constraints
        What all trees satisfy.
    curves : Curves
        The bounds and the trees.
    search : FrontSearch or None
        The native search, whose bounds make :meth:`FrontPoint.forest` fast. It is kept if it takes at most 256 MB, and
        it is no part of a copy or a file.
    status : {"optimal", "time_limit", "memory_limit", "interrupted", "unproved"}
        ``optimal`` if all points are proved, and that there are no others; otherwise, why not.
    seconds : float
        The total time.
    """

    def __init__(
        self,
        prepared: PreparedCosts,
        constraints: Constraints,
        curves: Curves,
        search: _native.FrontSearch | None,
        status: Status,
        seconds: float,
    ) -> None:
        self.prepared, self.constraints, self._curves = prepared, constraints, curves
        self.status: Status = "optimal" if curves.is_complete else "unproved" if status == "optimal" else status
        self.seconds = seconds
        self._trees: dict[int, Tree] = {}
        self._kept: list[_native.FrontSearch] = []  # taken out while a thread uses it
        self._keep(search)

    def _keep(self, search: _native.FrontSearch | None) -> None:
        if search is not None and search.n_bytes <= MAX_KEPT_BYTES:
            self._kept = [search]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": []}

    # The points

    @cached_property
    def points(self) -> tuple[FrontPoint, ...]:
        """The points, smallest tree first."""
        return tuple(self._point(n_tests) for n_tests in self._curves.points)

    def _point(self, n_tests: int) -> FrontPoint:
        lower, upper = (self._in_users_unit(curve[n_tests]) for curve in (self._curves.lower, self._curves.upper))
        status = "optimal" if self._curves.is_point(n_tests) else self.status
        return FrontPoint(2 * n_tests + 1, upper, lower, upper, status, self)

    def __len__(self) -> int:
        return len(self.points)

    @overload
    def __getitem__(self, index: int) -> FrontPoint: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[FrontPoint, ...]: ...

    def __getitem__(self, index: int | slice) -> FrontPoint | tuple[FrontPoint, ...]:
        return self.points[index]

    def __iter__(self) -> Iterator[FrontPoint]:
        return iter(self.points)

    @property
    def is_complete(self) -> bool:
        """Whether every point is proved, and that there are no others."""
        return self.status == "optimal"

    @property
    def counts_errors(self) -> bool:
        """Whether costs are numbers of errors: there are no weights and no cost matrix."""
        return self.prepared.solved_costs.counts_errors

    @property
    def n_rows(self) -> int:
        """The number of training rows that have a weight."""
        return int(self.prepared.row_costs.n_rows.sum())

    @property
    def lower(self) -> tuple[float, ...]:
        """The lower curve: a bound of the least cost with at most 0, 1, 2 … tests (1, 3, 5 … nodes)."""
        return self._curve(self._curves.lower)

    @property
    def upper(self) -> tuple[float, ...]:
        """The upper curve: the cost of the best known tree with at most 0, 1, 2 … tests."""
        return self._curve(self._curves.upper)

    def _curve(self, costs: Costs) -> tuple[float, ...]:
        return tuple(self._in_users_unit(cost) for cost in costs[: self._curves.last + 1])

    def _in_users_unit(self, cost: int) -> float:
        return int(cost) if self.counts_errors else int(cost) * self.prepared.problem.unit

    def tree_of(self, n_nodes: int) -> Tree:
        """Return the tree of the point with so many nodes."""
        if n_nodes not in self._trees:
            n_tests = n_nodes // 2
            tree = self._curves.tree(n_tests)
            self._trees[n_nodes] = self.prepared.decode_tree(tree, int(self._curves.upper[n_tests]))
        return self._trees[n_nodes]

    def pruning_path(self) -> list[tuple[int, float]]:
        """Return the number of nodes and the cost of each tree of CART's cost-complexity pruning on these features."""
        return list(self._pruning_path)

    @cached_property
    def _pruning_path(self) -> list[tuple[int, float]]:
        path = Cart(self.prepared.problem, self.constraints, self.prepared.column_of_feature).pruning_path()
        return [(n_nodes, self._in_users_unit(cost)) for n_nodes, cost in path]

    def errors_of(self, n_nodes: int) -> int:
        """Return the number of training rows that the tree of the point with so many nodes misclassifies."""
        if self.counts_errors:
            return int(self._curves.upper[n_nodes // 2])
        return count_errors(self.tree_of(n_nodes))

    def forest_of(
        self,
        point: FrontPoint,
        extra_nodes: int,
        extra_errors: int,
        extra_cost: float,
        clock: Clock,
        memory_limit: float | None,
    ) -> Forest:
        """Find all trees of a point or a band around it; see :meth:`FrontPoint.forest`."""
        if not isinstance(extra_nodes, int | np.integer) or isinstance(extra_nodes, bool) or extra_nodes < 0:
            raise InputError("is not an integer of at least 0", parameter="extra_nodes", value=extra_nodes)
        costs = self.prepared.solved_costs
        slack = read_max_errors(extra_errors, costs, "extra_errors") if extra_errors else 0
        slack += read_max_cost(extra_cost, costs, "extra_cost")
        n_tests = point.n_nodes // 2
        search = self._kept.pop() if self._kept else None
        if search is not None and search.n_bytes > free_bytes(memory_limit):
            search = None
        try:
            return grow_front_forest(
                self.prepared,
                n_tests,
                int(self._curves.upper[n_tests]),
                self.constraints,
                extra=int(extra_nodes) // 2,
                slack=slack,
                clock=clock,
                memory_limit=memory_limit,
                search=search,
            )
        finally:
            self._keep(search)

    # Choosing a point

    def at(
        self,
        *,
        max_nodes: int | None = None,
        max_errors: int | None = None,
        max_cost: float | None = None,
        alpha: float | None = None,
    ) -> FrontPoint:
        """Return the best tree of at most some size, of at most some errors, or at a price for each leaf.

        Exactly one parameter is required.

        Parameters
        ----------
        max_nodes : int, optional
            The tree with at most so many nodes that costs least.
        max_errors : int, optional
            The smallest tree with at most so many errors; only where errors are counted.
        max_cost : float, optional
            The smallest tree that costs at most so much.
        alpha : float, optional
            The tree that minimises ``cost / total weight + alpha * n_leaves``; of several the smallest. That is the
            scale of scikit-learn's ``ccp_alpha`` and of GOSDT's λ: with n rows of weight 1, ``alpha=2 / n`` says that
            a leaf must save at least two errors.

        Returns
        -------
        FrontPoint
            Its ``status`` is ``optimal`` only if this answer is proved, which may be so before the front is complete,
            or not be so although the point itself is optimal.

        Raises
        ------
        InfeasibleError
            If it is proved that no tree has so few errors.
        UnfinishedError
            If no such tree is known.
        """
        options = {"max_nodes": max_nodes, "max_errors": max_errors, "max_cost": max_cost, "alpha": alpha}
        if sum(value is not None for value in options.values()) != 1:
            raise InputError(f"at() requires exactly one of {', '.join(options)}")
        if max_nodes is not None:
            return self._of_size(max_nodes)
        if alpha is not None:
            return self._of_price(read_alpha(alpha))
        if max_errors is not None:
            return self._of_cost(read_max_errors(max_errors, self.prepared.solved_costs), quantity(max_errors, "error"))
        assert max_cost is not None
        return self._of_cost(read_max_cost(max_cost, self.prepared.solved_costs), f"a cost of {max_cost:g}")

    def _of_size(self, max_nodes: int) -> FrontPoint:
        require_positive_integer("max_nodes", max_nodes)
        curves = self._curves
        n_tests = min((int(max_nodes) - 1) // 2, len(curves.upper) - 1)
        point = self._point(max(size for size in curves.points if size <= n_tests))
        is_proved = curves.is_proved(n_tests) and (2 * n_tests + 1 == point.n_nodes or self._is_smallest(point))
        lower = self._in_users_unit(curves.lower[n_tests])
        return replace(point, lower_bound=lower, status="optimal" if is_proved else self.status)

    def _of_cost(self, most: int, what: str) -> FrontPoint:
        curves = self._curves
        sizes = np.flatnonzero(curves.upper <= most)
        if not len(sizes):
            if curves.lower[-1] > most:
                raise infeasible(self.constraints, what)
            raise UnfinishedError(f"no tree with at most {what} is known; allow more time", None)
        point = self._point(int(sizes[0]))
        return replace(point, status="optimal" if self._is_smallest(point) else self.status)

    def _of_price(self, alpha: float) -> FrontPoint:
        curves = self._curves
        price = Price.of(alpha, self.prepared.solved_costs)
        best = price.best(curves)
        total = price.total(curves.upper[best], best)
        is_proved = all(
            price.total(cost, n_tests) > total or (n_tests >= best and price.total(cost, n_tests) == total)
            for n_tests, cost in price.affordable(curves.lower, total)
        )
        return replace(self._point(best), status="optimal" if is_proved else self.status)

    def _is_smallest(self, point: FrontPoint) -> bool:
        """Return whether it is proved that no smaller tree costs as little."""
        n_tests = point.n_nodes // 2
        return n_tests == 0 or bool(self._curves.lower[n_tests - 1] > self._curves.upper[n_tests])

    # Text and pictures

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary for each point, for a data frame or a file."""
        return [point.to_dict() for point in self]

    def plot(self, ax: Axes | None = None, *, cart: bool = True) -> Axes:
        """Draw the front with matplotlib: errors (or cost) against nodes.

        Where it is not proved, the band between both curves is shaded.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new figure.
        cart : bool, default=True
            Draw the pruning path of CART beside it: ``ccp_alpha`` of scikit-learn's ``DecisionTreeClassifier`` on the
            same features. It is not drawn if the root is restricted, which CART does not support.

        Returns
        -------
        Axes
        """
        from .plot import plot_front

        return plot_front(self, ax, cart=cart)

    def explorer(
        self,
        path: str | os.PathLike[str],
        *,
        extra_nodes: int = 0,
        extra_errors: int = 0,
        X_select: Any = None,
        y_select: Any = None,
        data: bool = True,
        title: str | None = None,
        time_limit: float | Clock | None = 60.0,
        memory_limit: float | None = None,
    ) -> Path:
        """Write a page with the front as a curve, and all trees of its points.

        Parameters
        ----------
        path : str or path
            The HTML file. It works offline in a browser, and sends nothing.
        extra_nodes, extra_errors : int, default=0
            Include trees with so many more nodes and errors, as :meth:`FrontPoint.forest` does.
        X_select, y_select, data, title
            As for :meth:`Forest.explorer`.
        time_limit : float or None, default=60
            In seconds, for collecting the trees. A point that is not proved, or whose trees are not all found in time,
            is in the page with its one tree, and the page says so.
        memory_limit : float, optional
            In bytes; half of the machine's memory by default.

        Returns
        -------
        Path
            The path.
        """
        from ..explorer import PageOptions, explore_front

        return explore_front(
            self,
            path,
            PageOptions(X_select, y_select, data, title),
            extra_nodes=extra_nodes,
            extra_errors=extra_errors,
            time_limit=time_limit,
            memory_limit=memory_limit,
        )

    def __repr__(self) -> str:
        return f"<Front: {self._summary()}, {self.seconds:.1f} s>"

    def __str__(self) -> str:
        """Return a table with a row for each point."""
        header = ["nodes", "leaves", "errors", "accuracy"]
        rows = [[point.n_nodes, point.n_leaves, point.errors, f"{point.accuracy:.1%}"] for point in self]
        if not self.counts_errors:
            header.append("cost")
            for row, point in zip(rows, self, strict=True):
                row.append(f"{point.cost:.6g}")
        if not self.is_complete:
            header += ["at least", "status"]
            for row, point in zip(rows, self, strict=True):
                row += [f"{point.lower_bound:.6g}", point.status]
        return "\n".join([*text_table(header, rows), "", self._summary()])

    def _summary(self) -> str:
        n_points, largest = len(self), self[-1].n_nodes
        size = f"{quantity(n_points, 'tree')} of up to {quantity(largest, 'node')}"
        if self.is_complete:
            return f"{size}, all proved optimal"
        n_proved = sum(point.status == "optimal" for point in self)
        return f"{size}, {n_proved} proved optimal ({self.status})"
