"""The AND/OR graph of all minimum trees, and the number of trees under each of its nodes.

A node stands for a set of examples and the size of the trees that classify it. It is an OR node: each of its edges is a
test at the root of some of these trees. An edge is an AND node: it combines any tree of its no branch with any tree of
its yes branch. Choosing one edge at every node on the way down chooses a tree. Trees share their common subtrees, so a
few thousand nodes represent more trees than could ever be listed, and dynamic programming over the graph computes
anything that adds or multiplies over the subtrees, for all trees in one pass.

The search returns the graph over the merged features of the problem. Features that agree on all training rows are one
feature to the engines, but they are different predicates to a user: they make different trees, and they may disagree
on new rows. :func:`unmerge_graph` therefore replaces each edge by one edge per original feature. Everything after it
uses original features only.
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
from ..problem import FeatureMerge

Ints = NDArray[np.int32]
Indices = NDArray[np.int64]

MAX_INT64_COUNT = 2.0**62  # leaves room for the rounding errors of the estimate in floats


@dataclass(frozen=True, slots=True)
class Level:
    """The inner nodes of one size with all their edges: the unit of a vectorised pass over the graph.

    Parameters
    ----------
    nodes : ndarray of int64
    edges : ndarray of int64
        The edges of the first node, then those of the second, and so on.
    starts : ndarray of int64
        Where the edges of each node begin in ``edges``.
    """

    nodes: Indices
    edges: Indices
    starts: Indices


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An AND/OR graph over sets of examples.

    Parameters
    ----------
    label : ndarray of int32
        The class of a leaf; -1 for an inner node.
    size : ndarray of int32
        The number of inner nodes of every tree under the node; 0 for a leaf.
    edge_start : ndarray of int64
        The edges of node ``i`` are ``edge_start[i]`` to ``edge_start[i + 1]``.
    feature : ndarray of int32
        The feature that each edge tests.
    no, yes : ndarray of int32
        The child nodes of each edge; both have smaller indices than the parent.
    roots : ndarray of int32
        The root nodes, in the order of the trees: one node for each size, ascending. A graph of scored trees has one
        root for each score and size, the best score first.

    Notes
    -----
    The edges of a node ascend by feature, then by the size of the no branch. Every test splits its examples, and a pure
    set is always a leaf, so different choices of edges are different trees.
    """

    label: Ints
    size: Ints
    edge_start: Indices
    feature: Ints
    no: Ints
    yes: Ints
    roots: Ints

    def __post_init__(self) -> None:
        self._validate()

    def __repr__(self) -> str:
        return f"<Graph: {self.n_nodes} nodes, {self.n_edges} edges>"

    @property
    def n_nodes(self) -> int:
        """The number of leaves and inner nodes."""
        return len(self.label)

    @property
    def n_edges(self) -> int:
        """The number of edges."""
        return len(self.feature)

    @cached_property
    def features(self) -> Ints:
        """The features that some tree tests, ascending."""
        return np.unique(self.feature)

    @cached_property
    def levels(self) -> list[Level]:
        """The inner nodes grouped by size, ascending: children come before their parents."""
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

    def _validate(self) -> None:
        n_edges = np.diff(self.edge_start)
        if len(self.size) != self.n_nodes or len(n_edges) != self.n_nodes or len(self.roots) == 0:
            raise InputError("a graph needs a label, a size and an edge range for each node, and at least one root")
        if self.edge_start[0] != 0 or self.edge_start[-1] != self.n_edges:
            raise InputError("edge_start must begin at 0 and end at the number of edges")
        if not len(self.no) == len(self.yes) == self.n_edges:
            raise InputError("each edge needs a feature and two children")
        is_leaf = self.label >= 0
        if ((n_edges > 0) == is_leaf).any() or ((self.size > 0) == is_leaf).any():
            raise InputError("a leaf has a label, and any other node has a positive size and at least one edge")
        self._validate_edges(np.repeat(np.arange(self.n_nodes), n_edges))
        if (self.roots < 0).any() or (self.roots >= self.n_nodes).any() or len(set(self.roots)) < len(self.roots):
            raise InputError("the roots of a graph must be distinct nodes of it")

    def _validate_edges(self, parent: Indices) -> None:
        if self.n_edges and (min(self.no.min(), self.yes.min()) < 0 or (np.maximum(self.no, self.yes) >= parent).any()):
            raise InputError("both children of an edge must have smaller indices than its parent")
        if (self.size[self.no] + self.size[self.yes] + 1 != self.size[parent]).any():
            raise InputError("the size of a node must be one more than the sizes of the children of each edge")


def unmerge_graph(graph: Graph, merge: FeatureMerge, is_root: NDArray[np.bool_]) -> Graph:
    """Return the graph with each edge replaced by one edge per original feature.

    Where an original feature is the complement of the merged one, the no and yes children are swapped.

    Parameters
    ----------
    graph : Graph
        Over the merged features of a problem.
    merge : FeatureMerge
        How the problem merged its original features.
    is_root : ndarray of bool
        The original features allowed at the root; if none is set, all are allowed.

    Returns
    -------
    Graph
        The same nodes. Edges ascend by original feature, then by the size of the no branch: the canonical order.
    """
    used = np.flatnonzero(merge.feature_of_original >= 0)
    original = used[np.argsort(merge.feature_of_original[used], kind="stable")]
    bounds = np.searchsorted(merge.feature_of_original[original], np.arange(len(merge.original_of_feature) + 1))
    n_original = np.diff(bounds)[graph.feature]
    edge = np.repeat(np.arange(graph.n_edges), n_original)
    nth = np.arange(len(edge)) - np.repeat(np.cumsum(n_original) - n_original, n_original)
    feature = original[bounds[graph.feature[edge]] + nth]
    is_flipped = merge.flipped[feature]
    no = np.where(is_flipped, graph.yes[edge], graph.no[edge])
    yes = np.where(is_flipped, graph.no[edge], graph.yes[edge])
    node = np.repeat(np.arange(graph.n_nodes), np.diff(graph.edge_start))[edge]
    order = np.lexsort((graph.size[no], feature, node))
    if is_root.any():  # an equal feature of another column does not satisfy the constraint
        order = order[is_root[feature[order]] | ~np.isin(node[order], graph.roots)]
    return Graph(
        label=graph.label,
        size=graph.size,
        edge_start=np.searchsorted(node[order], np.arange(graph.n_nodes + 1)),
        feature=feature[order].astype(np.int32),
        no=no[order],
        yes=yes[order],
        roots=graph.roots,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Numbers of trees as Python integers, which never overflow.

    Parameters
    ----------
    per_node : list of int
        The number of trees under each node.
    first_rank : list of int
        For each edge, the rank of its first tree under the parent node: the number of trees of the edges before it.
    """

    per_node: list[int]
    first_rank: list[int]


def count_trees(graph: Graph) -> Counts:
    """Count the trees under every node of a graph exactly, in one pass.

    The number of trees of an edge is the product over its children, and that of a node the sum over its edges. A first
    pass in floats estimates the largest count. If it fits, the exact pass uses int64, which is three times as fast as
    Python integers.
    """
    with np.errstate(over="ignore"):
        fits = _count(graph, np.float64)[0].max() < MAX_INT64_COUNT
    per_node, per_edge = _count(graph, np.int64 if fits else object)
    first_rank = _first_ranks_int64(graph, per_edge) if fits else _first_ranks(graph, per_edge)
    return Counts(per_node.tolist(), first_rank)


def _count(graph: Graph, dtype: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Count the trees of each node and of each edge."""
    per_node = np.ones(graph.n_nodes, dtype=dtype)
    per_edge = np.ones(graph.n_edges, dtype=dtype)
    for level in graph.levels:
        per_edge[level.edges] = per_node[graph.no[level.edges]] * per_node[graph.yes[level.edges]]
        per_node[level.nodes] = np.add.reduceat(per_edge[level.edges], level.starts)
    return per_node, per_edge


def _first_ranks_int64(graph: Graph, per_edge: NDArray[np.int64]) -> list[int]:
    # The sum over all edges may wrap around; differences within a node are correct all the same.
    sums = np.cumsum(per_edge) - per_edge
    ranks: list[int] = (sums - np.repeat(sums[graph.edge_start[:-1][graph.size > 0]], _n_edges(graph))).tolist()
    return ranks


def _first_ranks(graph: Graph, per_edge: NDArray[Any]) -> list[int]:
    ranks: list[int] = []
    trees, ends = per_edge.tolist(), np.cumsum(_n_edges(graph)).tolist()
    for start, end in zip([0, *ends], ends, strict=False):
        ranks += accumulate(trees[start : end - 1], initial=0)
    return ranks


def _n_edges(graph: Graph) -> NDArray[np.int64]:
    """Return the number of edges of each inner node."""
    n_edges: NDArray[np.int64] = np.diff(graph.edge_start)[graph.size > 0]
    return n_edges
