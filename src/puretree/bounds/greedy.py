"""An upper bound at once: the pure tree that information gain grows.

It costs little, and every exact method is faster for knowing it (Quinlan, *Induction of Decision Trees*, Machine
Learning 1, 1986). It is pure, rarely minimum, and says nothing about how far from it.
"""

from __future__ import annotations

from .. import _native
from ..problem import BinaryProblem
from ..tree import Tree


def greedy_tree(problem: BinaryProblem) -> Tree:
    """Grow a pure tree by information gain; ties go to the first feature.

    Parameters
    ----------
    problem : BinaryProblem
        Without contradictions, as every BinaryProblem is.

    Returns
    -------
    Tree
        Over the problem's features.
    """
    examples = problem.examples
    feature, left, label = _native.greedy_tree(examples.words, examples.n_bits, problem.labels, len(problem.classes))
    return Tree(feature, left, label, problem.classes)
