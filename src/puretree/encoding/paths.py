"""Pure trees of exactly n nodes as SAT, each tree being the ordered set of its paths.

After Janota and Morgado, *SAT-Based Encodings for Optimal Decision Trees with Explicit Paths*, SAT 2020. There are no
nodes and no children: a path is a sequence of steps, a step asks a feature and goes left or right. A path and the next
one, from the left to the right of the tree, share their first steps; then the one goes left and only right after that,
the other goes right and only left after that. So an inner node is where two neighbours part, and a tree has one
numbering only. A limit of depth pays: it is the number of steps, and makes the formula smaller.

>>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
>>> encoding = PathEncoding(xor, 7)
>>> encoding.n_paths, encoding.n_steps
(4, 2)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..errors import InputError
from ..formula import Block, Model, VarPool, as_block, clause, exactly_one, implies, units
from ..problem import BinaryProblem, Constraints
from ..tree import Tree
from .topologies import layout_places
from .variables import LARGEST_BLOCK, class_literals, present_classes, said_classes


class PathEncoding:
    """The pure trees of exactly n nodes for a problem, as clauses.

    Parameters
    ----------
    problem : BinaryProblem
        With two classes or more: one class needs no tree.
    n_nodes : int
        Odd, at least 3.
    constraints : Constraints, optional
        Depth and root.
    """

    def __init__(self, problem: BinaryProblem, n_nodes: int, *, constraints: Constraints | None = None) -> None:
        if n_nodes < 3 or n_nodes % 2 == 0:
            raise InputError(f"a tree of {n_nodes} nodes cannot be encoded: use odd numbers from 3 on")
        self._present = present_classes(problem)
        self.problem = problem
        self.constraints = constraints or Constraints()
        self.n_paths = n_nodes // 2 + 1
        self.n_steps = _most_steps(problem, n_nodes, self.constraints)
        self.pool = VarPool()
        self._allocate(len(self._present))

    def _allocate(self, n_classes: int) -> None:
        """Take the variables from the pool; those that decide most come first."""
        pool, n_paths, n_steps, k = self.pool, self.n_paths, self.n_steps, self.problem.n_features
        self.shares = pool.array("shares", n_paths - 1, n_steps + 1)  # before the step: path p and the next were one
        self.has_step = pool.array("step", n_paths, n_steps)
        self.goes_right = pool.array("right", n_paths, n_steps)
        self.asks = pool.array("asks", k, n_paths, n_steps)
        self.classed = pool.array("class", 1 if n_classes == 2 else n_classes, n_paths)
        self.keeps_away = pool.array("keeps", 2, k, n_paths)  # the value 0, the value 1 of a feature
        self._ladder = pool.array("ladder", n_paths * n_steps, max(0, k - 1))

    def clauses(self, layout: str = "o") -> Iterator[Block]:
        """Yield all clauses, of the trees of a layout only (see :func:`layouts`)."""
        yield from self._neighbours_part_once()
        yield from self._paths_are_next_to_each_other()
        yield from self._paths_end_at_leaves()
        yield from self._steps_ask_one_feature()
        yield from self._values_are_kept_away()
        yield from self._paths_have_one_class()
        yield from self._examples_keep_to_their_class()
        yield from self._keeps_to(layout)
        yield from self._root_is_as_asked_for()

    def _neighbours_part_once(self) -> Iterator[Block]:
        """Say that neighbours begin together, part, and stay apart."""
        yield units(self.shares[:, 0])
        yield units(-self.shares[:, -1])
        yield implies(self.shares[:, 1:], self.shares[:, :-1])

    def _paths_are_next_to_each_other(self) -> Iterator[Block]:
        """Say where a path and the next one go: the same way, then left and right, then right and left all the way."""
        together, still = self.shares[:, :-1], self.shares[:, 1:]
        one, other = self.goes_right[:-1], self.goes_right[1:]
        yield implies((still, one), other)
        yield implies((still, other), one)
        yield implies((together, -still), -one)
        yield implies((together, -still), other)
        yield implies((-together, self.has_step[:-1]), one)
        yield units(-self.goes_right[0])
        yield clause(-self.has_step[-1], self.goes_right[-1])
        yield implies(-together, -other)

    def _paths_end_at_leaves(self) -> Iterator[Block]:
        """Say that a path has its steps one after the other, and one at least as long as a neighbour is with it."""
        yield implies(self.has_step[:, 1:], self.has_step[:, :-1])
        yield implies(self.goes_right, self.has_step)
        for path in (self.has_step[:-1], self.has_step[1:]):
            yield implies(self.shares[:, :-1], path)

    def _steps_ask_one_feature(self) -> Iterator[Block]:
        """Say that a step asks exactly one feature, and neighbours the same while they are together."""
        asks = self.asks.reshape(len(self.asks), -1)
        has_step = self.has_step.reshape(-1)
        yield from exactly_one(asks.T, self._ladder, when=(has_step,))
        yield implies(asks, has_step)
        together = self.shares[:, :-1]
        for part in self._by_features():
            one, other = self.asks[part, :-1], self.asks[part, 1:]
            yield implies((together, one), other)
            yield implies((together, other), one)

    def _values_are_kept_away(self) -> Iterator[Block]:
        """Say that the value 0 of a feature is kept away by a step to the right that asks it, and 1 by one to the left.

        Never both, so no feature is asked twice: of the paths that part the second time, one would keep both away.
        """
        for part in self._by_features():
            asks, (no, yes) = self.asks[part], self.keeps_away[:, part]
            yield implies((asks, self.goes_right), no[:, :, None])
            yield implies((asks, -self.goes_right), yes[:, :, None])
            yield implies(no, -yes)
            for kept in (no, yes):
                yield np.column_stack([-kept.reshape(-1), asks.reshape(-1, self.n_steps)])

    def _by_features(self) -> Iterator[slice]:
        """Yield some features at a time, so that no block of clauses gets large."""
        some = LARGEST_BLOCK // (self.n_paths * self.n_steps) + 1
        for start in range(0, len(self.asks), some):
            yield slice(start, start + some)

    def _paths_have_one_class(self) -> Iterator[Block]:
        first, second = np.triu_indices(len(self.classed), 1)
        yield implies(self.classed[first], -self.classed[second])

    def _examples_keep_to_their_class(self) -> Iterator[Block]:
        """Say that an example is kept away from every path of another class."""
        problem = self.problem
        step = LARGEST_BLOCK // (problem.n_features * self.n_paths) + 1
        no, yes = self.keeps_away.transpose(0, 2, 1)
        for start in range(0, problem.n_examples, step):
            which = np.arange(start, min(start + step, problem.n_examples))
            bits = problem.examples.take(which).unpack()[:, None, :]
            classes = np.searchsorted(self._present, problem.labels[which])
            kept = np.where(bits, yes, no)
            right_class = class_literals(self.classed, classes)
            yield np.concatenate([right_class[:, :, None], kept], axis=2).reshape(-1, kept.shape[2] + 1)

    def _keeps_to(self, layout: str) -> Iterator[Block]:
        """Say of every path that gets to a place of the layout whether it goes on there."""
        for way, is_leaf in layout_places(layout):
            at = len(way)
            elsewhere = np.where(way, -1, 1) * self.goes_right[:, :at]
            if at < self.n_steps:
                yield np.column_stack([elsewhere, (-1 if is_leaf else 1) * self.has_step[:, at]]).astype(np.int32)
            elif not is_leaf:
                yield as_block([[]])

    def _root_is_as_asked_for(self) -> Iterator[Block]:
        if self.constraints.root is not None:
            others = np.setdiff1d(np.arange(len(self.asks)), np.array(sorted(self.constraints.root), dtype=np.intp))
            yield units(-self.asks[others, 0, 0])

    @staticmethod
    def n_bytes(problem: BinaryProblem, n_nodes: int, constraints: Constraints) -> float:
        """Return about how much memory a SAT solver needs for an encoding: 4 bytes a literal and 60 a clause."""
        k, n_paths, n_steps = problem.n_features, n_nodes / 2 + 1, _most_steps(problem, n_nodes, constraints)
        short = 8.0 * k * n_paths * n_steps
        return short * (60 + 4 * 3) + problem.n_examples * n_paths * (60.0 + 4 * (k + 1))

    def tree(self, model: Model) -> Tree:
        """Read the tree out of a model."""
        classes = [self.problem.classes[code] for code in self._present[said_classes(model[self.classed])]]
        features = model[self.asks].argmax(axis=0)
        apart = model[self.shares].sum(axis=1) - 1  # the step at which neighbours part

        def between(first: int, last: int) -> object:
            """Return the subtree of some neighbours: they part for the first time where its root is."""
            if first == last:
                return classes[first]
            split = first + int(apart[first:last].argmin())
            return int(features[first, apart[split]]), between(first, split), between(split + 1, last)

        return Tree.from_nested(between(0, self.n_paths - 1), self.problem.classes)


def _most_steps(problem: BinaryProblem, n_nodes: int, constraints: Constraints) -> int:
    """Return the length of the longest path: no feature is asked twice."""
    most = min(n_nodes // 2, problem.n_features)
    return most if constraints.max_depth is None else min(most, constraints.max_depth)
