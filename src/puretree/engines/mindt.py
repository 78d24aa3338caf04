"""MinDT: decide whether there is a pure tree of exactly n nodes, for each n downwards from the upper bound.

Narodytska, Ignatiev, Pereira, Marques-Silva, *Learning Optimal Decision Trees with SAT*, IJCAI 2018: the approach that
the paper extends and compares with. The upper bound is ITI's tree; each size has its own formula, encoded and solved
from scratch. If there is no pure tree of n nodes, there is none of fewer nodes;
:func:`~puretree.engines.sat_engine.minimise_size` explains why.

We do the same with the paper's encoding, for more than two classes, a maximum depth and a required root. By default the
greedy tree is an upper bound beside ITI's; ``mindt(upper_bound='iti')`` starts from ITI's tree only, as in the paper,
which does not say how many orders of the examples ITI tries: ours tries five. If the constraints exclude all of these
trees, the sizes are tried upwards. ``warm_start`` is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._support.clock import TimeLimitReached
from ..bounds.upper import Heuristic
from ..encoding import TreeEncoding
from ..formula import true_literals
from ..outcome import Status
from ..problem import BinaryProblem
from ..sat import Oracle, make_oracle
from ..tree import Tree
from .base import Guarantees
from .incumbent import Incumbent
from .sat_engine import HEURISTICS, FirstTree, SatEngine, minimise_size, require_booleans, require_first_tree


@dataclass(frozen=True, slots=True)
class MinDt(SatEngine):
    """Minimum pure trees by a sequence of SAT formulas, one per size.

    Parameters
    ----------
    solver, isolated
        As for :class:`SatEngine`.
    warm_start : bool, default=False
        Set the solver's phases for each size to the best known tree, cut to that size: its first nodes, breadth first,
        with the most frequent class of the examples at each new leaf. The formula excludes the known tree itself, which
        has more nodes, so unlike MaxSAT the search cannot start from a model.
    upper_bound : {"best", "iti"}, default="best"
        The first upper bound: the smaller one of the greedy tree and ITI's, or ITI's tree only, as in the paper.
    """

    warm_start: bool = False
    upper_bound: FirstTree = "best"
    name: ClassVar[str] = "mindt"
    source: ClassVar[str] = "Narodytska, Ignatiev, Pereira, Marques-Silva 2018"
    guarantees: ClassVar[Guarantees] = Guarantees()

    def __post_init__(self) -> None:
        SatEngine.__post_init__(self)
        require_booleans(warm_start=self.warm_start)
        require_first_tree(self.upper_bound)

    @property
    def starts_from(self) -> tuple[Heuristic, ...]:
        """The heuristics of the upper bound."""
        return HEURISTICS[self.upper_bound]

    def search(self, incumbent: Incumbent) -> Status:
        """Search for smaller trees until there is none; see :func:`~puretree.engines.sat_engine.minimise_size`."""
        incumbent.constraints.require_only(self.name, "max_depth", "root", "max_nodes")
        return minimise_size(incumbent, lambda n_nodes: self._tree_of(incumbent, n_nodes))

    def _tree_of(self, incumbent: Incumbent, n_nodes: int) -> Tree | None:
        """Return a pure tree of exactly `n_nodes` nodes, or None if there is none."""
        incumbent.require_memory(TreeEncoding.n_bytes(incumbent.problem, n_nodes))
        encoding = TreeEncoding(incumbent.problem, n_nodes, lower=n_nodes, constraints=incumbent.constraints)
        oracle = make_oracle(self.solver, isolated=self.isolated, max_bytes=incumbent.solver_limit)
        try:
            for block in encoding.structure():
                oracle.add(block, incumbent.clock)
            if self.warm_start and incumbent.tree is not None:
                _set_phases(oracle, encoding, cut_tree(incumbent.tree, n_nodes, incumbent.problem), incumbent)
            for block in encoding.purity():
                oracle.add(block, incumbent.clock)
            answer = oracle.solve([], incumbent.clock)
            if answer is None:
                raise TimeLimitReached
            return encoding.tree(oracle.model(encoding.pool.n_vars)) if answer else None
        finally:
            oracle.close()


def cut_tree(tree: Tree, n_nodes: int, problem: BinaryProblem) -> Tree:
    """Return the tree of the first `n_nodes` nodes of a larger one: its last pairs of leaves collapse into leaves.

    The last inner node, breadth first, has the last two nodes as its children, which are leaves. A new leaf predicts
    the most frequent class of the rows that reach it.
    """
    counts = tree.weights_of_nodes(tree.apply(problem.examples), problem.labels, problem.weights)
    majority = np.where(counts.any(axis=1), counts.argmax(axis=1), counts[0].argmax())[:n_nodes]
    left = tree.left[:n_nodes]
    is_inner = (left >= 0) & (left < n_nodes)
    is_cut = left >= n_nodes
    return Tree(
        np.where(is_inner, tree.feature[:n_nodes], -1),
        np.where(is_inner, left, -1),
        np.where(is_cut, majority, tree.label[:n_nodes]),
        problem.classes,
    )


def _set_phases(oracle: Oracle, encoding: TreeEncoding, tree: Tree, incumbent: Incumbent) -> None:
    """Set the phases of all variables to a tree, pure or not; the solver has only the clauses of the structure yet."""
    answer = oracle.solve(encoding.literals(tree), incumbent.clock)
    if answer is None:
        raise TimeLimitReached
    if answer:
        oracle.set_phases(true_literals(oracle.model(encoding.pool.n_vars)), incumbent.clock)
