"""From a choice in the graph to a tree that people read, checked by code that knows no graph.

A forest hands out many trees, so the check has to be cheap: the tree walks over the distinct examples, in the answers
to the given questions, and what arrives at each leaf is both the check and the counts. Trees that are handed out one by
one are checked on the raw rows, as everywhere.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .. import _native
from ..binarize.bitmatrix import BitMatrix
from ..binarize.predicate import Predicate
from ..errors import PuretreeError
from ..problem import Prepared
from ..tree import Ints, Tree
from .order import Edges, Order


class TreeDecoder:
    """Tells the trees of a forest in the words of the raw table.

    Parameters
    ----------
    prepared : Prepared
    order : Order
        The trees, in given features.
    """

    def __init__(self, prepared: Prepared, order: Order) -> None:
        self._prepared = prepared
        self._order = order

    def tell(self, edges: Edges) -> Tree:
        """Make a tree, checked on the distinct examples."""
        problem = self._prepared.problem
        feature, left, label = self._arrays(edges)
        leaves = _native.leaves_of_examples(feature, left, self._examples.words, self._examples.n_bits)
        n_wrong = int((label[leaves] != problem.labels).sum())
        if n_wrong:
            raise PuretreeError(f"the tree is wrong on {n_wrong} examples: this is a bug, please report it")
        n_classes = len(problem.classes)
        cells = np.bincount(leaves * n_classes + problem.labels, problem.weights, minlength=len(left) * n_classes)
        counts = cells.astype(np.int64).reshape(-1, n_classes)
        for node in np.flatnonzero(left >= 0)[::-1].tolist():
            counts[node] = counts[left[node]] + counts[left[node] + 1]
        n_columns = self._prepared.binarizer.n_features_in_
        return Tree(
            feature, left, label, problem.classes, predicates=self._predicates, n_columns=n_columns, counts=counts
        )

    def tell_checked(self, edges: Edges) -> Tree:
        """Make a tree, checked on the raw rows."""
        return self._prepared.check_tree(Tree(*self._arrays(edges), self._prepared.problem.classes))

    def _arrays(self, edges: Edges) -> tuple[Ints, Ints, Ints]:
        """Return the arrays of a Tree, nodes numbered breadth first; sizes tell where in preorder a yes side begins."""
        order = self._order
        feature: list[int] = []
        left: list[int] = []
        label: list[int] = []
        nodes = [(order.root_of(edges), 0)]
        for node, place in nodes:
            label.append(order.label[node])
            if order.label[node] >= 0:
                feature.append(-1)
                left.append(-1)
                continue
            edge = edges[place]
            no = order.no[edge]
            feature.append(order.feature[edge])
            left.append(len(nodes))
            nodes.append((no, place + 1))
            nodes.append((order.yes[edge], place + 1 + order.size[no]))
        return np.array(feature, dtype=np.int32), np.array(left, dtype=np.int32), np.array(label, dtype=np.int32)

    @cached_property
    def _predicates(self) -> dict[int, Predicate]:
        return dict(enumerate(self._prepared.binarizer.features_))

    @cached_property
    def _examples(self) -> BitMatrix:
        """The distinct examples in the given features: asked anew, not undone from the merged ones."""
        prepared = self._prepared
        answers = prepared.binarizer.transform_bits(prepared.table).transpose()
        kept = prepared.problem.kept_rows
        _, first = np.unique(prepared.problem.example_of_row[kept], return_index=True)
        return answers.take(kept[first])
