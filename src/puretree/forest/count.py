"""How many trees are there under each node? A sum over the edges of products of the sides: exact, in one pass.

The pass is made twice: in floats, which tell how large the numbers become, and then exactly, in machine words if they
are large enough for all, which is three times as fast as in Python's integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .graph import Graph

MOST_IN_WORDS = 2.0**62  # with room for what floats round off


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
    with np.errstate(over="ignore"):
        fits = _count(graph, np.float64)[0].max() < MOST_IN_WORDS
    of_node, of_edge = _count(graph, np.int64 if fits else object)
    before = _before_in_words(graph, of_edge) if fits else _before(graph, of_edge)
    return Counts(of_node.tolist(), before)


def _count(graph: Graph, dtype: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Count the trees under each node and under each edge."""
    of_node = np.ones(graph.n_nodes, dtype=dtype)
    of_edge = np.ones(graph.n_edges, dtype=dtype)
    for level in graph.levels:
        of_edge[level.edges] = of_node[graph.no[level.edges]] * of_node[graph.yes[level.edges]]
        of_node[level.nodes] = np.add.reduceat(of_edge[level.edges], level.starts)
    return of_node, of_edge


def _before_in_words(graph: Graph, of_edge: NDArray[np.int64]) -> list[int]:
    # The sums over all edges may overflow; what they differ by within a node is right all the same.
    sums = np.cumsum(of_edge) - of_edge
    before: list[int] = (sums - np.repeat(sums[graph.edge_start[:-1][graph.size > 0]], _n_edges(graph))).tolist()
    return before


def _before(graph: Graph, of_edge: NDArray[Any]) -> list[int]:
    before: list[int] = []
    trees, ends = of_edge.tolist(), np.cumsum(_n_edges(graph)).tolist()
    for start, end in zip([0, *ends], ends, strict=False):
        before += accumulate(trees[start : end - 1], initial=0)
    return before


def _n_edges(graph: Graph) -> NDArray[np.int64]:
    """Return how many edges each inner node has."""
    n_edges: NDArray[np.int64] = np.diff(graph.edge_start)[graph.size > 0]
    return n_edges
