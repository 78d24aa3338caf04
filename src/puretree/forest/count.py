"""How many trees are there under each node? A sum over the edges of products of the sides: exact, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from .graph import Graph


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Numbers of trees as Python integers, which never overflow.

    Parameters
    ----------
    of_node : list of int
        The trees under each node.
    before : list of int
        The trees under an edge's node that begin with an earlier edge: the rank of the first one of the edge.
    """

    of_node: list[int]
    before: list[int]


def count_trees(graph: Graph) -> Counts:
    """Count the trees under every node of a graph."""
    of_node = np.ones(graph.n_nodes, dtype=object)
    of_edge = np.ones(graph.n_edges, dtype=object)
    for level in graph.levels:
        of_edge[level.edges] = of_node[graph.no[level.edges]] * of_node[graph.yes[level.edges]]
        of_node[level.nodes] = np.add.reduceat(of_edge[level.edges], level.starts)
    before: list[int] = []
    trees, starts = of_edge.tolist(), graph.edge_start.tolist()
    for node in range(graph.n_nodes):
        before += accumulate(trees[starts[node] : starts[node + 1] - 1], initial=0) if graph.size[node] else ()
    return Counts(of_node.tolist(), before)
