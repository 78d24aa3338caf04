"""Whoever looks for a minimum pure tree of a problem, and what each of them answers.

The engines of puretree, and pystreed (van der Linden, de Weerdt, Demirović 2023), the fastest peer that can be asked
for the same thing: it minimises wrong rows plus a cost for each inner node, and with a cost so small that all of a
tree's nodes together weigh less than one wrong row, its optimum is a minimum pure tree. Two limits of it: trees of at
most 20 tests on a path, so with more than 20 inner nodes it answers a narrower question; and no lower bound when its
time is over.
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
DEEPEST = 20  # pystreed refuses more
WEIGHT_OF_A_ROW = 200  # in inner nodes; more where a tree may have as many


@dataclass(frozen=True, slots=True)
class Answer:
    """What came out, in inner nodes: a tree with s of them has 2 s + 1 nodes."""

    proved: bool
    lower: int | None
    upper: int | None


@dataclass(frozen=True, slots=True)
class Question:
    """A problem, the seconds for it, and the inner nodes of the best tree that is known already."""

    problem: BinaryProblem
    limit: float
    known: int | None = None


class Timed(Protocol):
    """Calls what it is given, and takes its time."""

    def __call__(self, work: Callable[[], T], /) -> T:
        """Return what the work returns."""


Contender = Callable[[Question, Timed], Answer]


def names() -> list[str]:
    """Return the names of all contenders."""
    return [*ENGINES, PEER]


def contender(name: str) -> Contender:
    """Return a contender by name, with everything imported that it needs: no timed run shall pay for it."""
    if name == PEER:
        importlib.import_module(PEER)
        return ask_pystreed
    make_engine(name)  # says so if there is none
    return partial(ask_engine, name)


def ask_engine(name: str, question: Question, timed: Timed) -> Answer:
    """Ask an engine of puretree."""
    engine = make_engine(name)
    outcome = timed(lambda: solve(question.problem, engine, clock=Clock(question.limit)))
    upper = None if outcome.upper_bound is None else outcome.upper_bound // 2
    return Answer(outcome.status == "optimal", outcome.lower_bound // 2, upper)


def ask_pystreed(question: Question, timed: Timed) -> Answer:
    """Ask pystreed, with as much depth as the size that is known can need: less than 20 makes it faster."""
    from pystreed import STreeDClassifier

    problem = question.problem
    known = DEEPEST if question.known is None else question.known
    model = STreeDClassifier(
        optimization_task="cost-complex-accuracy",
        max_depth=min(DEEPEST, max(known, 1)),
        cost_complexity=1 / (max(WEIGHT_OF_A_ROW, known + 1) * problem.n_examples),
        time_limit=question.limit,
    )
    rows = problem.examples.unpack().astype(np.intc)
    timed(lambda: model.fit(rows, problem.labels))
    if not model.is_fitted() or (model.predict(rows) != problem.labels).any():
        return Answer(False, None, None)
    return Answer(model.fit_result.is_optimal(), None, model.fit_result.tree_nodes())


def count_trees(question: Question, timed: Timed) -> int:
    """Count the minimum trees of a problem exactly: the one place here that knows the forest."""
    _, graph = timed(lambda: grow_graph(question.problem, clock=Clock(question.limit)))
    merge = question.problem.merge
    no_wish = np.zeros(len(merge.feature_of_original), dtype=np.bool_)
    return Order(unmerge_graph(graph, merge, no_wish)).total
