"""How much each feature matters: in how many trees it is used, how often it comes first, whether all trees need it.

The trees that use a feature are all trees less those that avoid it, and these are counted like all trees, with the
feature's edges left out. Many features are counted at once, side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..predicate import Predicate
from .graph import Graph

FEATURES_AT_ONCE = 64  # as many counts for each node are held at a time


@dataclass(frozen=True, slots=True)
class FeatureUsage:
    """What the trees of a forest make of a given feature.

    Parameters
    ----------
    feature : int
        Its number.
    predicate : Predicate
        What it asks of the raw table.
    n_trees, n_roots : int
        How many trees test it anywhere, and at the root.
    total : int
        All trees of the forest.
    """

    feature: int
    predicate: Predicate
    n_trees: int
    n_roots: int
    total: int

    @property
    def share(self) -> float:
        """The share of the trees that test it."""
        return self.n_trees / self.total

    @property
    def root_share(self) -> float:
        """The share of the trees that test it first."""
        return self.n_roots / self.total

    @property
    def is_necessary(self) -> bool:
        """Whether every tree tests it."""
        return self.n_trees == self.total

    def __str__(self) -> str:
        needed = ", necessary" if self.is_necessary else ""
        return f"{self.predicate}: in {self.share:.1%} of the trees, at the root in {self.root_share:.1%}{needed}"


def count_users(graph: Graph, trees: list[int]) -> Iterator[tuple[int, int]]:
    """Yield each feature of a graph with how many trees test it.

    Parameters
    ----------
    graph : Graph
    trees : list of int
        The trees under each node.
    """
    dtype: Any = np.int64 if max(trees) < 2**63 else object  # machine words are a hundred times as fast
    total = sum(trees[root] for root in graph.roots)
    for begin in range(0, len(graph.features), FEATURES_AT_ONCE):
        features = graph.features[begin : begin + FEATURES_AT_ONCE]
        avoiding = _count_avoiding(graph, features, dtype)[graph.roots].astype(object).sum(axis=0)
        yield from zip(features.tolist(), (total - avoiding).tolist(), strict=True)


def _count_avoiding(graph: Graph, features: NDArray[np.int32], dtype: Any) -> NDArray[Any]:
    """Count the trees under each node that do not test a feature; a column per feature."""
    trees = np.ones((graph.n_nodes, len(features)), dtype=dtype)
    for level in graph.levels:
        edges = level.edges
        of_edge = trees[graph.no[edges]] * trees[graph.yes[edges]]
        of_edge[graph.feature[edges, None] == features] = 0
        trees[level.nodes] = np.add.reduceat(of_edge, level.starts)
    return trees


def count_roots(graph: Graph, trees: list[int]) -> dict[int, int]:
    """Count for each feature the trees that begin with it."""
    found: dict[int, int] = dict.fromkeys(graph.features.tolist(), 0)
    for root in graph.roots:
        for edge in range(graph.edge_start[root], graph.edge_start[root + 1]):
            found[int(graph.feature[edge])] += trees[graph.no[edge]] * trees[graph.yes[edge]]
    return found
