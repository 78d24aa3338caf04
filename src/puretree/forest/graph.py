"""The AND/OR graph that holds every minimum tree at once.

A node stands for a set of examples and the size of the trees that classify it. It is an OR: each of its edges is a test
that some of these trees begin with. An edge is an AND: its tree consists of one under the no side and one under the yes
side. To choose an edge at every node passed is to choose a tree. Trees share what they have in common, so a few
thousand nodes hold more trees than could ever be listed, and whatever adds or multiplies over the parts of a tree is
had for all trees in one pass over the graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Ints = NDArray[np.int32]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Level:
    """The inner nodes of one size, with all their edges: what a pass over the graph does at once.

    Parameters
    ----------
    nodes : ndarray of int64
    edges : ndarray of int64
        The edges of the first node, then those of the second, and so on.
    starts : ndarray of int64
        Where the edges of each node begin in ``edges``.
    """

    nodes: Places
    edges: Places
    starts: Places


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An AND/OR graph over example sets.

    Parameters
    ----------
    label : ndarray of int32
        The class of a leaf; -1 at other nodes.
    size : ndarray of int32
        The inner nodes of every tree under the node; 0 at leaves.
    edge_start : ndarray of int64
        The edges of node ``i`` are ``edge_start[i]`` to ``edge_start[i + 1]``.
    feature : ndarray of int32
        What an edge tests.
    no, yes : ndarray of int32
        The nodes on the two sides of an edge; both have smaller numbers than the node of the edge.
    roots : ndarray of int32
        Where trees begin, in the order of the trees: one node for each size, ascending; where trees were scored, one
        for each score and size, the best first.

    Notes
    -----
    The edges of a node ascend by feature, then by the size of the no side. Every test splits its examples, and a pure
    set is always a leaf, so different choices of edges are different trees.
    """

    label: Ints
    size: Ints
    edge_start: Places
    feature: Ints
    no: Ints
    yes: Ints
    roots: Ints

    def __post_init__(self) -> None:
        self._require_sound()

    def __repr__(self) -> str:
        return f"<Graph: {self.n_nodes} nodes, {self.n_edges} edges>"

    @property
    def n_nodes(self) -> int:
        """Leaves and inner nodes."""
        return len(self.label)

    @property
    def n_edges(self) -> int:
        """Pairs of a node and a way to begin its trees."""
        return len(self.feature)

    @cached_property
    def features(self) -> Ints:
        """The features that some tree tests, ascending."""
        return np.unique(self.feature)

    @cached_property
    def levels(self) -> list[Level]:
        """The inner nodes by size, small ones first: both sides of an edge come before its node."""
        return list(self._levels())

    def _levels(self) -> Iterator[Level]:
        by_size = np.argsort(self.size, kind="stable")
        ends = np.searchsorted(self.size[by_size], np.unique(self.size), side="right")
        for nodes in np.split(by_size, ends[:-1]):
            if self.size[nodes[0]] > 0:
                n_edges = self.edge_start[nodes + 1] - self.edge_start[nodes]
                starts = np.cumsum(n_edges) - n_edges
                edges = np.arange(n_edges.sum()) + np.repeat(self.edge_start[nodes] - starts, n_edges)
                yield Level(nodes, edges, starts)

    def _require_sound(self) -> None:
        n_edges = np.diff(self.edge_start)
        if len(self.size) != self.n_nodes or len(n_edges) != self.n_nodes or len(self.roots) == 0:
            raise InputError("a graph needs a label, a size and edges for each node, and a root")
        if self.edge_start[0] != 0 or self.edge_start[-1] != self.n_edges:
            raise InputError("the edges of a graph must be those of its nodes")
        if not len(self.no) == len(self.yes) == self.n_edges:
            raise InputError("an edge needs a feature and two sides")
        is_leaf = self.label >= 0
        if ((n_edges > 0) == is_leaf).any() or ((self.size > 0) == is_leaf).any():
            raise InputError("a leaf has a label; any other node has a size and at least one edge")
        self._require_sound_edges(np.repeat(np.arange(self.n_nodes), n_edges))
        if (self.roots < 0).any() or (self.roots >= self.n_nodes).any() or len(set(self.roots)) < len(self.roots):
            raise InputError("the roots of a graph are different nodes")

    def _require_sound_edges(self, node: Places) -> None:
        if self.n_edges and (min(self.no.min(), self.yes.min()) < 0 or (np.maximum(self.no, self.yes) >= node).any()):
            raise InputError("both sides of an edge must have smaller numbers than its node")
        if (self.size[self.no] + self.size[self.yes] + 1 != self.size[node]).any():
            raise InputError("all trees under a node must have its size")


# How many trees are there under each node? A sum over the edges of products of the sides: exact, in one pass.
#
# The pass is made twice: in floats, which tell how large the numbers become, and then exactly, in machine words if they
# are large enough for all, which is three times as fast as in Python's integers.

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
