"""Which trees a page contains: those of a forest, those of all points of a front, or a single one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .._support.clock import Clock, TimeLimitReached
from .._support.text import quantity
from ..binarize.predicate import format_level
from ..errors import InputError, UnfinishedError
from ..forest import Forest, Graph
from ..outcome import Outcome, Status
from ..pareto import Front, FrontPoint
from ..problem import Prepared, PreparedCosts
from ..runs import replace_file
from ..runs.atomic import require_parent
from ..tree import Tree
from .content import Json, Tests, exact_json, graph_content, graph_of_tree, rows_content, selection_content
from .document import to_html

MAX_ROWS = 100_000  # in a page; more would make it slow to open
MAX_EDGES = 2_000_000  # of a graph in a page, for the same reason
POINT_SHARE = 0.5  # of the time left, to collect the trees of a point

DEFAULT_TITLE = "Optimal decision trees"
StrPath = str | os.PathLike[str]


@dataclass(frozen=True)
class PageOptions:
    """What a page contains besides the trees.

    Parameters
    ----------
    X_select, y_select
        Rows that were not used for training, and their labels; None: there are none.
    data : bool, default=True
        Whether the page contains the training rows.
    title : str, optional
    """

    X_select: Any = None
    y_select: Any = None
    data: bool = True
    title: str | None = None

    def __post_init__(self) -> None:
        if (self.X_select is None) != (self.y_select is None):
            raise InputError("X_select and y_select belong together; pass both of them, or none")


@dataclass(frozen=True)
class Point:
    """Trees that are explored together: those of a point of a front, or all of a forest.

    Parameters
    ----------
    graph : Graph
        Over original features.
    costs : sequence of float
        Of the trees under each root.
    status : str
        ``optimal`` if it is proved that no tree is better.
    lower_bound : float
        Of the number of nodes, or of the cost of a tree of this size.
    n_nodes : int
        The size of the smallest trees.
    tree : Tree or None
        The tree that is drawn first; None for the first one.
    note : str
        Why the graph has a single tree, if it does not have all of them; else "".
    """

    graph: Graph
    costs: Sequence[float]
    status: Status
    lower_bound: float
    n_nodes: int
    tree: Tree | None = None
    note: str = ""

    @classmethod
    def of_forest(cls, forest: Forest, tree: Tree | None, status: Status, lower_bound: float) -> Point:
        """Return the point of all trees of a forest, unless there are too many edges for a page."""
        if forest.graph.n_edges > MAX_EDGES:
            note = f"Only one tree is shown: the graph of all of them has {forest.graph.n_edges:,} edges."
            return cls.of_tree(forest[0] if tree is None else tree, forest.costs_of_roots[0], status, lower_bound, note)
        return cls(forest.graph, forest.costs_of_roots, status, lower_bound, forest.n_nodes, tree)

    @classmethod
    def of_tree(cls, tree: Tree, cost: float, status: Status, lower_bound: float, note: str) -> Point:
        """Return the point of a single tree, and why it is the only one."""
        return cls(graph_of_tree(tree), [cost], status, lower_bound, tree.n_nodes, None, note)


def explore_forest(
    forest: Forest,
    path: StrPath,
    options: PageOptions,
    *,
    tree: Tree | None = None,
    time_limit: float | Clock | None = None,
    memory_limit: float | None = None,
) -> Path:
    """Write the page of a forest; see :meth:`~puretree.Forest.explorer`."""
    outcome = forest.outcome
    writer = _Writer(forest.prepared, Path(path), options, Clock.of(time_limit), memory_limit)
    return writer.write([Point.of_forest(forest, tree, outcome.status, outcome.lower_bound)], 0)


def explore_tree(
    prepared: Prepared | PreparedCosts,
    outcome: Outcome,
    tree: Tree,
    path: StrPath,
    options: PageOptions,
    *,
    note: str,
    memory_limit: float | None = None,
) -> Path:
    """Write the page of a single tree.

    Parameters
    ----------
    prepared : Prepared or PreparedCosts
        The training rows.
    outcome : Outcome
        What is proved of the tree.
    tree : Tree
    path : str or path
    options : PageOptions
    note : str
        Why the page has no other trees.
    memory_limit : float, optional
    """
    point = Point.of_tree(tree, outcome.n_errors, outcome.status, outcome.lower_bound, note)
    return _Writer(prepared, Path(path), options, Clock(), memory_limit).write([point], 0)


def explore_front(
    front: Front,
    path: StrPath,
    options: PageOptions,
    *,
    extra_nodes: int = 0,
    extra_errors: int = 0,
    chosen: FrontPoint | None = None,
    tree: Tree | None = None,
    known: Mapping[int, Forest] | None = None,
    time_limit: float | Clock | None = 60.0,
    memory_limit: float | None = None,
) -> Path:
    """Write the page of a front; see :meth:`~puretree.Front.explorer`.

    Parameters
    ----------
    front, path, extra_nodes, extra_errors, time_limit, memory_limit
        As for :meth:`~puretree.Front.explorer`.
    options : PageOptions
    chosen : FrontPoint, optional
        The point at which the page opens; by default the largest one with all its trees.
    tree : Tree, optional
        The tree of this point that is drawn first; by default that of the point.
    known : mapping of int to Forest, optional
        Trees that have been collected already, by the number of nodes of the point.
    """
    clock = Clock.of(time_limit)
    writer = _Writer(front.prepared, Path(path), options, Clock(), memory_limit)  # what was collected is written
    points = []
    for point in front:
        is_chosen = chosen is not None and point.n_nodes == chosen.n_nodes
        first = tree if is_chosen and tree is not None else point.tree
        forest = (known or {}).get(point.n_nodes)
        points.append(_point_of_front(point, first, forest, (extra_nodes, extra_errors), clock, memory_limit))
    if chosen is not None:
        start = [point.n_nodes for point in front].index(chosen.n_nodes)
    else:
        start = max(i for i, point in enumerate(points) if not point.note or i == 0)
    return writer.write(points, start)


def _point_of_front(
    point: FrontPoint,
    tree: Tree,
    forest: Forest | None,
    band: tuple[int, int],
    clock: Clock,
    memory_limit: float | None,
) -> Point:
    """Collect the trees of a point, or take one tree if it is not proved or a limit is reached."""
    if point.status != "optimal":
        note = "Only one tree is shown: it is not proved that no tree of this size has fewer errors."
        return Point.of_tree(tree, point.cost, point.status, point.lower_bound, note)
    try:
        if forest is None or any(band):
            forest = point.forest(*band, time_limit=clock.part(POINT_SHARE), memory_limit=memory_limit)
    except UnfinishedError:
        note = "Only one tree is shown: a limit was reached before all trees of this size were found."
        return Point.of_tree(tree, point.cost, point.status, point.lower_bound, note)
    return Point.of_forest(forest, tree if tree in forest else None, point.status, point.lower_bound)


@dataclass
class _Writer:
    """Everything about a page but its trees; a missing folder is reported before the work."""

    prepared: Prepared | PreparedCosts
    path: Path
    options: PageOptions
    clock: Clock
    memory_limit: float | None

    def __post_init__(self) -> None:
        require_parent(self.path)

    def write(self, points: Sequence[Point], start: int) -> Path:
        """Write the page of some points, the first one of which is shown when it opens."""
        try:
            content = self._content(points, start)
        except TimeLimitReached:
            raise UnfinishedError("time limit reached while the page was written; raise time_limit", None) from None
        except MemoryError:
            n_rows = quantity(self.prepared.table.n_rows, "row")
            message = f"the leaves of all trees on {n_rows} need more memory; raise memory_limit, or use fewer rows"
            raise UnfinishedError(message, None) from None
        replace_file(self.path, to_html(content).encode(errors="backslashreplace"))
        return self.path

    def _content(self, points: Sequence[Point], start: int) -> Json:
        prepared = self.prepared
        tests = Tests.of(prepared, [point.graph for point in points])
        bits = tests.bits()
        table, classes = prepared.table, prepared.problem.classes
        counts_errors = isinstance(prepared, Prepared) or prepared.solved_costs.counts_errors
        content = {
            "title": self.options.title or DEFAULT_TITLE,
            "version": version("puretree"),
            "classes": [format_level(label) for label in classes],
            "classes_json": exact_json(list(classes)),
            "minimises": "nodes" if isinstance(prepared, Prepared) else "errors" if counts_errors else "cost",
            "n_rows": int(table.row_weights.sum()),
            **tests.content(),
            "start": start,
            "points": [self._point(point, tests, bits) for point in points],
            "rows": None,
            "no_rows": "",
            "selection": None,
        }
        if not self.options.data:
            content["no_rows"] = "The page was written without the training rows."
        elif table.n_rows > MAX_ROWS:
            content["no_rows"] = f"The {table.n_rows:,} training rows are too many for a page."
        else:
            content["rows"] = rows_content(tests, table, prepared.labels.codes, prepared.row_numbers)
        if self.options.X_select is not None:
            content["selection"] = selection_content(tests, self.options.X_select, self.options.y_select, classes)
        return content

    def _point(self, point: Point, tests: Tests, bits: Any) -> Json:
        graph = graph_content(point.graph, point.costs, tests, bits, self.clock, self.memory_limit)
        return {
            "n_nodes": point.n_nodes,
            "cost": min(point.costs),
            "lower_bound": point.lower_bound,
            "status": point.status,
            "note": point.note,
            "tree": None if point.tree is None else _nested(point.tree, tests),
            "graph": graph,
        }


def _nested(tree: Tree, tests: Tests) -> list[int]:
    """Return the tests of a tree in preorder, no before yes, as positions among the tests of the page; -1 at leaves."""
    position = {int(feature): i for i, feature in enumerate(tests.features)}
    order: list[int] = []
    stack = [0]
    while stack:
        node = stack.pop()
        left = int(tree.left[node])
        order.append(-1 if left < 0 else position[int(tree.feature[node])])
        if left >= 0:
            stack += [left + 1, left]
    return order
