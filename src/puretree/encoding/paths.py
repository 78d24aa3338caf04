"""Pure trees of exactly n nodes as SAT, each tree being the ordered set of its paths.

After Janota and Morgado, *SAT-Based Encodings for Optimal Decision Trees with Explicit Paths*, SAT 2020. There are no
variables for nodes and children: a path is a sequence of steps, and a step tests a feature and goes left or right. Two
adjacent paths, numbered from the left to the right of the tree, share their first steps. Where they diverge, the first
goes left and from there only right, the second goes right and from there only left. So every inner node is the point
where two adjacent paths diverge, and a tree has only one numbering. A depth limit pays off: it bounds the number of
steps and makes the formula smaller.

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
from .topologies import layout_paths
from .variables import LARGEST_BLOCK, class_literals, decode_classes, present_classes


class PathEncoding:
    """The pure trees of exactly n nodes for a problem, as clauses.

    Parameters
    ----------
    problem : BinaryProblem
        With at least two classes.
    n_nodes : int
        Odd, at least 3.
    constraints : Constraints, optional
        Maximum depth and features allowed at the root.
    """

    def __init__(self, problem: BinaryProblem, n_nodes: int, *, constraints: Constraints | None = None) -> None:
        if n_nodes < 3 or n_nodes % 2 == 0:
            raise InputError(f"a tree of {n_nodes} nodes cannot be encoded: use an odd number from 3 on")
        self._present = present_classes(problem)
        self.problem = problem
        self.constraints = constraints or Constraints()
        self.n_paths = n_nodes // 2 + 1
        self.n_steps = _max_steps(problem, n_nodes, self.constraints)
        self.pool = VarPool()
        self._allocate(len(self._present))

    def _allocate(self, n_classes: int) -> None:
        """Allocate the variables from the pool, the most decisive ones first."""
        pool, n_paths, n_steps, k = self.pool, self.n_paths, self.n_steps, self.problem.n_features
        self.shared = pool.array("shared", n_paths - 1, n_steps + 1)  # paths p and p+1 are equal before the step
        self.has_step = pool.array("step", n_paths, n_steps)
        self.goes_right = pool.array("right", n_paths, n_steps)
        self.tests = pool.array("tests", k, n_paths, n_steps)
        self.leaf_class = pool.array("class", 1 if n_classes == 2 else n_classes, n_paths)
        self.excludes = pool.array("excludes", 2, k, n_paths)  # the value 0, the value 1 of a feature
        self._ladder = pool.array("ladder", n_paths * n_steps, max(0, k - 1))

    def clauses(self, layout: str = "o") -> Iterator[Block]:
        """Yield all clauses, restricted to the trees of a layout (see :func:`layouts`)."""
        yield from self._adjacent_paths_diverge_once()
        yield from self._directions_of_adjacent_paths()
        yield from self._paths_end_at_leaves()
        yield from self._steps_test_one_feature()
        yield from self._excluded_values()
        yield from self._paths_have_one_class()
        yield from self._examples_reach_their_class()
        yield from self._matches_layout(layout)
        yield from self._root_is_allowed()

    def _adjacent_paths_diverge_once(self) -> Iterator[Block]:
        """Require that adjacent paths start at the root, diverge, and stay apart."""
        yield units(self.shared[:, 0])
        yield units(-self.shared[:, -1])
        yield implies(self.shared[:, 1:], self.shared[:, :-1])

    def _directions_of_adjacent_paths(self) -> Iterator[Block]:
        """Fix the directions of two adjacent paths: equal while shared, then left and right, then right and left."""
        shared, still_shared = self.shared[:, :-1], self.shared[:, 1:]
        first, second = self.goes_right[:-1], self.goes_right[1:]
        yield implies((still_shared, first), second)
        yield implies((still_shared, second), first)
        yield implies((shared, -still_shared), -first)
        yield implies((shared, -still_shared), second)
        yield implies((-shared, self.has_step[:-1]), first)
        yield units(-self.goes_right[0])
        yield clause(-self.has_step[-1], self.goes_right[-1])
        yield implies(-shared, -second)

    def _paths_end_at_leaves(self) -> Iterator[Block]:
        """Require that the steps of a path are contiguous and include all shared ones."""
        yield implies(self.has_step[:, 1:], self.has_step[:, :-1])
        yield implies(self.goes_right, self.has_step)
        for path in (self.has_step[:-1], self.has_step[1:]):
            yield implies(self.shared[:, :-1], path)

    def _steps_test_one_feature(self) -> Iterator[Block]:
        """Require that a step tests exactly one feature, the same one in paths that share it."""
        tests = self.tests.reshape(len(self.tests), -1)
        has_step = self.has_step.reshape(-1)
        yield from exactly_one(tests.T, self._ladder, when=(has_step,))
        yield implies(tests, has_step)
        shared = self.shared[:, :-1]
        for chunk in self._feature_chunks():
            first, second = self.tests[chunk, :-1], self.tests[chunk, 1:]
            yield implies((shared, first), second)
            yield implies((shared, second), first)

    def _excluded_values(self) -> Iterator[Block]:
        """Define the excluded values: a step to the right excludes 0 of its feature, a step to the left excludes 1.

        A path never excludes both, so no feature is tested twice on a path: one of the two paths that diverge at the
        second test would exclude both values.
        """
        for chunk in self._feature_chunks():
            tests, (no, yes) = self.tests[chunk], self.excludes[:, chunk]
            yield implies((tests, self.goes_right), no[:, :, None])
            yield implies((tests, -self.goes_right), yes[:, :, None])
            yield implies(no, -yes)
            for excludes in (no, yes):
                yield np.column_stack([-excludes.reshape(-1), tests.reshape(-1, self.n_steps)])

    def _feature_chunks(self) -> Iterator[slice]:
        """Yield chunks of features, to limit the size of blocks."""
        step = LARGEST_BLOCK // (self.n_paths * self.n_steps) + 1
        for start in range(0, len(self.tests), step):
            yield slice(start, start + step)

    def _paths_have_one_class(self) -> Iterator[Block]:
        first, second = np.triu_indices(len(self.leaf_class), 1)
        yield implies(self.leaf_class[first], -self.leaf_class[second])

    def _examples_reach_their_class(self) -> Iterator[Block]:
        """Require that every path of another class excludes a value of the example."""
        problem = self.problem
        step = LARGEST_BLOCK // (problem.n_features * self.n_paths) + 1
        no, yes = self.excludes.transpose(0, 2, 1)
        for start in range(0, problem.n_examples, step):
            indices = np.arange(start, min(start + step, problem.n_examples))
            bits = problem.examples.take(indices).unpack()[:, None, :]
            classes = np.searchsorted(self._present, problem.labels[indices])
            excluded = np.where(bits, yes, no)
            correct_class = class_literals(self.leaf_class, classes)
            yield np.concatenate([correct_class[:, :, None], excluded], axis=2).reshape(-1, excluded.shape[2] + 1)

    def _matches_layout(self, layout: str) -> Iterator[Block]:
        """Require that a path through a node of the layout has a next step if and only if the node is not a leaf."""
        for path, is_leaf in layout_paths(layout):
            depth = len(path)
            elsewhere = np.where(path, -1, 1) * self.goes_right[:, :depth]
            if depth < self.n_steps:
                yield np.column_stack([elsewhere, (-1 if is_leaf else 1) * self.has_step[:, depth]]).astype(np.int32)
            elif not is_leaf:
                yield as_block([[]])

    def _root_is_allowed(self) -> Iterator[Block]:
        if self.constraints.root is not None:
            others = np.setdiff1d(np.arange(len(self.tests)), np.array(sorted(self.constraints.root), dtype=np.intp))
            yield units(-self.tests[others, 0, 0])

    @staticmethod
    def n_bytes(problem: BinaryProblem, n_nodes: int, constraints: Constraints) -> float:
        """Estimate the memory that a SAT solver needs for an encoding: 4 bytes per literal and 60 per clause."""
        k, n_paths, n_steps = problem.n_features, n_nodes / 2 + 1, _max_steps(problem, n_nodes, constraints)
        n_short = 8.0 * k * n_paths * n_steps
        return n_short * (60 + 4 * 3) + problem.n_examples * n_paths * (60.0 + 4 * (k + 1))

    def tree(self, model: Model) -> Tree:
        """Decode a model into a tree."""
        classes = [self.problem.classes[code] for code in self._present[decode_classes(model[self.leaf_class])]]
        features = model[self.tests].argmax(axis=0)
        divergence = model[self.shared].sum(axis=1) - 1  # the step at which adjacent paths diverge

        def subtree(first: int, last: int) -> object:
            """Return the subtree of a range of paths: its root is where two adjacent ones first diverge."""
            if first == last:
                return classes[first]
            split = first + int(divergence[first:last].argmin())
            return int(features[first, divergence[split]]), subtree(first, split), subtree(split + 1, last)

        return Tree.from_nested(subtree(0, self.n_paths - 1), self.problem.classes)


def _max_steps(problem: BinaryProblem, n_nodes: int, constraints: Constraints) -> int:
    """Return the maximum length of a path: no feature is tested twice."""
    max_steps = min(n_nodes // 2, problem.n_features)
    return max_steps if constraints.max_depth is None else min(max_steps, constraints.max_depth)
