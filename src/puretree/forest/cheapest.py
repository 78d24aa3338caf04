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
from .graph import Graph

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
    return _restrict(graph, roots, is_cheapest), int(least[roots[0]])


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


def _restrict(graph: Graph, roots: list[np.int32], is_kept: Flags) -> Graph:
    """Return the graph of the kept edges and the nodes that they reach from the roots."""
    parent = np.repeat(np.arange(graph.n_nodes), np.diff(graph.edge_start))
    is_reached = np.zeros(graph.n_nodes, dtype=np.bool_)
    is_reached[roots] = True
    for level in reversed(graph.levels):
        edges = level.edges[is_kept[level.edges] & is_reached[parent[level.edges]]]
        is_reached[graph.no[edges]] = is_reached[graph.yes[edges]] = True
    edges = np.flatnonzero(is_kept & is_reached[parent])
    new_index = (np.cumsum(is_reached) - 1).astype(np.int32)  # keeps the order: children before parents
    nodes = np.flatnonzero(is_reached)
    return Graph(
        label=graph.label[nodes],
        size=graph.size[nodes],
        edge_start=np.append(np.searchsorted(parent[edges], nodes), len(edges)),
        feature=graph.feature[edges],
        no=new_index[graph.no[edges]],
        yes=new_index[graph.yes[edges]],
        roots=new_index[roots],
    )
