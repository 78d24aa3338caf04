"""The solvers that are compared: the engines of puretree, and pystreed.

pystreed (van der Linden, de Weerdt, Demirović 2023) is the fastest peer that can find minimum pure trees: it minimises
misclassified rows plus a cost for each inner node. With a cost so small that all nodes of a tree together weigh less
than one row, its optimum is a minimum pure tree. It has two limitations: its trees have at most 20 tests on a path, so
with more than 20 inner nodes it solves a more restricted problem; and it gives no lower bound at the time limit.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from puretree import BinaryProblem
from puretree._support.clock import Clock
from puretree.engines import ENGINES, make_engine, solve
from puretree.forest import grow_graph
from puretree.forest.graph import unmerge_graph
from puretree.forest.order import Order

T = TypeVar("T")
PEER = "pystreed"
MAX_DEPTH = 20  # of pystreed
WEIGHT_OF_A_ROW = 200  # in inner nodes; more if a tree may have as many


@dataclass(frozen=True, slots=True)
class SolverResult:
    """Bounds on the number s of inner nodes, and whether they are proved equal; the tree has 2 s + 1 nodes."""

    proved: bool
    lower: int | None
    upper: int | None


@dataclass(frozen=True, slots=True)
class Task:
    """A problem, the time limit in seconds, and the number of inner nodes of the best known tree, if any."""

    problem: BinaryProblem
    limit: float
    known_upper: int | None = None


class Timer(Protocol):
    """Calls a function and measures its time."""

    def __call__(self, function: Callable[[], T], /) -> T:
        """Return the result of the function."""


Contender = Callable[[Task, Timer], SolverResult]


def names() -> list[str]:
    """Return the names of all contenders."""
    return [*ENGINES, PEER]


def contender(name: str) -> Contender:
    """Return a contender by name, after importing its packages, so that no timed run includes the import."""
    if name == PEER:
        importlib.import_module(PEER)
        return run_pystreed
    make_engine(name)  # raises InputError if the name is unknown
    return partial(run_engine, name)


def run_engine(name: str, task: Task, timer: Timer) -> SolverResult:
    """Solve a task with an engine of puretree."""
    engine = make_engine(name)
    outcome = timer(lambda: solve(task.problem, engine, clock=Clock(task.limit)))
    upper = None if outcome.upper_bound is None else outcome.upper_bound // 2
    return SolverResult(outcome.status == "optimal", outcome.lower_bound // 2, upper)


def run_pystreed(task: Task, timer: Timer) -> SolverResult:
    """Solve a task with pystreed, limiting the depth to the known upper bound: less than 20 makes it faster."""
    from pystreed import STreeDClassifier

    problem = task.problem
    known_upper = MAX_DEPTH if task.known_upper is None else task.known_upper
    model = STreeDClassifier(
        optimization_task="cost-complex-accuracy",
        max_depth=min(MAX_DEPTH, max(known_upper, 1)),
        cost_complexity=1 / (max(WEIGHT_OF_A_ROW, known_upper + 1) * problem.n_examples),
        time_limit=task.limit,
    )
    rows = problem.examples.unpack().astype(np.intc)
    timer(lambda: model.fit(rows, problem.labels))
    if not model.is_fitted() or (model.predict(rows) != problem.labels).any():
        return SolverResult(False, None, None)
    return SolverResult(model.fit_result.is_optimal(), None, model.fit_result.tree_nodes())


def count_trees(task: Task, timer: Timer) -> int:
    """Count the minimum trees of a problem exactly."""
    _, graph = timer(lambda: grow_graph(task.problem, clock=Clock(task.limit)))
    merge = task.problem.merge
    any_root = np.zeros(len(merge.feature_of_original), dtype=np.bool_)
    return Order(unmerge_graph(graph, merge, any_root)).total
