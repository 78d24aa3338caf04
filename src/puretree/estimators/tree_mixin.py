"""scikit-learn's methods of tree classifiers, so that its tools work with ours: inspection, SelectFromModel and others.

Node numbers are those of ``tree_``: breadth first from the root, which is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from ..errors import NotKeptError
from ..table import read_columns_of
from ..tree import Tree


class TreeMixin:
    """Mixin of a classifier with a tree over the raw columns."""

    tree_: Tree
    classes_: NDArray[Any]
    predict_proba: Any

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The importance of each column: its share in the decrease of the Gini impurity, as in scikit-learn."""
        tree = self._single_tree()
        if tree.counts is None:
            raise NotKeptError("importances need the numbers of training rows, which this tree lacks; fit it again")
        return gini_importances(tree, tree.counts)

    def get_depth(self) -> int:
        """Return the number of tests on the longest path of the tree."""
        return self._single_tree().depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree."""
        return self._single_tree().n_leaves

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf of each row, as the number of a node.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows

        Returns
        -------
        ndarray of int64, shape (n_rows,)
        """
        tree = self._single_tree()
        return tree.apply(read_columns_of(self, X, reset=False)).astype(np.int64)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes on the path of each row.

        Parameters
        ----------
        X : data frame, 2-D array or list of rows

        Returns
        -------
        sparse matrix of shape (n_rows, n_nodes)
            1 where the row passes the node, the leaf included.
        """
        tree = self._single_tree()
        return csr_matrix(tree.decision_path(read_columns_of(self, X, reset=False)))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithms of :meth:`predict_proba`, minus infinity for a probability of 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _single_tree(self) -> Tree:
        """Return the tree; a classifier of several trees raises an error."""
        check_is_fitted(self)
        return self.tree_


def gini_importances(tree: Tree, weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return the share of each column in the total decrease of the Gini impurity; zeros if nothing decreases.

    Parameters
    ----------
    tree : Tree
        With predicates attached.
    weights : ndarray of shape (n_nodes, n_classes)
        The number of rows, or their weight, per node and class.
    """
    assert tree.n_columns is not None
    total = weights.sum(axis=1)
    impurity = total - (weights.astype(np.float64) ** 2).sum(axis=1) / np.maximum(total, np.finfo(float).tiny)
    inner = np.flatnonzero(tree.left >= 0)
    no = tree.left[inner]
    decrease = np.maximum(impurity[inner] - impurity[no] - impurity[no + 1], 0.0)  # not below zero by rounding
    columns = [tree.predicate(int(feature)).column.index for feature in tree.feature[inner]]
    of_column = np.bincount(np.array(columns, dtype=np.intp), decrease, tree.n_columns)
    return np.asarray(of_column / (of_column.sum() or 1.0))
