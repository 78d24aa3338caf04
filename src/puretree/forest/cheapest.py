"""Of the minimum trees the cheapest, all of them: questions have costs, and trees of one size differ in what they ask.

The cost of a tree is a sum over its tests, so the least cost under a node is had from that of its sides, in one pass
over the graph. What is left is every edge that a cheapest tree takes: a graph again. The edges must be those of the
given features, as equal questions may cost differently.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .graph import Graph

Flags = NDArray[np.bool_]

LARGEST_WORD = 2**63 - 1


def cheapest_trees(graph: Graph, costs: NDArray[np.int64]) -> tuple[Graph, int]:
    """Return the trees that cost least among those of their size, and what the first of them costs.

    Parameters
    ----------
    graph : Graph
        Over given features.
    costs : ndarray of int64
        What each given feature costs, at every node that tests it.
    """
    least, is_cheapest = _least_costs(graph, costs)
    least_of_size: dict[int, int] = {}
    for root in graph.roots:
        size, cost = int(graph.size[root]), int(least[root])
        least_of_size[size] = min(cost, least_of_size.get(size, cost))
    roots = [root for root in graph.roots if least[root] == least_of_size[int(graph.size[root])]]
    return _restrict(graph, roots, is_cheapest), int(least[roots[0]])


def _least_costs(graph: Graph, costs: NDArray[np.int64]) -> tuple[NDArray[Any], Flags]:
    """Return the least cost under each node, and the edges that attain it."""
    most = int(costs.max(initial=0)) * (int(graph.size.max(initial=0)) + 1)
    dtype: Any = np.int64 if most <= LARGEST_WORD else object
    least = np.zeros(graph.n_nodes, dtype=dtype)
    of_feature = costs.astype(dtype)
    is_cheapest = np.zeros(graph.n_edges, dtype=np.bool_)
    for level in graph.levels:
        edges = level.edges
        of_edge = of_feature[graph.feature[edges]] + least[graph.no[edges]] + least[graph.yes[edges]]
        least[level.nodes] = np.minimum.reduceat(of_edge, level.starts)
        is_cheapest[edges] = of_edge == np.repeat(least[level.nodes], np.diff([*level.starts, len(edges)]))
    return least, is_cheapest


def _restrict(graph: Graph, roots: list[np.int32], is_kept: Flags) -> Graph:
    """Return the graph of some edges, without the nodes that they do not lead to from the roots."""
    node = np.repeat(np.arange(graph.n_nodes), np.diff(graph.edge_start))
    is_reached = np.zeros(graph.n_nodes, dtype=np.bool_)
    is_reached[roots] = True
    for level in reversed(graph.levels):
        edges = level.edges[is_kept[level.edges] & is_reached[node[level.edges]]]
        is_reached[graph.no[edges]] = is_reached[graph.yes[edges]] = True
    edges = np.flatnonzero(is_kept & is_reached[node])
    number = (np.cumsum(is_reached) - 1).astype(np.int32)  # the order stays, so sides still come before their nodes
    nodes = np.flatnonzero(is_reached)
    return Graph(
        label=graph.label[nodes],
        size=graph.size[nodes],
        edge_start=np.append(np.searchsorted(node[edges], nodes), len(edges)),
        feature=graph.feature[edges],
        no=number[graph.no[edges]],
        yes=number[graph.yes[edges]],
        roots=number[roots],
    )
