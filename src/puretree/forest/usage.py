"""The graph in the features that were given, before equal and complementary ones were merged.

Columns that say the same on the training rows are one feature to the engines, but to people they are different
questions, they make different trees, and on new rows they may answer differently. So an edge becomes one for each given
feature behind it; where that says the opposite, no and yes change sides. All that follows knows given features only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..binarize.predicate import Predicate
from ..problem import FeatureMerge
from .graph import Graph


def with_alternatives(graph: Graph, merge: FeatureMerge, is_root: NDArray[np.bool_]) -> Graph:
    """Return the graph with every edge spelled out in given features.

    Parameters
    ----------
    graph : Graph
        Over the features of a problem.
    merge : FeatureMerge
        The problem's way back to the given features.
    is_root : ndarray of bool
        The given features of which the root must test one; any will do if there are none.

    Returns
    -------
    Graph
        The same nodes; edges ascend by given feature, then by the size of the no side, the canonical order of trees.
    """
    asked = np.flatnonzero(merge.feature_of_original >= 0)
    given = asked[np.argsort(merge.feature_of_original[asked], kind="stable")]
    bounds = np.searchsorted(merge.feature_of_original[given], np.arange(len(merge.original_of_feature) + 1))
    n_original = np.diff(bounds)[graph.feature]
    edge = np.repeat(np.arange(graph.n_edges), n_original)
    nth = np.arange(len(edge)) - np.repeat(np.cumsum(n_original) - n_original, n_original)
    feature = given[bounds[graph.feature[edge]] + nth]
    is_flipped = merge.flipped[feature]
    no = np.where(is_flipped, graph.yes[edge], graph.no[edge])
    yes = np.where(is_flipped, graph.no[edge], graph.yes[edge])
    node = np.repeat(np.arange(graph.n_nodes), np.diff(graph.edge_start))[edge]
    order = np.lexsort((graph.size[no], feature, node))
    if is_root.any():  # an equal feature of another column is not what was wished for
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


# How much each feature matters: in how many trees it is used, how often it comes first, whether all trees need it.
#
# The trees that use a feature are all trees less those that avoid it, and these are counted like all trees, with the
# feature's edges left out. Many features are counted at once, side by side.

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
