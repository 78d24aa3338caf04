"""Pure trees with at most a given number of inner nodes as SAT: slots for inner nodes, any number of them unused.

After Bessiere, Hebrard and O'Sullivan, *Minimising Decision Tree Size as Combinatorial Optimisation*, CP 2009. One
formula serves every size up to an upper bound: a smaller tree has more unused slots, so a solver keeps what it has
learnt from size to size. Leaves take no slots; an example is followed from slot to slot.

Slots are numbered breadth first and the unused ones come last, so every tree has only one numbering, and "at least k
unused slots" is a single literal. What no minimum tree contains is forbidden: two leaves of one class below the same
test, and a feature that is tested twice on a path.

>>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
>>> SlotEncoding(xor, 3).objective.chains[0][2].literals  # falsified if the third slot is used
(3,)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..formula import Block, Model, Objective, Soft, VarPool, clause, exactly_one, implies, units
from ..problem import BinaryProblem, Constraints
from ..tree import Tree
from .variables import LARGEST_BLOCK, Vars, class_literals, decode_classes, present_classes


def possible_children(n_slots: int) -> NDArray[np.bool_]:
    """Return the mask [i, j] of possible children j of slot i, numbered from 0 breadth first: j in [i+1, 2i+2].

    >>> [np.flatnonzero(row).tolist() for row in possible_children(5)]
    [[1, 2], [2, 3, 4], [3, 4], [4], []]
    """
    i, j = np.ogrid[:n_slots, :n_slots]
    return np.asarray((j >= i + 1) & (j <= 2 * i + 2))


class SlotEncoding:
    """The potentially minimum pure trees with at most a given number of inner nodes, as clauses.

    Parameters
    ----------
    problem : BinaryProblem
        With at least two classes.
    n_slots : int
        The maximum number of inner nodes, at least 1.
    lower : int, default=1
        The minimum number of inner nodes.
    constraints : Constraints, optional
        Maximum depth and features allowed at the root.
    classes : ndarray of int, optional
        The codes of the classes of leaves, at least two; by default those of the examples.
    """

    def __init__(
        self,
        problem: BinaryProblem,
        n_slots: int,
        *,
        lower: int = 1,
        constraints: Constraints | None = None,
        classes: NDArray[np.intp] | None = None,
    ) -> None:
        if not 1 <= lower <= n_slots:
            raise InputError(f"a tree of {lower} to {n_slots} inner nodes cannot be encoded: use 1 or more, ascending")
        self._present = present_classes(problem) if classes is None else classes
        self.problem = problem
        self.n_slots = n_slots
        self.lower = lower
        self.constraints = constraints or Constraints()
        self.pool = VarPool()
        self._allocate(len(self._present))

    def _allocate(self, n_classes: int) -> None:
        """Allocate the variables from the pool, the most decisive ones first."""
        pool, m, k = self.pool, self.n_slots, self.problem.n_features
        possible = possible_children(m)
        self._i, self._j = np.nonzero(possible)
        self.unused = pool.array("unused", m)
        self.tests = pool.array("tests", k, m)
        self.child = pool.where("child", np.stack([possible, possible]))  # on the left, on the right
        self.leaf_class = pool.array("class", 1 if n_classes == 2 else n_classes, 2, m)  # of the leaf on each side
        self.is_leaf = pool.array("leaf", 2, m)
        self.on_path = pool.array("on_path", k, m)  # the feature is tested here or at an ancestor
        self.parent = pool.where("parent", possible)  # the parent of j is slot i or an earlier one
        self.goes_right = pool.array("right", self.problem.n_examples, m)
        self.reaches = pool.array("reaches", self.problem.n_examples, m)
        self._ladder = pool.array("ladder", m, max(0, k - 1))
        max_depth = self.constraints.max_depth
        self._deep = pool.array("deep", 0 if max_depth is None or max_depth >= m else max_depth, m)

    def clauses(self) -> Iterator[Block]:
        """Yield all clauses."""
        yield from self._unused_slots_come_last()
        yield from self._slots_have_a_parent()
        yield from self._slots_are_numbered_breadth_first()
        yield from self._sides_are_leaves_or_have_a_child()
        yield from self._slots_test_one_feature()
        yield from self._no_repeated_feature_on_a_path()
        yield from self._leaves_have_one_class()
        yield from self._satisfies_constraints()
        step = LARGEST_BLOCK // (self.n_slots * (self.problem.n_features + self.n_slots)) + 1
        for start in range(0, self.problem.n_examples, step):
            yield from self._examples_reach_leaves(np.arange(start, min(start + step, self.problem.n_examples)))

    def _unused_slots_come_last(self) -> Iterator[Block]:
        yield implies(self.unused[:-1], self.unused[1:])
        yield units(-self.unused[: self.lower])

    def _slots_have_a_parent(self) -> Iterator[Block]:
        """Require that a used slot other than the root has exactly one parent and is on one of its sides."""
        i, j = self._i, self._j
        up_to, before, (left, right) = self.parent[i, j], self._up_to(i - 1, j), self.child[:, i, j]
        exists = before > 0
        yield implies(left, up_to)
        yield implies(right, up_to)
        yield implies(up_to, before, left, right)
        yield implies(left, -right)
        for consequence in (up_to, -left, -right):
            yield implies(before[exists], consequence[exists])
        last = np.arange(1, self.n_slots)
        yield clause(self.unused[1:], self.parent[last - 1, last])
        yield clause(-self.unused[1:], -self.parent[last - 1, last])

    def _slots_are_numbered_breadth_first(self) -> Iterator[Block]:
        """Require that slots are in the order of their parents, and of two siblings the left one comes first."""
        is_relevant = self._j > 1
        i, j = self._i[is_relevant], self._j[is_relevant]
        earlier = i < j - 1  # otherwise slot j-1 is the parent itself, or its parent is earlier in any case
        yield implies(self.parent[i, j][earlier], self.parent[i, j - 1][earlier])
        yield implies(self.child[0, i, j], self._up_to(i - 1, j - 1))
        exists = self._up_to(i, j - 1) > 0
        yield implies(self.child[1, i, j - 1][exists], -self.parent[i, j][exists])

    def _up_to(self, i: NDArray[np.intp], j: NDArray[np.intp]) -> Block:
        """Return the literals "the parent of j is slot i or an earlier one"; 0 where that is impossible."""
        return np.asarray(np.where(i >= 0, self.parent[i, j], 0))

    def _sides_are_leaves_or_have_a_child(self) -> Iterator[Block]:
        i, j = self._i, self._j
        for is_leaf, child in zip(self.is_leaf, self.child, strict=True):
            yield implies(child[i, j], -is_leaf[i])
            yield np.column_stack([is_leaf, child])

    def _slots_test_one_feature(self) -> Iterator[Block]:
        """Require that a used slot tests exactly one feature, and an unused one none."""
        yield from exactly_one(self.tests.T, self._ladder, when=(-self.unused,))
        yield implies(self.tests, -self.unused)

    def _no_repeated_feature_on_a_path(self) -> Iterator[Block]:
        """Forbid testing a feature twice on a path: not necessary, but monks-1 is proved in half the time."""
        yield implies(self.tests, self.on_path)
        step = LARGEST_BLOCK // (len(self._i) + 1) + 1
        for start in range(0, len(self.tests), step):
            tests, on_path = self.tests[start : start + step], self.on_path[start : start + step, self._i]
            for child in self.child[:, self._i, self._j]:
                yield implies((child, on_path), self.on_path[start : start + step, self._j])
                yield implies((child, on_path), -tests[:, self._j])

    def _leaves_have_one_class(self) -> Iterator[Block]:
        """Require that a leaf has at most one class, which differs from that of a sibling leaf."""
        first, second = np.triu_indices(len(self.leaf_class), 1)
        yield implies(self.leaf_class[first], -self.leaf_class[second])
        left, right = self.leaf_class[:, 0], self.leaf_class[:, 1]
        yield implies((*self.is_leaf, left), -right)
        if len(self.leaf_class) == 1:
            yield implies((*self.is_leaf, -left), right)

    def _examples_reach_leaves(self, indices: NDArray[np.intp]) -> Iterator[Block]:
        """Define the path of examples: on their side of a slot they reach its child, or a leaf."""
        bits = self.problem.examples.take(indices).unpack()
        goes_right, reaches, (i, j) = self.goes_right[indices], self.reaches[indices], (self._i, self._j)
        yield implies(self.tests, np.where(bits, 1, -1)[:, :, None] * goes_right[:, None, :])
        yield units(reaches[:, 0])
        for side, goes in enumerate((-goes_right, goes_right)):
            yield implies((reaches[:, i], goes[:, i], self.child[side, i, j]), reaches[:, j])
            yield from self._leaf_holds(side, indices, (reaches, goes, self.is_leaf[side]))

    def _leaf_holds(self, side: int, indices: NDArray[np.intp], at_leaf: tuple[Vars, Vars, Vars]) -> Iterator[Block]:
        """Yield what examples imply for the leaves that they reach: each leaf is of their class.

        ``at_leaf`` is a conjunction of literals of shape (n_examples, n_slots): the example reaches the leaf.
        """
        correct_class = class_literals(self.leaf_class, np.searchsorted(self._present, self.problem.labels[indices]))
        yield implies(at_leaf, correct_class[:, side])

    def _satisfies_constraints(self) -> Iterator[Block]:
        if self.constraints.root is not None:
            others = np.setdiff1d(np.arange(len(self.tests)), np.array(sorted(self.constraints.root), dtype=np.intp))
            yield units(-self.tests[others, 0])
        if len(self._deep):  # row t: more than t tests lead to the slot, which is a test itself
            yield units(-self._deep[-1])
            for child in self.child[:, self._i, self._j]:
                yield implies(child, self._deep[0, self._j])
                yield implies((child, self._deep[:-1, self._i]), self._deep[1:, self._j])

    @property
    def objective(self) -> Objective:
        """The number of used slots, as a chain."""
        return Objective((tuple(Soft(1, (int(unused),)) for unused in self.unused),))

    @staticmethod
    def n_bytes(problem: BinaryProblem, n_slots: int) -> float:
        """Estimate the memory that a SAT solver needs for an encoding: 4 bytes per literal and 60 per clause."""
        m, k, n = float(n_slots), problem.n_features, problem.n_examples
        n_pairs = m * m / 4  # pairs of a slot and a possible parent
        n_short = n * m * k + 4 * n_pairs * k + 6 * m * k + 12 * n_pairs
        return n_short * (60 + 4 * 2.5) + 2 * n * (n_pairs + m) * (60 + 4 * 4)

    def tree(self, model: Model) -> Tree:
        """Decode a model into a tree."""
        nested: list[object] = [None] * self.n_slots
        labels = [self.problem.classes[code] for code in self._present]
        classes = decode_classes(model[self.leaf_class])
        children = np.where(self.child > 0, model[self.child], False)
        for slot in reversed(np.flatnonzero(~model[self.unused]).tolist()):
            sides = [
                nested[int(children[side, slot].argmax())]
                if children[side, slot].any()
                else labels[int(classes[side, slot])]
                for side in (0, 1)
            ]
            nested[slot] = (int(model[self.tests[:, slot]].argmax()), *sides)
        return Tree.from_nested(nested[0], self.problem.classes)

    def literals(self, tree: Tree) -> list[int]:
        """Return literals that are true only for a tree; it must not have more inner nodes than slots."""
        inner = np.flatnonzero(tree.left >= 0)
        slot = np.arange(len(inner))
        arrays = [
            np.where(np.arange(self.n_slots) < len(inner), -1, 1) * self.unused,
            self.tests[tree.feature[inner], slot],
        ]
        for side in (0, 1):
            node = tree.left[inner] + side
            is_leaf = tree.left[node] < 0
            arrays.append(self.child[side, slot[~is_leaf], np.searchsorted(inner, node[~is_leaf])])
            arrays.append(self.is_leaf[side, slot[is_leaf]])
            classes = np.searchsorted(self._present, tree.label[node[is_leaf]])
            correct_class = class_literals(self.leaf_class, classes)
            arrays.append(correct_class[np.arange(len(correct_class)), side, slot[is_leaf]])
        return [int(literal) for array in arrays for literal in array]
