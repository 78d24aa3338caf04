"""Infer-depth: the minimum depth of a pure tree, from a small subset of the examples.

Avellaneda, *Efficient Inference of Optimal Decision Trees*, AAAI 2020. A formula over all examples is large, but a
small subset usually decides: start with one example of each class, compute a tree that classifies the subset correctly,
and add examples that it misclassifies, until the tree is pure or no tree fits the subset. The next depth starts from
the subset of the previous one.

It guarantees a pure tree of minimum depth, once that is proved. It guarantees nothing about the size.

The direction. Alòs, Ansótegui and Torres (*Interpretable Decision Trees Through MaxSAT*), whose comparison this engine
belongs to, describe it as decreasing the depth until there is no shallower tree. That is the default: the depth
decreases from that of the heuristics' tree. The published program of Avellaneda, InferDT, increases the depth from 1
until there is a tree; ``direction="up"`` does that from the lower bound. A formula doubles with each level, so
decreasing needs much memory if the heuristics' tree is deep; the engine then reports the memory limit, with that tree.

Other differences from InferDT: each call adds an example of each class for every leaf that misclassifies one, not a
single example, and keeps them for the next depth; the formula is that of :class:`CompleteTreeEncoding`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock, TimeLimitReached
from ..encoding import CompleteTreeEncoding
from ..errors import InputError
from ..outcome import Status
from ..problem import BinaryProblem
from ..sat import Oracle, make_oracle
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent
from .sat_engine import SatEngine

Direction = Literal["down", "up"]
Examples = NDArray[np.intp]

UP_FRACTION = 0.5  # of the time


@dataclass(frozen=True, slots=True)
class InferDepth(SatEngine):
    """Pure trees of minimum depth, by SAT.

    Parameters
    ----------
    solver, isolated
        As for :class:`SatEngine`.
    direction : {"down", "up"}, default="down"
        Decrease the depth from that of the heuristics' tree until there is no shallower tree, or increase it from the
        lower bound until there is a tree; if the latter takes more than half of the time, the rest goes to decreasing.
        While no tree is known that satisfies the constraints, the depth increases in any case.
    """

    direction: Direction = "down"
    name: ClassVar[str] = "infer-depth"
    source: ClassVar[str] = "Avellaneda 2020"
    guarantees: ClassVar[Guarantees] = Guarantees(aim="depth")

    def __post_init__(self) -> None:
        SatEngine.__post_init__(self)
        if self.direction not in get_args(Direction):
            raise InputError(
                f"is unknown; use one of {', '.join(get_args(Direction))}", parameter="direction", value=self.direction
            )

    def search(self, incumbent: Incumbent) -> Status:
        """Minimise the depth; see :func:`minimise_depth`."""
        incumbent.constraints.require_only(self.name, "max_depth", "root")
        try:
            minimise_depth(incumbent, self)
        except TimeLimitReached:
            return "time_limit"
        except MemoryError:
            return "memory_limit"
        incumbent.prove()
        return "optimal"


def minimise_depth(incumbent: Incumbent, engine: InferDepth) -> Examples:
    """Close the gap between the bounds on the depth; return the examples that were needed.

    Raises
    ------
    TimeLimitReached
        If the time limit is reached first.
    MemoryError
        If a formula would be too large.
    """
    search = _DepthSearch(incumbent, engine.solver, engine.isolated, first_of_each(incumbent.problem.labels))
    if incumbent.tree is None:
        search.raise_lower(incumbent.clock)
    elif engine.direction == "up":
        with suppress(TimeLimitReached):  # the rest of the time goes to decreasing
            search.raise_lower(incumbent.clock.part(UP_FRACTION))
    search.reduce_upper(incumbent.clock)
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
    n_examples = min(2**depth, incumbent.problem.n_examples)
    incumbent.require_memory(CompleteTreeEncoding.n_bytes(incumbent.problem, depth, n_examples))
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
