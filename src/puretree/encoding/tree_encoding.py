"""Minimum pure trees as weighted partial MaxSAT: the smallest pure tree of at most n nodes.

The encoding is that of Alòs, Ansótegui and Torres (*Interpretable Decision Trees Through MaxSAT*, 2022), which
extends the SAT encoding of Narodytska, Ignatiev, Pereira and Marques-Silva (*Learning Optimal Decision Trees with
SAT*, IJCAI 2018) by variables η that say which nodes are used. The printed form has errors; each is corrected where
its equation stands, and docs/decisions/0005 lists them. Every variable has one value only in every tree, so the
models are the trees, one to one.

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
from .variables import LARGEST_BLOCK, Variables, Vars, class_literals, present_classes, said_classes


class TreeEncoding:
    """The pure trees of at most n nodes for a problem, as clauses.

    Parameters
    ----------
    problem : BinaryProblem
        With two classes or more: one class needs no tree.
    n_nodes : int
        The upper bound, odd, at least 3.
    lower : int, default=3
        The lower bound. If it is the upper bound, the trees of exactly n nodes are encoded, as MinDT does.
    constraints : Constraints, optional
        Depth, root, and what is minimised.
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
        """Yield the clauses of all trees that keep to the wishes, pure or not."""
        x = self.vars
        yield from clause_groups.leaves_are_used(x)
        yield from clause_groups.used_nodes_come_first(x)
        yield from clause_groups.lower_bound_is_used(x, self.lower)
        yield from clause_groups.root_is_inner(x)
        yield from clause_groups.leaves_have_no_children(x)
        yield from clause_groups.siblings_are_neighbours(x)
        yield from clause_groups.inner_nodes_have_children(x)
        yield from clause_groups.children_are_used(x)
        yield from clause_groups.used_nodes_have_a_parent(x)
        yield from clause_groups.counters_start(x)
        yield from clause_groups.leaves_are_counted(x)
        yield from clause_groups.inner_nodes_are_counted(x)
        yield from clause_groups.leaves_bring_children_nearer(x)
        yield from clause_groups.inner_nodes_push_children_away(x)
        for some in x.by_features():
            yield from clause_groups.right_children_lose_zeros(some)
            yield from clause_groups.left_children_lose_ones(some)
            yield from clause_groups.nothing_is_kept_from_the_root(some)
            yield from clause_groups.no_feature_twice_on_a_path(some)
            yield from clause_groups.asked_features_are_remembered(some)
            yield from clause_groups.leaves_ask_nothing(some)
            yield from clause_groups.unused_nodes_ask_nothing(some)
        yield from clause_groups.inner_nodes_ask_one_feature(x, self._ladder)
        yield from clause_groups.only_leaves_have_a_class(x)
        yield from clause_groups.leaves_have_one_class(x)
        yield from self._wishes()

    def _wishes(self) -> Iterator[Block]:
        if self.constraints.root is not None:
            yield from clause_groups.root_is_one_of(self.vars, self.constraints.root)
        if len(self._deep):
            yield from clause_groups.depth_is_at_most(self.vars, self._deep)
        if len(self._at_least):
            yield from clause_groups.costs_are_counted(self.vars, self._at_least, self.problem.costs, self._steps)

    def purity(self, which: NDArray[np.intp] | None = None) -> Iterator[Block]:
        """Yield the clauses that make the tree right on examples: on all, or on those given by number."""
        which = np.arange(self.problem.n_examples) if which is None else which
        for start in range(0, len(which), LARGEST_BLOCK // self.problem.n_features + 1):
            some = which[start : start + LARGEST_BLOCK // self.problem.n_features + 1]
            bits = self.problem.examples.take(some).unpack()
            classes = np.searchsorted(self._present, self.problem.labels[some])
            yield from clause_groups.examples_keep_to_their_class(self.vars, bits, classes)

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What is minimised, the first one first."""
        size = Objective((tuple(Soft(1, (-int(eta),)) for eta in self.vars.eta[1::2]),))
        rises = np.diff(self._steps, prepend=0).tolist()
        cost = Objective(
            tuple(
                tuple(Soft(rise, (-int(reached),)) for rise, reached in zip(rises, node, strict=True))
                for node in self._at_least.T[1:]
                if len(node)
            )
        )
        return {"nodes": (size,), "nodes-then-cost": (size, cost), "cost": (cost, size)}[self.constraints.minimise]

    def write(self, sink: Sink, clock: Clock = NO_LIMIT) -> None:
        """Hand every hard clause to a sink; TimeIsOver if the clock is over first."""
        for block in chain(self.structure(), self.purity()):
            clock.require_time()
            sink.add(block)

    def wcnf(self, clock: Clock = NO_LIMIT) -> Wcnf:
        """Return the whole formula, with the names of its variables."""
        formula = Wcnf(self.pool.n_vars, soft=combine(self.objectives), names=self.pool)
        self.write(formula, clock)
        return formula

    @staticmethod
    def estimate(problem: BinaryProblem, n_nodes: int) -> tuple[float, float]:
        """Return about how many clauses and literals an encoding has, before anything of it is made."""
        n, k, m = float(n_nodes), problem.n_features, problem.n_examples
        n_pairs = n * n / 4  # of a node and a possible parent
        short = 9 * n_pairs * k + 9 * n * k + n**3 / 19 + 6 * n * n
        return short + n * m, 3.1 * short + n * m * (k + 2)

    @classmethod
    def n_bytes(cls, problem: BinaryProblem, n_nodes: int) -> float:
        """Return about how much memory a SAT solver needs for an encoding: 4 bytes a literal and 60 a clause."""
        n_clauses, n_literals = cls.estimate(problem, n_nodes)
        return 60 * n_clauses + 4 * n_literals

    def tree(self, model: Model) -> Tree:
        """Read the tree out of a model."""
        x = self.vars
        n_used = 2 * int(model[x.eta[1::2]].sum()) - 1
        nodes = np.arange(1, n_used + 1)
        leaf = model[x.v[nodes]]
        feature = np.where(leaf, -1, model[x.a[:, nodes]].argmax(axis=0))
        left = np.where(leaf, -1, (model[x.l[nodes]] & (x.l[nodes] > 0)).argmax(axis=1) - 1)
        place = said_classes(model[x.c[:, nodes]])
        return Tree(feature, left, np.where(leaf, self._present[place], -1), self.problem.classes)

    def literals(self, tree: Tree) -> list[int]:
        """Return literals that are true for this tree only; it must fit into the encoding's nodes."""
        x = self.vars
        nodes = np.arange(1, tree.n_nodes + 1)
        inner = tree.left >= 0
        place = np.searchsorted(self._present, tree.label[~inner])
        leaves = nodes[~inner]
        said = class_literals(x.c, place)[np.arange(len(leaves)), leaves]
        parts = [
            np.where(np.arange(1, self.n_nodes + 1, 2) <= tree.n_nodes, 1, -1) * x.eta[1::2],
            np.where(inner, -1, 1) * x.v[nodes],
            x.l[nodes[inner], tree.left[inner] + 1],
            x.a[tree.feature[inner], nodes[inner]],
            said,
        ]
        return [int(literal) for part in parts for literal in part]

    def at_most(self, n_nodes: int) -> list[int]:
        """Return the literals that say: at most so many nodes (an empty list if the encoding says so already)."""
        return [] if n_nodes >= self.n_nodes else [-int(self.vars.eta[n_nodes + 2])]
