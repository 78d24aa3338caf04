"""Lower bounds that cost nothing."""

from __future__ import annotations

from ..problem import BinaryProblem
from ..steering import Steering


def least_nodes(problem: BinaryProblem) -> int:
    """Return how many nodes a pure tree has at least: a leaf for each class, and so many inner nodes less one.

    With two classes that is 3, the paper's lower bound.
    """
    return 2 * problem.n_classes - 1


def least_depth(problem: BinaryProblem) -> int:
    """Return how deep a pure tree is at least: it has a leaf for each class."""
    return (problem.n_classes - 1).bit_length()


def least_value(problem: BinaryProblem, steering: Steering, n_nodes: int) -> int:
    """Return what a tree of at least so many nodes costs at least, in what is minimised first."""
    if steering.minimise != "cost":
        return n_nodes
    cheapest = int(problem.costs.min()) if problem.n_features else 0
    return cheapest * ((n_nodes - 1) // 2)
