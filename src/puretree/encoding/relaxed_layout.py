"""Trees of bounded depth as in DT(max): the tree encoding of n nodes, with every constraint relaxed by m_i.

Hu, Siala, Hebrard, Huguet, *Learning Optimal Decision Trees with MaxSAT and its Integration in AdaBoost*, IJCAI 2020,
take the encoding of Narodytska et al. (IJCAI 2018) for n = 2^(d+1) - 1 nodes, the size of the complete tree of depth d.
A variable m_i says that node i is used; the used nodes come first, an odd number of them, and the constraints of an
unused node are relaxed: m_i → C for every constraint C of node i. A limit on the depth of the nodes is added, and a
soft clause per example.

The constraints C are those of :mod:`.tree_encoding`, where η is m: layout, tests, classes, counters, and the depth.
Every clause gets the literal ¬m_i of the last node i that it is about; the variables "j is a child of i" are about i.
There, some clauses set the variables of unused nodes: they contain m_i, so m_i → C is always true, and they vanish. A
model says nothing about unused nodes, and a tree has many models. Two constraints are not relaxed, because they define
m: the root and its children are used, and every child of a node is used.

We follow the description in Section 4 of Alòs, Ansótegui and Torres (*Interpretable Decision Trees Through MaxSAT*,
2022). What it leaves open is our choice: which node relaxes a clause about several, and the two constraints above; the
depth, a unary number per node (a node with d tests above it is a leaf); one class variable per class if there are more
than two; and the counters λ and τ, which Narodytska et al. call redundant, but which also remove equivalent numberings
of the nodes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from ..formula import Block, Model
from ..problem import BinaryProblem, Constraints
from ..tree import Tree
from . import clause_groups
from .complete_tree import remove_redundant_tests
from .tree_encoding import TreeEncoding
from .variables import LARGEST_BLOCK, Vars, present_classes


class RelaxedLayoutEncoding:
    """The trees with at most a given number of tests on every path, as clauses that m_i relaxes.

    Parameters
    ----------
    problem : BinaryProblem
        With at least two classes.
    depth : int
        The maximum number of tests on a path, at least 1 and at most the number of features.
    root : collection of int, optional
        Features allowed at the root.

    Examples
    --------
    >>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> encoding = RelaxedLayoutEncoding(xor, 2)
    >>> block = next(clause_groups.leaves_have_no_children(encoding.trees.vars))
    >>> [encoding.pool.name(literal) for literal in encoding.relaxed(block)[1].tolist()]
    ['¬v[2]', '¬l[2,4]', '¬eta[3]']
    """

    def __init__(self, problem: BinaryProblem, depth: int, *, root: Collection[int] | None = None) -> None:
        self.problem, self.depth, self.root = problem, depth, root
        self.trees = TreeEncoding(problem, 2 ** (depth + 1) - 1, constraints=Constraints(max_depth=depth, root=root))
        self.pool = self.trees.pool
        self._node_of_var = self._nodes_of_vars()

    def _nodes_of_vars(self) -> NDArray[np.intp]:
        """Return the node that each variable is about; the child variables l and r are about the parent."""
        nodes = [np.zeros(1, dtype=np.intp)]
        for family, _, exists in self.pool.families():
            index = np.nonzero(exists)
            nodes.append({"l": index[0], "r": index[0], "ladder": index[0] + 1}.get(family, index[-1]))
        return np.concatenate(nodes)

    def relaxed(self, block: Block) -> Block:
        """Return the clauses "m_i → C" for the clauses C of a block, where i is C's last node; drop tautologies."""
        used = self.trees.vars.used[self._node_of_var[np.abs(block)].max(axis=1, initial=0)][:, None]
        is_true = (block == used).any(axis=1) & (used[:, 0] > 0)
        is_relaxed = (block == -used).any(axis=1, keepdims=True)
        return np.asarray(np.column_stack([block, np.where(is_relaxed, 0, -used)])[~is_true])

    def structure(self) -> Iterator[Block]:
        """Yield the clauses of all trees, regardless of the examples."""
        yield from clause_groups.lower_bound_holds(self.trees.vars, self.trees.lower)
        yield from clause_groups.children_are_used(self.trees.vars)
        yield from map(self.relaxed, self.trees.structure())

    def relaxed_purity(self, relaxation: Vars) -> Iterator[Block]:
        """Yield, for each node and example, "a used leaf that the example reaches is of its class, or it is relaxed".

        Parameters
        ----------
        relaxation : ndarray of literals that broadcasts to (n_examples, 1)
            Implied if the example is misclassified.
        """
        problem, present = self.problem, present_classes(self.problem)
        relaxation = np.broadcast_to(relaxation, (problem.n_examples, 1))
        step = LARGEST_BLOCK // problem.n_features + 1
        for start in range(0, problem.n_examples, step):
            chunk = np.arange(start, min(start + step, problem.n_examples))
            bits = problem.examples.take(chunk).unpack()
            classes = np.searchsorted(present, problem.labels[chunk])
            for block in clause_groups.examples_reach_their_class(self.trees.vars, bits, classes):
                yield np.column_stack([relaxation[chunk], self.relaxed(block)])

    @staticmethod
    def n_bytes(problem: BinaryProblem, depth: int) -> float:
        """Estimate the memory that a SAT solver needs: 4 bytes per literal and 60 per clause."""
        n_clauses, n_literals = TreeEncoding.estimate(problem, 2 ** (depth + 1) - 1)
        return 60 * n_clauses + 4 * (n_literals + 2 * n_clauses)

    def tree(self, model: Model) -> Tree:
        """Decode a model into a tree, without redundant tests."""
        return remove_redundant_tests(self.trees.tree(model), self.problem, keep_root=self.root is not None)
