"""A SAT solver that enumerates minimum trees, and the time slices that they share.

One incremental solver loads the encoding once. A blocking clause forbids every tree that was returned, so the clauses
learnt for one tree serve all that follow. With many examples, the solver starts with a few and gets those that a tree
misclassifies.

Proving that no tree is farther than the best known one can take far longer than finding it: on 64 % of house-votes-84
(one run) the second tree took 2 s; the third was found after 15 s and not proved after 20. Each tree therefore has a
slice of the remaining time, so that a hard proof for one does not use up the time of all others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .._support.clock import Clock, TimeLimitReached
from .._support.resources import MOST_BYTES
from ..encoding import TreeEncoding
from ..engines.maxsat import MANY_EXAMPLES
from ..errors import PuretreeError
from ..formula import Block, as_block
from ..sat import Oracle
from ..tree import Tree


class TimeBudget:
    """A time limit, divided among the trees still to find.

    Parameters
    ----------
    clock : Clock
        The limit for all trees.
    n_trees : int
        The number of trees to find.

    Attributes
    ----------
    n_unproved : int
        The number of trees that were accepted without proof because their time slice ended.
    """

    def __init__(self, clock: Clock, n_trees: int) -> None:
        self.clock = clock
        self._n_remaining = n_trees
        self.n_unproved = 0

    def count_tree(self) -> None:
        """Record that a tree was found."""
        self._n_remaining -= 1

    def next_slice(self) -> Clock:
        """Start the clock of the next tree: an equal part of the remaining time, with one part kept in reserve."""
        return self.clock.part(1 / (max(1, self._n_remaining) + 1))


class TreeOracle:
    """A SAT solver over the trees of an encoding.

    Its methods raise TimeLimitReached when the time limit is reached, and MemoryError if the encoding is too large.

    Parameters
    ----------
    encoding : TreeEncoding
        Of trees of exactly the minimum size.
    oracle : Oracle
        A solver without clauses. The caller closes it.
    budget : TimeBudget
        Holds the clock, and counts the trees.
    """

    def __init__(self, encoding: TreeEncoding, oracle: Oracle, budget: TimeBudget) -> None:
        self.encoding = encoding
        self.budget = budget
        self._oracle = oracle
        self._n_vars = encoding.pool.n_vars  # those that define a tree; auxiliary ones are added later
        self._is_loaded = False

    def add(self, block: Block) -> None:
        """Add clauses to the solver."""
        self._oracle.add(block, self.budget.clock)

    def solve(self, assumptions: Sequence[int] = (), time_slice: Clock | None = None) -> Tree | None:
        """Return a tree that satisfies the assumptions and is not forbidden; None if there is none.

        The phases of the next search are set to this tree: on 64 % of wine (one run) ten trees took 0.9 s; without it
        three were found after 30 s.
        """
        if not self._is_loaded:  # only now: the caller may need no tree but the one it knows
            self._load_encoding()
        while self._has_model(assumptions, time_slice):
            model = self._oracle.model(self._n_vars)
            variables = np.arange(1, self._n_vars + 1)
            self._oracle.set_phases(np.where(model[1:], variables, -variables).tolist(), self.budget.clock)
            tree = self.encoding.tree(model)
            misclassified = self._misclassified(tree)
            if not len(misclassified):
                return tree
            self._add_examples(misclassified)
        return None

    def _has_model(self, assumptions: Sequence[int], time_slice: Clock | None) -> bool:
        is_satisfiable = self._oracle.solve(assumptions, self.budget.clock, time_slice)
        if is_satisfiable is None:
            raise TimeLimitReached
        return is_satisfiable

    def _misclassified(self, tree: Tree) -> NDArray[np.intp]:
        """Return one misclassified example of each leaf that has any: examples that are not loaded yet."""
        problem = self.encoding.problem
        leaves = tree.apply(problem.examples)
        misclassified = np.flatnonzero(tree.label[leaves] != problem.labels)
        return misclassified[np.unique(leaves[misclassified], return_index=True)[1]]

    def warm_start(self, tree: Tree) -> None:
        """Start the first search near a known tree."""
        if self.solve(self.encoding.literals(tree)) is None:
            raise PuretreeError("the encoding excludes a minimum tree: this is a bug, please report it")

    def _load_encoding(self) -> None:
        encoding = self.encoding
        if encoding.n_bytes(encoding.problem, encoding.n_nodes) > MOST_BYTES:
            raise MemoryError
        for block in encoding.structure():
            self.add(block)
        labels = encoding.problem.labels
        one_per_class = np.unique(labels, return_index=True)[1]
        self._add_examples(one_per_class if len(labels) > MANY_EXAMPLES else np.arange(len(labels)))
        self._is_loaded = True

    def _add_examples(self, examples: NDArray[np.intp]) -> None:
        for block in self.encoding.purity(examples):
            self.add(block)

    def target_literals(self, tree: Tree) -> Block:
        """Return the literals ``a[r,j]`` that are true for a tree: its targets."""
        inner = np.flatnonzero(tree.left >= 0)
        return self.encoding.vars.a[tree.feature[inner], inner + 1]

    def forbid(self, tree: Tree) -> None:
        """Add the blocking clause of a tree, which excludes no other tree.

        A node is an inner node exactly if it tests a feature, so the targets determine the shape, as nodes are numbered
        breadth first. The shape and the features determine which examples reach which leaf, and so its class: no leaf
        of a minimum tree is empty. Hence no two trees have the same targets. As all trees have the same size, no tree
        has a proper superset of the targets of another: unlike the paper's clause over all targets, true or false, the
        clause need not contain the false ones.
        """
        self.budget.count_tree()
        self.add(as_block([(-self.target_literals(tree)).tolist()]))
