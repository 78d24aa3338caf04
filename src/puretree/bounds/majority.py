"""The tree with no test: an upper bound of errors that is there at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..problem import BinaryProblem
from ..tree import Tree


def rows_of_classes(problem: BinaryProblem) -> NDArray[np.int64]:
    """Return how many rows each class has, in whole numbers however large."""
    n_rows = np.zeros(len(problem.classes), dtype=np.int64)
    np.add.at(n_rows, problem.labels, problem.weights)
    return n_rows


def majority_leaf(problem: BinaryProblem) -> Tree:
    """Return the leaf of the class with most rows."""
    return Tree.leaf(int(rows_of_classes(problem).argmax()), problem.classes)
