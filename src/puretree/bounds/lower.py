"""Lower bounds on minimum pure trees: from the number of classes, and from pairs of examples of different classes.

The first kind is a formula and costs nothing. The second, the pair-cover bound, solves a hitting-set problem by SAT.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock, TimeLimitReached
from ..formula import VarPool, as_block
from ..formula.sums.totaliser import Totaliser
from ..problem import BinaryProblem, Constraints
from ..sat import Oracle, OracleSink

MAX_COVER = 32  # features: larger covers are hardly ever proved, and counting further takes time


def least_nodes(problem: BinaryProblem) -> int:
    """Return a lower bound on the nodes of a pure tree: one leaf per class, and one inner node fewer.

    With two classes this is 3, the paper's lower bound.
    """
    return 2 * problem.n_classes - 1


def least_depth(problem: BinaryProblem) -> int:
    """Return a lower bound on the depth of a pure tree, which has at least one leaf per class."""
    return (problem.n_classes - 1).bit_length()


def least_value(problem: BinaryProblem, constraints: Constraints, n_nodes: int) -> int:
    """Return a lower bound on the first objective, nodes or cost, of trees with at least `n_nodes` nodes."""
    if constraints.minimise != "cost":
        return n_nodes
    min_cost = int(problem.costs.min()) if problem.n_features else 0
    return min_cost * ((n_nodes - 1) // 2)


def pair_cover_bounds(problem: BinaryProblem, oracle: Oracle, clock: Clock, *, most: int = MAX_COVER) -> Iterator[int]:
    """Yield increasing lower bounds on the number of nodes, until the pair-cover bound or the time limit is reached.

    Two examples of different classes must differ in a feature that the tree tests. The smallest set of features that
    separates all such pairs is a minimum hitting set of the pairs' differences, and each of its features is tested at
    an inner node of its own. Few pairs suffice to prove the minimum: start with none, compute a smallest set for the
    pairs so far, and add pairs that it does not separate. Every intermediate size is a valid lower bound.

    Parameters
    ----------
    problem : BinaryProblem
        With at least two classes.
    oracle : Oracle
        A fresh solver.
    clock : Clock
    most : int
        Upper bound on the number of features in a minimum set, such as the number of features that a known pure tree
        tests.

    References
    ----------
    Moret and Shapiro, *On minimizing a set of tests*, SIAM J. Sci. Stat. Comput. 6, 1985.
    """
    most = min(most, problem.n_features, MAX_COVER)
    if not Totaliser.is_small(problem.n_features, upper=most):
        return
    bits = problem.examples.unpack()
    pool = VarPool()
    is_chosen = pool.array("chosen", problem.n_features)
    try:
        sink = OracleSink(oracle, clock)
        n_chosen = Totaliser(is_chosen.tolist(), pool, sink, upper=most)
        size = 1
        while size < most and (answer := oracle.solve(n_chosen.at_most(size), clock)) is not None:
            if not answer:
                size += 1
                yield 2 * size + 1
                continue
            chosen = np.flatnonzero(oracle.model(pool.n_vars)[is_chosen])
            pairs = _unseparated_pairs(bits, problem.labels, chosen)
            if not len(pairs):
                return
            differ = bits[pairs[:, 0]] ^ bits[pairs[:, 1]]
            sink.add(as_block(is_chosen[row].tolist() for row in differ))
    except TimeLimitReached:
        return


def _unseparated_pairs(
    bits: NDArray[np.bool_], labels: NDArray[np.int32], chosen: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return one pair of different classes from each group of examples with equal values of the chosen features."""
    packed = np.packbits(bits[:, chosen], axis=1) if len(chosen) else np.zeros((len(bits), 1), dtype=np.uint8)
    _, first, group = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    leader = first[group.reshape(-1)]
    other = np.flatnonzero(labels != labels[leader])
    one_per_group = np.unique(leader[other], return_index=True)[1]
    return np.column_stack([leader[other[one_per_group]], other[one_per_group]])
