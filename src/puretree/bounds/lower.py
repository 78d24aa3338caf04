"""Lower bounds that cost nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock, TimeIsOver
from ..formula import VarPool, as_block
from ..formula.sums.totaliser import Totaliser
from ..problem import BinaryProblem, Constraints
from ..sat import Oracle, OracleSink


def least_nodes(problem: BinaryProblem) -> int:
    """Return how many nodes a pure tree has at least: a leaf for each class, and so many inner nodes less one.

    With two classes that is 3, the paper's lower bound.
    """
    return 2 * problem.n_classes - 1


def least_depth(problem: BinaryProblem) -> int:
    """Return how deep a pure tree is at least: it has a leaf for each class."""
    return (problem.n_classes - 1).bit_length()


def least_value(problem: BinaryProblem, constraints: Constraints, n_nodes: int) -> int:
    """Return what a tree of at least so many nodes costs at least, in what is minimised first."""
    if constraints.minimise != "cost":
        return n_nodes
    cheapest = int(problem.costs.min()) if problem.n_features else 0
    return cheapest * ((n_nodes - 1) // 2)


# A lower bound from pairs: two examples of different class must differ in a feature that the tree asks.
#
# The fewest features that tell every such pair apart are a minimum hitting set of the pairs' differences, and each of
# them is asked at an inner node of its own. Few pairs are enough to prove it: begin with none, take the smallest set for
# the pairs so far, and add pairs that it does not tell apart. Every step on the way is a lower bound already.
#
# Moret and Shapiro, *On minimizing a set of tests*, SIAM J. Sci. Stat. Comput. 6, 1985.

LARGEST_COVER = 32  # features: more would hardly ever be proved, and counting further takes its time


def pair_cover_bounds(
    problem: BinaryProblem, oracle: Oracle, clock: Clock, *, most: int = LARGEST_COVER
) -> Iterator[int]:
    """Yield ever better lower bounds on the number of nodes, until the best of this kind or the clock is over.

    Parameters
    ----------
    problem : BinaryProblem
        With two classes or more.
    oracle : Oracle
        A fresh solver.
    clock : Clock
    most : int
        Of features: a tree that tests so many is known, so no cover needs more.
    """
    most = min(most, problem.n_features, LARGEST_COVER)
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
            pairs = _pairs_not_told_apart(bits, problem.labels, chosen)
            if not len(pairs):
                return
            differ = bits[pairs[:, 0]] ^ bits[pairs[:, 1]]
            sink.add(as_block(is_chosen[row].tolist() for row in differ))
    except TimeIsOver:
        return


def _pairs_not_told_apart(
    bits: NDArray[np.bool_], labels: NDArray[np.int32], chosen: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return a pair of different class from each group of examples that are equal in the features chosen."""
    packed = np.packbits(bits[:, chosen], axis=1) if len(chosen) else np.zeros((len(bits), 1), dtype=np.uint8)
    _, first, group = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    leader = first[group.reshape(-1)]
    other = np.flatnonzero(labels != labels[leader])
    one_each = np.unique(leader[other], return_index=True)[1]
    return np.column_stack([leader[other[one_each]], other[one_each]])
