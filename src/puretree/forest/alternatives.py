"""The graph in the features that were given, before equal and complementary ones were merged.

Columns that say the same on the training rows are one feature to the engines, but to people they are different
questions, they make different trees, and on new rows they may answer differently. So an edge becomes one for each given
feature behind it; where that says the opposite, no and yes change sides. All that follows knows given features only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
    asked = np.flatnonzero(merge.feature_of_given >= 0)
    given = asked[np.argsort(merge.feature_of_given[asked], kind="stable")]
    bounds = np.searchsorted(merge.feature_of_given[given], np.arange(len(merge.given_of_feature) + 1))
    n_given = np.diff(bounds)[graph.feature]
    edge = np.repeat(np.arange(graph.n_edges), n_given)
    nth = np.arange(len(edge)) - np.repeat(np.cumsum(n_given) - n_given, n_given)
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
