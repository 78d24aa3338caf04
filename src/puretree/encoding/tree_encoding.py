"""Minimum pure trees of at most n nodes as weighted partial MaxSAT.

The encoding is that of Alòs, Ansótegui and Torres (*Interpretable Decision Trees Through MaxSAT*, 2022), which
extends the SAT encoding of Narodytska, Ignatiev, Pereira and Marques-Silva (*Learning Optimal Decision Trees with
SAT*, IJCAI 2018) by variables η for the nodes that are used. The printed equations have errors; each is corrected in
the function of its equation, and docs/decisions/0005 lists them. A tree determines the value of every variable, so
models and trees correspond one to one.

>>> from puretree.problem import BinaryProblem
>>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
>>> encoding = TreeEncoding(xor, 7)
>>> encoding.pool.name(list(encoding.objectives[0].soft)[2].literals[0])
'¬eta[5]'
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from .._support.clock import NO_LIMIT, Clock
from ..errors import InputError
from ..formula import Block, Model, Objective, Sink, Soft, VarPool, Wcnf, combine
from ..problem import BinaryProblem, Constraints
from ..tree import Tree
from . import clause_groups
from .variables import LARGEST_BLOCK, Variables, Vars, class_literals, decode_classes, present_classes


class TreeEncoding:
    """The pure trees of at most n nodes for a problem, as clauses.

    Parameters
    ----------
    problem : BinaryProblem
        With at least two classes.
    n_nodes : int
        The upper bound on the number of nodes: odd, at least 3.
    lower : int, default=3
        The lower bound. If it equals the upper bound, exactly the trees of n nodes are encoded, as in MinDT.
    constraints : Constraints, optional
        Maximum depth, features allowed at the root, and the objective.
    """

    def __init__(
        self, problem: BinaryProblem, n_nodes: int, *, lower: int = 3, constraints: Constraints | None = None
    ) -> None:
        if not 3 <= lower <= n_nodes or n_nodes % 2 == 0 or lower % 2 == 0:
            raise InputError(f"a tree of {lower} to {n_nodes} nodes cannot be encoded: use odd numbers from 3 on")
        self._present = present_classes(problem)
        self.problem = problem
        self.n_nodes = n_nodes
        self.lower = lower
        self.constraints = constraints or Constraints()
        self.pool = VarPool()
        self.vars = Variables.allocate(self.pool, n_nodes, problem.n_features, len(self._present))
        self._ladder = self.pool.array("ladder", n_nodes, max(0, problem.n_features - 1))
        self._deep = self._allocate_depth()
        self._steps = np.unique(problem.costs[problem.costs > 0])
        self._at_least = self._allocate_costs()

    def _allocate_depth(self) -> Vars:
        rows = min(self.constraints.max_depth or 0, self.n_nodes)
        return self.pool.where("deep", np.broadcast_to(np.arange(self.n_nodes + 1) > 0, (rows, self.n_nodes + 1)))

    def _allocate_costs(self) -> Vars:
        rows = 0 if self.constraints.minimise == "nodes" else len(self._steps)
        return self.pool.where("cost", np.broadcast_to(np.arange(self.n_nodes + 1) > 0, (rows, self.n_nodes + 1)))

    def structure(self) -> Iterator[Block]:
        """Yield the clauses of all trees that satisfy the constraints, pure or not."""
        x = self.vars
        yield from clause_groups.leaves_are_used(x)
        yield from clause_groups.used_nodes_come_first(x)
        yield from clause_groups.lower_bound_holds(x, self.lower)
        yield from clause_groups.root_is_inner(x)
        yield from clause_groups.leaves_have_no_children(x)
        yield from clause_groups.siblings_are_adjacent(x)
        yield from clause_groups.inner_nodes_have_children(x)
        yield from clause_groups.children_are_used(x)
        yield from clause_groups.used_nodes_have_a_parent(x)
        yield from clause_groups.counters_are_initialised(x)
        yield from clause_groups.leaves_are_counted(x)
        yield from clause_groups.inner_nodes_are_counted(x)
        yield from clause_groups.leaf_counts_bound_children(x)
        yield from clause_groups.inner_node_counts_bound_children(x)
        for chunk in x.feature_chunks():
            yield from clause_groups.right_children_exclude_zeros(chunk)
            yield from clause_groups.left_children_exclude_ones(chunk)
            yield from clause_groups.root_excludes_nothing(chunk)
            yield from clause_groups.no_repeated_feature_on_a_path(chunk)
            yield from clause_groups.path_features_are_inherited(chunk)
            yield from clause_groups.leaves_test_no_feature(chunk)
            yield from clause_groups.unused_nodes_test_no_feature(chunk)
        yield from clause_groups.inner_nodes_test_one_feature(x, self._ladder)
        yield from clause_groups.only_leaves_have_a_class(x)
        yield from clause_groups.leaves_have_one_class(x)
        yield from self._constraints()

    def _constraints(self) -> Iterator[Block]:
        if self.constraints.root is not None:
            yield from clause_groups.root_tests_one_of(self.vars, self.constraints.root)
        if len(self._deep):
            yield from clause_groups.depth_is_at_most(self.vars, self._deep)
        if len(self._at_least):
            yield from clause_groups.costs_are_counted(self.vars, self._at_least, self.problem.costs, self._steps)

    def purity(self, indices: NDArray[np.intp] | None = None) -> Iterator[Block]:
        """Yield the clauses that make the tree classify examples correctly: all, or those with the given indices."""
        indices = np.arange(self.problem.n_examples) if indices is None else indices
        step = LARGEST_BLOCK // self.problem.n_features + 1
        for start in range(0, len(indices), step):
            chunk = indices[start : start + step]
            bits = self.problem.examples.take(chunk).unpack()
            classes = np.searchsorted(self._present, self.problem.labels[chunk])
            yield from clause_groups.examples_reach_their_class(self.vars, bits, classes)

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """The objectives, minimised lexicographically."""
        size = Objective((tuple(Soft(1, (-int(eta),)) for eta in self.vars.eta[1::2]),))
        increments = np.diff(self._steps, prepend=0).tolist()
        cost = Objective(
            tuple(
                tuple(Soft(step, (-int(reached),)) for step, reached in zip(increments, node, strict=True))
                for node in self._at_least.T[1:]
                if len(node)
            )
        )
        return {"nodes": (size,), "nodes-then-cost": (size, cost), "cost": (cost, size)}[self.constraints.minimise]

    def write(self, sink: Sink, clock: Clock = NO_LIMIT) -> None:
        """Add all hard clauses to a sink; raise TimeLimitReached if the time limit is reached first."""
        for block in chain(self.structure(), self.purity()):
            clock.require_time()
            sink.add(block)

    def wcnf(self, clock: Clock = NO_LIMIT) -> Wcnf:
        """Return the MaxSAT formula, with the names of its variables."""
        formula = Wcnf(self.pool.n_vars, soft=combine(self.objectives), names=self.pool)
        self.write(formula, clock)
        return formula

    @staticmethod
    def estimate(problem: BinaryProblem, n_nodes: int) -> tuple[float, float]:
        """Estimate the number of clauses and literals of an encoding without building it."""
        n, k, m = float(n_nodes), problem.n_features, problem.n_examples
        n_pairs = n * n / 4  # pairs of a node and a possible parent
        short = 9 * n_pairs * k + 9 * n * k + n**3 / 19 + 6 * n * n
        return short + n * m, 3.1 * short + n * m * (k + 2)

    @classmethod
    def n_bytes(cls, problem: BinaryProblem, n_nodes: int) -> float:
        """Estimate the memory that a SAT solver needs for an encoding: 4 bytes per literal and 60 per clause."""
        n_clauses, n_literals = cls.estimate(problem, n_nodes)
        return 60 * n_clauses + 4 * n_literals

    def tree(self, model: Model) -> Tree:
        """Decode a model into a tree."""
        x = self.vars
        n_used = 2 * int(model[x.eta[1::2]].sum()) - 1
        nodes = np.arange(1, n_used + 1)
        leaf = model[x.v[nodes]]
        feature = np.where(leaf, -1, model[x.a[:, nodes]].argmax(axis=0))
        left = np.where(leaf, -1, (model[x.l[nodes]] & (x.l[nodes] > 0)).argmax(axis=1) - 1)
        classes = self._present[decode_classes(model[x.c[:, nodes]])]
        return Tree(feature, left, np.where(leaf, classes, -1), self.problem.classes)

    def literals(self, tree: Tree) -> list[int]:
        """Return literals that are true in exactly the model of a tree; it must not exceed the upper bound."""
        x = self.vars
        nodes = np.arange(1, tree.n_nodes + 1)
        inner = tree.left >= 0
        classes = np.searchsorted(self._present, tree.label[~inner])
        leaves = nodes[~inner]
        arrays = [
            np.where(np.arange(1, self.n_nodes + 1, 2) <= tree.n_nodes, 1, -1) * x.eta[1::2],
            np.where(inner, -1, 1) * x.v[nodes],
            x.l[nodes[inner], tree.left[inner] + 1],
            x.a[tree.feature[inner], nodes[inner]],
            class_literals(x.c, classes)[np.arange(len(leaves)), leaves],
        ]
        return [int(literal) for array in arrays for literal in array]

    def at_most(self, n_nodes: int) -> list[int]:
        """Return the assumption "at most n_nodes nodes"; an empty list if the encoding implies it."""
        return [] if n_nodes >= self.n_nodes else [-int(self.vars.eta[n_nodes + 2])]
