"""Infer-depth: the minimum depth of a pure tree, from a small subset of the examples.

Avellaneda, *Efficient Inference of Optimal Decision Trees*, AAAI 2020. A formula over all examples is large, but a
small subset usually decides: start with one example of each class, compute a tree that classifies the subset correctly,
and add examples that it misclassifies, until the tree is pure or no tree fits the subset. The next depth starts from
the subset of the previous one.

It guarantees a pure tree of minimum depth, once that is proved. It guarantees nothing about the size.

The paper decreases the depth from an upper bound. Here the depth increases from the lower bound: a formula doubles with
each level, so the unsatisfiable formulas are small, and the heuristics provide an upper bound at once. If that does not
finish in half of the time, the other half goes to decreasing the upper bound, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock, TimeLimitReached
from ..encoding import CompleteTreeEncoding
from ..outcome import Status
from ..problem import BinaryProblem
from ..sat import Oracle, make_oracle
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent
from .sat_engine import SatEngine

Examples = NDArray[np.intp]

UP_FRACTION = 0.5  # of the time


@dataclass(frozen=True, slots=True)
class InferDepth(SatEngine):
    """Pure trees of minimum depth, by SAT.

    Parameters
    ----------
    solver, isolated
        As for :class:`SatEngine`.
    """

    name: ClassVar[str] = "infer-depth"
    source: ClassVar[str] = "Avellaneda 2020"
    guarantees: ClassVar[Guarantees] = Guarantees(aim="depth")

    def search(self, incumbent: Incumbent) -> Status:
        """Minimise the depth; see :func:`minimise_depth`."""
        incumbent.constraints.require_only(self.name, "max_depth", "root")
        try:
            minimise_depth(incumbent, self.solver, self.isolated)
        except TimeLimitReached:
            return "time_limit"
        except MemoryError:
            return "memory_limit"
        incumbent.prove()
        return "optimal"


def minimise_depth(incumbent: Incumbent, solver: str, isolated: bool) -> Examples:
    """Close the gap between the bounds on the depth; return the examples that were needed.

    Half of the time goes to raising the lower bound; if that is not enough, the rest goes to lowering the upper one.

    Raises
    ------
    TimeLimitReached
        If the time limit is reached first.
    MemoryError
        If a formula would be too large.
    """
    search = _DepthSearch(incumbent, solver, isolated, first_of_each(incumbent.problem.labels))
    try:
        search.raise_lower(incumbent.clock.part(UP_FRACTION))
    except TimeLimitReached:
        search.raise_lower(incumbent.clock) if incumbent.tree is None else search.reduce_upper(incumbent.clock)
    return search.needed


@dataclass(slots=True)
class _DepthSearch:
    """SAT calls for one depth after the other, with the examples that were needed so far."""

    incumbent: Incumbent
    solver: str
    isolated: bool
    needed: Examples

    def raise_lower(self, clock: Clock) -> None:
        """Increase the lower bound until there is a tree of that depth."""
        incumbent = self.incumbent
        while incumbent.upper is None or incumbent.lower < incumbent.upper:
            if incumbent.lower > (incumbent.constraints.max_depth or incumbent.problem.n_features):
                raise incumbent.constraints.infeasible()
            if not self._try_depth(incumbent.lower, clock):
                incumbent.raise_lower(incumbent.lower + 1)

    def reduce_upper(self, clock: Clock) -> None:
        """Decrease the upper bound until there is no shallower tree."""
        incumbent = self.incumbent
        while incumbent.upper is not None and incumbent.lower < incumbent.upper:
            if not self._try_depth(incumbent.upper - 1, clock):
                incumbent.raise_lower(incumbent.upper)

    def _try_depth(self, depth: int, clock: Clock) -> bool:
        """Offer a pure tree of at most this depth to the incumbent; return False if there is none."""
        encoding = make_encoding(self.incumbent, depth)
        oracle = make_oracle(self.solver, isolated=self.isolated, max_bytes=self.incumbent.solver_limit)
        try:
            for block in encoding.structure():
                oracle.add(block, clock)
            tree = self._pure_tree(encoding, oracle, clock)
        finally:
            oracle.close()
        if tree is not None:
            self.incumbent.offer(tree)
        return tree is not None

    def _pure_tree(self, encoding: CompleteTreeEncoding, oracle: Oracle, clock: Clock) -> Tree | None:
        """Return a pure tree, or None if there is none; encode the examples needed so far first."""
        new = self.needed
        while True:
            for block in encoding.purity(new):
                oracle.add(block, clock)
            answer = oracle.solve([], clock)
            if answer is None:
                raise TimeLimitReached
            if not answer:
                return None
            tree = encoding.tree(oracle.model(encoding.pool.n_vars))
            new = misclassified_examples(tree, encoding.problem)
            if not len(new):
                return tree
            self.needed = np.concatenate([self.needed, new])


def make_encoding(incumbent: Incumbent, depth: int) -> CompleteTreeEncoding:
    """Encode the trees of a depth; raise MemoryError if the formula for ``2**depth`` examples would be too large."""
    incumbent.require_memory(CompleteTreeEncoding.n_bytes(incumbent.problem, depth, 2**depth))
    return CompleteTreeEncoding(incumbent.problem, depth, root=incumbent.constraints.root)


def misclassified_examples(tree: Tree, problem: BinaryProblem) -> Examples:
    """Return, for each leaf, one misclassified example of each class; none if the tree is pure."""
    leaves = tree.apply(problem.examples)
    misclassified = np.flatnonzero(tree.label[leaves] != problem.labels)
    groups = leaves[misclassified] * len(problem.classes) + problem.labels[misclassified]
    return misclassified[first_of_each(groups)]


def first_of_each(groups: NDArray[np.int32]) -> Examples:
    """Return the index of the first occurrence of each value."""
    return np.unique(groups, return_index=True)[1]
