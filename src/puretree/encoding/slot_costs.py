"""Trees with at most a given number of tests, and what they cost: slots for inner nodes, without purity.

With this formula a MaxSAT solver answers both questions about trees with errors: the least cost of at most so many
tests, and the fewest tests of a tree that costs at most so much. The trees are those of
:class:`~puretree.encoding.slots.SlotEncoding`, in which the unused slots are a chain. Here an example that reaches a
leaf of a class pays what that class costs it. Its costs beyond its cheapest class are a chain as well, one literal for
each cost that differs, so any cost per example and class is allowed, not only errors.

With ``per_leaf`` every leaf has its own literals, and the cost is summed leaf by leaf: what a solver learns about a
leaf does not depend on the examples elsewhere. For 40 rows of random labels and 10 features a proof for 6 tests took
7 s, and 20 s with one literal for an example, whichever leaf it reaches. Where costs differ, the sums of leaves are
large, and one sum over all examples is faster: with weights from 1 to 4, 60 rows and 12 features, a proof for 5 tests
took 8 s instead of 23 s.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..formula import Block, Objective, Sink, Soft, implies
from ..formula.sums import make_sum
from ..formula.sums.generalised import merge_chains
from ..formula.sums.totaliser import Totaliser
from ..problem import BinaryProblem, Constraints, CostProblem
from .slots import SlotEncoding
from .variables import Vars, class_literals


def useful_classes(costs: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the classes that may be cheapest in a leaf: those for which no other one costs every example as little.

    >>> useful_classes(np.array([[0, 1, 1], [1, 0, 1]])).tolist()
    [0, 1]
    """
    useful = list(range(costs.shape[1]))
    for code in reversed(range(costs.shape[1])):
        if any((costs[:, other] <= costs[:, code]).all() for other in useful if other != code):
            useful.remove(code)
    return np.array(useful, dtype=np.intp)


def cheapest_labels(problem: CostProblem) -> BinaryProblem:
    """Return the problem with the cheapest class of each example as its label."""
    return BinaryProblem(
        features=problem.features,
        labels=problem.costs.argmin(axis=1).astype(np.int32),
        weights=problem.n_rows,
        classes=problem.classes,
        merge=problem.merge,
        example_of_row=problem.example_of_row,
        conflicts=(),
        costs=np.ones(problem.features.shape[0], dtype=np.int64),
    )


class CostEncoding(SlotEncoding):
    """The trees with at most a given number of tests, at least one, and their cost, as clauses.

    Parameters
    ----------
    problem : CostProblem
        With at least two classes that may be cheapest in a leaf.
    n_slots : int
        The maximum number of tests, at least 1.
    lower : int, default=1
        The minimum number of tests.
    constraints : Constraints, optional
        Maximum depth, features allowed at the root, minimum number of rows in a leaf.
    per_leaf : bool, default=True
        Use literals for each example and leaf if all costs are equal, as errors are, and the sum over them is small
        enough; else literals for each example.
    upper : int
        Costs from here on, beyond the least cost of all trees, are not distinguished.

    Notes
    -----
    Two leaves of one class below the same test are forbidden: without that test the tree is smaller and costs the same.
    A single leaf is not encoded.
    """

    def __init__(
        self,
        problem: CostProblem,
        n_slots: int,
        *,
        upper: int,
        lower: int = 1,
        constraints: Constraints | None = None,
        per_leaf: bool = True,
    ) -> None:
        classes = useful_classes(problem.costs)
        costs = problem.costs[:, classes].astype(np.int64)
        self.upper = upper
        self._set_levels(costs - costs.min(axis=1, keepdims=True))
        self._is_per_leaf = per_leaf and self._has_small_sums(n_slots)
        super().__init__(cheapest_labels(problem), n_slots, lower=lower, constraints=constraints, classes=classes)

    def _set_levels(self, extra: NDArray[np.int64]) -> None:
        """Set a number for each cost of an example beyond its cheapest class; those from ``upper`` on are one."""
        extra = np.minimum(extra, self.upper)
        example, code = np.nonzero(extra)
        pairs, level = np.unique(np.column_stack([example, extra[example, code]]), axis=0, return_inverse=True)
        self._level_examples, self._level_totals = pairs.T
        self._level = np.full(extra.shape, -1)
        self._level[example, code] = level.reshape(-1)

    def _has_small_sums(self, n_slots: int) -> bool:
        """Return whether all costs are equal, and their sums over the examples of each leaf need few enough clauses."""
        totals = np.unique(self._level_totals).tolist()
        n_literals = 2 * n_slots * len(self._level_totals)
        return len(totals) == 1 and Totaliser.is_small(n_literals, upper=self.upper, weight=totals[0])

    def _chains(self, literals: NDArray[np.int64] | Vars) -> list[dict[int, int]]:
        """Return the chain of each example that pays for some class: its costs, ascending, each with its literal."""
        chains: dict[int, dict[int, int]] = {}
        levels = zip(self._level_examples.tolist(), self._level_totals.tolist(), literals.tolist(), strict=True)
        for example, total, literal in levels:
            chains.setdefault(example, {})[total] = literal
        return list(chains.values())

    def _allocate(self, n_classes: int) -> None:
        super()._allocate(n_classes)
        n_levels, m = len(self._level_totals), self.n_slots
        self.pays = self.pool.array("pays", n_levels, *((2, m) if self._is_per_leaf else (1, 1)))
        self._needs_rows = self.constraints.min_samples_leaf > 1
        self._arrives = self.pool.array("arrives", self.problem.n_examples if self._needs_rows else 0, 2, m)

    def clauses(self) -> Iterator[Block]:
        """Yield all clauses but those with sums: see :meth:`write`."""
        yield from super().clauses()
        follows = self._level_examples[1:] == self._level_examples[:-1]
        yield implies(self.pays[1:][follows], self.pays[:-1][follows])
        if len(self.leaf_class) > 1:
            for side in (0, 1):
                yield np.column_stack([-self.is_leaf[side], *self.leaf_class[:, side]])
        if self._needs_rows:
            yield from self._arrivals()

    def _leaf_holds(self, side: int, indices: NDArray[np.intp], at_leaf: tuple[Vars, Vars, Vars]) -> Iterator[Block]:
        """Yield, for each class and example, "if the example reaches a leaf of the class, it pays the cost"."""
        reaches, goes, is_leaf = at_leaf
        pays = np.broadcast_to(self.pays, (len(self.pays), 2, self.n_slots))
        for code, level in enumerate(self._level[indices].T):
            costly = level >= 0
            is_class = class_literals(self.leaf_class, np.array([code]))[0, side]
            yield implies((reaches[costly], goes[costly], is_leaf, is_class), pays[level[costly], side])

    def _arrivals(self) -> Iterator[Block]:
        """Yield the clauses that no example reaches a slot, or arrives at one of its leaves, against its path."""
        i, j = self._i, self._j
        for side, goes in enumerate((-self.goes_right, self.goes_right)):
            at_child = (self.reaches[:, j], self.child[side, i, j])
            yield implies(at_child, self.reaches[:, i])
            yield implies(at_child, goes[:, i])
            yield implies(self._arrives[:, side], self.reaches)
            yield implies(self._arrives[:, side], goes)

    def write(self, sink: Sink) -> Objective:
        """Add all clauses to a sink; return the cost of a tree beyond that of the cheapest class of each example.

        The cost of a model may be more than that of its tree, never less. Some model of every tree has its cost.
        """
        for block in self.clauses():
            sink.add(block)
        if self._needs_rows:
            self._require_rows(sink)
        if self._is_per_leaf:
            return self._sum_leaf_by_leaf(sink)
        chains = self._chains(self.pays[:, 0, 0])
        return Objective(tuple(_as_soft(chain) for chain in chains))

    def _require_rows(self, sink: Sink) -> None:
        """Require enough rows in each leaf of a used slot: the others weigh at most the rest."""
        most = int(self.problem.weights.sum()) - self.constraints.min_samples_leaf
        for side, slot in np.ndindex(2, self.n_slots):
            here = self._arrives[:, side, slot].tolist()
            others = Objective.of(Soft(n, (var,)) for n, var in zip(self.problem.weights.tolist(), here, strict=True))
            for literal in make_sum(others, self.pool, sink, upper=most + 1).at_most(most):
                sink.add(implies((self.is_leaf[side, slot], -self.unused[slot]), literal))

    def _sum_leaf_by_leaf(self, sink: Sink) -> Objective:
        """Sum the costs of each leaf, then of all leaves; return the single chain of the total."""
        leaves = [
            merge_chains(self._chains(self.pays[:, side, slot]), self.pool, sink, upper=self.upper)
            for slot, side in np.ndindex(self.n_slots, 2)
        ]
        return Objective((_as_soft(merge_chains(leaves, self.pool, sink, upper=self.upper)),))

    @classmethod
    def estimate_bytes(cls, problem: CostProblem, n_slots: int) -> float:
        """Estimate the memory that a SAT solver needs, without the sums: 4 bytes per literal and 60 per clause."""
        n_paying = 2.0 * n_slots * problem.costs.size
        return cls.n_bytes(cheapest_labels(problem), n_slots) + n_paying * (60 + 4 * 5)


def _as_soft(chain: dict[int, int]) -> tuple[Soft, ...]:
    """Return the soft clauses of a chain of sums."""
    increments = np.diff([0, *chain]).tolist()
    return tuple(Soft(step, (-literal,)) for step, literal in zip(increments, chain.values(), strict=True))
