"""The AND/OR graph of trees, and the number of trees under each of its nodes.

A node stands for a set of examples and the size of the trees that classify it. It is an OR node: each of its edges is a
test at the root of some of these trees. An edge is an AND node: it combines any tree of its no branch with any tree of
its yes branch. Choosing one edge at every node on the way down chooses a tree. Trees share their common subtrees, so a
few thousand nodes represent more trees than could ever be listed, and dynamic programming over the graph computes
anything that adds or multiplies over the subtrees, for all trees in one pass.

Where errors are allowed, the trees of a node also have the same cost, so a set of examples has a node for each size
and cost: the trees of both are counted, and the cost of a tree is that of its root.

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

from .._support.clock import NO_LIMIT, Clock
from ..errors import InputError
from ..problem import FeatureMerge

Ints = NDArray[np.int32]
Indices = NDArray[np.int64]

MAX_INT64_COUNT = 2.0**62  # leaves room for the rounding errors of the estimate in floats
EDGES_PER_STEP = 2**17  # between two looks at the clock: a tenth of a second with Python integers
MAX_CACHED_RANKS = 2**22  # of edges; each may be an integer of kilobytes


@dataclass(frozen=True, slots=True)
class Level:
    """Inner nodes of one size with all their edges: the unit of a vectorised pass over the graph.

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
        The root nodes, in the order of the trees: one node for each size, ascending. A graph of trees with costs has
        one for each size and cost, and a graph of scored trees one for each score, the best score first. The graph of
        no trees has neither roots nor nodes.
    cost : ndarray of int32, optional
        The cost of every tree under the node, less the least cost of each of its examples; None if all trees are pure.
    origin : ndarray of int64, optional
        Where nodes are copies, each with some of the trees of an original node: the original of each edge. Then the
        order of the originals is that of the trees; see :class:`~puretree.forest.order.MergedOrder`.

    Notes
    -----
    The edges of a node ascend by feature, then by the size and the cost of the no branch. Every test splits its
    examples, and the examples of a leaf determine its label and its cost, so different choices of edges are different
    trees.
    """

    label: Ints
    size: Ints
    edge_start: Indices
    feature: Ints
    no: Ints
    yes: Ints
    roots: Ints
    cost: Ints | None = None
    origin: Indices | None = None

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
        return np.flatnonzero(np.bincount(self.feature)).astype(np.int32)  # sorting the edges takes ten times as long

    @property
    def parents(self) -> Indices:
        """The node that each edge begins at."""
        return np.repeat(np.arange(self.n_nodes), np.diff(self.edge_start))

    @cached_property
    def levels(self) -> list[Level]:
        """The inner nodes grouped by size, ascending: children come before their parents. Large groups are divided."""
        return list(self._levels())

    def _levels(self) -> Iterator[Level]:
        by_size = np.argsort(self.size, kind="stable")
        ends = np.searchsorted(self.size[by_size], np.unique(self.size), side="right")
        for of_size in np.split(by_size, ends[:-1]):
            if self.size[of_size].any():
                n_edges = self.edge_start[of_size + 1] - self.edge_start[of_size]
                for nodes in np.split(of_size, cuts(np.cumsum(n_edges) - n_edges)):
                    yield self.level(nodes)

    def level(self, nodes: Indices) -> Level:
        """Return some nodes, of which some may occur several times, with their edges."""
        n_edges = self.edge_start[nodes + 1] - self.edge_start[nodes]
        starts = np.cumsum(n_edges) - n_edges
        edges = np.arange(n_edges.sum()) + np.repeat(self.edge_start[nodes] - starts, n_edges)
        return Level(nodes, edges, starts)

    def steps(self, n_edges: Indices | None = None) -> list[Indices]:
        """Divide the nodes into consecutive ranges, so that a computation can look at the clock between them.

        Parameters
        ----------
        n_edges : ndarray of int64, optional
            How many edges the computation makes of each edge; 1 by default.
        """
        n_before = self.edge_start if n_edges is None else np.append(0, np.cumsum(n_edges))[self.edge_start]
        return np.split(np.arange(self.n_nodes), cuts(n_before[:-1]))

    def _validate(self) -> None:
        n_edges = np.diff(self.edge_start)
        if self.cost is not None and len(self.cost) != self.n_nodes:
            raise InputError("a graph needs a cost for each node, or for none")
        if (
            len(self.size) != self.n_nodes
            or len(n_edges) != self.n_nodes
            or (len(self.roots) == 0) != (not self.n_nodes)
        ):
            raise InputError(
                "a graph needs a label, a size and an edge range for each node, and at least one root or no nodes"
            )
        if self.edge_start[0] != 0 or self.edge_start[-1] != self.n_edges:
            raise InputError("edge_start must begin at 0 and end at the number of edges")
        if not len(self.no) == len(self.yes) == self.n_edges:
            raise InputError("each edge needs a feature and two children")
        is_leaf = self.label >= 0
        if ((n_edges > 0) == is_leaf).any() or ((self.size > 0) == is_leaf).any():
            raise InputError("a leaf has a label, and any other node has a positive size and at least one edge")
        self._validate_edges(self.parents)
        if (self.roots < 0).any() or (self.roots >= self.n_nodes).any() or len(set(self.roots)) < len(self.roots):
            raise InputError("the roots of a graph must be distinct nodes of it")

    def _validate_edges(self, parent: Indices) -> None:
        if self.n_edges and (min(self.no.min(), self.yes.min()) < 0 or (np.maximum(self.no, self.yes) >= parent).any()):
            raise InputError("both children of an edge must have smaller indices than its parent")
        if (self.size[self.no] + self.size[self.yes] + 1 != self.size[parent]).any():
            raise InputError("the size of a node must be one more than the sizes of the children of each edge")
        if self.cost is not None and (self.cost[self.no] + self.cost[self.yes] != self.cost[parent]).any():
            raise InputError("the cost of a node must be the sum of the costs of the children of each edge")


def cuts(n_before: Indices) -> Indices:
    """Return where to divide nodes into steps, given the number of edges before each node."""
    return np.flatnonzero(np.diff(n_before // EDGES_PER_STEP)) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """Edges derived from those of a graph.

    Parameters
    ----------
    parent : ndarray of int64
        The new node that each new edge begins at.
    edge : ndarray of int64
        The edge of the other graph with the same test.
    no, yes : ndarray of int64
        The new nodes that it leads to.
    """

    parent: Indices
    edge: Indices
    no: Indices
    yes: Indices


def unmerge_graph(graph: Graph, merge: FeatureMerge, is_root: NDArray[np.bool_], clock: Clock = NO_LIMIT) -> Graph:
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
    clock : Clock
        No time limit by default.

    Returns
    -------
    Graph
        The same nodes. Edges ascend by original feature, then by the size and the cost of the no branch: the canonical
        order.

    Raises
    ------
    TimeLimitReached
        If the time limit is reached.
    """
    used = np.flatnonzero(merge.feature_of_original >= 0)
    original = used[np.argsort(merge.feature_of_original[used], kind="stable")]
    bounds = np.searchsorted(merge.feature_of_original[original], np.arange(len(merge.original_of_feature) + 1))
    n_original = np.diff(bounds)[graph.feature]
    node_of_edge = graph.parents

    def unmerge_edges(edges: Indices) -> tuple[Indices, Ints, Ints, Ints]:
        edge = np.repeat(edges, n_original[edges])
        nth = np.arange(len(edge)) - np.repeat(np.cumsum(n_original[edges]) - n_original[edges], n_original[edges])
        feature = original[bounds[graph.feature[edge]] + nth]
        is_flipped = merge.flipped[feature]
        no = np.where(is_flipped, graph.yes[edge], graph.no[edge])
        yes = np.where(is_flipped, graph.no[edge], graph.yes[edge])
        node = node_of_edge[edge]
        no_costs = () if graph.cost is None else (graph.cost[no],)
        order = np.lexsort((*no_costs, graph.size[no], feature, node))
        if is_root.any():  # an equal feature of another column does not satisfy the constraint
            order = order[is_root[feature[order]] | ~np.isin(node[order], graph.roots)]
        return node[order], feature[order].astype(np.int32), no[order], yes[order]

    parts = []
    for nodes in graph.steps(n_original):
        clock.require_time()
        parts.append(unmerge_edges(np.arange(graph.edge_start[nodes[0]], graph.edge_start[nodes[-1] + 1])))
    node, feature, no, yes = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    clock.require_time()
    edge_start = np.append(0, np.cumsum(np.bincount(node, minlength=graph.n_nodes)))
    return Graph(graph.label, graph.size, edge_start, feature, no, yes, graph.roots, graph.cost)


def derive_graph(graph: Graph, node: Indices, edges: Derived, roots: Indices, clock: Clock = NO_LIMIT) -> Graph:
    """Return a graph of some of the trees of another one, whose nodes may be needed several times or not at all.

    Nodes without a tree, and those that no root leads to, are left out.

    Parameters
    ----------
    graph : Graph
    node : ndarray of int64
        The node of ``graph`` that each new node stands for.
    edges : Derived
        The new edges.
    roots : ndarray of int64
        The new roots, in the order of the trees.
    clock : Clock
        No time limit by default.

    Raises
    ------
    TimeLimitReached
        If the time limit is reached.
    """
    parent, edge, no, yes = edges.parent, edges.edge, edges.no, edges.yes
    size = graph.size[node]
    by_size = np.argsort(size[parent], kind="stable")
    levels = np.split(by_size, np.flatnonzero(np.diff(size[parent[by_size]])) + 1)
    has_tree, is_reached = size == 0, np.zeros(len(node), dtype=np.bool_)
    for level in levels:  # children before parents
        clock.require_time()
        has_tree[parent[level[has_tree[no[level]] & has_tree[yes[level]]]]] = True
    roots = roots[has_tree[roots]]
    is_reached[roots] = True
    is_kept = has_tree[no] & has_tree[yes]
    for level in reversed(levels):
        clock.require_time()
        level = level[is_kept[level] & is_reached[parent[level]]]
        is_reached[no[level]] = is_reached[yes[level]] = True
    nodes = np.flatnonzero(is_reached)
    nodes = nodes[np.argsort(node[nodes], kind="stable")]  # children before parents, as in the other graph
    new = np.full(len(node), -1, dtype=np.int32)
    new[nodes] = np.arange(len(nodes))
    kept = np.flatnonzero(is_kept & is_reached[parent])
    kept = kept[np.lexsort((new[yes[kept]], new[no[kept]], edge[kept], new[parent[kept]]))]
    is_copied = (np.diff(edge[kept]) == 0) & (np.diff(parent[kept]) == 0)
    has_origin = graph.origin is not None or bool(is_copied.any())
    return Graph(
        label=graph.label[node[nodes]],
        size=size[nodes],
        edge_start=np.searchsorted(new[parent[kept]], np.arange(len(nodes) + 1)),
        feature=graph.feature[edge[kept]],
        no=new[no[kept]],
        yes=new[yes[kept]],
        roots=new[roots],
        cost=None if graph.cost is None else graph.cost[node[nodes]],
        origin=None if not has_origin else (edge if graph.origin is None else graph.origin[edge])[kept],
    )


def keep_edges(
    graph: Graph, is_kept: NDArray[np.bool_], roots: Indices | None = None, clock: Clock = NO_LIMIT
) -> Graph:
    """Return the graph of the trees that have only some of the edges, and one of some roots; by default of all."""
    kept = np.flatnonzero(is_kept)
    edges = Derived(graph.parents[kept], kept, graph.no[kept].astype(np.int64), graph.yes[kept].astype(np.int64))
    starts = graph.roots.astype(np.int64) if roots is None else roots
    return derive_graph(graph, np.arange(graph.n_nodes), edges, starts, clock)


def n_original_features(graph: Graph, merge: FeatureMerge, is_root: NDArray[np.bool_]) -> Indices:
    """Return how many edges :func:`unmerge_graph`, which has the same parameters, makes of each edge."""
    is_used = merge.feature_of_original >= 0
    n_features = len(merge.original_of_feature)
    n_original = np.bincount(merge.feature_of_original[is_used], minlength=n_features)[graph.feature]
    if is_root.any():
        n_roots = np.bincount(merge.feature_of_original[is_used & is_root], minlength=n_features)
        for root in graph.roots:
            edges = slice(graph.edge_start[root], graph.edge_start[root + 1])
            n_original[edges] = n_roots[graph.feature[edges]]
    return n_original


class Counts:
    """Numbers of trees as Python integers, which never overflow.

    Parameters
    ----------
    graph : Graph
    per_node : list of int
        The number of trees under each node.
    """

    def __init__(self, graph: Graph, per_node: list[int]) -> None:
        self.per_node = per_node
        self._graph = graph
        self._ranks: dict[int, list[int]] = {}  # of the nodes asked for: those of all edges may not fit into memory
        self._n_cached = 0

    def first_ranks(self, node: int) -> list[int]:
        """Return for each edge of a node the rank of its first tree: the number of trees of the edges before it."""
        if node not in self._ranks:
            graph, trees = self._graph, self.per_node
            edges = slice(graph.edge_start[node], graph.edge_start[node + 1])
            sides = zip(graph.no[edges].tolist(), graph.yes[edges].tolist(), strict=True)
            ranks = list(accumulate((trees[no] * trees[yes] for no, yes in sides), initial=0))[:-1]
            if self._n_cached > MAX_CACHED_RANKS:
                self._ranks, self._n_cached = {}, 0
            self._ranks[node] = ranks
            self._n_cached += len(ranks)
        return self._ranks[node]


def count_trees(graph: Graph, n_copies: Indices | None = None, clock: Clock = NO_LIMIT) -> list[int]:
    """Count the trees under every node of a graph exactly, in one pass.

    The number of trees of an edge is the product over its children, and that of a node the sum over its edges. A first
    pass in floats estimates the largest count. If it fits, the exact pass uses int64, which is three times as fast as
    Python integers.

    Parameters
    ----------
    graph : Graph
    n_copies : ndarray of int64, optional
        How many edges each edge stands for; 1 by default.
    clock : Clock
        No time limit by default.

    Raises
    ------
    TimeLimitReached
        If the time limit is reached.
    """
    copies = np.ones(graph.n_edges, dtype=np.int64) if n_copies is None else n_copies
    with np.errstate(over="ignore"):
        fits = _count(graph, np.float64, copies, clock).max(initial=0) < MAX_INT64_COUNT
    counts: list[int] = _count(graph, np.int64 if fits else object, copies, clock).tolist()
    return counts


def _count(graph: Graph, dtype: Any, copies: Indices, clock: Clock) -> NDArray[Any]:
    """Count the trees of each node."""
    per_node = np.ones(graph.n_nodes, dtype=dtype)
    for level in graph.levels:
        clock.require_time()
        edges = level.edges
        per_edge = per_node[graph.no[edges]] * per_node[graph.yes[edges]] * copies[edges]
        per_node[level.nodes] = np.add.reduceat(per_edge, level.starts)
    return per_node
