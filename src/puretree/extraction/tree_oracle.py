"""A SAT solver that enumerates minimum trees.

One incremental solver loads the encoding once, or is the solver of the proof, which has loaded it. A blocking clause
forbids every tree that was returned, so the clauses learnt for one tree serve all that follow. With many examples, the
solver starts with a few and gets those that a tree misclassifies.
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
from ..formula import Block, VarPool, as_block, true_literals
from ..maxsat import LinearSearch
from ..maxsat.mdsol import TimeBudget
from ..sat import Oracle
from ..tree import Tree


class TreeOracle:
    """A SAT solver over the trees of an encoding: a :class:`~puretree.maxsat.mdsol.SolutionSpace`.

    Its methods raise TimeLimitReached when the time limit is reached, and MemoryError if the encoding is too large.

    Parameters
    ----------
    encoding : TreeEncoding
        Of trees of exactly the minimum size; after a proof (:meth:`continuing`) of trees up to the upper bound.
    oracle : Oracle
        A solver without clauses; after a proof, that of the proof. The caller closes it.
    budget : TimeBudget
        Holds the clock, and counts the trees.
    warm_start : bool, default=True
        Set the solver's phases to the tree found last, so that the search for the next tree starts near it: on 64 % of
        wine (one run) ten trees took 0.9 s; without it three were found after 30 s. The paper does not do this.

    Attributes
    ----------
    fixed : list of int
        Literals that are assumed in every search.
    """

    is_complete = False  # leaves test no feature

    def __init__(self, encoding: TreeEncoding, oracle: Oracle, budget: TimeBudget, *, warm_start: bool = True) -> None:
        self.encoding = encoding
        self.budget = budget
        self.fixed: list[int] = []
        self._oracle = oracle
        self._warm_start = warm_start
        self._n_vars = encoding.pool.n_vars  # includes those that define a tree
        self._is_loaded = False

    @classmethod
    def continuing(
        cls, encoding: TreeEncoding, search: LinearSearch, budget: TimeBudget, *, warm_start: bool = True
    ) -> TreeOracle:
        """Continue the search that proved the minimum, with all clauses that it learnt.

        Its encoding allows for larger trees, which the assumptions of the search exclude.
        """
        trees = cls(encoding, search.oracle, budget, warm_start=warm_start)
        trees.fixed = search.assumptions
        trees._is_loaded = True
        return trees

    @property
    def pool(self) -> VarPool:
        """The variables of the encoding and of the search."""
        return self.encoding.pool

    @property
    def groups(self) -> list[list[int]]:
        """The literals ``a[r,j]`` of each node ``j``, which tests at most one feature."""
        groups: list[list[int]] = self.encoding.vars.a.T[1:].tolist()
        return groups

    def literals(self, solution: Tree) -> list[int]:
        """Return the literals ``a[r,j]`` that are true for a tree: its targets."""
        inner = np.flatnonzero(solution.left >= 0)
        literals: list[int] = self.encoding.vars.a[solution.feature[inner], inner + 1].tolist()
        return literals

    def add(self, block: Block) -> None:
        """Add clauses to the solver."""
        self._oracle.add(block, self.budget.clock)

    def solve(self, assumptions: Sequence[int] = (), time_slice: Clock | None = None) -> Tree | None:
        """Return a tree that satisfies the assumptions and is not forbidden; None if there is none."""
        if not self._is_loaded:  # only now: the caller may need no tree but the one it knows
            self._load_encoding()
        while self._has_model(assumptions, time_slice):
            model = self._oracle.model(self._n_vars)
            if self._warm_start:
                self._oracle.set_phases(true_literals(model), self.budget.clock)
            tree = self.encoding.tree(model)
            misclassified = self._misclassified(tree)
            if not len(misclassified):
                return tree
            self._add_examples(misclassified)
        return None

    def _has_model(self, assumptions: Sequence[int], time_slice: Clock | None) -> bool:
        is_satisfiable = self._oracle.solve([*self.fixed, *assumptions], self.budget.clock, time_slice)
        if is_satisfiable is None:
            raise TimeLimitReached
        return is_satisfiable

    def _misclassified(self, tree: Tree) -> NDArray[np.intp]:
        """Return one misclassified example of each leaf that has any: examples that are not loaded yet."""
        problem = self.encoding.problem
        leaves = tree.apply(problem.examples)
        misclassified = np.flatnonzero(tree.label[leaves] != problem.labels)
        return misclassified[np.unique(leaves[misclassified], return_index=True)[1]]

    def start_from(self, tree: Tree) -> None:
        """Start the first search near a known tree, with a warm start."""
        if self._warm_start and self.solve(self.encoding.literals(tree)) is None:
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

    def forbid(self, solution: Tree) -> None:
        """Add the blocking clause of a tree, which excludes no other tree.

        A node is an inner node exactly if it tests a feature, so the targets determine the shape, as nodes are numbered
        breadth first. The shape and the features determine which examples reach which leaf, and so its class: no leaf
        of a minimum tree is empty. Hence no two trees have the same targets. As all trees have the same size, no tree
        has a proper superset of the targets of another: unlike the paper's clause over all targets, true or false, the
        clause need not contain the false ones.
        """
        self.budget.count_solution()
        self.add(as_block([[-literal for literal in self.literals(solution)]]))
