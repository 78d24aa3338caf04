"""How much each feature matters: how many trees test it, how many test it at the root, and whether all trees need it.

The trees that test a feature are all trees less those that avoid it. The latter are counted like all trees, without
the edges of the feature, for many features at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..binarize.predicate import Predicate
from .graph import Graph

FEATURES_PER_PASS = 64  # each pass holds as many counts per node


@dataclass(frozen=True, slots=True)
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

    def __str__(self) -> str:
        necessary = ", necessary" if self.is_necessary else ""
        return f"{self.predicate}: in {self.share:.1%} of the trees, at the root in {self.root_share:.1%}{necessary}"


def count_users(graph: Graph, trees: list[int]) -> Iterator[tuple[int, int]]:
    """Yield each feature of a graph with the number of trees that test it.

    Parameters
    ----------
    graph : Graph
    trees : list of int
        The number of trees under each node.
    """
    dtype: Any = np.int64 if max(trees) < 2**63 else object  # int64 is a hundred times as fast
    total = sum(trees[root] for root in graph.roots)
    for begin in range(0, len(graph.features), FEATURES_PER_PASS):
        features = graph.features[begin : begin + FEATURES_PER_PASS]
        avoiding = _count_avoiding(graph, features, dtype)[graph.roots].astype(object).sum(axis=0)
        yield from zip(features.tolist(), (total - avoiding).tolist(), strict=True)


def _count_avoiding(graph: Graph, features: NDArray[np.int32], dtype: Any) -> NDArray[Any]:
    """Count the trees under each node that do not test a feature; one column per feature."""
    trees = np.ones((graph.n_nodes, len(features)), dtype=dtype)
    for level in graph.levels:
        edges = level.edges
        per_edge = trees[graph.no[edges]] * trees[graph.yes[edges]]
        per_edge[graph.feature[edges, None] == features] = 0
        trees[level.nodes] = np.add.reduceat(per_edge, level.starts)
    return trees


def count_roots(graph: Graph, trees: list[int]) -> dict[int, int]:
    """Count for each feature the trees that test it at the root; parameters as for :func:`count_users`."""
    n_roots: dict[int, int] = dict.fromkeys(graph.features.tolist(), 0)
    for root in graph.roots:
        for edge in range(graph.edge_start[root], graph.edge_start[root + 1]):
            n_roots[int(graph.feature[edge])] += trees[graph.no[edge]] * trees[graph.yes[edge]]
    return n_roots
