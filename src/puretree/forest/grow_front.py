"""All trees with few nodes and few errors: those of a point of the front, and of a band around it.

A point of the front is a size and the least cost of a tree of that size, of which there may be many trees. The trees
that are a little larger or have a few more errors, the Rashomon set, say whether the choice among them matters. The
exact search collects all of them in one graph: a set of examples is searched only as far as a tree within both limits
may need it.

The search computes the front up to the size first, whose bounds keep the collection small. After
:func:`puretree.front`, they are known: on house-votes-84, where the front takes 0.2 s, the trees of a point of it are
collected in at most 0.03 s.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from .._support.clock import Clock, TimeLimitReached
from .._support.resources import free_bytes
from .._support.text import quantity
from ..engines.front_search import has_unaffected, open_front_search
from ..errors import InfeasibleError, InputError, UnfinishedError
from ..outcome import Outcome
from ..problem import Constraints, CostProblem, PreparedCosts
from .forest import Forest
from .graph import Graph, n_original_features
from .grow import BYTES_PER_EDGE


def grow_front_forest(
    prepared: PreparedCosts,
    n_tests: int,
    cost: int,
    constraints: Constraints | None = None,
    *,
    extra: int = 0,
    slack: int = 0,
    clock: Clock | None = None,
    memory_limit: float | None = None,
    search: _native.FrontSearch | None = None,
) -> Forest:
    """Find all trees with at most ``n_tests + extra`` inner nodes that cost at most ``cost + slack``.

    Parameters
    ----------
    prepared : PreparedCosts
    n_tests, cost : int
        Of a point of the front: a number of inner nodes, and the least cost of a tree with so many, in units, which no
        smaller tree has. Then the trees have exactly this size and cost if ``extra`` and ``slack`` are 0.
    constraints : Constraints, optional
        What the trees satisfy.
    extra : int, default=0
        How many more inner nodes a tree may have.
    slack : int, default=0
        How much more a tree may cost, in units.
    clock : Clock, optional
        No time limit by default.
    memory_limit : float, optional
        Bytes that the process may use; half of the machine's memory by default.
    search : FrontSearch, optional
        A search for the front of the same problem under the same constraints, whose bounds are used. No other thread
        may use it.

    Returns
    -------
    Forest
        Its outcome has the cheapest of the trees, the smallest of several.

    Raises
    ------
    UnfinishedError
        If a limit was reached.
    InfeasibleError
        If there is no such tree.

    Notes
    -----
    Only trees without useless tests are counted: every test splits its examples, and no test has two leaves of the same
    class. A leaf predicts the cheapest class, the first if several are.
    """
    for name, value in (("extra", extra), ("slack", slack)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 0:
            raise InputError("is not an integer of at least 0", parameter=name, value=value)
    clock = clock or Clock()
    constraints = constraints or Constraints()
    problem = prepared.problem
    most_tests = min(n_tests + extra, problem.n_examples - 1)
    if constraints.max_nodes is not None:
        most_tests = min(most_tests, (constraints.max_nodes - 1) // 2)
    band = f"with at most {quantity(2 * (n_tests + extra) + 1, 'node')} and a cost of at most {cost + slack:,}"
    try:
        arrays = _collect(problem, constraints, most_tests, cost + slack, clock, memory_limit, search)
        if arrays is None:
            raise TimeLimitReached
        if not len(arrays[6]):
            raise InfeasibleError(f"there is no tree {band}; allow more")
        graph = Graph(*arrays)
        n_edges = int(n_original_features(graph, problem.merge, prepared.policy.is_root).sum())
        if n_edges * BYTES_PER_EDGE > free_bytes(memory_limit):
            raise MemoryError
        forest = Forest(prepared, graph, Outcome(None, 0, None, "optimal", (), 0.0, minimised="errors"), clock)
    except TimeLimitReached:
        reason = f"time limit reached before all trees {band} were found; raise time_limit"
    except MemoryError:
        reason = f"all trees {band} do not fit into memory; raise memory_limit"
    else:
        forest.outcome = _outcome(forest, prepared, clock.seconds)
        return forest
    raise UnfinishedError(f"{reason}, or ask for fewer trees", None)


def _collect(
    problem: CostProblem,
    constraints: Constraints,
    most_tests: int,
    most_cost: int,
    clock: Clock,
    memory_limit: float | None,
    search: _native.FrontSearch | None,
) -> tuple[Any, ...] | None:
    """Return the arrays of the graph of all trees within both limits; None at the time limit."""
    max_bytes = free_bytes(memory_limit) / 2  # memory for bounds pays as much as memory for trees
    bounds = search or open_front_search(problem, constraints, max_bytes)
    examples = bounds
    if has_unaffected(problem):
        examples = open_front_search(problem, constraints, max_bytes, keeps_all=True)
    try:
        return examples.forest(most_tests, most_cost, int(max_bytes), clock.left, bounds)
    except MemoryError:
        if search is None:
            raise
    return _collect(problem, constraints, most_tests, most_cost, clock, memory_limit, None)


def _outcome(forest: Forest, prepared: PreparedCosts, seconds: float) -> Outcome:
    """Return what a forest proves: no tree that is as small as its trees costs less than the cheapest of them."""
    graph, counts = forest.graph, forest.counts_of_roots
    assert graph.cost is not None
    best = int(np.lexsort((graph.size[graph.roots], graph.cost[graph.roots]))[0])
    tree = forest[sum(counts[:best])]
    assert tree.counts is not None
    leaves = np.flatnonzero(tree.left < 0)
    n_errors = int(tree.counts[leaves].sum() - tree.counts[leaves, tree.label[leaves]].sum())
    cost = forest.costs_of_roots[best]
    return Outcome(
        tree,
        cost,
        cost,
        "optimal",
        (),
        seconds,
        minimised=prepared.minimised,
        n_errors=n_errors,
        engine="front",
    )
