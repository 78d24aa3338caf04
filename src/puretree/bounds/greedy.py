"""An upper bound at once: the pure tree that information gain grows.

It costs little, and every exact method is faster for knowing it (Quinlan, *Induction of Decision Trees*, Machine
Learning 1, 1986). It is pure, rarely minimum, and says nothing about how far from it.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..problem import BinaryProblem
from ..tree import Tree


def greedy_tree(problem: BinaryProblem, *, seconds: float = inf) -> Tree:
    """Grow a pure tree by information gain; ties go to the first feature.

    Parameters
    ----------
    problem : BinaryProblem
        Without contradictions, as every BinaryProblem is.
    seconds : float, default=inf
        After these, any feature that separates two classes will do: the tree is pure all the same, but larger.

    Returns
    -------
    Tree
        Over the problem's features.
    """
    return _grow(problem, np.arange(problem.n_examples), seconds)


def rooted_greedy_tree(problem: BinaryProblem, feature: int, *, seconds: float = inf) -> Tree:
    """Grow a pure tree by information gain below a root that asks a given feature."""
    says_yes = problem.features.take(np.array([feature])).unpack()[0]
    no, yes = (_grow(problem, np.flatnonzero(side), seconds / 2) for side in (~says_yes, says_yes))
    return Tree.join(feature, no, yes)


def _grow(problem: BinaryProblem, which: NDArray[np.intp], seconds: float) -> Tree:
    examples, labels = problem.examples.take(which), problem.labels[which]
    grown = _native.greedy_tree(examples.words, examples.n_bits, labels, len(problem.classes), seconds)
    return Tree(*grown, problem.classes)
