"""Upper bounds on minimum pure trees, by heuristics: greedy growth and incremental induction (ITI).

Every exact engine is faster when it starts from a known tree. `starting_trees` runs the heuristics and yields the trees
that satisfy the constraints. The heuristics' trees are pure and rarely minimum, and come without a lower bound.
`majority_leaf` is the upper bound for engines that minimise training errors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import inf
from time import monotonic
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._support.clock import Clock
from ..errors import InputError
from ..problem import BinaryProblem, Codes, CodeTree, Constraints, OrdinalProblem
from ..tree import Tree

Heuristic = Literal["greedy", "iti"]
Rows = Literal["given", "merged"]

GREEDY_FRACTION, ITI_FRACTION = 0.8, 0.1  # of the remaining time
GREEDY_GRACE = 0.3  # seconds after the time limit: a tree is needed in any case
MAX_ROOTS = 20
MAX_ROWS = 100_000  # that ITI processes one by one: 6 to 40 µs each, for each order


def starting_trees(
    problem: BinaryProblem, constraints: Constraints, clock: Clock, by: Collection[Heuristic] = ("greedy", "iti")
) -> Iterator[Tree]:
    """Yield pure trees that satisfy the constraints, fastest heuristic first; none if no heuristic finds one.

    Parameters
    ----------
    problem : BinaryProblem
    constraints : Constraints
    clock : Clock
    by : collection of {"greedy", "iti"}
        Greedy growth from the root, or incremental induction, which takes longer.
    """
    for tree in _heuristic_trees(problem, constraints, clock, by):
        if tree is not None and constraints.allows(tree, problem):
            yield tree


def _heuristic_trees(
    problem: BinaryProblem, constraints: Constraints, clock: Clock, by: Collection[Heuristic]
) -> Iterator[Tree | None]:
    if "greedy" in by:
        yield greedy_tree(problem, seconds=_greedy_seconds(clock))
        if constraints.root is not None:
            yield from _rooted_trees(problem, sorted(constraints.root), clock)
    if "iti" in by:
        yield iti_tree(problem, seconds=clock.part(ITI_FRACTION).left)


def _rooted_trees(problem: BinaryProblem, roots: list[int], clock: Clock) -> Iterator[Tree]:
    """Yield a tree for each of some evenly spaced roots; at least one tree, even after the time limit."""
    for i, feature in enumerate(roots[:: len(roots) // MAX_ROOTS + 1]):
        if i and clock.is_over:
            return
        yield rooted_greedy_tree(problem, feature, seconds=_greedy_seconds(clock))


def _greedy_seconds(clock: Clock) -> float:
    return max(min(GREEDY_GRACE, clock.extended(GREEDY_GRACE).left), GREEDY_FRACTION * clock.left)


def rows_per_class(problem: BinaryProblem) -> NDArray[np.int64]:
    """Return the number of rows of each class, as exact integers."""
    n_rows = np.zeros(len(problem.classes), dtype=np.int64)
    np.add.at(n_rows, problem.labels, problem.weights)
    return n_rows


def majority_leaf(problem: BinaryProblem) -> Tree:
    """Return the single leaf that predicts the class with most rows."""
    return Tree.leaf(int(rows_per_class(problem).argmax()), problem.classes)


def greedy_tree(problem: BinaryProblem, *, seconds: float = inf) -> Tree:
    """Grow a pure tree by information gain; ties go to the first feature.

    Parameters
    ----------
    problem : BinaryProblem
        Has no contradictory rows, as every BinaryProblem.
    seconds : float, default=inf
        After this time, split on any feature that separates two classes: the tree is still pure, but larger.

    Returns
    -------
    Tree
        Over the problem's features.

    References
    ----------
    Quinlan, *Induction of Decision Trees*, Machine Learning 1, 1986.
    """
    return _grow(problem, np.arange(problem.n_examples), seconds)


def rooted_greedy_tree(problem: BinaryProblem, feature: int, *, seconds: float = inf) -> Tree:
    """Grow a pure tree by information gain below a root that tests `feature`."""
    is_true = problem.answers(feature)
    no, yes = (_grow(problem, np.flatnonzero(side), seconds / 2) for side in (~is_true, is_true))
    return Tree.join(feature, no, yes)


def _grow(problem: BinaryProblem, which: NDArray[np.intp], seconds: float) -> Tree:
    labels = problem.labels[which]
    if isinstance(problem, OrdinalProblem):
        is_all = len(which) == problem.n_examples
        grown = grow_code_tree(
            problem.codes if is_all else problem.codes.take(which), labels, len(problem.classes), seconds
        )
        assert grown is not None
        return problem.tree_of_codes(grown)
    examples = problem.examples.take(which)
    arrays = _native.greedy_tree(examples.words, examples.n_bits, labels, len(problem.classes), seconds)
    return Tree(*arrays, problem.classes)


def grow_code_tree(
    codes: Codes,
    labels: NDArray[np.int32],
    n_classes: int,
    seconds: float,
    *,
    criterion: Literal["entropy", "gini"] = "entropy",
    gives_up: bool = False,
) -> CodeTree | None:
    """Grow a pure tree over codes; at the time limit, return None if it gives up, else a larger tree soon after."""
    arrays = _native.grow_code_tree(
        codes.values, codes.is_ordered, labels, n_classes, criterion == "gini", seconds, gives_up
    )
    return None if arrays is None else CodeTree(*arrays)


def iti_tree(
    problem: BinaryProblem,
    *,
    rows: Rows = "given",
    n_orders: int = 5,
    seconds: float = inf,
    random_state: int = 0,
) -> Tree | None:
    """Induce pure trees incrementally, in several orders of the rows, and return the smallest.

    ITI processes the rows one at a time. Each descends to its leaf; a leaf with two classes is split; and where a test
    no longer has the highest information gain, the best one is pulled up from the subtrees level by level, which
    preserves the work done below.

    Parameters
    ----------
    problem : BinaryProblem
        Has no contradictory rows, as every BinaryProblem.
    rows : {"given", "merged"}, default="given"
        What ITI processes: the rows of the table, equal ones as often as they occur, as Utgoff does, so that gains
        count rows; or each example once. Rows that a conflict removed are not processed. Tables of more than 100,000
        rows are always merged, so that the heuristic takes seconds rather than minutes without a time limit.
    n_orders : int, default=5
        Number of orders to try: the table's own, then random ones.
    seconds : float, default=inf
        Time limit for all orders together.
    random_state : int, default=0
        Seed of the random orders.

    Returns
    -------
    Tree or None
        Over the problem's features; the first of equally small trees. None if the time is too short for one order.

    Notes
    -----
    This is the bound that the paper and MinDT start from; the paper does not say how many orders it tries. On the
    paper's 52 data sets, binarised as in the paper, the tree of five orders is smaller than the greedy tree on 7 and
    larger on 14; from merged rows, which the greedy tree is grown from as well, it is smaller on 14 and larger on 3.
    The smaller of the two trees, which engines start from, is smaller than with merged rows on 5 data sets and larger
    on 8. The gain ratio of the later ITI program, instead of the information gain of 1989, was worse: larger than the
    greedy tree on 28 data sets and smaller on 10.

    For every order of the rows, each node ends up with a best test, as if the tree had been grown at once. Only among
    ties does the earlier test stay, so several orders give several trees. That pays off where ties are frequent: on
    monks-1 the trees of 200 orders have from 147 to 187 nodes, and from merged rows from 29 to 291.

    References
    ----------
    Utgoff, *Incremental Induction of Decision Trees*, Machine Learning 4, 1989.

    Utgoff, Berkman and Clouse, *Decision Tree Induction Based on Efficient Tree Restructuring*, Machine Learning 29,
    1997.
    """
    if rows not in get_args(Rows):
        raise InputError(f"is unknown; use one of {', '.join(get_args(Rows))}", parameter="rows", value=rows)
    if n_orders < 1:
        raise InputError(f"n_orders={n_orders} is too small; use at least 1")
    deadline = monotonic() + seconds
    rng = np.random.default_rng(random_state)
    best = None
    examples = problem.example_of_row[problem.kept_rows]
    if rows == "merged" or len(examples) > MAX_ROWS:
        examples = np.arange(problem.n_examples)
    order = examples
    for _ in range(n_orders):
        tree = _induce(problem, order, deadline - monotonic())
        if tree is None:
            break
        if best is None or tree.n_nodes < best.n_nodes:
            best = tree
        order = rng.permutation(examples)
    return best


def _induce(problem: BinaryProblem, order: NDArray[np.int64], seconds: float) -> Tree | None:
    """Return the tree that ITI induces from rows, given as examples; None at the time limit."""
    examples = problem.examples
    n_classes = len(problem.classes)
    arrays = _native.iti_tree(examples.words, examples.n_bits, problem.labels, n_classes, order, seconds)
    return None if arrays is None else Tree(*arrays, problem.classes)
