"""The front and its trees by exhaustive search: slow, short, and sharing no code with puretree.

Rows are 0/1 rows, each with a cost for every class. A leaf predicts its cheapest class, the first if several are. Trees
are nested triples (feature, no, yes) with classes as leaves.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import inf
from typing import Any

from helpers.oracles.brute_force import walk

Rows = Sequence[Sequence[int]]
Members = frozenset[int]


class BruteForceFront:
    """The least costs of trees with so many tests, and the trees that are counted.

    The trees that are counted have no test with two leaves of the same class: it changes nothing.

    Parameters
    ----------
    rows : sequence of 0/1 rows
        Equal rows and equal or complementary features are allowed; every feature counts as a test of its own.
    costs : sequence of sequences of int
        The cost of labelling each row with each class.
    weights : sequence of int, optional
        The number of samples of each row; 1 by default.
    max_depth : int, optional
        The maximum number of tests on a path.
    min_samples_leaf : int, default=1
        The minimum number of samples in a leaf, unless the tree is a single leaf.
    root : collection of int, optional
        The features that the root may test; a single leaf tests none.
    """

    def __init__(
        self,
        rows: Rows,
        costs: Sequence[Sequence[int]],
        weights: Sequence[int] | None = None,
        *,
        max_depth: float | None = None,
        min_samples_leaf: int = 1,
        root: Sequence[int] | None = None,
    ) -> None:
        self.rows, self.costs = rows, costs
        self.weights = [1] * len(rows) if weights is None else weights
        self.max_depth = inf if max_depth is None else max_depth
        self.min_samples_leaf, self.root = min_samples_leaf, root
        self.all_rows = frozenset(range(len(rows)))
        self._least, self._counts, self._trees = cache(self._least_cost), cache(self._count), cache(self._list)

    def least_cost(self, n_tests: int) -> int:
        """Return the least cost of a tree with at most so many tests."""
        return self._least(self.all_rows, n_tests, self.max_depth)

    def counts(self, n_tests: int) -> Counter[tuple[int, int]]:
        """Return the number of trees by their number of tests and cost, for up to so many tests."""
        sizes = range(n_tests + 1)
        return Counter(
            {(size, cost): n for size in sizes for cost, n in self._counts(self.all_rows, size, self.max_depth).items()}
        )

    def trees(self, n_tests: int, cost: int | None = None) -> list[object]:
        """Return the trees with exactly so many tests, and exactly this cost if it is given."""
        found = self._trees(self.all_rows, n_tests, self.max_depth)
        return [tree for of_tree, tree in found if cost is None or of_tree == cost]

    def leaf(self, members: Members) -> tuple[int, int]:
        """Return the cost of some rows as a leaf, and its class."""
        totals = [sum(self.costs[i][c] for i in members) for c in range(len(self.costs[0]))]
        return min(totals), totals.index(min(totals))

    def may_be_leaf(self, members: Members) -> bool:
        """Return whether some rows are enough for a leaf."""
        return members == self.all_rows or sum(self.weights[i] for i in members) >= self.min_samples_leaf

    def splits(self, members: Members) -> Iterator[tuple[int, Members, Members]]:
        """Yield the features that may be tested, with the rows of each side."""
        for feature in range(len(self.rows[0])):
            yes = frozenset(i for i in members if self.rows[i][feature])
            if yes and yes != members and (members != self.all_rows or self.root is None or feature in self.root):
                yield feature, members - yes, yes

    def _least_cost(self, members: Members, n_tests: int, depth: float) -> int:
        best: float = self.leaf(members)[0] if self.may_be_leaf(members) else inf
        if n_tests > 0 and depth > 0:
            for _, no, yes in self.splits(members):
                for n_no in range(n_tests):
                    n_yes = n_tests - 1 - n_no
                    best = min(best, self._least(no, n_no, depth - 1) + self._least(yes, n_yes, depth - 1))
        return best  # type: ignore[return-value]  # infinite only for rows that may not be a leaf

    def _count(self, members: Members, n_tests: int, depth: float) -> Counter[int]:
        """Return the number of trees with exactly so many tests, by their cost."""
        if n_tests == 0:
            return Counter({self.leaf(members)[0]: 1} if self.may_be_leaf(members) else {})
        counts: Counter[int] = Counter()
        for _, no, n_no, yes, n_yes in self._sized_splits(members, n_tests, depth):
            for no_cost, n_no_trees in self._counts(no, n_no, depth - 1).items():
                for yes_cost, n_yes_trees in self._counts(yes, n_yes, depth - 1).items():
                    counts[no_cost + yes_cost] += n_no_trees * n_yes_trees
        return counts

    def _list(self, members: Members, n_tests: int, depth: float) -> list[tuple[int, object]]:
        """Return the trees with exactly so many tests, each with its cost."""
        if n_tests == 0:
            return [self.leaf(members)] if self.may_be_leaf(members) else []
        return [
            (no_cost + yes_cost, (feature, no_tree, yes_tree))
            for feature, no, n_no, yes, n_yes in self._sized_splits(members, n_tests, depth)
            for no_cost, no_tree in self._trees(no, n_no, depth - 1)
            for yes_cost, yes_tree in self._trees(yes, n_yes, depth - 1)
        ]

    def _sized_splits(
        self, members: Members, n_tests: int, depth: float
    ) -> Iterator[tuple[int, Members, int, Members, int]]:
        """Yield the tests of a tree that is counted, with the rows and the number of tests of each side."""
        if depth == 0:
            return
        for feature, no, yes in self.splits(members):
            for n_no in range(n_tests):
                n_yes = n_tests - 1 - n_no
                if n_no + n_yes > 0 or self.leaf(no)[1] != self.leaf(yes)[1]:
                    yield feature, no, n_no, yes, n_yes


def canonical_with_costs(rows: Rows, costs: Sequence[Sequence[int]]) -> Callable[[object], Any]:
    """Return a key that sorts trees over some rows: by size, then by cost, then by the tests."""

    def size_and_key(nested: Any, members: list[int]) -> Any:
        if not isinstance(nested, tuple):
            return 0, sum(costs[i][nested] for i in members), ()
        feature, no, yes = nested
        of_no = size_and_key(no, [i for i in members if not rows[i][feature]])
        of_yes = size_and_key(yes, [i for i in members if rows[i][feature]])
        return 1 + of_no[0] + of_yes[0], of_no[1] + of_yes[1], (feature, of_no, of_yes)

    return lambda nested: size_and_key(nested, list(range(len(rows))))


def cost_of(nested: object, rows: Rows, costs: Sequence[Sequence[int]]) -> int:
    """Return the cost of a tree over some rows."""
    labels: list[Any] = [walk(nested, row) for row in rows]
    return sum(of_row[label] for of_row, label in zip(costs, labels, strict=True))
