"""Trees to begin with where errors are allowed and the depth is bounded: the most frequent class, and a greedy tree.

The greedy one is scikit-learn's (CART; Breiman, Friedman, Olshen and Stone, 1984), with a limit on its depth: at once,
often near the best, and never proved.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import BinaryProblem
from ..tree import Tree


def majority_leaf(problem: BinaryProblem) -> Tree:
    """Return the single leaf that is right on most rows."""
    return Tree.leaf(int(np.argmax(np.bincount(problem.labels, problem.weights))), problem.classes)


def shallow_tree(problem: BinaryProblem, max_depth: int) -> Tree:
    """Grow scikit-learn's tree of at most so many tests on every path."""
    from sklearn.tree import DecisionTreeClassifier

    grown = DecisionTreeClassifier(max_depth=max_depth, random_state=0)
    grown.fit(problem.examples.unpack(), problem.labels, sample_weight=problem.weights)
    nodes = grown.tree_
    codes = grown.classes_[nodes.value[:, 0].argmax(axis=1)]

    def read(node: int) -> Any:
        if nodes.children_left[node] < 0:
            return int(codes[node])
        below = read(nodes.children_left[node]), read(nodes.children_right[node])
        return (int(nodes.feature[node]), *below)

    tree = Tree.from_nested(read(0), range(len(problem.classes)))
    return Tree(tree.feature, tree.left, tree.label, problem.classes)
