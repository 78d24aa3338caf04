"""The object that does the work inside a scikit-learn tree, made from splits.

scikit-learn has no public way to build one; what pickle uses (``__setstate__``) is the way that has stayed the same
from release to release, and the layout of a node is asked of the installed one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.tree._tree import Tree as NativeTree

from ..region import Floats
from .chains import SplitTree


def native_tree(splits: SplitTree, matrix: NDArray[np.float32], codes: NDArray[np.int32], n_classes: int) -> NativeTree:
    """Make a native tree, with the share of each class at each node.

    Parameters
    ----------
    splits : SplitTree
        Its nodes.
    matrix : ndarray of float32
        The training rows, as the tree takes them.
    codes : ndarray of int32
        The class of each.
    n_classes : int
        How many classes there are.
    """
    values = np.zeros((len(splits.left), n_classes))
    values[range(len(splits.left)), splits.code] = 1  # inner nodes are overwritten below
    made = _with_state(splits, values, np.zeros(len(splits.left)), matrix.shape[1])
    counts = np.zeros_like(values)
    np.add.at(counts, (made.apply(np.ascontiguousarray(matrix)), codes), 1)
    for node in reversed(range(len(splits.left))):  # children come after their parent
        if splits.left[node] >= 0:
            children = [splits.left[node], splits.right[node]]
            counts[node] = counts[children].sum(axis=0)
            values[node] = values[children].mean(axis=0)  # where no training row comes
        n_rows = counts[node].sum()
        if n_rows:
            values[node] = counts[node] / n_rows
    return _with_state(splits, values, counts.sum(axis=1), matrix.shape[1])


def _with_state(splits: SplitTree, values: Floats, n_rows: Floats, n_features: int) -> NativeTree:
    n_classes = np.array([values.shape[1]], dtype=np.intp)
    made = NativeTree(n_features, n_classes, 1)
    nodes = np.zeros(len(splits.left), dtype=made.__getstate__()["nodes"].dtype)
    nodes["left_child"], nodes["right_child"] = splits.left, splits.right
    nodes["feature"], nodes["threshold"] = splits.place, splits.threshold
    nodes["missing_go_to_left"] = splits.missing_goes_left
    nodes["impurity"] = 1 - (values**2).sum(axis=1)
    nodes["n_node_samples"] = nodes["weighted_n_node_samples"] = n_rows
    made.__setstate__(
        {"max_depth": splits.depth, "node_count": len(nodes), "nodes": nodes, "values": values[:, None, :].copy()}
    )
    return made
