"""Infer-depth: the least depth of a pure tree, from as few examples as it takes.

Avellaneda, *Efficient Inference of Optimal Decision Trees*, AAAI 2020. A formula of all examples is large, but a few of
them decide: begin with one of each class, take a tree that is right on these, and add examples that it gets wrong,
until it is right on all or no tree is right on those few. What is known of one depth is kept for the next.

It guarantees a pure tree of least depth, once that is proved. Of its size it guarantees nothing: of the trees of that
depth any will do.

The paper goes down from an upper bound. Here the depth goes up from the lower one: a formula doubles with each level,
so what is asked in vain is asked of small formulas, and the heuristics have given an upper bound at once. Where that
is not done in half of the time, the upper bound gets the other half, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock, TimeIsOver
from .._support.resources import MOST_BYTES
from ..encoding import CompleteTreeEncoding
from ..outcome import Status
from ..problem import BinaryProblem
from ..sat import Oracle, make_oracle
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent
from .sat_engine import SatEngine

Examples = NDArray[np.intp]

UP_SHARE = 0.5  # of the time


@dataclass(frozen=True, slots=True)
class InferDepth(SatEngine):
    """Pure trees of least depth through SAT.

    Parameters
    ----------
    solver, isolated
        As for :class:`SatEngine`.
    """

    name: ClassVar[str] = "infer-depth"
    source: ClassVar[str] = "Avellaneda 2020"
    guarantees: ClassVar[Guarantees] = Guarantees(aim="depth")

    def search(self, incumbent: Incumbent) -> Status:
        """Ask for a tree of ever larger depth until there is one."""
        incumbent.constraints.require_only(self.name, "max_depth", "root")
        try:
            find_least_depth(incumbent, self.solver, self.isolated)
        except TimeIsOver:
            return "time_limit"
        except MemoryError:
            return "memory_limit"
        incumbent.prove()
        return "optimal"


def find_least_depth(incumbent: Incumbent, solver: str, isolated: bool) -> Examples:
    """Bring the bounds together; return the examples that it took.

    Half of the time goes to the lower bound; if that is not enough, the rest to the upper one.

    Raises
    ------
    TimeIsOver
        If the clock is over first.
    MemoryError
        If a formula would be too large.
    """
    asked = _Asked(incumbent, solver, isolated, one_of_each(incumbent.problem.labels))
    try:
        asked.go_up(incumbent.clock.part(UP_SHARE))
    except TimeIsOver:
        asked.go_up(incumbent.clock) if incumbent.tree is None else asked.go_down(incumbent.clock)
    return asked.which


@dataclass(slots=True)
class _Asked:
    """Questions to one incumbent after the other, with the examples that were needed so far."""

    incumbent: Incumbent
    solver: str
    isolated: bool
    which: Examples

    def go_up(self, clock: Clock) -> None:
        """Raise the lower bound until there is a tree of that depth."""
        incumbent = self.incumbent
        while incumbent.upper is None or incumbent.lower < incumbent.upper:
            if incumbent.lower > (incumbent.constraints.max_depth or incumbent.problem.n_features):
                raise incumbent.constraints.infeasible()
            if not self._offer(incumbent.lower, clock):
                incumbent.raise_lower(incumbent.lower + 1)

    def go_down(self, clock: Clock) -> None:
        """Lower the upper bound until there is no tree below it."""
        incumbent = self.incumbent
        while incumbent.upper is not None and incumbent.lower < incumbent.upper:
            if not self._offer(incumbent.upper - 1, clock):
                incumbent.raise_lower(incumbent.upper)

    def _offer(self, depth: int, clock: Clock) -> bool:
        """Hand in a tree of at most this depth; False if there is none."""
        encoding = make_encoding(self.incumbent, depth)
        oracle = make_oracle(self.solver, isolated=self.isolated)
        try:
            for block in encoding.structure():
                oracle.add(block, clock)
            tree = self._right_tree(encoding, oracle, clock)
        finally:
            oracle.close()
        if tree is not None:
            self.incumbent.offer(tree)
        return tree is not None

    def _right_tree(self, encoding: CompleteTreeEncoding, oracle: Oracle, clock: Clock) -> Tree | None:
        """Return a tree that is right on all examples, or None; begin with those that were needed so far."""
        new = self.which
        while True:
            for block in encoding.purity(new):
                oracle.add(block, clock)
            answer = oracle.solve([], clock)
            if answer is None:
                raise TimeIsOver
            if not answer:
                return None
            tree = encoding.tree(oracle.model(encoding.pool.n_vars))
            new = wrong_examples(tree, encoding.problem)
            if not len(new):
                return tree
            self.which = np.concatenate([self.which, new])


def make_encoding(incumbent: Incumbent, depth: int) -> CompleteTreeEncoding:
    """Encode the trees of a depth; MemoryError if even a part of the examples would be too much."""
    if CompleteTreeEncoding.n_bytes(incumbent.problem, depth, 2**depth) > MOST_BYTES:
        raise MemoryError
    return CompleteTreeEncoding(incumbent.problem, depth, root=incumbent.constraints.root)


def wrong_examples(tree: Tree, problem: BinaryProblem) -> Examples:
    """Return an example of each class that each leaf is wrong on; none if the tree is pure."""
    leaves = tree.apply(problem.examples)
    wrong = np.flatnonzero(tree.label[leaves] != problem.labels)
    return wrong[one_of_each(leaves[wrong] * len(problem.classes) + problem.labels[wrong])]


def one_of_each(groups: NDArray[np.int32]) -> Examples:
    """Return the first place of each value."""
    return np.unique(groups, return_index=True)[1]
