"""Trees of bounded depth as SAT: every position of the complete binary tree may hold a test or not.

With a bounded depth, the shape of the tree needs no search, only the tests and the classes of the 2^d leaves do. The
formula therefore has no variables for the shape, and each example takes 2^d clauses, one per leaf: the example does not
reach the leaf, or the leaf has its class. Which feature values a leaf requires is encoded once for all examples, as in
the paper's encoding. Variables for the path of each example, per node, per level (as Avellaneda does) or per leaf, were
tried: with 266 rows of haberman and 134 of tae at depth 4, a proof by levels took 13 and 46 s, this one 9 and 27 s.

Avellaneda, *Efficient Inference of Optimal Decision Trees*, AAAI 2020; Narodytska, Ignatiev, Pereira, Marques-Silva,
*Learning Optimal Decision Trees with SAT*, IJCAI 2018, for the encoding of the excluded values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..formula import Block, Model, Objective, Sink, Soft, VarPool, exactly_one, implies, units
from ..formula.sums.generalised import merge_chains
from ..problem import BinaryProblem
from ..tree import Tree
from .variables import LARGEST_BLOCK, Indices, Vars, class_literals, decode_classes, present_classes

MAX_DEPTH = 20  # a million leaves: far more than any solver can handle
MAX_CLAUSES = 4_000_000  # of the error counters
MAX_LITERALS = 1 << 22  # of a block; the clock is checked between blocks


def remove_redundant_tests(tree: Tree, problem: BinaryProblem, *, keep_root: bool = False) -> Tree:
    """Return the tree without tests that send all examples to one side, or whose two subtrees are equal.

    An encoding of complete trees may place tests that no example needs, so a model can be larger than the tree it
    stands for. Sizes refer to the tree returned here, which has the same predictions on all examples.

    Parameters
    ----------
    tree : Tree
    problem : BinaryProblem
        The problem whose features the tree tests.
    keep_root : bool, default=False
        Keep the test of the root, which a constraint demands, unless the tree becomes a single leaf.

    Examples
    --------
    >>> problem = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0]], ["a", "a", "b"])
    >>> remove_redundant_tests(Tree.from_nested((0, (1, "a", "a"), (1, "b", "a"))), problem).to_nested()
    (0, 'a', 'b')
    """
    bits = problem.features.take(np.array(tree.features, dtype=np.intp)).unpack()
    values = dict(zip(tree.features, bits, strict=True))

    def prune(node: int, members: NDArray[np.bool_]) -> Any:
        if tree.left[node] < 0:
            return int(tree.label[node])
        feature, left = int(tree.feature[node]), int(tree.left[node])
        no, yes = members & ~values[feature], members & values[feature]
        if not yes.any() or not no.any():
            return prune(left if no.any() else left + 1, members)
        subtrees = prune(left, no), prune(left + 1, yes)
        is_required = keep_root and node == 0 and isinstance(subtrees[0], tuple)
        return subtrees[0] if subtrees[0] == subtrees[1] and not is_required else (feature, *subtrees)

    nested = prune(0, np.ones(problem.n_examples, dtype=np.bool_))
    pruned = Tree.from_nested(nested, range(len(tree.classes)))
    return Tree(pruned.feature, pruned.left, pruned.label, tree.classes)


class CompleteTreeEncoding:
    """The trees with at most a given number of tests on every path, as clauses.

    Parameters
    ----------
    problem : BinaryProblem
        With at least two classes.
    depth : int
        The maximum number of tests on a path, at least 1.
    root : collection of int, optional
        Features allowed at the root, if it tests any.

    Attributes
    ----------
    pool : VarPool
        Holds all variables.
    used : array (2^d)
        There is a test at position i. The root is position 1; the children of i are 2i for "no" and 2i+1 for "yes".
        Without a test, all examples continue to "no", so a leaf higher up is the leftmost leaf below its position.
    tests : array (n_features, 2^d)
        Feature r is tested at position i.
    leaf_class : array (n_class_literals, 2^d)
        The class of each leaf, from left to right: for two classes one row of literals for "the second class", else
        one row per class.

    Examples
    --------
    >>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> encoding = CompleteTreeEncoding(xor, 2)
    >>> encoding.pool.name(int(encoding.tests[1, 3]))
    'tests[1,3]'
    """

    def __init__(self, problem: BinaryProblem, depth: int, *, root: Collection[int] | None = None) -> None:
        self._present = present_classes(problem)
        if not 1 <= depth <= MAX_DEPTH:
            raise InputError(f"a tree of depth {depth} cannot be encoded: use 1 to {MAX_DEPTH}")
        self.problem, self.depth, self.root = problem, depth, root
        self.n_leaves = 2**depth
        self.pool = VarPool()
        exists = np.arange(self.n_leaves) > 0
        shape = (problem.n_features, self.n_leaves)
        self.used = self.pool.where("used", exists)
        self.tests = self.pool.where("tests", np.broadcast_to(exists, shape))
        self.leaf_class = self._allocate_classes()
        self._ladder = self.pool.array("ladder", self.n_leaves - 1, max(0, problem.n_features - 1))
        self._required = self._allocate_required()

    def _allocate_classes(self) -> Vars:
        """Allocate the classes; for two classes, sibling leaves share a variable, since their classes differ."""
        if len(self._present) > 2:
            return self.pool.array("class", len(self._present), self.n_leaves)
        left = self.pool.array("class", 1, self.n_leaves // 2)
        return np.stack([left, -left], axis=2).reshape(1, self.n_leaves)

    def _allocate_required(self) -> Vars:
        """Allocate variables (value, feature, position): only examples with this value reach the position.

        There is no variable for a value that no test on the path can require. If the last test does not require the
        value, the position shares the variable of its parent.
        """
        required = np.zeros((2, self.problem.n_features, 2 * self.n_leaves), dtype=np.int32)
        for position in range(2, 2 * self.n_leaves):
            parent, value = divmod(position, 2)
            required[:, :, position] = required[:, :, parent]
            is_first = not required[value, :, parent].any()
            own = (
                self.tests[:, parent] if is_first else self.pool.array(f"required[{position}]", self.problem.n_features)
            )
            required[value, :, position] = own
        return required

    # Clauses

    def structure(self) -> Iterator[Block]:
        """Yield the clauses of all trees, regardless of the examples."""
        inner = self.positions
        yield implies(self.tests[:, 1:], self.used[1:])
        yield from exactly_one(self.tests[:, 1:].T, self._ladder, when=(self.used[1:],))
        yield implies(self.used[inner[1:]], self.used[inner[1:] // 2])
        yield from self._required_values()
        yield from self._no_repeated_feature()
        yield from self._leaves_have_one_class()
        if self.root is not None:
            others = np.setdiff1d(np.arange(self.problem.n_features), np.array(sorted(self.root), dtype=np.intp))
            yield units(-self.tests[others, 1])

    @property
    def positions(self) -> Indices:
        """The positions that may hold a test."""
        return np.arange(1, self.n_leaves)

    def _required_values(self) -> Iterator[Block]:
        """Define the values required at a position: those of its parent, and that of the parent's test."""
        for position in range(4, 2 * self.n_leaves):
            parent, value = divmod(position, 2)
            here, above = self._required[value, :, position], self._required[value, :, parent]
            tested = self.tests[:, parent]
            if above.any():
                yield implies(tested, here)
                yield implies(above, here)
                yield implies(here, above, tested)

    def _no_repeated_feature(self) -> Iterator[Block]:
        """Forbid testing a feature twice on a path: the second test would send all examples to one side."""
        for position in self.positions[1:]:
            for required in self._required[:, :, position]:
                if required.any():
                    yield implies(required, -self.tests[:, position])

    def _leaves_have_one_class(self) -> Iterator[Block]:
        """Require exactly one class per leaf, and different classes for the two leaves of a test."""
        if len(self.leaf_class) == 1:
            return
        yield self.leaf_class.T
        first, second = np.triu_indices(len(self.leaf_class), 1)
        yield implies(self.leaf_class[first], -self.leaf_class[second])
        last = self.used[self.n_leaves // 2 :]
        yield implies((last, self.leaf_class[:, ::2]), -self.leaf_class[:, 1::2])

    def purity(self, indices: NDArray[np.intp] | None = None) -> Iterator[Block]:
        """Yield the clauses that make the tree classify examples correctly: all, or those with the given indices."""
        yield from self.relaxed_purity(np.zeros((1, 1), dtype=np.int32), indices)

    def relaxed_purity(self, relaxation: Vars, indices: NDArray[np.intp] | None = None) -> Iterator[Block]:
        """Yield, for each leaf and example, "if the example reaches the leaf, its class is correct or relaxed".

        Parameters
        ----------
        relaxation : ndarray of literals that broadcasts to (n_examples, n_leaves)
            Implied if the example is misclassified at the leaf; 0 for no relaxation.
        indices : ndarray of int, optional
            The indices of the examples; by default all of them.
        """
        indices = np.arange(self.problem.n_examples) if indices is None else indices
        relaxation = np.broadcast_to(relaxation, (len(indices), self.n_leaves))
        step = max(1, min(LARGEST_BLOCK // self.n_leaves, MAX_LITERALS // self.problem.n_features))
        for start in range(0, len(indices), step):
            chunk = slice(start, start + step)
            bits = self.problem.examples.take(indices[chunk]).unpack()
            classes = np.searchsorted(self._present, self.problem.labels[indices[chunk]])
            correct = class_literals(self.leaf_class, classes)
            for leaf in range(self.n_leaves):
                excluded = np.where(bits, *self._required[:, :, self.n_leaves + leaf])
                unused = np.broadcast_to(-self._last_yes(leaf), len(bits))
                yield np.column_stack([correct[:, leaf], relaxation[chunk, leaf], unused, excluded])

    def _last_yes(self, leaf: int) -> np.int32:
        """Return the literal "the last test that has the leaf on its yes side is used"; 0 for the leftmost leaf.

        If it is used, so are the tests above it.
        """
        position = self.n_leaves + leaf
        while position > 1 and position % 2 == 0:
            position //= 2
        return np.int32(self.used[position // 2])

    @staticmethod
    def n_bytes(problem: BinaryProblem, depth: int, n_examples: int | None = None) -> float:
        """Estimate the memory that a SAT solver needs: 4 bytes per literal and 60 per clause.

        ``n_examples`` is the number of examples in the formula, by default all.
        """
        n_examples = problem.n_examples if n_examples is None else n_examples
        n_leaves, k = 2.0 ** min(depth, 1000), problem.n_features  # a float has no larger power
        n_required = 2 * n_leaves * k
        structure = 72 * (3 * n_required + depth * n_required + 4 * n_leaves * k)
        return structure + n_leaves * n_examples * (60 + 4.0 * (k + 2))

    # Models

    def tree(self, model: Model) -> Tree:
        """Decode a model into a tree, without redundant tests."""
        used = model[self.used] & (self.used > 0)
        features = model[self.tests].argmax(axis=0)
        classes = self._present[decode_classes(model[np.abs(self.leaf_class)] == (self.leaf_class > 0))]

        def subtree(position: int, depth: int) -> Any:
            if depth == self.depth or not used[position]:
                return int(classes[(position << (self.depth - depth)) - self.n_leaves])
            return (int(features[position]), subtree(2 * position, depth + 1), subtree(2 * position + 1, depth + 1))

        codes = Tree.from_nested(subtree(1, 0), range(len(self.problem.classes)))
        tree = Tree(codes.feature, codes.left, codes.label, self.problem.classes)
        return remove_redundant_tests(tree, self.problem, keep_root=self.root is not None)


def can_count_errors(encoding: CompleteTreeEncoding, upper: int) -> bool:
    """Return whether :func:`count_errors` needs few enough clauses; counters up to ``upper`` are merged everywhere."""
    weights = encoding.problem.weights
    n_clauses, width = 0.0, 1.0
    total = float(weights.sum())
    while width < len(weights):
        n_sums = min(float(upper), width * total / len(weights)) + 1
        n_clauses += len(weights) / (2 * width) * n_sums**2
        width *= 2
    return bool(encoding.n_leaves * (n_clauses + (upper + 1.0) ** 2) <= MAX_CLAUSES)


def count_errors(encoding: CompleteTreeEncoding, sink: Sink, *, upper: int) -> Objective:
    """Count the rows that the tree misclassifies, up to ``upper``, node by node.

    One sum over all examples implies nothing about a part of the tree. Here every leaf counts its errors, and every
    inner position adds up those of its children, so what a solver learns about the tests below a position is a bound on
    the count of that position, valid for any tests in the rest of the tree. A proof at depth 4 for 266 rows of haberman
    took 7 to 13 s; with one sum over all examples there was none after 60 s.

    Returns
    -------
    Objective
        A single chain: "at most k" is one of its literals. It may overcount the errors, but never undercounts them.
    """
    problem, pool = encoding.problem, encoding.pool
    wrong = pool.array("wrong", problem.n_examples, encoding.n_leaves)
    for block in encoding.relaxed_purity(wrong):
        sink.add(block)
    order = np.lexsort((*problem.examples.unpack().T, problem.labels))  # similar examples are counted together
    weights = np.minimum(problem.weights[order], upper).tolist()
    counts = [
        merge_chains([{weight: var} for weight, var in zip(weights, at_leaf, strict=True)], pool, sink, upper=upper)
        for at_leaf in wrong[order].T.tolist()
    ]
    while len(counts) > 1:
        counts = [merge_chains(pair, pool, sink, upper=upper) for pair in zip(counts[::2], counts[1::2], strict=True)]
    increments = np.diff([0, *counts[0]]).tolist()
    chain = tuple(Soft(step, (-var,)) for step, var in zip(increments, counts[0].values(), strict=True))
    return Objective((chain,))
