"""Pure trees of at most so many inner nodes as SAT: slots for them, of which any number may be useless.

After Bessiere, Hebrard and O'Sullivan, *Minimising Decision Tree Size as Combinatorial Optimisation*, CP 2009. One
formula serves every size below an upper bound: that a tree is smaller is said by how many slots are useless, so a
solver keeps what it has learnt from size to size. Leaves take no slots, an example is followed from slot to slot.

Slots are numbered breadth first and the useless ones come last, so every tree has one numbering only, and "at least k
useless slots" is a single literal. What no minimum tree has is ruled out: two leaves of one class below the same test,
and a feature that is asked twice on a path.

>>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
>>> SlotEncoding(xor, 3).objective.chains[0][2].literals  # broken if the third slot is of use
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
from .variables import LARGEST_BLOCK, class_literals, present_classes, said_classes


def possible_children(n_slots: int) -> NDArray[np.bool_]:
    """Return whether slot j can be a child of slot i, numbered from 0 breadth first: j in [i+1, 2i+2].

    >>> [np.flatnonzero(row).tolist() for row in possible_children(5)]
    [[1, 2], [2, 3, 4], [3, 4], [4], []]
    """
    i, j = np.ogrid[:n_slots, :n_slots]
    return np.asarray((j >= i + 1) & (j <= 2 * i + 2))


class SlotEncoding:
    """The pure trees of at most so many inner nodes that can be minimum ones, as clauses.

    Parameters
    ----------
    problem : BinaryProblem
        With two classes or more: one class needs no tree.
    n_slots : int
        The most inner nodes, at least 1.
    lower : int, default=1
        The fewest inner nodes.
    constraints : Constraints, optional
        Depth and root.
    """

    def __init__(
        self, problem: BinaryProblem, n_slots: int, *, lower: int = 1, constraints: Constraints | None = None
    ) -> None:
        if not 1 <= lower <= n_slots:
            raise InputError(f"a tree of {lower} to {n_slots} inner nodes cannot be encoded: use 1 or more, ascending")
        self._present = present_classes(problem)
        self.problem = problem
        self.n_slots = n_slots
        self.lower = lower
        self.constraints = constraints or Constraints()
        self.pool = VarPool()
        self._allocate(len(self._present))

    def _allocate(self, n_classes: int) -> None:
        """Take the variables from the pool; those that decide most come first."""
        pool, m, k = self.pool, self.n_slots, self.problem.n_features
        possible = possible_children(m)
        self._i, self._j = np.nonzero(possible)
        self.useless = pool.array("useless", m)
        self.asks = pool.array("asks", k, m)
        self.child = pool.where("child", np.stack([possible, possible]))  # on the left, on the right
        self.classed = pool.array("class", 1 if n_classes == 2 else n_classes, 2, m)  # of the leaf on each side
        self.is_leaf = pool.array("leaf", 2, m)
        self.asked = pool.array("asked", k, m)  # here or on the way
        self.parent = pool.where("parent", possible)  # the parent of j is slot i or one before
        self.goes_right = pool.array("right", self.problem.n_examples, m)
        self.reaches = pool.array("reaches", self.problem.n_examples, m)
        self._ladder = pool.array("ladder", m, max(0, k - 1))
        deepest = self.constraints.max_depth
        self._deep = pool.array("deep", 0 if deepest is None or deepest >= m else deepest, m)

    def clauses(self) -> Iterator[Block]:
        """Yield all clauses."""
        yield from self._useless_slots_come_last()
        yield from self._slots_have_a_parent()
        yield from self._slots_are_numbered_breadth_first()
        yield from self._sides_are_leaves_or_have_a_child()
        yield from self._slots_ask_one_feature()
        yield from self._no_feature_twice_on_a_path()
        yield from self._leaves_have_one_class()
        yield from self._wishes()
        step = LARGEST_BLOCK // (self.n_slots * (self.problem.n_features + self.n_slots)) + 1
        for start in range(0, self.problem.n_examples, step):
            yield from self._examples_go_their_way(np.arange(start, min(start + step, self.problem.n_examples)))

    def _useless_slots_come_last(self) -> Iterator[Block]:
        yield implies(self.useless[:-1], self.useless[1:])
        yield units(-self.useless[: self.lower])

    def _slots_have_a_parent(self) -> Iterator[Block]:
        """Say that a slot has exactly one parent, if it is of use and not the root, and is on one of its sides."""
        i, j = self._i, self._j
        up_to, before, (left, right) = self.parent[i, j], self._up_to(i - 1, j), self.child[:, i, j]
        known = before > 0
        yield implies(left, up_to)
        yield implies(right, up_to)
        yield implies(up_to, before, left, right)
        yield implies(left, -right)
        for later in (up_to, -left, -right):
            yield implies(before[known], later[known])
        last = np.arange(1, self.n_slots)
        yield clause(self.useless[1:], self.parent[last - 1, last])
        yield clause(-self.useless[1:], -self.parent[last - 1, last])

    def _slots_are_numbered_breadth_first(self) -> Iterator[Block]:
        """Say that slots come in the order of their parents, and of two siblings the left one first."""
        i, j = (each[self._j > 1] for each in (self._i, self._j))
        earlier = i < j - 1  # else the slot before is the parent itself, or has an earlier one anyway
        yield implies(self.parent[i, j][earlier], self.parent[i, j - 1][earlier])
        yield implies(self.child[0, i, j], self._up_to(i - 1, j - 1))
        known = self._up_to(i, j - 1) > 0
        yield implies(self.child[1, i, j - 1][known], -self.parent[i, j][known])

    def _up_to(self, i: NDArray[np.intp], j: NDArray[np.intp]) -> Block:
        """Return the literals "the parent of j is slot i or one before"; 0 where i comes too early for that."""
        return np.asarray(np.where(i >= 0, self.parent[i, j], 0))

    def _sides_are_leaves_or_have_a_child(self) -> Iterator[Block]:
        i, j = self._i, self._j
        for is_leaf, child in zip(self.is_leaf, self.child, strict=True):
            yield implies(child[i, j], -is_leaf[i])
            yield np.column_stack([is_leaf, child])

    def _slots_ask_one_feature(self) -> Iterator[Block]:
        """Say that a slot of use asks exactly one feature."""
        yield from exactly_one(self.asks.T, self._ladder, when=(-self.useless,))
        yield implies(self.asks, -self.useless)

    def _no_feature_twice_on_a_path(self) -> Iterator[Block]:
        """Not needed, but monks-1 is proved in half of the time that it takes without."""
        yield implies(self.asks, self.asked)
        step = LARGEST_BLOCK // (len(self._i) + 1) + 1
        for start in range(0, len(self.asks), step):
            asks, asked = self.asks[start : start + step], self.asked[start : start + step, self._i]
            for child in self.child[:, self._i, self._j]:
                yield implies((child, asked), self.asked[start : start + step, self._j])
                yield implies((child, asked), -asks[:, self._j])

    def _leaves_have_one_class(self) -> Iterator[Block]:
        """Say that a leaf has one class at most, and not that of a leaf beside it."""
        first, second = np.triu_indices(len(self.classed), 1)
        yield implies(self.classed[first], -self.classed[second])
        left, right = self.classed[:, 0], self.classed[:, 1]
        yield implies((*self.is_leaf, left), -right)
        if len(self.classed) == 1:
            yield implies((*self.is_leaf, -left), right)

    def _examples_go_their_way(self, which: NDArray[np.intp]) -> Iterator[Block]:
        """Say which side of a slot examples go to; they get to the child there, or the leaf there is of their class."""
        bits = self.problem.examples.take(which).unpack()
        goes, reaches, (i, j) = self.goes_right[which], self.reaches[which], (self._i, self._j)
        yield implies(self.asks, np.where(bits, 1, -1)[:, :, None] * goes[:, None, :])
        yield units(reaches[:, 0])
        right_class = class_literals(self.classed, np.searchsorted(self._present, self.problem.labels[which]))
        for side, towards in enumerate((-goes, goes)):
            yield implies((reaches[:, i], towards[:, i], self.child[side, i, j]), reaches[:, j])
            yield implies((reaches, towards, self.is_leaf[side]), right_class[:, side])

    def _wishes(self) -> Iterator[Block]:
        if self.constraints.root is not None:
            others = np.setdiff1d(np.arange(len(self.asks)), np.array(sorted(self.constraints.root), dtype=np.intp))
            yield units(-self.asks[others, 0])
        if len(self._deep):  # in row t: more than t tests lead to the slot, which is one itself
            yield units(-self._deep[-1])
            for child in self.child[:, self._i, self._j]:
                yield implies(child, self._deep[0, self._j])
                yield implies((child, self._deep[:-1, self._i]), self._deep[1:, self._j])

    @property
    def objective(self) -> Objective:
        """The number of slots of use, which are a chain."""
        return Objective((tuple(Soft(1, (int(useless),)) for useless in self.useless),))

    @staticmethod
    def n_bytes(problem: BinaryProblem, n_slots: int) -> float:
        """Return about how much memory a SAT solver needs for an encoding: 4 bytes a literal and 60 a clause."""
        m, k, n = float(n_slots), problem.n_features, problem.n_examples
        pairs = m * m / 4  # of a slot and a possible parent
        short = n * m * k + 4 * pairs * k + 6 * m * k + 12 * pairs
        return short * (60 + 4 * 2.5) + 2 * n * (pairs + m) * (60 + 4 * 4)

    def tree(self, model: Model) -> Tree:
        """Read the tree out of a model."""
        nested: list[object] = [None] * self.n_slots
        classes = [self.problem.classes[code] for code in self._present]
        places = said_classes(model[self.classed])
        children = np.where(self.child > 0, model[self.child], False)
        for slot in reversed(np.flatnonzero(~model[self.useless]).tolist()):
            sides = [
                nested[int(children[side, slot].argmax())]
                if children[side, slot].any()
                else classes[int(places[side, slot])]
                for side in (0, 1)
            ]
            nested[slot] = (int(model[self.asks[:, slot]].argmax()), *sides)
        return Tree.from_nested(nested[0], self.problem.classes)

    def literals(self, tree: Tree) -> list[int]:
        """Return literals that are true for this tree only; it must fit into the slots."""
        inner = np.flatnonzero(tree.left >= 0)
        slot = np.arange(len(inner))
        parts = [
            np.where(np.arange(self.n_slots) < len(inner), -1, 1) * self.useless,
            self.asks[tree.feature[inner], slot],
        ]
        for side in (0, 1):
            node = tree.left[inner] + side
            is_leaf = tree.left[node] < 0
            parts.append(self.child[side, slot[~is_leaf], np.searchsorted(inner, node[~is_leaf])])
            parts.append(self.is_leaf[side, slot[is_leaf]])
            places = np.searchsorted(self._present, tree.label[node[is_leaf]])
            right_class = class_literals(self.classed, places)
            parts.append(right_class[np.arange(len(right_class)), side, slot[is_leaf]])
        return [int(literal) for part in parts for literal in part]
