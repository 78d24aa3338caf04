"""Cut what a tree does not need on the data: a complete tree has places that no example reaches.

Encodings of complete trees fill every place, so their models are larger than the trees they stand for. Sizes are told
of the tree that is left here, which answers the same on every example.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..formula import Block, Model, Objective, Sink, Soft, VarPool, exactly_one, implies, units
from ..formula.sums.generalised import add_up
from ..problem import BinaryProblem
from ..tree import Tree
from .variables import LARGEST_BLOCK, Places, Vars, class_literals, present_classes, said_classes


def without_useless_tests(tree: Tree, problem: BinaryProblem, *, keep_root: bool = False) -> Tree:
    """Return the tree without tests that send all examples one way, or that lead to the same answers both ways.

    Parameters
    ----------
    tree : Tree
    problem : BinaryProblem
        Whose features it tests.
    keep_root : bool, default=False
        Leave the first test alone, which somebody asked for, unless a single leaf does as well.

    Examples
    --------
    >>> problem = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0]], ["a", "a", "b"])
    >>> without_useless_tests(Tree.from_nested((0, (1, "a", "a"), (1, "b", "a"))), problem).to_nested()
    (0, 'a', 'b')
    """
    bits = problem.features.take(np.array(tree.features, dtype=np.intp)).unpack()
    answers = dict(zip(tree.features, bits, strict=True))

    def cut(node: int, members: NDArray[np.bool_]) -> Any:
        if tree.left[node] < 0:
            return int(tree.label[node])
        feature, left = int(tree.feature[node]), int(tree.left[node])
        no, yes = members & ~answers[feature], members & answers[feature]
        if not yes.any() or not no.any():
            return cut(left if no.any() else left + 1, members)
        below = cut(left, no), cut(left + 1, yes)
        is_asked_for = keep_root and node == 0 and isinstance(below[0], tuple)
        return below[0] if below[0] == below[1] and not is_asked_for else (feature, *below)

    nested = cut(0, np.ones(problem.n_examples, dtype=np.bool_))
    kept = Tree.from_nested(nested, range(len(tree.classes)))
    return Tree(kept.feature, kept.left, kept.label, tree.classes)


# All trees of at most d tests on a path, as clauses: every place of the complete tree may be used or not.
#
# Where the depth is bounded, the shape needs no search: only the tests and the classes of 2^d leaves do. So the formula
# has no layout at all, and an example takes 2^d clauses, one for each leaf: it is kept away from the leaf, or the leaf
# has its class. Which values are kept away is said once for all examples, as in the paper's encoding. Variables for the
# way of each example, by place, by level (as Avellaneda has it) or by leaf, were tried: with 266 rows of haberman and
# 134 of tae at depth 4 a proof by levels took 13 and 46 s, this one 9 and 27 s.
#
# Avellaneda, *Efficient Inference of Optimal Decision Trees*, AAAI 2020; Narodytska, Ignatiev, Pereira, Marques-Silva,
# *Learning Optimal Decision Trees with SAT*, IJCAI 2018, for the values kept away.
#
# >>> xor = BinaryProblem.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
# >>> encoding = CompleteTreeEncoding(xor, 2)
# >>> encoding.pool.name(int(encoding.asks[1, 3]))
# 'asks[1,3]'

DEEPEST = 20  # a million leaves: far more than any solver takes


class CompleteTreeEncoding:
    """The trees of at most so many tests on every path.

    Parameters
    ----------
    problem : BinaryProblem
        With two classes or more.
    depth : int
        The most tests on a path, at least 1.
    root : collection of int, optional
        Features of which the root must ask one, if it asks any.

    Attributes
    ----------
    pool : VarPool
        Holds all variables.
    used : array (2^d)
        A test is asked at place i. The root is place 1, the places below i are 2i for "no" and 2i+1 for "yes". Where
        none is asked, all examples go on to "no", so a leaf higher up is the leftmost one below it.
    asks : array (n_features, 2^d)
        Feature r is asked at place i.
    says : array (n_class_literals, 2^d)
        The class of each leaf, from left to right: one row of literals for "the second class" where there are two,
        else one row a class.
    """

    def __init__(self, problem: BinaryProblem, depth: int, *, root: Collection[int] | None = None) -> None:
        self._present = present_classes(problem)
        if not 1 <= depth <= DEEPEST:
            raise InputError(f"a tree of depth {depth} cannot be encoded: use 1 to {DEEPEST}")
        self.problem, self.depth, self.root = problem, depth, root
        self.n_leaves = 2**depth
        self.pool = VarPool()
        place = np.arange(self.n_leaves) > 0
        shape = (problem.n_features, self.n_leaves)
        self.used = self.pool.where("used", place)
        self.asks = self.pool.where("asks", np.broadcast_to(place, shape))
        self.says = self._allocate_classes()
        self._ladder = self.pool.array("ladder", self.n_leaves - 1, max(0, problem.n_features - 1))
        self._kept = self._allocate_kept()

    def _allocate_classes(self) -> Vars:
        """Take a variable for two leaves where there are two classes: leaves side by side never say the same."""
        if len(self._present) > 2:
            return self.pool.array("says", len(self._present), self.n_leaves)
        left = self.pool.array("says", 1, self.n_leaves // 2)
        return np.stack([left, -left], axis=2).reshape(1, self.n_leaves)

    def _allocate_kept(self) -> Vars:
        """Take variables (value, feature, place): examples with the other value do not get to the place.

        A value that no test on the way can ask for has none; one that the last test does not ask for has its
        parent's.
        """
        kept = np.zeros((2, self.problem.n_features, 2 * self.n_leaves), dtype=np.int32)
        for place in range(2, 2 * self.n_leaves):
            parent, value = divmod(place, 2)
            kept[:, :, place] = kept[:, :, parent]
            is_first = not kept[value, :, parent].any()
            own = self.asks[:, parent] if is_first else self.pool.array(f"kept[{place}]", self.problem.n_features)
            kept[value, :, place] = own
        return kept

    # Clauses

    def structure(self) -> Iterator[Block]:
        """Yield the clauses of all trees, whatever they say of the examples."""
        inner = self.places
        yield implies(self.asks[:, 1:], self.used[1:])
        yield from exactly_one(self.asks[:, 1:].T, self._ladder, when=(self.used[1:],))
        yield implies(self.used[inner[1:]], self.used[inner[1:] // 2])
        yield from self._kept_values()
        yield from self._no_feature_twice()
        yield from self._leaves()
        if self.root is not None:
            others = np.setdiff1d(np.arange(self.problem.n_features), np.array(sorted(self.root), dtype=np.intp))
            yield units(-self.asks[others, 1])

    @property
    def places(self) -> Places:
        """The places where a test may be asked."""
        return np.arange(1, self.n_leaves)

    def _kept_values(self) -> Iterator[Block]:
        """Say that a value is asked for on the way to a place if its parent asks for it, or it was on the way there."""
        for place in range(4, 2 * self.n_leaves):
            parent, value = divmod(place, 2)
            here, before, asked = self._kept[value, :, place], self._kept[value, :, parent], self.asks[:, parent]
            if before.any():
                yield implies(asked, here)
                yield implies(before, here)
                yield implies(here, before, asked)

    def _no_feature_twice(self) -> Iterator[Block]:
        """Say that no feature is asked twice on a path: the second test would send all examples one way."""
        for place in self.places[1:]:
            for before in self._kept[:, :, place]:
                if before.any():
                    yield implies(before, -self.asks[:, place])

    def _leaves(self) -> Iterator[Block]:
        """Say that every leaf says one class, and that two below one test say different ones."""
        if len(self.says) == 1:
            return
        yield self.says.T
        first, second = np.triu_indices(len(self.says), 1)
        yield implies(self.says[first], -self.says[second])
        last = self.used[self.n_leaves // 2 :]
        yield implies((last, self.says[:, ::2]), -self.says[:, 1::2])

    def purity(self, which: NDArray[np.intp] | None = None) -> Iterator[Block]:
        """Yield the clauses that make the tree right on examples: on all, or on those given by number."""
        yield from self.right_or(np.zeros((1, 1), dtype=np.int32), which)

    def right_or(self, excuse: Vars, which: NDArray[np.intp] | None = None) -> Iterator[Block]:
        """Yield the clauses that say of each leaf and example: if it gets there, the class is right or there is excuse.

        Parameters
        ----------
        excuse : ndarray of literals that broadcasts to (n_examples, n_leaves)
            What is true if the example is wrong at the leaf; 0 for no excuse.
        which : ndarray of int, optional
            The examples; all of them unless given.
        """
        which = np.arange(self.problem.n_examples) if which is None else which
        excuse = np.broadcast_to(excuse, (len(which), self.n_leaves))
        some = max(1, LARGEST_BLOCK // self.n_leaves)
        for start in range(0, len(which), some):
            part = slice(start, start + some)
            bits = self.problem.examples.take(which[part]).unpack()
            right = class_literals(self.says, np.searchsorted(self._present, self.problem.labels[which[part]]))
            for leaf in range(self.n_leaves):
                away = np.where(bits, *self._kept[:, :, self.n_leaves + leaf])
                unused = np.broadcast_to(-self._last_yes(leaf), len(bits))
                yield np.column_stack([right[:, leaf], excuse[part, leaf], unused, away])

    def _last_yes(self, leaf: int) -> np.int32:
        """Return whether the last test is asked that a leaf lies on the "yes" side of; 0 for the leftmost leaf.

        The tests above it are asked then, too.
        """
        place = self.n_leaves + leaf
        while place > 1 and place % 2 == 0:
            place //= 2
        return np.int32(self.used[place // 2])

    @staticmethod
    def n_bytes(problem: BinaryProblem, depth: int, n_examples: int) -> float:
        """Return about how much memory a SAT solver needs: 4 bytes a literal and 60 a clause."""
        n_leaves, k = 2.0**depth, problem.n_features
        n_kept = 2 * n_leaves * k
        return 72 * (3 * n_kept + depth * n_kept + 4 * n_leaves * k) + n_leaves * n_examples * (60 + 4.0 * (k + 2))

    # Models

    def tree(self, model: Model) -> Tree:
        """Read the tree out of a model, without what no example needs."""
        used = model[self.used] & (self.used > 0)
        asked = model[self.asks].argmax(axis=0)
        classes = self._present[said_classes(model[np.abs(self.says)] == (self.says > 0))]

        def read(place: int, depth: int) -> Any:
            if depth == self.depth or not used[place]:
                return int(classes[(place << (self.depth - depth)) - self.n_leaves])
            return (int(asked[place]), read(2 * place, depth + 1), read(2 * place + 1, depth + 1))

        codes = Tree.from_nested(read(1, 0), range(len(self.problem.classes)))
        tree = Tree(codes.feature, codes.left, codes.label, self.problem.classes)
        return without_useless_tests(tree, self.problem, keep_root=self.root is not None)


# The errors of a tree of bounded depth, counted place by place.
#
# One sum over all examples says nothing of a part of the tree. Here every leaf counts its errors, and every place adds up
# those of the two below it: what a solver learns about the tests below a place is then a bound on that place's count, and
# holds wherever the rest of the tree asks. A proof at depth 4 for 266 rows of haberman took 7 to 13 s, and with one sum
# of all examples there was none after 60 s.

LARGEST = 4_000_000  # clauses


def is_small(encoding: CompleteTreeEncoding, most: int) -> bool:
    """Whether the clauses are few enough to be worth it: two counts of up to ``most`` are merged at every place."""
    weights = encoding.problem.weights
    n_clauses, width = 0.0, 1.0
    total = float(weights.sum())
    while width < len(weights):
        n_sums = min(float(most), width * total / len(weights)) + 1
        n_clauses += len(weights) / (2 * width) * n_sums**2
        width *= 2
    return bool(encoding.n_leaves * (n_clauses + (most + 1.0) ** 2) <= LARGEST)


def count_errors(encoding: CompleteTreeEncoding, sink: Sink, *, most: int) -> Objective:
    """Say how many rows the tree is wrong on, as long as that is below ``most``.

    Returns
    -------
    Objective
        A single chain: "at most k" is one of its literals. It may count more than there are, never less.
    """
    problem, pool = encoding.problem, encoding.pool
    wrong = pool.array("wrong", problem.n_examples, encoding.n_leaves)
    for block in encoding.right_or(wrong):
        sink.add(block)
    order = np.lexsort((*problem.examples.unpack().T, problem.labels))  # examples that go together are counted together
    weights = np.minimum(problem.weights[order], most).tolist()
    counts = [
        add_up([{weight: var} for weight, var in zip(weights, at_leaf, strict=True)], pool, sink, most=most)
        for at_leaf in wrong[order].T.tolist()
    ]
    while len(counts) > 1:
        counts = [add_up(pair, pool, sink, most=most) for pair in zip(counts[::2], counts[1::2], strict=True)]
    totals = [0, *counts[0]]
    rises = np.diff(totals).tolist()
    return Objective((tuple(Soft(rise, (-var,)) for rise, var in zip(rises, counts[0].values(), strict=True)),))
