"""From the edges of a tree in the graph to a readable tree, verified by code that does not use the graph.

A forest decodes many trees, so the verification must be cheap: the distinct examples, in original features, descend the
tree, and the leaves they reach give both the verification and the counts. Trees that are requested one by one are
verified on the raw rows, as everywhere else.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.text import quantity
from ..binarize.bitmatrix import BitMatrix
from ..binarize.predicate import Predicate
from ..errors import PuretreeError
from ..problem import CostProblem, Prepared, PreparedCosts
from ..tree import Ints, Tree
from .order import Edges, Order


class TreeDecoder:
    """Decodes trees of a graph into trees with the predicates of the raw table.

    Parameters
    ----------
    prepared : Prepared or PreparedCosts
    order : Order
        The trees, over original features.
    """

    def __init__(self, prepared: Prepared | PreparedCosts, order: Order) -> None:
        self._prepared = prepared
        self._order = order

    def decode(self, edges: Edges) -> Tree:
        """Return a tree, verified on the distinct examples."""
        problem = self._prepared.problem
        feature, left, label = self._arrays(edges)
        leaves = _native.leaves_of_examples(feature, left, self._examples.words, self._examples.n_bits)
        self._check_labels(label[leaves], edges)
        n_classes = len(problem.classes)
        example, code, weight = self._cells
        cells = np.bincount(leaves[example] * n_classes + code, weight, minlength=len(left) * n_classes)
        counts = cells.astype(np.int64).reshape(-1, n_classes)
        for node in np.flatnonzero(left >= 0)[::-1].tolist():
            counts[node] = counts[left[node]] + counts[left[node] + 1]
        n_columns = self._prepared.binarizer.n_features_in_
        return Tree(
            feature, left, label, problem.classes, predicates=self._predicates, n_columns=n_columns, counts=counts
        )

    def decode_on_rows(self, edges: Edges) -> Tree:
        """Return a tree, verified on the raw rows."""
        return self._prepared.check_tree(Tree(*self._arrays(edges), self._prepared.problem.classes), self._cost(edges))

    def _cost(self, edges: Edges) -> int:
        """Return what a tree costs by the graph: the number of errors, unless the rows have other costs."""
        prepared = self._prepared
        least = prepared.problem.least_cost if isinstance(prepared, PreparedCosts) else 0
        return least + self._order.cost_of(edges)

    def _check_labels(self, labels: Ints, edges: Edges) -> None:
        """Raise an error unless the labels that a tree predicts for the examples cost what the graph says."""
        problem, expected = self._prepared.problem, self._cost(edges)
        if isinstance(problem, CostProblem):
            found = problem.cost_of_labels(labels)
            fault = f"costs {found:,} on the examples, not {expected:,}"
        else:
            found = int((labels != problem.labels).sum())
            fault = f"misclassifies {quantity(found, 'example')}"
        if found != expected:
            raise PuretreeError(f"the tree {fault}: this is a bug, please report it")

    def _arrays(self, edges: Edges) -> tuple[Ints, Ints, Ints]:
        """Return the arrays of a Tree, with its nodes in breadth-first order.

        The size of a no branch gives the index in preorder at which the yes branch begins.
        """
        order = self._order
        feature: list[int] = []
        left: list[int] = []
        label: list[int] = []
        nodes = [(order.root_of(edges), 0)]
        for node, index in nodes:  # the list grows during the loop
            label.append(order.label[node])
            if order.label[node] >= 0:
                feature.append(-1)
                left.append(-1)
                continue
            edge = edges[index]
            no = order.no[edge]
            feature.append(order.feature[edge])
            left.append(len(nodes))
            nodes.append((no, index + 1))
            nodes.append((order.yes[edge], index + 1 + order.size[no]))
        return np.array(feature, dtype=np.int32), np.array(left, dtype=np.int32), np.array(label, dtype=np.int32)

    @cached_property
    def _cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The pairs of an example and a class of its rows, with the number of these rows."""
        prepared = self._prepared
        kept = prepared.kept_rows
        n_classes = len(prepared.problem.classes)
        cell_of_row = prepared.problem.example_of_row[kept] * n_classes + prepared.labels.codes[kept]
        cells, inverse = np.unique(cell_of_row, return_inverse=True)
        weights = np.bincount(inverse, prepared.table.row_weights[kept]).astype(np.int64)
        return cells // n_classes, cells % n_classes, weights

    @cached_property
    def _predicates(self) -> dict[int, Predicate]:
        return dict(enumerate(self._prepared.binarizer.features_))

    @cached_property
    def _examples(self) -> BitMatrix:
        """The distinct examples in original features: binarised anew, not derived from the merged ones."""
        prepared = self._prepared
        rows = prepared.binarizer.transform_bits(prepared.solved_table).transpose()
        kept = prepared.problem.kept_rows
        _, first = np.unique(prepared.problem.example_of_row[kept], return_index=True)
        return rows.take(kept[first])
