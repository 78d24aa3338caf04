"""The cheapest of the minimum trees: all trees with the least total feature cost among those of their size.

The cost of a tree is a sum over its tests, so the least cost under a node follows from those of its children, in one
pass over the graph. The edges that attain it form a graph again. The graph must be over original features, since equal
features may have different costs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._support.clock import NO_LIMIT, Clock
from .graph import Graph, keep_edges

Flags = NDArray[np.bool_]

MAX_INT64 = 2**63 - 1


def cheapest_trees(graph: Graph, costs: NDArray[np.int64], clock: Clock = NO_LIMIT) -> tuple[Graph, int]:
    """Return the graph of the trees of least cost among those of their size, and the cost of the first of them.

    Parameters
    ----------
    graph : Graph
        Over original features.
    costs : ndarray of int64
        The cost of each original feature, counted at every node that tests it.
    clock : Clock
        No time limit by default.

    Raises
    ------
    TimeLimitReached
        If the time limit is reached.
    """
    least, is_cheapest = _least_costs(graph, costs, clock)
    least_of_size: dict[int, int] = {}
    for root in graph.roots:
        size, cost = int(graph.size[root]), int(least[root])
        least_of_size[size] = min(cost, least_of_size.get(size, cost))
    roots = [root for root in graph.roots if least[root] == least_of_size[int(graph.size[root])]]
    return keep_edges(graph, is_cheapest, np.array(roots), clock), int(least[roots[0]])


def _least_costs(graph: Graph, costs: NDArray[np.int64], clock: Clock) -> tuple[NDArray[Any], Flags]:
    """Return the least cost under each node, and the edges that attain it."""
    max_cost = int(costs.max(initial=0)) * (int(graph.size.max(initial=0)) + 1)
    dtype: Any = np.int64 if max_cost <= MAX_INT64 else object
    least = np.zeros(graph.n_nodes, dtype=dtype)
    feature_costs = costs.astype(dtype)
    is_cheapest = np.zeros(graph.n_edges, dtype=np.bool_)
    for level in graph.levels:
        clock.require_time()
        edges = level.edges
        edge_costs = feature_costs[graph.feature[edges]] + least[graph.no[edges]] + least[graph.yes[edges]]
        least[level.nodes] = np.minimum.reduceat(edge_costs, level.starts)
        is_cheapest[edges] = edge_costs == np.repeat(least[level.nodes], np.diff([*level.starts, len(edges)]))
    return least, is_cheapest
