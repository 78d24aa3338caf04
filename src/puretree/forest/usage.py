"""How much each feature matters: how many trees test it, how many test it at the root, and whether all trees need it.

The trees that test a feature are all trees less those that avoid it. The latter are counted like all trees, without
the edges of the feature, for many features at once. Features that agree on the training rows have the same children at
every node, so they are counted once; edges with the same children are one edge with a number of copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._support.clock import NO_LIMIT, Clock
from ..binarize.predicate import Predicate
from .graph import Graph, Indices

FEATURES_PER_PASS = 64  # each pass holds as many counts per node
LARGE_FEATURES_PER_PASS = 8  # where counts are Python integers: steps between two looks at the clock must be short


@dataclass(frozen=True, slots=True, repr=False)
class FeatureUsage:
    """How the trees of a forest use an original feature.

    Parameters
    ----------
    feature : int
        Its index.
    predicate : Predicate
        Its meaning in the raw table.
    n_trees, n_roots : int
        The number of trees that test it anywhere, and at the root.
    total : int
        The number of trees of the forest.
    """

    feature: int
    predicate: Predicate
    n_trees: int
    n_roots: int
    total: int

    @property
    def share(self) -> float:
        """The fraction of trees that test it."""
        return self.n_trees / self.total

    @property
    def root_share(self) -> float:
        """The fraction of trees that test it at the root."""
        return self.n_roots / self.total

    @property
    def is_necessary(self) -> bool:
        """Whether every tree tests it."""
        return self.n_trees == self.total

    def __repr__(self) -> str:
        return f"<FeatureUsage: {self}>"

    def __str__(self) -> str:
        necessary = ", necessary" if self.is_necessary else ""
        return f"{self.predicate}: in {self.share:.1%} of the trees, at the root in {self.root_share:.1%}{necessary}"


def count_users(graph: Graph, trees: list[int], clock: Clock = NO_LIMIT) -> Iterator[tuple[int, int]]:
    """Yield each feature of a graph with the number of trees that test it.

    Parameters
    ----------
    graph : Graph
    trees : list of int
        The number of trees under each node.
    clock : Clock
        No time limit by default.

    Raises
    ------
    TimeLimitReached
        If the time limit is reached.
    """
    is_small = max(trees) < 2**63
    dtype: Any = np.int64 if is_small else object  # int64 is a hundred times as fast
    n_per_pass = FEATURES_PER_PASS if is_small else LARGE_FEATURES_PER_PASS
    total = sum(trees[root] for root in graph.roots)
    combined, new_edge = _combine_edges(graph, clock)
    groups = _equal_features(graph, new_edge, clock)
    for begin in range(0, len(groups), n_per_pass):
        passed = groups[begin : begin + n_per_pass]
        n_copies = _copies_without(graph, new_edge, [features[0] for features in passed])
        avoiding = _count_avoiding(combined, n_copies, dtype, clock)[graph.roots].astype(object).sum(axis=0)
        for features, n_trees in zip(passed, (total - avoiding).tolist(), strict=True):
            yield from ((feature, n_trees) for feature in features)


def _combine_edges(graph: Graph, clock: Clock) -> tuple[Graph, Indices]:
    """Return a graph with one edge for all edges of a node with the same children, and the new edge of each edge."""
    first, second = np.minimum(graph.no, graph.yes), np.maximum(graph.no, graph.yes)
    new_edge = np.empty(graph.n_edges, dtype=np.int64)
    n_new = np.zeros(graph.n_nodes, dtype=np.int64)
    kept: list[Indices] = []  # an edge for each new one
    n_kept = 0
    parent = graph.parents
    for nodes in graph.steps():
        clock.require_time()
        begin, end = graph.edge_start[nodes[0]], graph.edge_start[nodes[-1] + 1]
        edges = begin + np.lexsort((second[begin:end], first[begin:end], parent[begin:end]))
        keys = np.stack([parent[edges], first[edges], second[edges]])
        is_new = np.append(True, (np.diff(keys) != 0).any(axis=0))[: len(edges)]
        new_edge[edges] = n_kept + np.cumsum(is_new) - 1
        kept.append(edges[is_new])
        n_kept += len(kept[-1])
        n_new[nodes] = np.bincount(keys[0][is_new] - nodes[0], minlength=len(nodes))
    old = np.concatenate(kept)
    start = np.append(0, np.cumsum(n_new))
    return Graph(graph.label, graph.size, start, graph.feature[old], first[old], second[old], graph.roots), new_edge


def _equal_features(graph: Graph, new_edge: Indices, clock: Clock) -> list[list[int]]:
    """Return the features of a graph, with those that have the same combined edges in one list."""
    clock.require_time()
    by_feature = np.argsort(graph.feature, kind="stable")
    edges, features = new_edge[by_feature], graph.feature[by_feature]
    starts = np.flatnonzero(np.diff(features, prepend=-1))
    clock.require_time()
    groups: dict[bytes, list[int]] = {}
    for start, end in pairwise([*starts.tolist(), len(edges)]):
        groups.setdefault(edges[start:end].tobytes(), []).append(int(features[start]))
    return list(groups.values())


def _copies_without(graph: Graph, new_edge: Indices, features: list[int]) -> Indices:
    """Return how many edges each combined edge stands for, without those of a feature; one column per feature."""
    n_copies = np.repeat(np.bincount(new_edge)[:, None], len(features), axis=1)
    column = np.full(int(graph.feature.max()) + 1, -1)
    column[features] = np.arange(len(features))
    edges = np.flatnonzero(column[graph.feature] >= 0)
    np.subtract.at(n_copies, (new_edge[edges], column[graph.feature[edges]]), 1)
    return n_copies


def _count_avoiding(graph: Graph, n_copies: Indices, dtype: Any, clock: Clock) -> NDArray[Any]:
    """Count the trees under each node that do not test a feature; one column per feature."""
    trees = np.ones((graph.n_nodes, n_copies.shape[1]), dtype=dtype)
    for level in graph.levels:
        clock.require_time()
        edges = level.edges
        per_edge = trees[graph.no[edges]] * trees[graph.yes[edges]] * n_copies[edges]
        trees[level.nodes] = np.add.reduceat(per_edge, level.starts)
    return trees


def count_roots(graph: Graph, trees: list[int]) -> dict[int, int]:
    """Count for each feature the trees that test it at the root; parameters as for :func:`count_users`."""
    n_roots: dict[int, int] = dict.fromkeys(graph.features.tolist(), 0)
    for root in graph.roots:
        for edge in range(graph.edge_start[root], graph.edge_start[root + 1]):
            n_roots[int(graph.feature[edge])] += trees[graph.no[edge]] * trees[graph.yes[edge]]
    return n_roots
